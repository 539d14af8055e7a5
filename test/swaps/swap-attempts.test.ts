// Proves how the venue decides the outcome of a swap's phase if no attempt was answered, on a ledger that reports a
// rejection only for the latest attempt.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Side } from "../../src/core/orders.ts";
import type { ChangeKey, Outcome } from "../../src/ports/ledger/ledger.ts";
import { SwapPhase } from "../../src/ports/swaps/swap-store.ts";
import { type AttemptResult, SwapAttempts } from "../../src/services/swaps/swap-attempts.ts";
import { ruleBroken } from "../simulation/ledger/simulated-contracts.ts";
import { SimulatedLedger } from "../simulation/ledger/simulated-ledger.ts";
import type { LedgerFault } from "../simulation/ledger/simulated-participant.ts";
import { SimulatedSwapLedger } from "../simulation/ledger/simulated-swap-ledger.ts";
import { SimulatedSwapRows } from "../simulation/swaps/simulated-swap-rows.ts";

const trader = { account: 1002, party: "trader::1220", publicKey: "key" };
const deadlineMs = 60_000;
const lapseMs = 5_000;

test("RFQ-4 RFQ-9 a phase ends after its time if no attempt was answered and the latest was rejected", async () => {
  const clock = { ms: 0 };
  const faults: LedgerFault[] = ["lost-before", "late"];
  const submission = (): LedgerFault | null => faults.shift() ?? null;
  const chance = { submission, stream: () => null };
  const whole = new SimulatedLedger({ nowMs: () => clock.ms, instruments: [], chance });
  const ledger = new SimulatedSwapLedger(whole, null);
  const lookup = ledger.lookup.bind(ledger);
  let lookups = 0;
  ledger.lookup = async (change) => {
    lookups += 1;
    return lookup(change);
  };
  const store = new SimulatedSwapRows({
    traders: new Map([[trader.account, trader]]),
    traderFlagsOf: () => ({ isMember: false, isFrozen: false }),
    canary: null,
    onStep: () => undefined,
  });
  const terms = { trader, market: 0, side: Side.buy, askedLots: 1, askedQuote: null };
  await store.add({ ...terms, createdMs: 0, windowEndsMs: deadlineMs }, 1);
  const newId = ((): (() => string) => {
    let ids = 0;
    return () => `id-${++ids}`;
  })();
  const attempts = new SwapAttempts({
    ...{ store, ledger, newId, lapseMs, marginMs: 1_000, now: () => clock.ms },
  });
  const send = async (change: ChangeKey): Promise<Outcome> =>
    whole.participant.submit(change, () => {
      throw ruleBroken("its inputs are gone");
    });
  const run = async (): Promise<AttemptResult> => {
    const [swap] = await store.open(1);
    assert(swap !== undefined);
    return attempts.run(swap, { phase: SwapPhase.lock, actAs: trader.party, deadlineMs, send });
  };
  // The first attempt is lost. The second is rejected, and its answer is lost.
  assert.equal((await run()).kind, "waits");
  assert.equal((await run()).kind, "waits");
  assert(whole.participant.deliver(0));
  clock.ms = deadlineMs;
  assert.equal(
    (await run()).kind,
    "waits",
    "The first attempt may still commit, so the outcome must stay open",
  );
  clock.ms = deadlineMs + lapseMs + 1;
  lookups = 0;
  const message = "no attempt committed before the deadline";
  assert.deepEqual(await run(), { kind: "refused", isFinal: true, message });
  assert.equal(lookups, 1, "The rejection must also tell the ledger's time");
  const [swap] = await store.open(1);
  assert.equal(swap?.isUnknown, false, "The swap must be able to continue");
});
