// Computed properties of orders: the opposite side, the status after a close, and which client ids are reserved for
// the venue.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  CloseReason,
  derivedClientId,
  isClientId,
  isConditional,
  isReservedClientId,
  OrderStatus,
  OrderType,
  opposite,
  orderIdOfDerived,
  Side,
  statusOfClose,
  tradedType,
} from "./orders.ts";

test("each side has its opposite", () => {
  assert.equal(opposite(Side.buy), Side.sell);
  assert.equal(opposite(Side.sell), Side.buy);
});

test("each close reason makes an order either cancelled, expired, or expired in a match", () => {
  const { cancelled: byOwner, marketClosed, countdown, linked } = CloseReason;
  const { disconnected, makerGroup, selfTrade } = CloseReason;
  const cancelled = [byOwner, marketClosed, countdown, linked, disconnected, makerGroup];
  for (const reason of Object.values(CloseReason)) {
    const isCancelled = cancelled.some((one) => one === reason);
    const ended = reason === selfTrade ? OrderStatus.expiredInMatch : OrderStatus.expired;
    assert.equal(statusOfClose(reason), isCancelled ? OrderStatus.cancelled : ended);
  }
});

test("conditional orders trade as a limit or a market order", () => {
  const { limit, market, limitMaker, stop, takeProfit } = OrderType;
  for (const type of Object.values(OrderType)) {
    assert.equal(isConditional(type), ![limit, market, limitMaker].some((one) => one === type));
    const asLimit = [limit, stop, takeProfit].some((one) => one === type);
    assert.equal(tradedType(type), asLimit ? limit : type === limitMaker ? type : market);
  }
});

test("ORD-13 a client id has 1 to 36 of the allowed characters", () => {
  for (const good of ["a", ".A-Z:/a-z0-9_-", "x".repeat(36), "o-1"]) {
    assert(isClientId(good), good);
  }
  for (const bad of ["", "x".repeat(37), "a b", "ä", "a\n", "a,b", "%41"]) {
    assert(!isClientId(bad), bad);
  }
});

test("ORD-14 a derived client id parses back to its order, and only exactly this form is reserved", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (orderId) => {
      const derived = derivedClientId(orderId);
      assert(isClientId(derived) && isReservedClientId(derived));
      assert.equal(orderIdOfDerived(derived), orderId);
    }),
  );
  assert.equal(derivedClientId(7), "o-00000000000000000007");
  for (const free of ["o-7", "o-0000000000000000000x", "O-00000000000000000007", ""]) {
    assert(!isReservedClientId(free), free);
    assert.equal(orderIdOfDerived(free), 0);
  }
  assert.equal(orderIdOfDerived(`o-${"9".repeat(20)}`), 0, "no order id is this large");
});
