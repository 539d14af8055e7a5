// Proves for clients of Binance that headers and parameters which change a request or its answer are either honoured or
// refused by name, never ignored.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { stateHash } from "../../src/engine/state-hash.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;
let key: TestKey;

before(async () => {
  front = await FrontFixture.open();
  key = await front.newTrader();
});
after(() => front.close());

const order = {
  symbol: "CC-USDC",
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  quantity: "100",
  price: "0.2",
};
const perp = { ...order, symbol: "BTCUSDT", quantity: "0.1", price: "60000" };

const unknown = (name: string) => ({
  code: -1103,
  msg: `An unknown parameter was sent: '${name}'.`,
});

test("ERR-32 ERR-44 in both views an order with a parameter that is not offered is refused with the parameter's name", async () => {
  const replace = { cancelReplaceMode: "STOP_ON_FAILURE", cancelOrderId: 1 };
  const named = { orderId: 1 };
  const rows = [
    ["POST", "/api/v3/order", order, "workingType"],
    ["POST", "/api/v3/order", order, "reduceOnly"],
    ["POST", "/api/v3/order", order, "sideEffectType"],
    ["POST", "/api/v3/order", order, "Quantity"],
    ["POST", "/api/v3/order/test", order, "positionSide"],
    ["POST", "/api/v3/order/cancelReplace", { ...order, ...replace }, "workingType"],
    [
      "PUT",
      "/api/v3/order/amend/keepPriority",
      { symbol: "CC-USDC", ...named, newQty: "1" },
      "price",
    ],
    ["POST", "/fapi/v1/order", perp, "pegPriceType"],
    ["POST", "/fapi/v1/order", perp, "quoteOrderQty"],
    ["POST", "/fapi/v1/order", perp, "icebergQty"],
    ["PUT", "/fapi/v1/order", { ...perp, ...named }, "stopPrice"],
  ] as const;
  const hash = stateHash(front.venue.state);
  for (const view of ["", "/compat"]) {
    for (const [method, path, parameters, name] of rows) {
      const sent: Record<string, string | number> = { ...parameters };
      if (path === "/fapi/v1/order" && method === "PUT") {
        delete sent["type"];
        delete sent["timeInForce"];
      }
      front.advance(1_000);
      const answer = await front.send(
        method,
        view + path,
        { ...sent, [name]: "PRIMARY_PEG" },
        { key },
      );
      assert.deepEqual(
        [answer.status, answer.json],
        [400, unknown(name)],
        `${method} ${view}${path}`,
      );
    }
    const batch = JSON.stringify([{ ...perp, pegPriceType: "MARKET_PEG" }]);
    const many = await front.send(
      "POST",
      `${view}/fapi/v1/batchOrders`,
      { batchOrders: batch },
      { key },
    );
    assert.deepEqual(many.json, [unknown("pegPriceType")], many.text);
  }
  assert.equal(stateHash(front.venue.state), hash);
});

test("ERR-32 ERR-47 empty parameters and those of the request itself are not refused as unknown", async () => {
  const request = { ...order, pegPriceType: "", newOrderRespType: "ACK", strategyId: 7 };
  const placed = await front.send("POST", "/compat/api/v3/order", request, {
    key,
    recvWindow: 5000,
  });
  assert.equal(placed.status, 200, placed.text);
  const read = { symbol: "CC-USDC", useV2: "true" };
  assert.equal((await front.send("GET", "/compat/api/v3/openOrders", read, { key })).status, 200);
});

test("LIM-4 both headers show the used weight", async () => {
  for (const path of ["/api/v3/time", "/compat/fapi/v1/time", "/compat/nope"]) {
    const { headers } = await front.send("GET", path);
    assert.match(headers.get("x-mbx-used-weight") ?? "", /^\d+$/, path);
    assert.equal(headers.get("x-mbx-used-weight"), headers.get("x-mbx-used-weight-1m"), path);
  }
});

