// Proves for every route that bad input gets its documented error code, never a 500. A table lists known mistakes,
// which must leave the venue's state unchanged. Random requests follow.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { Wallet } from "../../src/core/accounts.ts";
import { stateHash } from "../../src/engine/state-hash.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;
let key: TestKey;

before(async () => {
  front = await FrontFixture.open();
  key = await front.newTrader();
  front.venue.credit(key.account, Wallet.spot, 1, 10n ** 14n);
});
after(() => front.close());

type Parameters = Record<string, string>;
type Case = readonly [change: Parameters, status: number, code: number];

const spot: Parameters = {
  symbol: "CC-USDC",
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  quantity: "200",
  price: "0.1",
};
const perp: Parameters = { ...spot, symbol: "BTCUSDT", price: "60000", quantity: "0.1" };
const huge = "9".repeat(20);

/** Parameters that are wrong in the same way on both surfaces. */
const common: readonly Case[] = [
  [{ symbol: "" }, 400, -1102],
  [{ symbol: "NOPE" }, 400, -1100],
  [{ symbol: "cc-usdc" }, 400, -1100],
  [{ symbol: "CC USDC" }, 400, -1100],
  [{ symbol: "__proto__" }, 400, -1100],
  [{ symbol: huge }, 400, -1100],
  [{ side: "" }, 400, -1102],
  [{ side: "buy" }, 400, -1100],
  [{ side: "undefined" }, 400, -1100],
  [{ type: "" }, 400, -1102],
  [{ type: "OCO" }, 400, -1100],
  [{ type: "limit" }, 400, -1100],
  [{ timeInForce: "" }, 400, -1102],
  [{ timeInForce: "DAY" }, 400, -1100],
  [{ quantity: "" }, 400, -1102],
  [{ price: "" }, 400, -1102],
  [{ quantity: "-1" }, 400, -1100],
  [{ quantity: "+1" }, 400, -1100],
  [{ quantity: "1e3" }, 400, -1100],
  [{ quantity: "1e999" }, 400, -1100],
  [{ quantity: "0x10" }, 400, -1100],
  [{ quantity: "1,000" }, 400, -1100],
  [{ quantity: "1.2.3" }, 400, -1100],
  [{ quantity: "." }, 400, -1100],
  [{ quantity: "5." }, 400, -1100],
  [{ quantity: "NaN" }, 400, -1100],
  [{ quantity: "Infinity" }, 400, -1100],
  [{ quantity: "١٢" }, 400, -1100],
  [{ quantity: " 1" }, 400, -1100],
  [{ quantity: "1\u0000" }, 400, -1100],
  [{ price: "-0.1" }, 400, -1100],
  [{ price: "1e-4" }, 400, -1100],
  [{ price: "9".repeat(21) }, 400, -1100],
  [{ price: `1.${"0".repeat(21)}` }, 400, -1100],
  [{ newOrderRespType: "ALL" }, 400, -1100],
  [{ selfTradePreventionMode: "EXPIRE" }, 400, -1100],
  [{ type: "MARKET" }, 400, -1106],
  [{ type: "MARKET", price: "" }, 400, -1106],
  [{ type: "MARKET", price: "", timeInForce: "", quantity: "" }, 400, -1102],
  [{ recvWindow: "-1" }, 400, -1100],
];

const byAmount = { type: "MARKET", price: "", timeInForce: "", quantity: "", quoteOrderQty: "10" };
const stop = { type: "STOP_LOSS", price: "", timeInForce: "", stopPrice: "0.2" };

const spotOnly: readonly Case[] = [
  [{ quantity: "0" }, 400, -1013],
  [{ quantity: "0.0" }, 400, -1013],
  [{ price: "0" }, 400, -1013],
  [{ price: "0.00000" }, 400, -1013],
  [{ price: "0.00015" }, 400, -1013],
  [{ quantity: "200.05" }, 400, -1013],
  [{ price: "0.000000001" }, 400, -1111],
  [{ quantity: "0.000000001" }, 400, -1111],
  [{ price: huge }, 400, -1013],
  [{ quantity: huge }, 400, -1013],
  [{ quantity: "10000000.1" }, 400, -1013],
  [{ quantity: "1" }, 400, -1013],
  [{ symbol: "BTCUSDT" }, 400, -1100],
  [{ quoteOrderQty: "10" }, 400, -1106],
  [{ ...byAmount, quantity: "10" }, 400, -1106],
  [{ ...byAmount, quoteOrderQty: "0" }, 400, -1013],
  [{ ...byAmount, quoteOrderQty: "10.0000001" }, 400, -1111],
  [{ ...byAmount, quoteOrderQty: huge }, 400, -1100],
  [{ ...byAmount, quoteOrderQty: "1e3" }, 400, -1100],
  [{ type: "STOP_LOSS", price: "", timeInForce: "" }, 400, -1102],
  [{ ...stop, price: "0.1" }, 400, -1106],
  [{ ...stop, timeInForce: "GTC" }, 400, -1106],
  [{ ...stop, stopPrice: "0" }, 400, -1013],
  [{ ...stop, stopPrice: "0.00015" }, 400, -1013],
  [{ ...stop, stopPrice: huge }, 400, -1013],
  [{ type: "TAKE_PROFIT_LIMIT" }, 400, -1102],
  [{ type: "STOP_LOSS_LIMIT", stopPrice: "0.2", price: "" }, 400, -1102],
  [{ type: "LIMIT_MAKER", timeInForce: "IOC" }, 400, -1106],
  [{ type: "TRAILING_STOP_MARKET" }, 400, -1100],
  [{ strategyType: "999999" }, 400, -1134],
  [{ strategyId: "x" }, 400, -1100],
  [{ stopPrice: "1" }, 400, -1106],
  [{ trailingDelta: "1" }, 400, -1100],
  [{ icebergQty: "one" }, 400, -1100],
  [{ newClientOrderId: "a b" }, 400, -1100],
  [{ newClientOrderId: "a".repeat(37) }, 400, -1100],
  [{ newClientOrderId: "é" }, 400, -1100],
  [{ newClientOrderId: `o-${"0".repeat(19)}1` }, 400, -1100],
  [{ timeInForce: "GTX" }, 400, -1100],
];

