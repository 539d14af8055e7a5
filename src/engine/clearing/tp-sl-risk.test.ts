// TP/SL legs of positions that the venue reduces, moves or closes: liquidation, deleveraging, expiring orders, and
// restarts at any point.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertConserved } from "../../../test/model/conservation.ts";
import { crashTo, tickSecond } from "../../../test/support/machine/small-crash.ts";
import { marketId, oneUsdc, testMarkets } from "../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../test/support/machine/test-venue.ts";
import { SystemAccount, Wallet } from "../../core/accounts.ts";
import type { PlaceOrder } from "../../core/generated/commands.ts";
import { EventKind } from "../../core/generated/events.ts";
import { CloseReason, OrderType, opposite, TimeInForce, WorkingPrice } from "../../core/orders.ts";
import { apply } from "../state/apply/apply.ts";
import { SlotState } from "../state/orders/order-table.ts";
import { captureState, restoreState } from "../state/snapshot/venue-snapshot.ts";
import { VenueState } from "../state/venue-state.ts";
import { stateHash } from "../state-hash.ts";

const { btcPerp } = marketId;
const { takeProfitMarket, stopMarket } = OrderType;

/** Order fields for a take profit and a stop loss, in ticks. */
function guarded(takeProfit: number, stopLoss: number): Partial<PlaceOrder> {
  const workingPrice = WorkingPrice.mark;
  return { activationPrice: takeProfit, triggerPrice: stopLoss, workingPrice };
}

/** Types of an account's conditional orders. */
function legsOf({ orders }: VenueState, account: number): number[] {
  const found: number[] = [];
  for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
    if (orders.isOffBook(slot)) found.push(orders.type[slot] ?? 0);
  }
  return found.sort((a, b) => a - b);
}

/**
 * Asserts that legs belong to positions of the other side, that there is at most one of each kind, and that no leg is
 * still to be placed.
 */
function assertBound(state: VenueState): void {
  for (const pair of state.tpSl.all()) {
    const { account, market, side, takeProfitId, stopLossId } = pair;
    assert(state.positions.closable(account, market, opposite(side)) > 0, "a leg has a position");
    assert.equal(pair.owedTakeProfit + pair.owedStopLoss, 0, "legs must be placed");
    for (const id of [takeProfitId, stopLossId]) {
      if (id === 0) continue;
      const slot = state.orders.slotOf(id);
      assert.equal(state.orders.state[slot], SlotState.waiting);
      assert.equal(state.orders.side[slot], opposite(side));
    }
  }
}

/**
 * Returns a venue with three positions that have a take profit and a stop loss. The falling price does not reach these
 * legs. One long is reduced by the venue, one long is deleveraged completely, and the third position is the short on
 * the other side.
 */
function fallOfTheMarket(fund: bigint) {
  const venue = new TestVenue();
  venue.credit(SystemAccount.insurance, Wallet.perp, 0, fund * oneUsdc);
  const maker = venue.fund(10_000_000n * oneUsdc);
  const small = venue.fund(603n * oneUsdc);
  const large = venue.fund(6030n * oneUsdc);
  venue.sell(maker, btcPerp, 6_000_000, 1100, guarded(1_500_000, 20_000_000));
  venue.buy(small, btcPerp, 6_000_000, 100, guarded(20_000_000, 1_500_000));
  venue.buy(large, btcPerp, 6_000_000, 1000, guarded(20_000_000, 1_500_000));
  return { venue, maker, small, large };
}

const both = [stopMarket, takeProfitMarket].sort((a, b) => a - b);

test("NAT-52 RSK-3 take profit and stop loss survive a liquidation that leaves a position, and are cancelled if the position is taken over", () => {
  const { venue, maker, small, large } = fallOfTheMarket(200n);
  for (const account of [maker, small, large]) {
    assert.deepEqual(legsOf(venue.state, account), both);
  }
  crashTo(venue, maker, 5_421_000);
  tickSecond(venue);
  const { positions } = venue.state;
  assert(positions.qty(small, btcPerp) > 0 && positions.qty(small, btcPerp) < 100, "reduced");
  assert.deepEqual(legsOf(venue.state, small), both);
  crashTo(venue, maker, 5_300_000);
  tickSecond(venue);
  assert.equal(positions.qty(large, btcPerp), 0, "taken over");
  assert.deepEqual(legsOf(venue.state, large), []);
  const gone = venue.events.filter(
    (event) => event.kind === EventKind.orderClosed && event.account === large,
  );
  assert.deepEqual(
    gone.map((event) => event.kind === EventKind.orderClosed && event.reason),
    [CloseReason.reduceOnly, CloseReason.reduceOnly],
  );
  assertBound(venue.state);
  assertConserved(venue.state);
});

