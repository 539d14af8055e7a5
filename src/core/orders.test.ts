// The words of an order that are computed: the other side, and what a closing reason means.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CloseReason,
  isConditional,
  OrderStatus,
  OrderType,
  opposite,
  Side,
  statusOfClose,
  tradedType,
} from "./orders.ts";

test("each side has its opposite", () => {
  assert.equal(opposite(Side.buy), Side.sell);
  assert.equal(opposite(Side.sell), Side.buy);
});

test("orders are cancelled by somebody's will and expire by their own terms or in a match", () => {
  const { cancelled: asked, marketClosed, countdown, linked, selfTrade } = CloseReason;
  const cancelled = [asked, marketClosed, countdown, linked];
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