const perpOnly: readonly Case[] = [
  [{ quantity: "0" }, 400, -4003],
  [{ price: "0" }, 400, -4013],
  [{ price: "60000.001" }, 400, -1111],
  [{ quantity: "0.0001" }, 400, -1111],
  [{ price: huge }, 400, -4002],
  [{ quantity: huge }, 400, -4005],
  [{ symbol: "CC-USDC" }, 400, -1100],
  [{ newClientOrderId: "a b" }, 400, -4015],
  [{ positionSide: "UP" }, 400, -1100],
  [{ reduceOnly: "yes" }, 400, -1100],
  [{ newOrderRespType: "FULL" }, 400, -1100],
  [{ callbackRate: "1" }, 400, -1106],
  [{ callbackRate: "one" }, 400, -1100],
  [{ stopPrice: "59000" }, 400, -1106],
];

async function assertRefused(path: string, parameters: Parameters, [change, status, code]: Case) {
  const answer = await front.send("POST", path, { ...parameters, ...change }, { key });
  const message = `${path} ${JSON.stringify(change).slice(0, 80)} ${answer.text.slice(0, 120)}`;
  assert.deepEqual([answer.status, answer.json?.code], [status, code], message);
  assert.deepEqual(Object.keys(answer.json), ["code", "msg"], message);
}

test("ERR-4 ERR-5 ERR-9 ERR-17 ERR-18 SPT-7 SPT-44 ERR-47 every known mistake in an order has its code, and the state does not change", async () => {
  const hash = stateHash(front.venue.state);
  const tables = [
    ["/api/v3/order", spot, [...common, ...spotOnly]],
    ["/fapi/v1/order", perp, [...common, ...perpOnly]],
  ] as const;
  for (const [path, sound, cases] of tables) {
    for (const each of cases) {
      front.advance(1500);
      await assertRefused(path, sound, each);
    }
  }
  assert.equal(stateHash(front.venue.state), hash);
});

test("ERR-50 a mode of self-trade prevention that a surface lacks is refused by name, with the modes that exist", async () => {
  const hash = stateHash(front.venue.state);
  const both = "NONE, EXPIRE_TAKER, EXPIRE_MAKER, EXPIRE_BOTH";
  const list = {
    ...{
      symbol: "CC-USDC",
      quantity: "200",
      side: "SELL",
      aboveType: "LIMIT_MAKER",
      abovePrice: "0.4",
    },
    ...{ belowType: "STOP_LOSS", belowStopPrice: "0.05" },
  };
  const rows = [
    ["/api/v3/order", spot, `${both}, DECREMENT`],
    ["/api/v3/order/test", spot, `${both}, DECREMENT`],
    ["/api/v3/orderList/oco", list, `${both}, DECREMENT`],
    ["/fapi/v1/order", perp, both],
  ] as const;
  for (const [path, sound, modes] of rows) {
    front.advance(1500);
    const parameters = { ...sound, selfTradePreventionMode: "TRANSFER" };
    const { status, json } = await front.send("POST", path, parameters, { key });
    const msg = `Parameter 'selfTradePreventionMode' must be one of ${modes}.`;
    assert.deepEqual([status, json], [400, { code: -1100, msg }], path);
  }
  assert.equal(stateHash(front.venue.state), hash);
});

