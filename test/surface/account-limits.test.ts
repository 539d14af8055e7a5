// Proves for accounts with several keys and sessions that all of them share one order limit, the limit of the account's
// largest tier. Each key's headers show the orders of that key alone.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { RateTier, Wallet } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { PublicIdKind, parsePublicId } from "../../src/core/ids/public-id.ts";
import { StreamClient } from "../streams/stream-client.ts";
import { NativeClient, newWallet } from "../support/client/native-client.ts";
import { type Answer, FrontFixture, type TestKey } from "./front-fixture.ts";

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open();
});
after(() => front.close());

const spot = { symbol: "CC-USDC", side: "BUY", type: "LIMIT", timeInForce: "GTC", quantity: "0" };
const perpetual = { symbol: "BTC-PERP", side: "BUY", qty: "0", price: "100" };
const tenSeconds = "Too many requests; current limit is 50 orders per 10 SECOND.";

/** Sends `count` orders that are refused only after the limits have counted them; returns how many the limits pass. */
async function passed(count: number, send: () => Promise<{ status: number }>): Promise<number> {
  let passing = 0;
  for (let sent = 0; sent < count; sent++) passing += (await send()).status === 429 ? 0 : 1;
  return passing;
}

function spotOrder(key: TestKey): Promise<Answer> {
  return front.send("POST", "/api/v3/order", { ...spot, price: "0.1" }, { key });
}

function ordersOf({ headers }: Answer): number {
  return Number(headers.get("x-mbx-order-count-10s"));
}

/** Creates an account with a wallet; returns the account and two logged-in clients of it. */
async function newMember(): Promise<{ account: number; sessions: NativeClient[] }> {
  front.advance(60_000);
  const wallet = newWallet();
  const [one, other] = [new NativeClient(front.base), new NativeClient(front.base)];
  await one.login(wallet);
  await other.login(wallet);
  const account = parsePublicId(PublicIdKind.user, one.userId)?.number ?? 0;
  front.venue.credit(account, Wallet.perp, 0, 10n ** 12n);
  front.venue.credit(account, Wallet.spot, 0, 10n ** 12n);
  return { account, sessions: [one, other] };
}

test("LIM-30 keys and sessions of one account place 50 orders in 10 s together, on all surfaces", async () => {
  const { account, sessions } = await newMember();
  const [one, other] = [await front.newKey(account), await front.newKey(account)];
  assert.equal(await passed(10, () => spotOrder(one)), 10);
  const futures = { symbol: "BTCUSDT", side: "BUY", type: "MARKET", quantity: "0" };
  const asFutures = () => front.send("POST", "/fapi/v1/order", futures, { key: other });
  assert.equal(await passed(10, asFutures), 10);
  const batch = { batchOrders: JSON.stringify([futures, futures, futures, futures, futures]) };
  const five = await front.send("POST", "/fapi/v1/batchOrders", batch, { key: other });
  assert.equal(five.status, 200);
  const client = await StreamClient.open(`${front.base.replace("http", "ws")}/compat/ws-api/v3`);
  for (let id = 1; id <= 5; id++) {
    const request = { ...spot, price: "0.1", apiKey: one.value, timestamp: front.nowUs() / 1000 };
    const text = Object.entries(request)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]) => `${name}=${value}`)
      .join("&");
    client.send({ id, method: "order.place", params: { ...request, signature: one.sign(text) } });
    assert.equal((await client.next((frame) => frame.id === id)).status, 400);
  }
  client.close();
  for (const session of sessions) {
    assert.equal(await passed(10, () => session.post("/v1/orders", perpetual)), 10);
  }
  // The limit of 50 is used up. Every surface refuses, and each key's headers show what that key has placed.
  const refused = await spotOrder(one);
  assert.deepEqual([refused.status, refused.json.code, ordersOf(refused)], [429, -1003, 15]);
  assert.equal(refused.json.msg, tenSeconds);
  const atOther = await asFutures();
  assert.deepEqual([atOther.status, ordersOf(atOther)], [429, 15]);
  for (const session of sessions) {
    const answer = await session.post("/v1/orders", perpetual);
    assert.deepEqual([answer.status, answer.text], [429, "too many requests"]);
  }
  const fresh = await front.newKey(account);
  assert.equal((await spotOrder(fresh)).status, 429, "A new key must not raise the limit");
  const cancel = { symbol: "CC-USDC" };
  const cancelled = await front.send("DELETE", "/api/v3/openOrders", cancel, { key: one });
  assert.notEqual(cancelled.status, 429, "Cancels must not be limited");
  const foreign = await front.newTrader();
  assert.equal((await spotOrder(foreign)).status, 400, "No other account may be limited");
  front.advance(10_000);
  assert.equal(await passed(51, () => spotOrder(fresh)), 50);
});

test("LIM-30 an account has the largest tier among its keys, as long as that key exists", async () => {
  const { account, sessions } = await newMember();
  const own = await front.newKey(account);
  const maker = await front.newKey(account, { tier: RateTier.extMm });
  assert.equal(
    await passed(51, () => spotOrder(own)),
    50,
    "A key must keep the limit of its own tier",
  );
  const [session] = sessions;
  assert.equal(await passed(30, async () => session?.post("/v1/orders", perpetual) as never), 30);
  assert.equal(await passed(50, () => spotOrder(maker)), 20);
  const refused = await spotOrder(maker);
  assert.match(refused.json.msg, /current limit is 100 orders per 10 SECOND/);
  front.advance(60_000);
  const { keyId } = maker;
  const gone = { tier: RateTier.extMm, permissions: 0, expects: 0, isRevoked: true };
  front.venue.done({ kind: CommandKind.changeKey, account, keyId, ...gone });
  assert.equal(await passed(30, () => spotOrder(own)), 30);
  assert.equal(await passed(30, async () => session?.post("/v1/orders", perpetual) as never), 20);
});

test("LIM-30 LIM-32 the limit per minute counts the same way, and refused orders do not count", async () => {
  const { account } = await newMember();
  const keys = [await front.newKey(account), await front.newKey(account)] as const;
  for (let window = 0; window < 4; window++) {
    for (const key of keys)
      assert.equal(await passed(30, () => spotOrder(key)), key === keys[0] ? 30 : 20);
    front.advance(10_000);
  }
  const refused = await spotOrder(keys[1]);
  assert.deepEqual([refused.status, ordersOf(refused)], [429, 0]);
  assert.match(refused.json.msg, /current limit is 200 orders per 1 MINUTE/);
  assert.equal(refused.headers.get("x-mbx-order-count-1m"), "80");
});
