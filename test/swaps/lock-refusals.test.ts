// Proves for traders what happens to a lock that was signed in time and that the ledger refuses: two locks never use
// the same coins, and a refusal counts against the trader only if the trader caused it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SwapReason, SwapState } from "../../src/core/swaps.ts";
import type { Rejected } from "../../src/ports/ledger/ledger.ts";
import type { SwapLedger } from "../../src/ports/swaps/swap-ledger.ts";
import type { SwapRow } from "../../src/ports/swaps/swap-store.ts";
import {
  patientTimes,
  replaced,
  SwapHarness,
  type SwapTrader,
} from "../support/swaps/swap-harness.ts";

const unit = 10_000_000_000n;
const rejected: Rejected = {
  ...{ kind: "rejected", code: "DAML_FAILURE", category: 9, action: "stop" },
  ...{ resources: [], message: "refused by the test" },
};
const withoutTraffic: Rejected = {
  ...{ ...rejected, code: "SEQUENCER_NOT_ENOUGH_TRAFFIC_CREDIT", action: "wait-traffic" },
};

let harness: SwapHarness;
/** How the ledger refuses what traders sign; null if it does not. */
let refusal: Rejected | null = null;
/** How often it was refused. */
let refusals = 0;

before(async () => {
  harness = await SwapHarness.open({ ...patientTimes, unkeptMax: 3 });
  const whole = harness.ledger.bind(harness);
  harness.ledger = (): SwapLedger => {
    const ledger = whole();
    const execute: SwapLedger["execute"] = async (signed) => {
      if (refusal === null) return ledger.execute(signed);
      refusals++;
      return refusal;
    };
    return replaced(ledger, { execute });
  };
  harness.start();
});
after(() => harness.close());

async function twoAccepted(trader: SwapTrader): Promise<readonly [SwapRow, SwapRow]> {
  const [first, second] = [await trader.request("BUY"), await trader.request("BUY")];
  return [await trader.accept(first), await trader.accept(second)];
}

async function assertBothSettle(trader: SwapTrader, swaps: readonly SwapRow[]): Promise<void> {
  for (const swap of swaps) {
    const over = await harness.untilOver(swap);
    assert.deepEqual([over.state, over.reason], [SwapState.settled, SwapReason.none]);
  }
  assert.deepEqual(await harness.usable(trader.party), { USDC: 70n * unit, CC: 200n * unit });
}

const unkept = ({ account }: SwapTrader) => harness.store.unkept(account, 0);

/** Ends the time for signing, although the quote may still be valid. */
async function lapse({ swapNo }: SwapRow): Promise<void> {
  await harness.sql`update swaps set sign_before_ms = 1 where swap_no = ${swapNo}`;
}

/** Runs a swap until the ledger has refused its signed lock. */
async function refused(trader: SwapTrader): Promise<SwapRow> {
  const swap = await trader.sign(await trader.accept(await trader.request("BUY")));
  return harness.until(swap, ({ prepareFault }) => prepareFault !== null);
}

test("RFQ-27 two locks prepared at the same time use different coins", async () => {
  const trader = await harness.trader({ USDC: "50" });
  await harness.devnet.admin.tap(trader.party, "USDC", "50");
  const swaps = await twoAccepted(trader);
  const prepared = [await trader.prepare(swaps[0]), await trader.prepare(swaps[1])];
  for (const each of prepared) await trader.execute(each);
  await assertBothSettle(trader, swaps);
});

test("RFQ-27 RFQ-38 if one coin must pay two locks, signing one lock requires the other to be prepared again", async () => {
  const trader = await harness.trader({ USDC: "100" });
  const swaps = await twoAccepted(trader);
  const [first, second] = [await trader.prepare(swaps[0]), await trader.prepare(swaps[1])];
  await trader.execute(first);
  await assert.rejects(trader.execute(second), /notPrepared|notNow/);
  // The second lock is paid from the first lock's change, once that has arrived.
  await trader.sign(swaps[1]);
  await assertBothSettle(trader, swaps);
});

