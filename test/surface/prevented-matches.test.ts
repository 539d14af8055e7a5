// Proves what an account can read about matches that self-trade prevention stopped.

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

const symbol = "CC-USDC";
const path = "/api/v3/myPreventedMatches";

async function newTrader(): Promise<TestKey> {
  const key = await front.newTrader();
  front.venue.credit(key.account, Wallet.spot, 1, 10n ** 14n);
  return key;
}

async function place(key: TestKey, side: string, quantity: string, more: object = {}) {
  const terms = {
    symbol,
    type: "LIMIT",
    timeInForce: "GTC",
    side,
    quantity,
    price: "0.3",
    ...more,
  };
  const { json, text } = await front.send("POST", "/compat/api/v3/order", terms, { key });
  assert.ok(json.orderId > 0, text);
  return json;
}

async function read(key: TestKey, more: Record<string, string | number>) {
  const { status, json, text } = await front.send(
    "GET",
    `/compat${path}`,
    { symbol, ...more },
    { key },
  );
  assert.equal(status, 200, text);
  return json;
}

test("SPT-43 SPT-52 each self-trade mode reports whose lots it removed, how many, and at what price", async () => {
  const taken = "takerPreventedQuantity";
  const made = "makerPreventedQuantity";
  for (const [mode, lost] of [
    ["EXPIRE_TAKER", { [taken]: "500.00000000" }],
    ["EXPIRE_MAKER", { [made]: "200.00000000" }],
    ["EXPIRE_BOTH", { [taken]: "500.00000000", [made]: "200.00000000" }],
    ["DECREMENT", { [taken]: "200.00000000", [made]: "200.00000000" }],
  ] as const) {
    const key = await newTrader();
    const maker = await place(key, "SELL", "200", { price: "0.2995" });
    const taker = await place(key, "BUY", "500", { selfTradePreventionMode: mode });
    const [match, ...others] = await read(key, { orderId: taker.orderId });
    const { preventedMatchId, ...told } = match ?? {};
    assert.deepEqual(
      [others, told],
      [
        [],
        {
          symbol,
          takerOrderId: taker.orderId,
          makerSymbol: symbol,
          makerOrderId: maker.orderId,
          tradeGroupId: -1,
          selfTradePreventionMode: mode,
          price: "0.29950000",
          ...lost,
          transactTime: taker.transactTime,
        },
      ],
      mode,
    );
    assert.deepEqual(await read(key, { orderId: maker.orderId }), [match]);
    assert.deepEqual(await read(key, { preventedMatchId }), [match]);
    assert.deepEqual(
      await read(await newTrader(), { preventedMatchId }),
      [],
      "Only the owner may see the match",
    );
    await front.send("DELETE", "/api/v3/openOrders", { symbol }, { key });
  }
});

test("SPT-43 prevented matches of an order come in pages, also over a session", async () => {
  const key = await newTrader();
  for (const price of ["0.28", "0.29", "0.3"]) await place(key, "SELL", "200", { price });
  const mode = { selfTradePreventionMode: "EXPIRE_MAKER" };
  const { orderId } = await place(key, "BUY", "700", mode);
  const all = await read(key, { orderId });
  assert.deepEqual(
    all.map(({ price }: { price: string }) => price),
    ["0.28000000", "0.29000000", "0.30000000"],
  );
  assert.deepEqual(await read(key, { orderId, limit: 2 }), all.slice(0, 2));
  const fromPreventedMatchId = all[1].preventedMatchId;
  assert.deepEqual(await read(key, { orderId, fromPreventedMatchId }), all.slice(1));
  assert.deepEqual(await read(key, { orderId: orderId + 1000 }), []);

  const client = await StreamClient.open(`${front.base.replace("http", "ws")}/compat/ws-api/v3`);
  const timestamp = Math.floor(front.nowUs() / 1000);
  const params = { apiKey: key.value, orderId, symbol, timestamp };
  const text = Object.entries(params).map(([name, value]) => `${name}=${value}`);
  const signature = key.sign(text.join("&"));
  client.send({ id: 3, method: "myPreventedMatches", params: { ...params, signature } });
  const frame = await client.next(({ id }) => id === 3);
  client.close();
  assert.deepEqual([frame.status, frame.result], [200, all], JSON.stringify(frame));
});

test("SPT-43 a query must name either a match or an order", async () => {
  const key = await newTrader();
  for (const [parameters, code] of [
    [{}, -1128],
    [{ orderId: 1, preventedMatchId: 1 }, -1128],
    [{ preventedMatchId: 1, fromPreventedMatchId: 1 }, -1128],
    [{ orderId: "x" }, -1100],
    [{ orderId: 1, symbol: "BTCUSDT" }, -1100],
    [{ orderId: 1, symbol: "" }, -1102],
  ] as const) {
    const request = { symbol, ...parameters };
    const { status, json, text } = await front.send("GET", `/compat${path}`, request, { key });
    assert.deepEqual([status, json.code], [400, code], text);
  }
  const root = await front.send("GET", path, { symbol, orderId: 1 }, { key });
  assert.equal(root.status, 404);
});
