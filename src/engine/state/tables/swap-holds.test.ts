// Coins that a wallet-funded account's swap will lock on the ledger: no order spends them, and the mirror's debits
// are charged to them first.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { AccountFlag, AccountType, Wallet } from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { Side } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { SwapReason, SwapState } from "../../../core/swaps.ts";
import { stateHash } from "../../state-hash.ts";
import { captureState, restoreState } from "../snapshot/venue-snapshot.ts";

const [usdc, cc] = [0, 1];
const market = marketId.ccUsdc;

interface Step {
  readonly to: SwapState;
  readonly account: number;
  readonly swapNo?: number;
  readonly side?: Side;
}

/** Records a step of a swap of 100 CC at 0.15. */
function step(venue: TestVenue, { to, account, swapNo = 7, side = Side.buy }: Step): void {
  venue.done({
    kind: CommandKind.recordSwapMove,
    ...{ account, swapNo, market, side, to, from: SwapState.quoted, reason: SwapReason.none },
    moveNo: venue.state.swapMoves + 1,
    ...{ price: 1500, lots: 1000, digestHigh: 0n, digestLow: 0n },
  });
}

/** Returns a venue with a wallet that has this much USDC and has accepted a quote. */
function accepted(money: bigint, type: AccountType = AccountType.wallet) {
  const venue = new TestVenue();
  const account = venue.fund(money, type);
  venue.setFlags(account, AccountFlag.enrolled);
  step(venue, { to: SwapState.accepted, account });
  const free = () => venue.state.balances.free(account, Wallet.spot, usdc);
  const held = () => venue.state.balances.reserved(account, Wallet.spot, usdc);
  const credit = (amount: bigint, asset = usdc) => {
    const change = { account, wallet: Wallet.spot, asset, amount, isFromFaucet: false };
    return venue.send({ kind: CommandKind.credit, ...change }).reason;
  };
  return { venue, account, free, held, credit };
}

test("RFQ-20 RFQ-33 the coins for a swap are held from the acceptance of its quote, and no order can spend them", () => {
  const { venue, account, free, held } = accepted(26n * oneUsdc);
  assert.deepEqual([free(), held()], [11n * oneUsdc, 15n * oneUsdc]);
  assert.equal(venue.state.swapHolds.of(account, 7), 15n * oneUsdc);
  const order = { account, market, side: Side.buy, price: 1000 };
  assert.equal(venue.place({ ...order, qty: 1101 }).reason, RejectReason.insufficientBalance);
  assert.equal(venue.place({ ...order, qty: 1100 }).reason, RejectReason.none);
  step(venue, { to: SwapState.traderAllocated, account });
  assert.equal(venue.state.swapHolds.of(account, 7), 15n * oneUsdc);
});

test("RFQ-20 a hold is at most what is free, and an account that is not wallet-funded gets none", () => {
  const poor = accepted(4n * oneUsdc);
  assert.deepEqual([poor.free(), poor.held()], [0n, 4n * oneUsdc]);
  assert.equal(poor.venue.state.swapHolds.of(poor.account, 7), 4n * oneUsdc);
  const plain = accepted(26n * oneUsdc, AccountType.standard);
  assert.equal(plain.held(), 0n);
  assert.equal(plain.venue.state.swapHolds.of(plain.account, 7), 0n);
  step(plain.venue, { to: SwapState.settled, account: plain.account });
  assert.equal(plain.venue.state.swapHolds.of(plain.account, 7), null);
  const seller = accepted(26n * oneUsdc);
  seller.credit(100n * 10n ** 8n, cc);
  const sale = { to: SwapState.accepted, account: seller.account, swapNo: 8, side: Side.sell };
  step(seller.venue, sale);
  const { balances } = seller.venue.state;
  assert.equal(balances.reserved(seller.account, Wallet.spot, cc), 100n * 10n ** 8n);
});

test("RFQ-20 RFQ-33 the hold is released when the swap ends without a settlement", () => {
  for (const to of [SwapState.expired, SwapState.cancelled, SwapState.released]) {
    const { venue, account, free, held } = accepted(26n * oneUsdc);
    step(venue, { to, account });
    assert.deepEqual([free(), held()], [26n * oneUsdc, 0n]);
    assert.equal(venue.state.swapHolds.of(account, 7), null);
  }
});