test("CMP-13 X-MBX-TIME-UNIT makes spot answer in microseconds, and any other value is refused", async () => {
  const get = async (path: string, unit?: string, parameters = {}) => {
    const headers: Record<string, string> = unit === undefined ? {} : { "X-MBX-TIME-UNIT": unit };
    return await front.send("GET", path, parameters, { key, headers });
  };
  const fields = async (path: string, parameters = {}) => {
    const ms = (await get(path, "MILLISECOND", parameters)).json;
    const us = (await get(path, "MICROSECOND", parameters)).json;
    return [ms, us];
  };
  const [ms, us] = await fields("/compat/api/v3/time");
  assert.equal(us.serverTime, ms.serverTime * 1000);
  assert.equal((await get("/compat/api/v3/time", "microsecond")).json.serverTime, us.serverTime);
  const [[one], [same]] = await fields("/compat/api/v3/openOrders", { symbol: "CC-USDC" });
  assert.deepEqual(
    [same.time, same.updateTime, same.workingTime, same.orderId],
    [one.time * 1000, one.updateTime * 1000, one.workingTime * 1000, one.orderId],
  );
  const taker = await front.newTrader();
  front.venue.credit(taker.account, 1, 1, 10n ** 12n);
  const sold = await front.send(
    "POST",
    "/compat/api/v3/order",
    { ...order, side: "SELL" },
    { key: taker, headers: { "X-MBX-TIME-UNIT": "MICROSECOND" } },
  );
  assert.ok(sold.json.transactTime > 10 ** 15, sold.text);
  const [rows, fine] = await fields("/compat/api/v3/klines", { symbol: "CC-USDC", interval: "1m" });
  assert.deepEqual(
    fine.map((row: number[]) => [row[0], row[6], row[8]]),
    rows.map((row: number[]) => [Number(row[0]) * 1000, Number(row[6]) * 1000, row[8]]),
  );
  const [[trade], [fineTrade]] = await fields("/compat/api/v3/aggTrades", { symbol: "CC-USDC" });
  assert.equal(fineTrade.T, trade.T * 1000);
  const [day, fineDay] = await fields("/compat/api/v3/ticker/24hr", { symbol: "CC-USDC" });
  assert.deepEqual(
    [fineDay.openTime, fineDay.closeTime],
    [day.openTime * 1000, day.closeTime * 1000],
  );
  assert.equal(fineDay.count, day.count);
  const bad = await get("/compat/api/v3/time", "NANOSECOND");
  assert.deepEqual(
    [bad.status, bad.json],
    [
      400,
      {
        code: -1194,
        msg: "Invalid value for time unit; expected either MICROSECOND or MILLISECOND.",
      },
    ],
  );
  const root = await get("/api/v3/time", "MICROSECOND");
  const nowMs = Math.floor(front.nowUs() / 1000);
  assert.equal(root.json.serverTime, nowMs, "The root must answer in milliseconds");
  const perpetual = await get("/compat/fapi/v1/time", "MICROSECOND");
  assert.equal(
    perpetual.json.serverTime,
    nowMs,
    "Perpetuals must answer in milliseconds, as at Binance",
  );
});

test("CMP-13 CMP-35 times of spot requests may be microseconds too", async () => {
  const nowMs = Math.floor(front.nowUs() / 1000);
  const at = (timestamp: number) =>
    front.send("GET", "/compat/api/v3/account", { timestamp }, { key });
  assert.equal((await at(nowMs * 1000 + 7)).status, 200);
  assert.equal((await at((nowMs - 6000) * 1000)).json.code, -1021);
  const query = { symbol: "CC-USDC", startTime: (nowMs - 60_000) * 1000 };
  const coarse = { symbol: "CC-USDC", startTime: nowMs - 60_000 };
  const [fine, same] = await Promise.all(
    [query, coarse].map((each) => front.send("GET", "/compat/api/v3/aggTrades", each)),
  );
  assert.deepEqual(fine?.json, same?.json);
  assert.equal(fine?.json.length, 1);
});

test("CMP-14 off spot and at the root, a request that accepts only SBE gets JSON", async () => {
  for (const path of ["/compat/fapi/v1/time", "/fapi/v1/time"]) {
    const headers = { Accept: "application/sbe", "X-MBX-SBE": "3:5" };
    const { status, json } = await front.send("GET", path, {}, { headers });
    assert.equal(status, 200, path);
    assert.equal(typeof json.serverTime, "number", path);
  }
});
