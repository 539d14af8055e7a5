// Proves that a spot order can take its price from a level of the book.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Wallet } from "../../src/core/accounts.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;
let key: TestKey;

const limit = { symbol: "CC-USDC", type: "LIMIT", timeInForce: "GTC", quantity: "100.0" };
const maker = { symbol: "CC-USDC", type: "LIMIT_MAKER", quantity: "100.0" };
const primary = { pegPriceType: "PRIMARY_PEG" };
const market = { pegPriceType: "MARKET_PEG" };
const behind = (levels: number) => ({
  pegOffsetType: "PRICE_LEVEL",
  pegOffsetValue: String(levels),
});

before(async () => {
  front = await FrontFixture.open();
  key = await front.newTrader();
  const other = await front.newTrader();
  for (const { account } of [key, other]) front.venue.credit(account, Wallet.spot, 1, 10n ** 14n);
  for (let level = 0; level < 4; level++)
    for (const [side, price] of [
      ["BUY", 1490 - level],
      ["SELL", 1510 + level],
    ] as const) {
      const terms = { ...limit, side, price: `0.${price}` };
      const placed = await front.send("POST", "/api/v3/order", terms, { key: other });
      assert.equal(placed.status, 200, placed.text);
    }
});
after(() => front.close());

async function place(terms: Record<string, string>, path = "/api/v3/order") {
  front.advance(60_000);
  return front.send("POST", path, terms, { key });
}

/** The price that an order got; it is cancelled again. */
async function priced(terms: Record<string, string>): Promise<string> {
  const placed = await place(terms);
  assert.equal(placed.status, 200, placed.text);
  assert.equal(placed.json.peggedPrice, placed.json.price);
  const named = { symbol: "CC-USDC", orderId: placed.json.orderId };
  const shown = await front.send("GET", "/api/v3/order", named, { key });
  assert.deepEqual([shown.json.price, shown.json.peggedPrice], [placed.json.price, undefined]);
  if (shown.json.status === "NEW") await front.send("DELETE", "/api/v3/order", named, { key });
  return Number(placed.json.price).toFixed(4);
}

test("SPT-80 a peg takes the price of a level of the order's own side or of the other side", async () => {
  assert.equal(await priced({ ...limit, ...primary, side: "BUY" }), "0.1490");
  assert.equal(await priced({ ...maker, ...primary, side: "SELL" }), "0.1510");
  assert.equal(await priced({ ...limit, ...primary, ...behind(2), side: "BUY" }), "0.1488");
  assert.equal(await priced({ ...maker, ...primary, ...behind(3), side: "SELL" }), "0.1513");
  assert.equal(
    await priced({ ...limit, ...market, side: "SELL", timeInForce: "FOK", quantity: "90.0" }),
    "0.1490",
  );
});

test("SPT-81 a price bounds the peg, and the answer shows both", async () => {
  assert.equal(await priced({ ...limit, ...primary, side: "BUY", price: "0.1480" }), "0.1480");
  assert.equal(await priced({ ...limit, ...primary, side: "BUY", price: "0.1500" }), "0.1490");
  assert.equal(await priced({ ...limit, ...primary, side: "SELL", price: "0.1520" }), "0.1520");
  const { json } = await place({
    ...{ ...maker, ...primary, ...behind(1), side: "BUY" },
    newOrderRespType: "RESULT",
  });
  assert.deepEqual(
    [json.pegPriceType, json.pegOffsetType, json.pegOffsetValue, Number(json.peggedPrice)],
    ["PRIMARY_PEG", "PRICE_LEVEL", 1, 0.1489],
  );
  const replaced = await place(
    {
      ...{ ...maker, ...primary, side: "BUY", cancelReplaceMode: "STOP_ON_FAILURE" },
      cancelOrderId: String(json.orderId),
    },
    "/api/v3/order/cancelReplace",
  );
  assert.equal(Number(replaced.json.newOrderResponse.peggedPrice), 0.149, replaced.text);
});