test("RFQ-20 the mirror takes locked coins off the hold, and open orders stay", () => {
  const { venue, account, free, held, credit } = accepted(26n * oneUsdc);
  const order = { account, market, side: Side.buy, price: 1000, qty: 1100 };
  assert.equal(venue.place(order).reason, RejectReason.none);
  assert.equal(credit(-16n * oneUsdc), RejectReason.insufficientBalance);
  assert.equal(credit(-15n * oneUsdc), RejectReason.none);
  assert.deepEqual([free(), held()], [0n, 11n * oneUsdc]);
  assert.equal(venue.state.swapHolds.of(account, 7), 0n, "the swap must be known and hold nothing");
  step(venue, { to: SwapState.settled, account });
  assert.deepEqual([free(), held()], [0n, 11n * oneUsdc]);
  assert.deepEqual(venue.state.swapHolds.all(), []);
});

test("RFQ-20 RFQ-33 coins of a settled swap stay held until the mirror has booked them", () => {
  const { venue, account, free, held, credit } = accepted(26n * oneUsdc);
  step(venue, { to: SwapState.settled, account });
  assert.deepEqual([free(), held()], [11n * oneUsdc, 15n * oneUsdc]);
  assert.equal(credit(1n, cc), RejectReason.none);
  assert.equal(held(), 15n * oneUsdc, "a credit of another asset must not change the hold");
  const restored = restoreState(testMarkets, captureState(venue.state));
  assert.equal(stateHash(restored), stateHash(venue.state));
  assert.deepEqual(restored.swapHolds.all(), venue.state.swapHolds.all());
  // The mirror books one net change: 15 USDC have left and 10 USDC have arrived.
  assert.equal(credit(-5n * oneUsdc), RejectReason.none);
  assert.deepEqual([free(), held()], [21n * oneUsdc, 0n]);
  assert.deepEqual(venue.state.swapHolds.all(), []);
});

test("RFQ-20 coins that leave while two swaps have holds are taken off the older swap's hold first", () => {
  const { venue, account, credit } = accepted(40n * oneUsdc);
  step(venue, { to: SwapState.accepted, account, swapNo: 9 });
  assert.equal(credit(-20n * oneUsdc), RejectReason.none);
  const { swapHolds } = venue.state;
  assert.deepEqual([swapHolds.of(account, 7), swapHolds.of(account, 9)], [0n, 10n * oneUsdc]);
});

test("RFQ-20 coins that the mirror took off one swap's hold are returned to it when another swap's lock is seen", () => {
  const { venue, account, free, held, credit } = accepted(30n * oneUsdc);
  const { swapHolds } = venue.state;
  step(venue, { to: SwapState.accepted, account, swapNo: 9 });
  assert.equal(credit(-15n * oneUsdc), RejectReason.none);
  assert.deepEqual([swapHolds.of(account, 7), swapHolds.of(account, 9)], [0n, 15n * oneUsdc]);
  step(venue, { to: SwapState.traderAllocated, account, swapNo: 9 });
  assert.deepEqual([swapHolds.of(account, 7), swapHolds.of(account, 9)], [15n * oneUsdc, 0n]);
  const restored = restoreState(testMarkets, captureState(venue.state));
  assert.equal(stateHash(restored), stateHash(venue.state));
  step(venue, { to: SwapState.settled, account, swapNo: 9 });
  assert.equal(swapHolds.of(account, 9), null, "the hold must be gone, because its lock is booked");
  assert.equal(credit(1n), RejectReason.none);
  assert.deepEqual(
    [free(), held()],
    [1n, 15n * oneUsdc],
    "the coins of the other swap must still be held",
  );
  step(venue, { to: SwapState.expired, account });
  assert.deepEqual([free(), held()], [15n * oneUsdc + 1n, 0n]);
});

test("RFQ-20 when a swap ends without a lock, coins that were taken off its hold count for the other swaps", () => {
  const { venue, account, free, held, credit } = accepted(30n * oneUsdc);
  step(venue, { to: SwapState.accepted, account, swapNo: 9 });
  assert.equal(credit(-15n * oneUsdc), RejectReason.none);
  step(venue, { to: SwapState.expired, account });
  assert.deepEqual([free(), held()], [15n * oneUsdc, 0n]);
  step(venue, { to: SwapState.traderAllocated, account, swapNo: 9 });
  step(venue, { to: SwapState.settled, account, swapNo: 9 });
  assert.deepEqual(venue.state.swapHolds.all(), []);
});

test("RFQ-20 a lock that is booked at the same time as incoming coins holds nothing after the settlement", () => {
  for (const change of [-5n * oneUsdc, 5n * oneUsdc]) {
    const { venue, account, held, credit } = accepted(26n * oneUsdc);
    step(venue, { to: SwapState.traderAllocated, account });
    assert.equal(credit(change), RejectReason.none);
    step(venue, { to: SwapState.settled, account });
    assert.deepEqual([held(), venue.state.swapHolds.all()], [0n, []]);
  }
});
