// Tests the order of a custody cycle: a new venue stores where its reading of deposits starts before it stores the
// terms from which members learn where to pay.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { CustodyLoop, type CustodyLoopParts } from "./custody-loop.ts";

/** An object whose every method records its name in `calls` and resolves to `answer`. */
function recorder(calls: string[], answers: Readonly<Record<string, unknown>>): unknown {
  return new Proxy(
    {},
    {
      get: (_target, name) => async () => {
        calls.push(String(name));
        return answers[String(name)];
      },
    },
  );
}

test("DEP-1 the first reading of deposits starts before the first deposit terms are stored", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const calls: string[] = [];
  const store = recorder(calls, { depositCursor: null, openDeposits: [], takeRequested: 0 });
  const quiet = {
    debug: () => undefined,
    info: () => undefined,
    warn: () => undefined,
    error: () => undefined,
  };
  const parts = {
    ...{
      pollMs: 10,
      quoteMaxAgeMs: 40,
      store,
      withdrawals: recorder([], {}),
      returns: recorder([], {}),
    },
    ...{ network: recorder([], { ledgerEnd: 1 }), instruments: new Map(), log: quiet },
    ...{ traffic: recorder([], {}), now: () => 0 },
  } as unknown as CustodyLoopParts;
  const loop = new CustodyLoop(parts);
  context.mock.timers.tick(10);
  for (let turns = 0; turns < 100 && !calls.includes("saveQuotes"); turns++) await turn();
  context.mock.timers.reset();
  await loop.stop();
  assert.deepEqual(
    calls.filter((name) => name === "addReceipts" || name === "saveQuotes"),
    ["addReceipts", "saveQuotes"],
  );
});
