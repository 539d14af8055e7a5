// Proves when a replay waits for its own steps: after an answer that tells of members, and at its end.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { PlayAnswer } from "./history-calls.ts";
import type { PastBook } from "./past-events.ts";
import { PastTime } from "./past-time.ts";
import { ReplayRun } from "./replay-run.ts";
import type { NumberedSteps } from "./step-batch.ts";

const book = (second: number): PastBook => ({
  ...{ kind: "book", atUs: (second + 1) * 1_000_000 },
  ...{ bids: [[100, 1000 + second]], asks: [[110, 1000]] },
});

test("REW-65 a call waits for its own steps once an answer has told of a member's trade, until one tells of nobody", async () => {
  const calls: { readonly first: number; readonly steps: number; readonly settles: boolean }[] = [];
  const trade = { price: 110, qty: 5, isBuy: true, step: -1, isMaker: true, forced: 0 };
  const run = new ReplayRun({
    venue: {
      followsEvents: false,
      reach: async () => undefined,
      tellMiddle: async () => undefined,
      shows: async () => true,
      play: async ({ first, steps }: NumberedSteps, settles: boolean): Promise<PlayAnswer> => {
        calls.push({ first, steps: steps.length, settles });
        const trades = calls.length === 2 ? [trade] : [];
        return {
          refusals: [],
          trades,
          lastTrade: 0,
          answered: settles ? first + steps.length : first,
        };
      },
    },
    ...{ market: { leastValue: 1 }, makers: 1, requoteUs: 500_000, checkEvery: 0 },
    ...{ time: new PastTime(Number.POSITIVE_INFINITY), isInTurn: false },
    ...{ signal: new AbortController().signal, onProgress: () => undefined },
  });
  const { memberLots } = await run.play([0, 1, 2, 3].map((second) => [book(second)]));
  assert.equal(memberLots, 5);
  const settles = calls.map((call) => call.settles);
  assert.deepEqual(settles, [false, false, true, false, true], "the last one ends the replay");
  let next = 0;
  for (const { first, steps } of calls) {
    assert.equal(first, next, "steps are numbered without a gap");
    next += steps;
  }
});
