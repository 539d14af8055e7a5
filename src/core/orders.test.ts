// The words of an order that are computed: the other side, and what a closing reason means.

import assert from "node:assert/strict";
import { test } from "node:test";
import { CloseReason, OrderStatus, opposite, Side, statusOfClose } from "./orders.ts";

test("each side has its opposite", () => {
  assert.equal(opposite(Side.buy), Side.sell);
  assert.equal(opposite(Side.sell), Side.buy);
});

test("orders are cancelled by somebody's will and expire by their own terms", () => {
  const cancelled = [CloseReason.cancelled, CloseReason.marketClosed];
  for (const reason of Object.values(CloseReason)) {
    const expected = cancelled.some((one) => one === reason)
      ? OrderStatus.cancelled
      : OrderStatus.expired;
    assert.equal(statusOfClose(reason), expected);
  }
});
