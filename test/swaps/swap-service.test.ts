// Swaps from request to end on a real ledger: settled once by one transaction, or everything back.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SwapReason, SwapState } from "../../src/core/swaps.ts";
import { SwapHarness } from "../support/swap-harness.ts";
import { noticesOf } from "../support/swap-notices.ts";

let harness: SwapHarness;

before(async () => {
  harness = await SwapHarness.open();
  harness.start();
});

after(() => harness.close());

/** What each party holds of an asset, whether locked or not. */
async function held(party: string, asset: string): Promise<number> {
  const { holdings } = await harness.devnet.admin.audit();
  const own = holdings.filter(
    (each: { instrument: string; owner: string }) =>
      each.owner === party && each.instrument.startsWith(asset),
  );
  return own.reduce((sum: number, { amount }: { amount: string }) => sum + Number(amount), 0);
}

test("RFQ-11 RFQ-12 both legs of a swap move by one transaction of the operator", async () => {
  const trader = await harness.trader({ USDC: "100" });
  const swap = await trader.swap("BUY");
  const over = await harness.untilOver(swap);
  assert.deepEqual([over.state, over.reason], [SwapState.settled, SwapReason.none]);
  assert.equal(await held(trader.party, "CC"), 100);
  assert.equal(await held(trader.party, "USDC"), 85);
  assert.match(over.updateId ?? "", /^1220/);
  const steps = (await harness.store.moves(swap.swapNo)).map(({ to }) => to);
  assert.deepEqual(steps, [
    SwapState.requested,
    SwapState.quoted,
    SwapState.accepted,
    SwapState.traderAllocated,
    SwapState.allocated,
    SwapState.executing,
    SwapState.settled,
  ]);
  const notices = await noticesOf(harness.sql, swap.swapId);
  assert.deepEqual(
    notices.map(({ kind, body }) => ({ kind, ...body })),
    [{ kind: "result", status: "settled", update_id: over.updateId }],
  );
});