test("ERR-17 ERR-20 AUT-20 LIM-12 every known mistake in a query has its code", async () => {
  const get = async (target: string) => {
    const answer = await front.fetch(target);
    return [answer.status, answer.json?.code];
  };
  const depth = "/api/v3/depth?symbol=CC-USDC";
  for (const limit of ["x", "1.5", "1e2", "9".repeat(17), "%31%zz"]) {
    assert.deepEqual(await get(`${depth}&limit=${limit}`), [400, -1100], limit);
  }
  assert.deepEqual(await get(`${depth}&symbol=CC-USDC`), [400, -1101]);
  assert.deepEqual(await get(`${depth}&x=1&x=2`), [400, -1101]);
  assert.deepEqual(
    await get(`${depth}&${Array.from({ length: 70 }, (_, at) => `p${at}=1`).join("&")}`),
    [400, -1101],
  );
  assert.deepEqual(await get(`${depth}&x=%ff`), [400, -1100]);
  assert.deepEqual(await get(`${depth}&x=%`), [400, -1100]);
  assert.deepEqual(await get("/api/v3/depth"), [400, -1102]);
  assert.deepEqual(await get("/fapi/v1/depth?symbol=BTCUSDT&limit=x"), [400, -1100]);
  assert.deepEqual(await get("/fapi/v1/ticker/price?symbol=DOGE"), [400, -1100]);
  const query = (parameters: Parameters) => front.send("GET", "/api/v3/order", parameters, { key });
  for (const orderId of ["x", "-1", "1.0", "9".repeat(16), "9".repeat(17)]) {
    assert.equal((await query({ symbol: "CC-USDC", orderId })).json.code, -1100, orderId);
  }
  assert.equal((await query({ symbol: "CC-USDC", origClientOrderId: "a b" })).json.code, -1100);
});

test("malformed HTTP is refused or its connection closed, and the server keeps answering", async () => {
  const heads = [
    `GET /api/v3/ping?x=${"a".repeat(8000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    "GET /api/v3/ping HTTP/0.9\r\n\r\n",
    "BREW /api/v3/order HTTP/1.1\r\nHost: x\r\n\r\n",
    "POST /api/v3/order HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
    "POST /api/v3/order HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
    "\u0000\u0001\u0002\r\n\r\n",
    "GET /api/v3/%00 HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET //api/v3/ping HTTP/1.1\r\nHost: x\r\n\r\n",
  ];
  for (const head of heads) {
    const answer = await front.raw(head);
    assert.match(answer || "HTTP/1.1 400", /^HTTP\/1\.1 (4\d\d|505) /, head.slice(0, 40));
  }
  assert.equal((await front.send("GET", "/api/v3/ping")).status, 200);
});

/** Routes of the random requests: method, path, and whether signed. */
const targets = [
  ["GET", "/api/v3/exchangeInfo", false],
  ["GET", "/api/v3/depth", false],
  ["GET", "/api/v3/trades", false],
  ["GET", "/api/v3/ticker/price", false],
  ["GET", "/fapi/v1/klines", false],
  ["GET", "/fapi/v1/depth", false],
  ["GET", "/fapi/v1/openInterest", false],
  ["POST", "/api/v3/order", true],
  ["GET", "/api/v3/order", true],
  ["DELETE", "/api/v3/order", true],
  ["DELETE", "/api/v3/openOrders", true],
  ["GET", "/api/v3/openOrders", true],
  ["GET", "/api/v3/account", true],
  ["GET", "/api/v3/myTrades", true],
  ["POST", "/fapi/v1/order", true],
  ["DELETE", "/fapi/v1/order", true],
  ["POST", "/fapi/v1/leverage", true],
  ["GET", "/fapi/v2/positionRisk", true],
] as const;

const names = [
  ...Object.keys(spot),
  "limit",
  "orderId",
  "origClientOrderId",
  "interval",
  "leverage",
  "symbols",
  "startTime",
  "endTime",
  "fromId",
  "newClientOrderId",
  "timestamp",
];
const values = fc.oneof(
  fc.constantFrom(
    "CC-USDC",
    "BTCUSDT",
    "BUY",
    "LIMIT",
    "MARKET",
    "GTC",
    "1m",
    "1",
    "0",
    "-1",
    "1e309",
    huge,
    "0.0000000000000000001",
    '["CC-USDC"]',
    "[]",
    "null",
    "__proto__",
    "constructor",
  ),
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.double().map(String),
  fc.bigInt().map(String),
);

test("ERR-17 no random request gets a 500 or an undocumented answer", async () => {
  const request = fc.tuple(
    fc.constantFrom(...targets),
    fc.dictionary(fc.constantFrom(...names), values, { maxKeys: 9 }),
    fc.boolean(),
  );
  await fc.assert(
    fc.asyncProperty(request, async ([[method, path, isSigned], parameters, isForm]) => {
      front.advance(60_000);
      const form = isForm && method !== "GET";
      const answer = await front.send(method, path, parameters, {
        isForm: form,
        ...(isSigned && { key }),
      });
      assert.ok([200, 400, 401, 422].includes(answer.status), `${answer.status} ${answer.text}`);
      if (answer.status === 200) return;
      const isText = path.endsWith("klines") && answer.json === null;
      assert.ok(isText || typeof answer.json.code === "number", answer.text);
    }),
    { numRuns: 400 },
  );
});
