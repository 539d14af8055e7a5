// Proves which parameters each order type of the perpetual surface needs and which it refuses. The test uses order/test
// on compat, which reads an order exactly as POST order does and does not place it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;
let key: TestKey;

before(async () => {
  front = await FrontFixture.open();
  key = await front.newTrader();
});
after(() => front.close());

type Form = Record<string, string>;

const base = { symbol: "BTCUSDT", side: "BUY", quantity: "0.1" };
const limit = { ...base, type: "LIMIT", timeInForce: "GTC", price: "60000" };
const market = { ...base, type: "MARKET" };
const stop = { ...base, type: "STOP", price: "60000", stopPrice: "59000" };
const stopMarket = { ...base, type: "STOP_MARKET", stopPrice: "59000" };
const closing = { symbol: "BTCUSDT", side: "SELL", stopPrice: "1", closePosition: "true" };
const trailing = { ...base, type: "TRAILING_STOP_MARKET", callbackRate: "1" };

async function tried(form: Form): Promise<string | number> {
  front.advance(60_000);
  const answer = await front.send("POST", "/compat/fapi/v1/order/test", form, { key });
  return answer.status === 200 ? answer.text : answer.json.code;
}

test("FAP-5 FAP-30 ERR-47 every offered order type is accepted with its own parameters", async () => {
  const { seq } = front.state;
  const forms: readonly Form[] = [
    limit,
    { ...limit, timeInForce: "IOC" },
    { ...limit, timeInForce: "FOK" },
    { ...limit, timeInForce: "GTX", selfTradePreventionMode: "EXPIRE_BOTH" },
    { ...limit, timeInForce: "GTD", goodTillDate: "1890000000000" },
    { ...limit, goodTillDate: "0", stopPrice: "0.00", activationPrice: "0", callbackRate: "0" },
    { ...limit, reduceOnly: "TRUE", priceMatch: "NONE", positionSide: "BOTH" },
    market,
    { ...market, reduceOnly: "true", newOrderRespType: "ACK" },
    stop,
    { ...stop, type: "TAKE_PROFIT", timeInForce: "IOC", workingType: "MARK_PRICE" },
    stopMarket,
    { ...stopMarket, type: "TAKE_PROFIT_MARKET", timeInForce: "GTC", priceProtect: "false" },
    { ...closing, type: "STOP_MARKET" },
    { ...closing, type: "TAKE_PROFIT_MARKET", workingType: "CONTRACT_PRICE" },
    trailing,
    { ...trailing, callbackRate: "0.1", activationPrice: "61000.50" },
    { ...trailing, callbackRate: "20", reduceOnly: "true" },
  ];
  for (const form of forms) assert.equal(await tried(form), "{}", JSON.stringify(form));
  assert.equal(front.state.seq, seq, "Only the clock's tick may reach clearing");
});

test("FAP-30 FAP-52 ERR-18 missing, superfluous and out-of-range parameters are refused", async () => {
  const { quantity: _quantity, ...unsized } = limit;
  const { price: _price, ...unpriced } = stop;
  const { stopPrice: _stop, ...untriggered } = stopMarket;
  const { timeInForce: _time, ...untimed } = limit;
  const { callbackRate: _rate, ...uncalled } = trailing;
  const refused: readonly (readonly [Form, number])[] = [
    [unsized, -1102],
    [untimed, -1102],
    [unpriced, -1102],
    [untriggered, -1102],
    [{ ...stopMarket, stopPrice: "0" }, -1102],
    [uncalled, -1102],
    [{ ...limit, timeInForce: "GTD" }, -1102],
    [{ ...market, price: "60000" }, -1106],
    [{ ...market, timeInForce: "GTC" }, -1106],
    [{ ...limit, stopPrice: "59000" }, -1106],
    [{ ...limit, goodTillDate: "1890000000000" }, -1106],
    [{ ...limit, callbackRate: "1" }, -1106],
    [{ ...limit, closePosition: "true" }, -1106],
    [{ ...stop, activationPrice: "1" }, -1106],
    [{ ...trailing, stopPrice: "59000" }, -1106],
    [{ ...stopMarket, closePosition: "true" }, -1106],
    [{ ...closing, type: "STOP_MARKET", reduceOnly: "true" }, -1106],
    [{ ...closing, type: "TRAILING_STOP_MARKET", callbackRate: "1" }, -1106],
    [{ ...trailing, callbackRate: "0.09" }, -2007],
    [{ ...trailing, callbackRate: "20.01" }, -2007],
    [{ ...trailing, callbackRate: "1.234" }, -1111],
    [{ ...trailing, callbackRate: "1e1" }, -1100],
    [{ ...stop, stopPrice: "59000.001" }, -1111],
    [{ ...stop, stopPrice: "99999999" }, -4002],
    [{ ...stop, workingType: "INDEX_PRICE" }, -1100],
    [{ ...limit, timeInForce: "GTD", goodTillDate: "9999999999999999" }, -1100],
    [{ ...limit, price: "1.001" }, -1111],
    [{ ...limit, quantity: "0.0001" }, -1111],
    [{ ...limit, symbol: "CC-USDC" }, -1100],
    [{ ...limit, selfTradePreventionMode: "DECREMENT" }, -1100],
  ];
  for (const [form, code] of refused) assert.equal(await tried(form), code, JSON.stringify(form));
});

test("FAP-39 the refusal of a number has the nearest valid number on compat, but not at the root", async () => {
  const hint = async (form: Form, mount = "/compat") => {
    front.advance(60_000);
    const answer = await front.send("POST", `${mount}/fapi/v1/order`, form, { key });
    return answer.json.hint;
  };
  assert.deepEqual(await hint({ ...limit, price: "60000.006" }), {
    filter: "PRICE_FILTER",
    parameter: "price",
    value: "60000.006",
    step: "0.01",
    nearest: "60000.01",
  });
  assert.deepEqual(await hint({ ...stop, stopPrice: "59000.001" }), {
    filter: "PRICE_FILTER",
    parameter: "stopPrice",
    value: "59000.001",
    step: "0.01",
    nearest: "59000.00",
  });
  assert.deepEqual(await hint({ ...limit, quantity: "0.0004" }), {
    filter: "LOT_SIZE",
    parameter: "quantity",
    value: "0.0004",
    step: "0.001",
    nearest: "0.001",
  });
  assert.deepEqual(await hint({ ...limit, price: "0" }), {
    filter: "PRICE_FILTER",
    parameter: "price",
    value: "0.00",
    step: "0.01",
    nearest: "0.01",
  });
  assert.equal(await hint({ ...limit, price: "60000.006" }, ""), undefined);
});