test("SPT-82 a peg that cannot be is refused and changes nothing", async () => {
  const { seq } = front.state;
  const buy = { ...limit, side: "BUY" };
  const stopBuy = { ...buy, ...primary, type: "STOP_LOSS_LIMIT", stopPrice: "0.1600" };
  for (const [terms, code] of [
    [{ ...buy, ...primary, timeInForce: "IOC" }, -1014],
    [{ ...maker, ...market, side: "BUY" }, -1014],
    [{ symbol: "CC-USDC", side: "BUY", type: "MARKET", quantity: "10.0", ...primary }, -1106],
    [{ ...stopBuy, ...behind(101) }, -1100],
    [{ ...stopBuy, type: "STOP_LOSS", timeInForce: "" }, -1106],
    [{ ...stopBuy, timeInForce: "IOC" }, -1014],
    [{ ...buy, ...primary, pegOffsetType: "PRICE_LEVEL" }, -1102],
    [{ ...buy, ...primary, pegOffsetValue: "2" }, -1102],
    [{ ...buy, price: "0.1480", ...behind(1) }, -1106],
    [{ ...buy, price: "0.1480", pegOffsetValue: "1" }, -1106],
    [{ ...buy, ...primary, ...behind(101) }, -1100],
    [{ ...buy, ...primary, ...behind(0) }, -1100],
    [{ ...buy, pegPriceType: "MID_PEG" }, -1210],
    [{ ...buy, ...primary, ...behind(1), pegOffsetType: "TICKS" }, -1211],
    [{ ...buy, ...primary, ...behind(50) }, -2010],
    [{ ...buy, ...primary, symbol: "CUSD-USDC" }, -2010],
    [{ ...buy, ...primary, price: "0" }, -1013],
    [buy, -1102],
  ] as const) {
    const { json } = await place(terms);
    assert.equal(json.code, code, `${JSON.stringify(terms)}: ${JSON.stringify(json)}`);
  }
  assert.equal(front.state.seq, seq, "A refused order must change nothing");
});

test("SPT-112 SPT-113 a stop-limit order shows its peg, and its price once it has triggered", async () => {
  const stop = { ...limit, ...market, side: "BUY", type: "STOP_LOSS_LIMIT", stopPrice: "0.1600" };
  const tested = await place({ ...stop }, "/api/v3/order/test");
  assert.equal(tested.text, "{}");
  const { json } = await place(stop);
  assert.deepEqual(
    [json.pegPriceType, json.peggedPrice, Number(json.price), json.workingTime],
    ["MARKET_PEG", undefined, 0, -1],
  );
  const { json: bounded } = await place({ ...stop, price: "0.1550" });
  assert.deepEqual([bounded.peggedPrice, Number(bounded.price)], [undefined, 0.155]);
  const { json: deeper } = await place({ ...stop, ...primary, ...behind(2) });
  assert.deepEqual(
    [deeper.pegPriceType, deeper.pegOffsetType, deeper.pegOffsetValue, deeper.peggedPrice],
    ["PRIMARY_PEG", "PRICE_LEVEL", 2, undefined],
  );
  const [seller, buyer] = [await front.newTrader(), await front.newTrader()];
  front.venue.credit(seller.account, Wallet.spot, 1, 10n ** 14n);
  front.advance(60_000);
  const terms = { ...limit, price: "0.1600" };
  // All asks below are taken, so that the last price reaches the trigger.
  await front.send("POST", "/api/v3/order", { ...terms, side: "SELL" }, { key: seller });
  const rise = { ...terms, side: "BUY", quantity: "450.0" };
  await front.send("POST", "/api/v3/order", rise, { key: buyer });
  const shown = async ({ orderId }: { orderId: number }) => {
    const named = { symbol: "CC-USDC", orderId };
    return Number((await front.send("GET", "/api/v3/order", named, { key })).json.price);
  };
  const prices = [await shown(json), await shown(bounded), await shown(deeper)];
  assert.deepEqual(prices, [0.16, 0.155, 0.1488]);
});