test("NAT-52 RSK-11 a deleveraged account keeps its legs for the remaining position, and loses them if no position remains", () => {
  const { venue, maker, large } = fallOfTheMarket(200n);
  // Two more shorts, the first in the deleveraging queue: the first loses its whole position, the second a part.
  const [first, second] = [venue.fund(130n * oneUsdc), venue.fund(20_000n * oneUsdc)];
  venue.setLeverage(first, btcPerp, 100);
  venue.setLeverage(second, btcPerp, 20);
  venue.buy(maker, btcPerp, 6_000_000, 2050);
  venue.sell(first, btcPerp, 6_000_000, 50, guarded(1_500_000, 20_000_000));
  venue.sell(second, btcPerp, 6_000_000, 2000, guarded(1_500_000, 20_000_000));
  crashTo(venue, maker, 5_300_000);
  tickSecond(venue);
  tickSecond(venue);
  const { positions } = venue.state;
  assert.equal(positions.qty(large, btcPerp), 0);
  const moved = venue.events.filter((event) => event.kind === EventKind.positionMoved);
  const takers = new Set(moved.map(({ counterparty }) => counterparty));
  assert(takers.has(first) && takers.has(second), `${[...takers]}`);
  assert.equal(positions.qty(first, btcPerp), 0);
  assert.deepEqual(legsOf(venue.state, first), []);
  const left = positions.qty(second, btcPerp);
  assert(left < 0 && left > -2000, `${left}`);
  assert.deepEqual(legsOf(venue.state, second), both);
  assertBound(venue.state);
});

test("NAT-49 the remainder of an entry expires, and its legs cover what has filled", () => {
  const venue = new TestVenue();
  const [own, other] = [venue.fund(1_000_000n * oneUsdc), venue.fund(1_000_000n * oneUsdc)];
  venue.sell(other, btcPerp, 10_000, 30);
  const ioc = { ...guarded(11_000, 9_000), timeInForce: TimeInForce.ioc };
  venue.buy(own, btcPerp, 10_000, 100, ioc);
  assert.equal(venue.state.positions.qty(own, btcPerp), 30);
  assert.deepEqual(legsOf(venue.state, own), both);
  const [late, third] = [venue.fund(1_000_000n * oneUsdc), venue.fund(1_000_000n * oneUsdc)];
  const goodTillUs = venue.nowUs + 700_000_000;
  const timed = { ...guarded(11_000, 9_000), timeInForce: TimeInForce.gtd, goodTillUs };
  venue.buy(late, btcPerp, 10_000, 100, timed);
  const empty = venue.fund(1_000_000n * oneUsdc);
  venue.buy(empty, btcPerp, 9_990, 100, timed);
  venue.sell(third, btcPerp, 10_000, 40);
  venue.nowUs = goodTillUs + 1_000_000;
  tickSecond(venue);
  assert.equal(
    venue.state.orders.countOf(empty, btcPerp),
    0,
    "an entry without a fill leaves nothing",
  );
  assert.equal(venue.state.positions.qty(late, btcPerp), 40);
  assert.deepEqual(legsOf(venue.state, late), both);
  assertBound(venue.state);
});

test("NAT-52 a triggered leg that cannot fill completely ends, and the other leg is cancelled with it", () => {
  const venue = new TestVenue({ markIntervalUs: 1 });
  const [own, other] = [venue.fund(1_000_000n * oneUsdc), venue.fund(1_000_000n * oneUsdc)];
  const third = venue.fund(1_000_000n * oneUsdc);
  venue.buy(own, btcPerp, 10_000, 100, guarded(11_000, 9_000));
  venue.sell(other, btcPerp, 10_000, 100);
  venue.buy(third, btcPerp, 9_000, 31);
  venue.sell(other, btcPerp, 9_000, 1);
  for (let count = 0; count < 3; count++) tickSecond(venue);
  assert.equal(venue.state.positions.qty(own, btcPerp), 70, "it traded the 30 lots of the book");
  assert.deepEqual(legsOf(venue.state, own), []);
  assert.deepEqual(venue.state.tpSl.all(), []);
});

test("NAT-52 RSK-13 a restart at any moment keeps take profit and stop loss with their positions", () => {
  const { venue, maker } = fallOfTheMarket(200n);
  crashTo(venue, maker, 5_421_000);
  tickSecond(venue);
  crashTo(venue, maker, 5_300_000);
  tickSecond(venue);
  const { events } = venue;
  const begin = events.findIndex((event) => event.kind === EventKind.specialAccepted);
  const state = new VenueState(testMarkets);
  let restarts = 0;
  for (const [index, event] of events.entries()) {
    apply(state, event);
    // A copy of the state takes as much memory as a whole venue, so check only one transaction in five.
    if (index < begin || !event.isTransactionEnd || index % 5 !== 0) continue;
    const copy = restoreState(testMarkets, captureState(state));
    assert.equal(stateHash(copy), stateHash(state));
    const again = new TestVenue({ state: copy });
    for (let count = 0; count < 2; count++) tickSecond(again);
    assertBound(again.state);
    assertConserved(again.state);
    restarts++;
  }
  assert(restarts > 5, `${restarts} restarts`);
});