test("RFQ-28 a lock that was signed in time and refused by the ledger may be signed again", async () => {
  const trader = await harness.trader({ USDC: "100" });
  refusal = rejected;
  const swap = await refused(trader);
  assert.equal(swap.state, SwapState.accepted);
  assert.equal(await unkept(trader), 0);
  refusal = null;
  await trader.sign(swap);
  const over = await harness.untilOver(swap);
  assert.equal(over.state, SwapState.settled);
});

test("RFQ-28 a signed lock for which the venue lacks traffic is sent again until it commits, without the trader", async () => {
  const trader = await harness.trader({ USDC: "100" });
  [refusal, refusals] = [withoutTraffic, 0];
  const swap = await trader.sign(await trader.accept(await trader.request("BUY")));
  await harness.until(swap, () => refusals >= 2);
  refusal = null;
  const over = await harness.untilOver(swap);
  assert.deepEqual([over.state, over.reason], [SwapState.settled, SwapReason.none]);
});

test("RFQ-25 RFQ-28 a swap whose signed lock waits for the venue's traffic can be cancelled and locks nothing", async () => {
  const trader = await harness.trader({ USDC: "100" });
  [refusal, refusals] = [withoutTraffic, 0];
  const swap = await trader.sign(await trader.accept(await trader.request("BUY")));
  await harness.until(swap, ({ isUnknown }) => refusals >= 1 && !isUnknown);
  let cancelled = await harness.service.cancel(swap);
  // While an attempt is being sent it may still commit.
  for (const endMs = Date.now() + 60_000; cancelled === "notNow" && Date.now() < endMs; )
    cancelled = await harness.service.cancel(swap);
  assert(typeof cancelled !== "string", String(cancelled));
  const { state, reason } = cancelled;
  assert.deepEqual([state, reason], [SwapState.cancelled, SwapReason.lockFailed]);
  refusal = null;
  assert.equal(await unkept(trader), 0);
  assert.deepEqual(await harness.usable(trader.party), { USDC: 100n * unit, CC: 0n });
});

test("RFQ-28 a refusal that the trader did not cause does not count against the trader", async () => {
  const trader = await harness.trader({ USDC: "100" });
  refusal = rejected;
  const [late, left] = [await refused(trader), await refused(trader)];
  refusal = null;
  await lapse(late);
  const expired = await harness.untilOver(late);
  assert.deepEqual([expired.state, expired.reason], [SwapState.expired, SwapReason.lockFailed]);
  const cancelled = await harness.service.cancel(left);
  assert.ok(typeof cancelled !== "string", String(cancelled));
  assert.deepEqual(
    [cancelled.state, cancelled.reason],
    [SwapState.cancelled, SwapReason.lockFailed],
  );
  assert.equal(await unkept(trader), 0);
});

test("RFQ-28 RFQ-39 if a trader spends the coins of a lock elsewhere, the swap expires and counts against the trader", async () => {
  const trader = await harness.trader({ USDC: "100" });
  const [signed, other] = await twoAccepted(trader);
  const prepared = await trader.prepare(signed);
  // The trader's own wallet locks all its coins for the other swap.
  await trader.lockItself(other);
  await trader.execute(prepared);
  const refusedSwap = await harness.until(signed, ({ prepareFault }) => prepareFault !== null);
  await lapse(refusedSwap);
  const over = await harness.untilOver(signed);
  assert.deepEqual([over.state, over.reason], [SwapState.expired, SwapReason.traderLate]);
  assert.equal(await unkept(trader), 1);
});

test("RFQ-28 a timely signature that never reached the ledger does not count against the trader", async () => {
  const trader = await harness.trader({ USDC: "100" });
  const accepted = await trader.accept(await trader.request("BUY"));
  const prepared = await trader.prepare(accepted);
  harness.pause();
  await trader.execute(prepared);
  await harness.sql`update swaps set due_ms = ${Date.now()} where swap_no = ${accepted.swapNo}`;
  await lapse(accepted);
  harness.start();
  const over = await harness.untilOver(accepted);
  assert.deepEqual([over.state, over.reason], [SwapState.expired, SwapReason.lockFailed]);
  assert.equal(await unkept(trader), 0);
});
