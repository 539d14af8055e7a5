// Proves that a trader must sign before the quote ends: a trader can neither wait to see where the market goes, nor
// take one quote after the other and abandon it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { swapFaults } from "../../src/adapters/gateway/native/swaps/swap-errors.ts";
import { SwapReason, SwapState } from "../../src/core/swaps.ts";
import type { SwapRow } from "../../src/ports/swaps/swap-store.ts";
import { patientTimes, SwapHarness } from "../support/swaps/swap-harness.ts";
import { noticesOf } from "../support/swaps/swap-notices.ts";

const dayMs = 86_400_000;

let harness: SwapHarness;

before(async () => {
  harness = await SwapHarness.open({ ...patientTimes, unkeptMax: 3, unkeptMs: dayMs });
  harness.start();
});
after(() => harness.close());

/** Ends the quote and its grace period, however slow the machine is. */
async function lapse({ swapNo }: SwapRow): Promise<void> {
  await harness.sql`update swaps set sign_before_ms = 1 where swap_no = ${swapNo}`;
}

test("RFQ-24 RFQ-36 a signature after the quote has expired executes nothing, and the swap ends", async () => {
  const trader = await harness.trader({ USDC: "100" });
  const accepted = await trader.accept(await trader.request("BUY"));
  const prepared = await trader.prepare(accepted);
  await lapse(accepted);
  await assert.rejects(trader.execute(prepared), /signedTooLate|notNow/);
  const over = await harness.untilOver(accepted);
  assert.deepEqual([over.state, over.reason], [SwapState.expired, SwapReason.traderLate]);
  assert.equal((await harness.usable(trader.party)).USDC, 100n * 10n ** 10n);
  const told = await noticesOf(harness.sql, accepted.swapId);
  assert.deepEqual(
    told.map(({ kind, body }) => ({ kind, ...body })),
    [{ kind: "result", status: "expired", reason: "trader_late" }],
  );
});

test("RFQ-25 a trader can cancel a swap until signing it", async () => {
  const trader = await harness.trader({ USDC: "100" });
  const accepted = await trader.accept(await trader.request("BUY"));
  const cancelled = await harness.service.cancel(accepted);
  assert.ok(typeof cancelled !== "string", String(cancelled));
  assert.deepEqual(
    [cancelled.state, cancelled.reason],
    [SwapState.cancelled, SwapReason.traderCancelled],
  );
  const again = await harness.service.cancel(cancelled);
  assert.ok(typeof again !== "string" && again.state === SwapState.cancelled);
  const signed = await trader.sign(await trader.accept(await trader.request("BUY")));
  assert.equal(await harness.service.cancel(signed), "notNow");
});

test("RFQ-24 a wallet that locks without the venue is in time if the venue sees the lock before the quote expires", async () => {
  const trader = await harness.trader({ USDC: "100" });
  const accepted = await trader.accept(await trader.request("BUY"), true);
  // A lock that is seen in time counts, no matter who submitted it.
  await trader.lockItself(accepted);
  const over = await harness.untilOver(accepted);
  assert.equal(over.state, SwapState.settled);
});

test("RFQ-26 RFQ-37 an account that abandons three accepted quotes can accept no more for a while, and quotes it keeps do not count", async () => {
  const trader = await harness.trader({ USDC: "100" });
  await harness.untilOver(await trader.swap("BUY"));
  const [first, second, third, fourth] = await Promise.all(
    Array.from({ length: 4 }, () => trader.request("BUY")),
  );
  assert.ok(first && second && third && fourth);
  // Three accepted quotes: one is cancelled, one stays open, one expires. Each counts.
  await harness.service.cancel(await trader.accept(first));
  const open = await trader.accept(second);
  await trader.accept(third);
  await assert.rejects(trader.accept(fourth), /tooManyUnkept/);
  await trader.sign(open);
  const signed = await harness.untilOver(open);
  assert.equal(signed.state, SwapState.settled);
  const next = await trader.accept(await trader.request("BUY"));
  await lapse(third);
  await harness.untilOver(third);
  await assert.rejects(trader.accept(await trader.request("BUY")), /tooManyUnkept/);
  await lapse(next);
  await harness.untilOver(next);
  await harness.sql`update swap_moves set at_ms = at_ms - ${2 * dayMs}`;
  await trader.sign(await trader.accept(await trader.request("BUY")));
});

test("RFQ-24 RFQ-26 ERR-40 the refusals of late signatures and of abandoned quotes each have their own message", () => {
  const told = [swapFaults.signedTooLate, swapFaults.tooManyUnkept];
  assert.deepEqual(
    told.map(({ status, msg }) => [status, msg]),
    [
      [409, "the accepted quote has expired: it can no longer be signed"],
      [429, "too many accepted quotes were left unsigned: sign the open ones, or wait"],
    ],
  );
});
