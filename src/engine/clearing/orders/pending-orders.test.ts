// Orders in flight: hold, lots, count and client id are reserved as soon as an order is sent. A refusal releases all of
// them; an accepted order keeps its hold.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { Wallet } from "../../../core/accounts.ts";
import { AssertionFailure } from "../../../core/assert.ts";
import { Side } from "../../../core/orders.ts";
import { VenueState } from "../../state/venue-state.ts";
import { RequestLane } from "../matchers/request-lane.ts";
import { PendingOrders } from "./pending-orders.ts";

const { btcPerp, ccUsdc } = marketId;

function pendingSell(clientId: string, market: number = ccUsdc) {
  const state = new VenueState(testMarkets);
  const pending = new PendingOrders(state);
  const request = new RequestLane().push();
  request.slot = state.orders.allocate();
  Object.assign(request.order, {
    account: 1001,
    market,
    side: Side.sell,
    qty: 7,
    clientId,
  });
  request.terms.qty = 7;
  request.terms.hold = 70n;
  pending.reserve(request);
  return { state, pending, request };
}

test("hold, lots, count and client id are reserved at once and released completely", () => {
  const { state, pending, request } = pendingSell("mine");
  const figures = () => [
    state.balances.reserved(1001, Wallet.spot, 1),
    pending.lots(1001, ccUsdc, Side.sell),
    state.orders.countOf(1001, ccUsdc),
    pending.slotOf(1001, "mine"),
    pending.usesClientId(1001, "mine"),
  ];
  assert.deepEqual(figures(), [70n, 0, 1, request.slot, true]);
  pending.refuse(request);
  assert.deepEqual(figures(), [0n, 0, 0, -1, false]);
  assert.throws(() => pending.refuse(request), AssertionFailure);
});

test("an accepted order passes its hold on to its slot", () => {
  const { state, pending, request } = pendingSell("mine");
  pending.accept(request);
  assert.equal(state.orders.reserved[request.slot], 70n);
  assert.equal(state.balances.reserved(1001, Wallet.spot, 1), 70n);
  assert.equal(state.orders.countOf(1001, ccUsdc), 0);
  assert(!pending.usesClientId(1001, "mine"));
});

test("lots of a perpetual order are counted by side and released once", () => {
  const { state, pending, request } = pendingSell("mine", btcPerp);
  assert.equal(pending.lots(1001, btcPerp, Side.sell), 7);
  assert.equal(pending.lots(1001, btcPerp, Side.buy), 0);
  assert.equal(state.balances.reserved(1001, Wallet.perp, 0), 70n);
  pending.refuse(request);
  assert.equal(pending.lots(1001, btcPerp, Side.sell), 0);
});

test("a client id that the index cannot distinguish from a used one counts as used, but finds no order", () => {
  const { state, pending, request } = pendingSell("mine");
  // Simulates two client ids with one hash: the order in the slot found has another client id.
  state.orders.setClientId(request.slot, "twin");
  assert.equal(pending.slotOf(1001, "mine"), -1);
  assert(pending.usesClientId(1001, "mine"), "an order with the second id will be refused");
});

test("an order without a client id is not found by the empty one", () => {
  const { pending } = pendingSell("");
  assert.equal(pending.slotOf(1001, ""), -1);
  assert(!pending.usesClientId(1001, ""));
});
