// The fast book does what the naive book says, over five million generated commands.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MatchOutcome } from "../../src/core/match-messages.ts";
import { matchingBounds } from "../../src/engine/matching/order-book.ts";
import { compareBooks } from "./book-commands.ts";

const commands = 5_000_000;

test("five million commands leave fast and naive book equal", (context) => {
  const tight = { matchesPerOrderMax: 5, ownSkipsMax: 3 };
  const options = { hashEvery: 1000, depthMax: 500, keepsPositions: true };
  const counts = compareBooks({ ...options, seed: 20_260_102, commands, bounds: tight });
  for (const [name, outcome] of Object.entries(MatchOutcome)) {
    assert((counts.get(outcome) ?? 0) > commands / 5000, `the commands reach "${name}"`);
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
