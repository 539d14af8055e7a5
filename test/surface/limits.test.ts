// Proves the request and order limits for clients: what each request counts against, what the headers of every answer
// show, and that a flood of requests takes nothing away from other clients.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { RateLimiter } from "../../src/services/access/rate-limiter.ts";
import { type Answer, FrontFixture, type TestKey } from "./front-fixture.ts";

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

/** Returns used weight, orders in 10 s and orders in a minute, from the headers. */
function useOf({ headers }: Answer): readonly (number | null)[] {
  return ["x-mbx-used-weight-1m", "x-mbx-order-count-10s", "x-mbx-order-count-1m"].map((name) => {
    const text = headers.get(name);
    return text === null ? null : Number(text);
  });
}

test("LIM-4 every answer has weight and order counts, of the key once it is verified and of the address before", async () => {
  front.advance(60_000);
  const fresh = await front.newKey(key.account);
  const command = { key: fresh };
  assert.deepEqual(useOf(await front.send("POST", "/api/v3/order", order, command)), [0, 1, 1]);
  assert.deepEqual(useOf(await front.send("POST", "/api/v3/order", {}, command)), [1, 2, 2]);
  assert.deepEqual(useOf(await front.send("GET", "/fapi/v2/balance", {}, command)), [6, 2, 2]);
  front.advance(10_000);
  assert.deepEqual(
    useOf(await front.send("DELETE", "/api/v3/openOrders", { symbol: "CC-USDC" }, command)),
    [6, 0, 2],
  );
  assert.deepEqual(useOf(await front.send("GET", "/api/v3/ping")), [1, 0, 0]);
  const unsigned = await front.fetch("/api/v3/account", {
    headers: { "X-MBX-APIKEY": fresh.value },
  });
  assert.deepEqual(
    [unsigned.status, ...useOf(unsigned)],
    [400, 1, 0, 0],
    "An unsigned request must not show the key's counts",
  );
});

test("NAT-2 native requests without a session share the weight of their address with the other surfaces", async () => {
  front.advance(60_000);
  const native = async (path: string, status: number) => {
    const answer = await front.fetch(path);
    assert.equal(answer.status, status, answer.text);
    return answer;
  };
  await native("/v1/markets", 200);
  assert.equal((await native("/v1/nothing", 404)).text, "not found");
  await native("/v1/nothing?limit=1&limit=2", 404);
  // Requests of a session do not count against the public weight of their address.
  await native("/v1/orders/me", 401);
  assert.deepEqual(useOf(await front.send("GET", "/api/v3/ping")), [4, 0, 0]);
  const limiter = new RateLimiter(front.limiterMemory);
  const nowMs = Math.floor(front.nowUs() / 1000);
  assert.ok(limiter.takePublicWeight(0x7f000001, 5996, nowMs));
  assert.equal((await native("/v1/markets", 429)).text, "too many requests");
  assert.equal((await native("/v1/nothing", 429)).text, "too many requests");
});

test("LIM-15 unknown and unreadable requests cost weight until the weight limit refuses them", async () => {
  front.advance(60_000);
  const unknown = () => front.fetch("/api/v3/nothing");
  assert.deepEqual(useOf(await unknown()), [1, 0, 0]);
  assert.deepEqual(useOf(await front.fetch("/compat/nothing")), [2, 0, 0]);
  const repeated = await front.fetch("/fapi/v1/klines?symbol=A&symbol=B&interval=1m");
  assert.deepEqual([repeated.status, ...useOf(repeated)], [400, 7, 0, 0]);
  const limiter = new RateLimiter(front.limiterMemory);
  const nowMs = Math.floor(front.nowUs() / 1000);
  assert.ok(limiter.takePublicWeight(0x7f000001, 5993, nowMs));
  const refused = await unknown();
  assert.deepEqual(
    [refused.status, refused.json.code, ...useOf(refused)],
    [429, -1003, 6000, 0, 0],
  );
});

test("LIM-13 an account that floods the venue with orders can still cancel them", async () => {
  front.advance(60_000);
  const fresh = await front.newKey(key.account);
  const command = { key: fresh };
  const place = () => front.send("POST", "/api/v3/order", order, command);
  const { orderId } = (await place()).json;
  const statuses: number[] = [];
  // Send in bursts of 100: more simultaneous connections than the socket's backlog would be reset.
  for (let burst = 0; burst < 13; burst++)
    for (const { status } of await Promise.all(Array.from({ length: 100 }, place)))
      statuses.push(status);
  assert.equal(statuses.filter((status) => status === 200).length, 49);
  assert.equal(statuses.filter((status) => status === 429).length, 1251);
  const named = { symbol: "CC-USDC", orderId };
  assert.equal((await front.send("DELETE", "/api/v3/order", named, command)).status, 200);
});

test("LIM-34 a successful order or cancel costs no weight, a refused one does", async () => {
  front.advance(60_000);
  const fresh = await front.newKey(key.account);
  const weightAfter = async (method: string, path: string, parameters: object) => {
    const answer = await front.send(method, path, { ...parameters }, { key: fresh });
    return [answer.status, Number(answer.headers.get("x-mbx-used-weight-1m"))];
  };
  const named = { symbol: "CC-USDC" };
  assert.deepEqual(await weightAfter("POST", "/api/v3/order", order), [200, 0]);
  assert.deepEqual(await weightAfter("GET", "/api/v3/openOrders", named), [200, 3]);
  assert.deepEqual(await weightAfter("DELETE", "/api/v3/openOrders", named), [200, 3]);
  assert.deepEqual(await weightAfter("DELETE", "/api/v3/openOrders", named), [422, 4]);
  const wrong = { ...order, price: "0.00001" };
  assert.deepEqual(await weightAfter("POST", "/api/v3/order", wrong), [400, 5]);
  const future = { symbol: "BTCUSDT", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  const placed = { ...future, quantity: "0.001", price: "50000" };
  assert.deepEqual(await weightAfter("POST", "/fapi/v1/order", placed), [200, 5]);
  assert.deepEqual(await weightAfter("POST", "/api/v3/order/test", order), [200, 6]);
  const { json } = await front.fetch("/compat/api/v3/exchangeInfo");
  const raw = { rateLimitType: "RAW_REQUESTS", interval: "MINUTE", intervalNum: 1, limit: 24_000 };
  assert.deepEqual(json.rateLimits.at(-1), raw);
});

test("LIM-3 the 24,001st signed request from an address in a minute is refused before it is checked", async () => {
  front.advance(60_000);
  const limiter = new RateLimiter(front.limiterMemory);
  const nowMs = Math.floor(front.nowUs() / 1000);
  for (let request = 0; request < 23_999; request++) limiter.takeSignedRequest(0x7f000001, nowMs);
  assert.equal((await front.send("GET", "/api/v3/account", {}, { key })).status, 200);
  const refused = await front.fetch("/api/v3/account");
  assert.deepEqual([refused.status, refused.json.code], [429, -1003]);
  assert.equal(refused.headers.get("retry-after"), null);
  assert.equal(
    (await front.send("GET", "/api/v3/ping")).status,
    200,
    "Public routes must still be answered",
  );
});

test("LIM-12 a request has at most 64 parameters", async () => {
  front.advance(60_000);
  const many = (count: number) =>
    front.fetch(`/api/v3/ping?${Array.from({ length: count }, (_, at) => `p${at}=1`).join("&")}`);
  assert.equal((await many(64)).status, 200);
  const refused = await many(65);
  assert.deepEqual([refused.status, refused.json.code], [400, -1101]);
});
