// Proves that the compat view says why a spot order expired, and that spot markets have no price rules.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Wallet } from "../../src/core/accounts.ts";
import { StreamClient } from "../streams/stream-client.ts";
import { FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;
let key: TestKey;

const symbol = "CC-USDC";
const buy = { symbol, side: "BUY", quantity: "200" };

before(async () => {
  front = await FrontFixture.open({ isLive: true });
  key = await front.newTrader();
  const maker = await front.newTrader();
  front.venue.credit(maker.account, Wallet.spot, 1, 10n ** 14n);
  const ask = { symbol, side: "SELL", type: "LIMIT", timeInForce: "GTC", quantity: "100" };
  for (const price of ["0.15", "0.1501", "0.1502"])
    await front.send("POST", "/api/v3/order", { ...ask, price }, { key: maker });
});
after(() => front.close());

/** Types of orders that find too few others, with the reason why the rest expires. */
const expiring = [
  [{ type: "LIMIT", timeInForce: "IOC", price: "0.15" }, "UNFILLED_IOC_QUANTITY_EXPIRED"],
  [{ type: "LIMIT", timeInForce: "FOK", price: "0.1501" }, "UNFILLED_FOK_ORDER_EXPIRED"],
  [{ type: "MARKET", quantity: "2000" }, "INSUFFICIENT_LIQUIDITY"],
] as const;

test("CMP-42 an expired order shows its reason in every form, in queries and in user data", async () => {
  const headers = { "X-MBX-APIKEY": key.value };
  const path = "/compat/api/v3/userDataStream";
  const { listenKey } = (await front.fetch(path, { method: "POST", headers })).json;
  const client = await StreamClient.open(
    `${front.base.replace("http", "ws")}/compat/ws/${listenKey}`,
  );
  for (const [terms, reason] of expiring) {
    const form = { ...buy, ...terms };
    const placed = await front.send("POST", "/compat/api/v3/order", form, { key });
    assert.deepEqual([placed.json.status, placed.json.expiryReason], ["EXPIRED", reason]);
    const { orderId } = placed.json;
    const named = { symbol, orderId };
    const found = await front.send("GET", "/compat/api/v3/order", named, { key });
    assert.equal(found.json.expiryReason, reason);
    const told = await client.next(({ x, i }) => x === "EXPIRED" && i === orderId);
    assert.equal(told.eR, reason);
    const root = await front.send("GET", "/api/v3/order", named, { key });
    assert.equal("expiryReason" in root.json, false, "The root must keep its shape");
  }
  const listed = await front.send("GET", "/compat/api/v3/allOrders", { symbol }, { key });
  const reasons = listed.json.map(({ expiryReason }: { expiryReason: string }) => expiryReason);
  assert.deepEqual(
    reasons,
    expiring.map(([, reason]) => reason),
  );
  const resting = { ...buy, type: "LIMIT", timeInForce: "GTC", price: "0.1" };
  const open = await front.send("POST", "/compat/api/v3/order", resting, { key });
  assert.equal("expiryReason" in open.json, false);
  const ack = { ...buy, ...expiring[0][0], newOrderRespType: "ACK" };
  const acknowledged = await front.send("POST", "/compat/api/v3/order", ack, { key });
  assert.equal("expiryReason" in acknowledged.json, false);
  client.close();
});

test("CMP-43 no spot market has an execution rule or a reference price", async () => {
  const one = await front.fetch(`/compat/api/v3/executionRules?symbol=${symbol}`);
  assert.deepEqual(one.json, { symbolRules: [{ symbol, rules: [] }] });
  const all = await front.fetch("/compat/api/v3/executionRules");
  assert.ok(all.json.symbolRules.length > 1);
  const both = await front.fetch(
    `/compat/api/v3/executionRules?symbol=${symbol}&symbolStatus=TRADING`,
  );
  assert.equal(both.json.code, -1128);
  for (const path of ["referencePrice", "referencePrice/calculation"]) {
    const { status, json } = await front.fetch(`/compat/api/v3/${path}?symbol=${symbol}`);
    assert.deepEqual([status, json.code], [400, -2043]);
    const unknown = await front.fetch(`/compat/api/v3/${path}?symbol=NOTHING`);
    assert.equal(unknown.json.code, -1100);
  }
});
