// Proves that an order list does no harm, whatever a client sends for it: the request is answered, what is refused leaves
// no order, and what is accepted is there as a whole and is cancelled as a whole.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import fc from "fast-check";
import { Wallet } from "../../src/core/accounts.ts";
import { legCountOf } from "../../src/core/order-lists.ts";
import { FrontFixture, type TestKey } from "../surface/front-fixture.ts";
import { fuzz } from "./fuzz.ts";

let front: FrontFixture;
let key: TestKey;

before(async () => {
  front = await FrontFixture.open();
  key = await front.newTrader();
  front.venue.credit(key.account, Wallet.spot, 1, 10n ** 14n);
});
after(() => front.close());

type Parameters = Readonly<Record<string, string>>;

const ofList = { symbol: "CC-USDC", listClientOrderId: "fuzz-1" };
const buying = {
  ...{ ...ofList, workingType: "LIMIT", workingSide: "BUY", workingTimeInForce: "GTC" },
  ...{ workingPrice: "0.1500", workingQuantity: "100", pendingSide: "SELL" },
};
const working = { ...buying, pendingQuantity: "100" };
const pair = {
  ...{ pendingAboveType: "LIMIT_MAKER", pendingAbovePrice: "0.1600" },
  ...{ pendingBelowType: "STOP_LOSS", pendingBelowStopPrice: "0.1400" },
};
const lists: readonly (readonly [path: string, parameters: Parameters])[] = [
  [
    "/api/v3/orderList/oco",
    {
      ...{ ...ofList, side: "SELL", quantity: "100", aboveType: "LIMIT_MAKER" },
      ...{ abovePrice: "0.1600", belowType: "STOP_LOSS", belowStopPrice: "0.1400" },
    },
  ],
  [
    "/api/v3/orderList/oto",
    {
      ...working,
      pendingType: "STOP_LOSS_LIMIT",
      pendingStopPrice: "0.1400",
      pendingPrice: "0.1390",
    },
  ],
  [
    "/api/v3/orderList/oto",
    {
      ...{ ...working, pendingType: "STOP_LOSS_LIMIT", pendingStopPrice: "0.1400" },
      ...{ pendingTimeInForce: "GTC", pendingPegPriceType: "PRIMARY_PEG" },
      ...{ pendingPegOffsetType: "PRICE_LEVEL", pendingPegOffsetValue: "100" },
    },
  ],
  ["/api/v3/orderList/otoco", { ...working, ...pair }],
  ["/api/v3/orderList/opo", { ...buying, pendingType: "LIMIT_MAKER", pendingPrice: "0.1600" }],
  ["/api/v3/orderList/opoco", { ...buying, ...pair }],
  [
    "/api/v3/order/oco",
    { ...ofList, side: "SELL", quantity: "100", price: "0.1600", stopPrice: "0.1400" },
  ],
];

const names = [...new Set(lists.flatMap(([, parameters]) => Object.keys(parameters)))];
const values = fc.oneof(
  fc.constantFrom("", "0", "-1", "0.1400", "0.1500", "0.1600", "1e9", "BUY", "SELL", "100.05"),
  fc.constantFrom("LIMIT", "LIMIT_MAKER", "MARKET", "STOP_LOSS", "STOP_LOSS_LIMIT", "TAKE_PROFIT"),
  fc.constantFrom("PRIMARY_PEG", "MARKET_PEG", "PRICE_LEVEL", "1", "30"),
  fc.constantFrom("TAKE_PROFIT_LIMIT", "IOC", "FOK", "GTC", "CBTC-USDC", "BTCUSDT", "fuzz 1", "é"),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const prefixes = ["above", "below", "working", "pending", "pendingAbove", "pendingBelow", "limit"];
const options = ["PegPriceType", "PegOffsetType", "PegOffsetValue", "IcebergQty", "StopPrice"];
const edit = fc.record({
  name: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...names) },
    fc.constantFrom(...prefixes.flatMap((prefix) => options.map((option) => prefix + option))),
    fc.constantFrom("belowTimeInForce", "cancelOnDisconnect", "selfTradePreventionMode", "price"),
  ),
  value: fc.option(values, { freq: 4 }),
});
const sent = fc.tuple(fc.constantFrom(...lists), fc.array(edit, { maxLength: 3 }));

fuzz(
  "SPT-83 SPT-84 SPT-89 SPT-104 whatever an order list is sent with, it is answered, and is there whole or not at all",
  sent,
  async ([[path, sound], edits]) => {
    front.advance(60_000);
    const parameters: Record<string, string> = { ...sound };
    for (const { name, value } of edits) {
      if (value === null) Reflect.deleteProperty(parameters, name);
      else parameters[name] = value;
    }
    const { seq } = front.state;
    const { status, json, text } = await front.send("POST", path, parameters, {
      key,
      isForm: true,
    });
    if (status !== 200) {
      assert.ok(status >= 400 && status < 500, text);
      assert.equal(typeof json.code, "number", text);
      assert.equal(front.state.seq, seq, `nothing must happen: ${text}`);
      return;
    }
    const { orders, orderLists } = front.state;
    const list = orderLists.byId(json.orderListId);
    if (list === undefined) return;
    const ids: number[] = json.orders.map(({ orderId }: { orderId: number }) => orderId);
    assert.equal(ids.length, legCountOf(list.type), text);
    const { symbol, orderListId } = json;
    const cancelled = await front.send(
      "DELETE",
      "/api/v3/orderList",
      { symbol, orderListId },
      { key },
    );
    assert.equal(cancelled.status, 200, cancelled.text);
    assert.ok(
      ids.every((orderId) => orders.slotOf(orderId) < 0),
      cancelled.text,
    );
  },
);
