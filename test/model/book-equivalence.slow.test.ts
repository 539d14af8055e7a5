// Proves that the fast book and the naive book agree over six million generated commands near the best prices, ten
// million with swinging prices, and one million with 100,000 prices at a time.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MatchOutcome } from "../../src/core/match-messages.ts";
import { matchingBounds } from "../../src/engine/matching/order-book.ts";
import { compareBooks, pricesCounted } from "./book-commands.ts";

const commands = 5_000_000;

test("the fast and the naive book agree over five million commands", (context) => {
  const tight = { matchesPerOrderMax: 5, ownSkipsMax: 3 };
  const options = { hashEvery: 1000, depthMax: 500, keepsPositions: true };
  const { outcomes } = compareBooks({ ...options, seed: 20_260_102, commands, bounds: tight });
  for (const [name, outcome] of Object.entries(MatchOutcome)) {
    assert(
      (outcomes.get(outcome) ?? 0) > commands / 5000,
      `the commands must produce the outcome "${name}"`,
    );
  }
  compareBooks({
    ...options,
    seed: 13,
    commands: commands / 5,
    bounds: matchingBounds,
    keepsPositions: false,
  });
  context.diagnostic(`${commands + commands / 5} commands, state hash every ${options.hashEvery}`);
});

test("the fast and the naive book agree over ten million commands with price jumps of 80 % and 150,000 prices", (context) => {
  const options = { hashEvery: 1000, depthMax: 500, prices: "swinging" } as const;
  const tight = { matchesPerOrderMax: 5, ownSkipsMax: 3 };
  const both = [
    { bounds: tight, keepsPositions: true, seed: 20_261_124 },
    { bounds: matchingBounds, keepsPositions: false, seed: 29 },
  ];
  for (const one of both) {
    const { prices } = compareBooks({ ...options, ...one, commands });
    assert.equal(prices, pricesCounted);
  }
  context.diagnostic(`${2 * commands} commands, state hash every ${options.hashEvery}`);
});

test("the fast and the naive book agree over a million commands with 100,000 prices at a time", (context) => {
  const { levelsMost, prices } = compareBooks({
    seed: 31,
    commands: commands / 5,
    bounds: matchingBounds,
    hashEvery: 50_000,
    depthMax: 250_000,
    keepsPositions: false,
    prices: "apart",
  });
  context.diagnostic(`at most ${levelsMost} levels at a time`);
  assert.equal(prices, pricesCounted);
  assert(levelsMost >= 100_000);
});
