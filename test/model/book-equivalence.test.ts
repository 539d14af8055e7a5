// Proves that the fast book and the naive book agree over about a million generated commands.
// book-equivalence.slow.test.ts runs far more.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MatchOutcome } from "../../src/core/match-messages.ts";
import { matchingBounds } from "../../src/engine/matching/order-book.ts";
import { compareBooks } from "./book-commands.ts";

const commands = 500_000;

test("the fast and the naive book agree with tight limits on matches per order", () => {
  const { outcomes } = compareBooks({
    seed: 20_260_101,
    commands,
    bounds: { matchesPerOrderMax: 5, ownSkipsMax: 3 },
    hashEvery: 1000,
    depthMax: 500,
    keepsPositions: true,
  });
  for (const [name, outcome] of Object.entries(MatchOutcome)) {
    assert(
      (outcomes.get(outcome) ?? 0) > commands / 5000,
      `the commands must produce the outcome "${name}"`,
    );
  }
});

test("the fast and the naive book agree with the venue's limits", () => {
  const options = { commands: commands / 5, bounds: matchingBounds, hashEvery: 1000 };
  compareBooks({ ...options, seed: 7, depthMax: 500, keepsPositions: false });
  compareBooks({ ...options, seed: 11, depthMax: 12, keepsPositions: true });
});

test("the fast and the naive book agree when prices jump by 80 % and cover the whole range", () => {
  const options = { commands: commands / 2, hashEvery: 1000, prices: "swinging" } as const;
  const { outcomes, prices } = compareBooks({
    ...options,
    seed: 20_261_123,
    bounds: { matchesPerOrderMax: 5, ownSkipsMax: 3 },
    depthMax: 500,
    keepsPositions: true,
  });
  for (const [name, outcome] of Object.entries(MatchOutcome)) {
    assert((outcomes.get(outcome) ?? 0) > 0, `the commands must produce the outcome "${name}"`);
  }
  assert(prices > 50_000, `the commands had only ${prices} prices`);
});

test("the fast and the naive book agree with 10,000 prices at a time", () => {
  const { prices, levelsMost } = compareBooks({
    seed: 17,
    commands: 120_000,
    bounds: matchingBounds,
    hashEvery: 10_000,
    depthMax: 30_000,
    keepsPositions: false,
    prices: "apart",
  });
  assert(
    levelsMost > 10_000 && prices > 50_000,
    `the book had only ${levelsMost} levels and ${prices} prices`,
  );
});
