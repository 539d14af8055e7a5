// Proves that owners of an order can read its amendments, with the values before and after each, on both surfaces and
// over an order session.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Wallet } from "../../src/core/accounts.ts";
import { StreamClient } from "../streams/stream-client.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open();
});
after(() => front.close());

type Parameters = Record<string, string | number>;

const perp = { symbol: "BTCUSDT", side: "BUY", quantity: "0.1", price: "50000" };
const spot = { symbol: "CC-USDC", side: "SELL", quantity: "300", price: "0.3" };
const limit = { type: "LIMIT", timeInForce: "GTC" };

async function sent(method: "GET" | "POST" | "PUT", path: string, more: Parameters, key: TestKey) {
  const { status, json, text } = await front.send(method, `/compat${path}`, more, { key });
  assert.equal(status, 200, text);
  return json;
}

test("FAP-43 FAP-55 orderAmendment lists each amend of an order, newest first, with the values before it", async () => {
  const key = await front.newTrader();
  const { symbol, side } = perp;
  const named = { symbol, origClientOrderId: "moved" };
  const { orderId } = await sent(
    "POST",
    "/fapi/v1/order",
    { ...perp, ...limit, newClientOrderId: "moved" },
    key,
  );
  assert.deepEqual(await sent("GET", "/fapi/v1/orderAmendment", named, key), []);
  const times: number[] = [];
  for (const [price, quantity] of [
    ["50100", "0.1"],
    ["50100", "0.05"],
    ["50250.5", "0.07"],
  ] as const) {
    front.advance(1_000);
    const done = await sent("PUT", "/fapi/v1/order", { ...named, side, price, quantity }, key);
    times.push(done.updateTime);
  }
  const rows = await sent("GET", "/fapi/v1/orderAmendment", { symbol, orderId }, key);
  const common = { symbol, pair: symbol, orderId, clientOrderId: "moved" };
  const [third, second, first] = rows.map((row: { amendmentId: number }) => row.amendmentId);
  assert(first < second && second < third);
  const change = (before: string, after: string) => ({ before, after });
  const expected = [
    {
      amendmentId: third,
      ...common,
      time: times[2],
      amendment: {
        price: change("50100.00", "50250.50"),
        origQty: change("0.050", "0.070"),
        count: 3,
      },
    },
    {
      amendmentId: second,
      ...common,
      time: times[1],
      amendment: {
        price: change("50100.00", "50100.00"),
        origQty: change("0.100", "0.050"),
        count: 2,
      },
    },
    {
      amendmentId: first,
      ...common,
      time: times[0],
      amendment: {
        price: change("50000.00", "50100.00"),
        origQty: change("0.100", "0.100"),
        count: 1,
      },
    },
  ];
  assert.deepEqual(rows, expected);
  const read = (more: Parameters) =>
    sent("GET", "/fapi/v1/orderAmendment", { ...named, ...more }, key);
  assert.deepEqual(await read({ limit: 2 }), expected.slice(0, 2));
  assert.deepEqual(await read({ startTime: times[1] ?? 0 }), expected.slice(0, 2));
  assert.deepEqual(await read({ endTime: times[1] ?? 0 }), expected.slice(1));
  assert.deepEqual(await read({ limit: 1000 }), expected, "The limit must be clamped to 100");
});

test("FAP-43 SPT-42 the amendments of an unknown order or another account's order are not shown", async () => {
  const [owner, other] = [await front.newTrader(), await front.newTrader()];
  const { orderId } = await sent("POST", "/fapi/v1/order", { ...perp, ...limit }, owner);
  for (const [path, parameters, status, code] of [
    ["/fapi/v1/orderAmendment", { symbol: "BTCUSDT", orderId }, 422, -2013],
    ["/fapi/v1/orderAmendment", { symbol: "ETHUSDT", orderId }, 422, -2013],
    ["/fapi/v1/orderAmendment", { symbol: "BTCUSDT" }, 400, -1102],
    ["/fapi/v1/orderAmendment", { symbol: "NONE", orderId }, 400, -1100],
    ["/fapi/v1/orderAmendment", { symbol: "BTCUSDT", orderId, limit: "x" }, 400, -1100],
    [
      "/fapi/v1/orderAmendment",
      { symbol: "BTCUSDT", orderId, startTime: 2, endTime: 1 },
      400,
      -1128,
    ],
    ["/api/v3/order/amendments", { symbol: "CC-USDC", orderId }, 422, -2013],
    ["/api/v3/order/amendments", { symbol: "CC-USDC" }, 400, -1102],
    ["/api/v3/order/amendments", { symbol: "BTCUSDT", orderId }, 400, -1100],
  ] as const) {
    const answer = await front.send("GET", `/compat${path}`, parameters, { key: other });
    assert.deepEqual([answer.status, answer.json.code], [status, code], answer.text);
  }
  for (const path of ["/fapi/v1/orderAmendment", "/api/v3/order/amendments"]) {
    const root = await front.send("GET", path, { symbol: "BTCUSDT", orderId }, { key: owner });
    assert.equal(root.status, 404, "The root must not have this route");
  }
});

test("SPT-42 SPT-51 order/amendments lists each amend of a spot order, oldest first, also over a session", async () => {
  const key = await front.newTrader();
  front.venue.credit(key.account, Wallet.spot, 1, 10n ** 14n);
  const { symbol } = spot;
  const placed = await sent("POST", "/api/v3/order", { ...spot, ...limit }, key);
  const { orderId, clientOrderId } = placed;
  const amended: { executionId: number; transactTime: number }[] = [];
  for (const newQty of ["250", "200.5"]) {
    const path = "/api/v3/order/amend/keepPriority";
    amended.push(await sent("PUT", path, { symbol, orderId, newQty }, key));
  }
  const names = { origClientOrderId: clientOrderId, newClientOrderId: clientOrderId };
  const rowOf = (at: number, origQty: string, newQty: string) => {
    const { executionId, transactTime: time } = amended[at] ?? {};
    return { symbol, orderId, executionId, ...names, origQty, newQty, time };
  };
  const expected = [
    rowOf(0, "300.00000000", "250.00000000"),
    rowOf(1, "250.00000000", "200.50000000"),
  ];
  const path = "/api/v3/order/amendments";
  assert.deepEqual(await sent("GET", path, { symbol, orderId }, key), expected);
  assert.deepEqual(await sent("GET", path, { symbol, orderId, limit: 1 }, key), [expected[0]]);
  const fromExecutionId = amended[1]?.executionId ?? 0;
  const rest = await sent("GET", path, { symbol, orderId, fromExecutionId }, key);
  assert.deepEqual(rest, [expected[1]]);

  const client = await StreamClient.open(`${front.base.replace("http", "ws")}/compat/ws-api/v3`);
  const params = {
    apiKey: key.value,
    orderId,
    symbol,
    timestamp: Math.floor(front.nowUs() / 1000),
  };
  const text = Object.entries(params).map(([name, value]) => `${name}=${value}`);
  const signature = key.sign(text.join("&"));
  client.send({ id: 7, method: "order.amendments", params: { ...params, signature } });
  const frame = await client.next(({ id }) => id === 7);
  client.close();
  assert.deepEqual([frame.status, frame.result], [200, expected], JSON.stringify(frame));
});
