// Proves trading under /v1 over a real socket: the fields of an order, every rule it can break, its idempotency key,
// and who may cancel it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { AccountFlag, AccountType, Wallet } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { PublicIdKind, parsePublicId, publicId } from "../../src/core/ids/public-id.ts";
import { stateHash } from "../../src/engine/state-hash.ts";
import { NativeClient } from "../support/client/native-client.ts";
import { marketId } from "../support/machine/test-markets.ts";
import { FrontFixture } from "./front-fixture.ts";

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open();
});
after(() => front.close());

interface User {
  readonly api: NativeClient;
  readonly account: number;
}

/** Creates a user with money in both trading wallets. */
async function newUser(usdc = 100_000_000_000n): Promise<User> {
  front.advance(60_000);
  const api = new NativeClient(front.base);
  await api.login();
  const account = parsePublicId(PublicIdKind.user, api.userId)?.number ?? 0;
  front.venue.credit(account, Wallet.perp, 0, usdc);
  front.venue.credit(account, Wallet.spot, 0, usdc);
  return { api, account };
}

const limit = { symbol: "BTC-PERP", side: "BUY", qty: "0.100", price: "100.00" };

test("NAT-34 NAT-65 a limit order is answered with its state after matching, in exactly thirteen fields", async () => {
  const { api } = await newUser();
  const placed = await api.post("/v1/orders", { ...limit, leverage: 20 });
  assert.equal(placed.status, 200, placed.text);
  const { order_id: id, client_order_id: clientId, created_at: created, ...rest } = placed.json;
  assert.equal(parsePublicId(PublicIdKind.order, id)?.bornMs, Date.parse(created));
  assert.match(clientId, /^o-\d{20}$/);
  assert.deepEqual(rest, {
    symbol: "BTC-PERP",
    side: "BUY",
    type: "LIMIT",
    status: "NEW",
    price: "100.00",
    qty: "0.100",
    filled_qty: "0.000",
    avg_price: null,
    leverage: 20,
    replayed: false,
  });
  const { api: other } = await newUser();
  const taken = await other.post("/v1/orders", { symbol: "BTC-PERP", side: "SELL", qty: 0.06 });
  assert.deepEqual(
    [taken.json.type, taken.json.status, taken.json.price, taken.json.filled_qty],
    ["MARKET", "FILLED", null, "0.060"],
  );
  assert.equal(taken.json.avg_price, "100.00000000");
  assert.equal(taken.json.leverage, 10, "The leverage must be the account's own");
  await api.delete("/v1/orders?symbol=BTC-PERP");
});

test("NAT-34 NAT-65 spot symbols trade too, without leverage", async () => {
  const { api } = await newUser();
  const order = { symbol: "CC-USDC", side: "BUY", qty: "1000", price: "0.15", post_only: true };
  const placed = await api.post("/v1/orders", order);
  assert.equal(placed.status, 200, placed.text);
  assert.deepEqual([placed.json.leverage, placed.json.type], [null, "LIMIT"]);
  const all = await api.delete("/v1/orders?symbol=CC-USDC");
  assert.deepEqual(all.json, { cancelled: [placed.json.order_id] });
});

/** Fields that break a rule, with the message that names the rule. */
const broken: readonly (readonly [fields: object, words: string])[] = [
  [{ symbol: "BTC-EUR" }, "unknown symbol"],
  [{ symbol: "BTCUSDT" }, "unknown symbol"],
  [{ side: "buy" }, "side must be BUY or SELL"],
  [{ side: "toString" }, "side must be BUY or SELL"],
  [{ type: "STOP" }, "type must be LIMIT or MARKET"],
  [{ type: "MARKET" }, "price is not allowed for MARKET orders"],
  [{ type: "LIMIT", price: null }, "price is required for LIMIT orders"],
  [{ time_in_force: "GTD" }, "time_in_force must be GTC, IOC, FOK or GTX"],
  [{ time_in_force: "IOC", post_only: true }, "these order options cannot be combined"],
  [{ price: null, post_only: true }, "these order options cannot be combined"],
  [{ price: null, time_in_force: "GTC" }, "these order options cannot be combined"],
  [{ qty: "0" }, "qty must be positive"],
  [{ qty: "-1" }, "qty must be positive"],
  [{ qty: "abc" }, "qty must be a decimal number"],
  [{ qty: "1e3" }, "qty must be a decimal number"],
  [{ qty: "0.0001" }, "qty must be a multiple of 0.001"],
  [{ qty: "100000000000" }, "qty is too large"],
  [{ price: 0 }, "price must be positive"],
  [{ price: "-0.01" }, "price must be positive"],
  [{ price: "1,5" }, "price must be a decimal number"],
  [{ price: 100.001 }, "price must be a multiple of 0.01"],
  [{ price: "99999999999" }, "price must be at most 10000000.00"],
  [{ leverage: 0 }, "leverage must be an integer from 1 to 100"],
  [{ leverage: 101 }, "leverage must be an integer from 1 to 100"],
  [{ leverage: 2.5 }, "leverage must be an integer from 1 to 100"],
  [{ reduce_only: true }, "reduce_only order has no position to reduce"],
  [{ qty: "90000" }, "insufficient available balance"],
  [{ idempotency_key: "" }, "idempotency_key must be 1 to 64 printable characters"],
  [{ idempotency_key: "a".repeat(65) }, "idempotency_key must be 1 to 64 printable characters"],
  [{ idempotency_key: "a\nb" }, "idempotency_key must be 1 to 64 printable characters"],
  [{ take_profit: "0" }, "take_profit must be a positive multiple of the tick size"],
  [{ stop_loss: "90.001" }, "stop_loss must be a positive multiple of the tick size"],
  [
    { take_profit: "100" },
    "take_profit must be above the entry price of a BUY and below that of a SELL",
  ],
  [
    { side: "SELL", stop_loss: 99 },
    "stop_loss must be below the entry price of a BUY and above that of a SELL",
  ],
  [
    { take_profit: "110", reduce_only: true },
    "take_profit and stop_loss cannot be combined with reduce_only",
  ],
  [
    { symbol: "CC-USDC", stop_loss: "1" },
    "take_profit and stop_loss are not allowed for spot orders",
  ],
  [{ symbol: "CC-USDC", leverage: 3 }, "leverage is not allowed for spot orders"],
  [{ symbol: "CC-USDC", reduce_only: true }, "reduce_only is not allowed for spot orders"],
  [{ symbol: "CC-USDC", qty: "1", price: "1" }, "order value is below the minimum of the market"],
];

test("NAT-35 NAT-66 an order that breaks a rule gets 400 with the rule in plain text, and changes nothing", async () => {
  const { api } = await newUser();
  const before = stateHash(front.state);
  for (const [fields, message] of broken) {
    front.advance(11_000);
    const answer = await api.post("/v1/orders", { ...limit, ...fields });
    const shown = [answer.status, answer.type, answer.text];
    assert.deepEqual(shown, [400, "text/plain; charset=utf-8", message], JSON.stringify(fields));
  }
  assert.equal(stateHash(front.state), before);
});

test("NAT-35 a halted market, a frozen account and a missing enrollment have different errors", async () => {
  const { api, account } = await newUser();
  front.venue.done({
    kind: CommandKind.setMarketStatus,
    market: marketId.ethPerp,
    status: 1,
  });
  const halted = await api.post("/v1/orders", { ...limit, symbol: "ETH-PERP" });
  assert.deepEqual([halted.status, halted.text], [400, "market not active"]);
  front.venue.done({
    kind: CommandKind.setMarketStatus,
    market: marketId.ethPerp,
    status: 0,
  });
  front.venue.setFlags(account, AccountFlag.frozen);
  const frozen = await api.post("/v1/orders", limit);
  assert.deepEqual(
    [frozen.status, frozen.text],
    [403, "Account is frozen; new orders are not accepted, cancels are."],
  );
  const wallet = await newUser();
  front.state.accounts.setType(wallet.account, AccountType.wallet);
  front.venue.state.accounts.setType(wallet.account, AccountType.wallet);
  const spot = { symbol: "CC-USDC", side: "BUY", qty: "1000", price: "0.15" };
  const unenrolled = await wallet.api.post("/v1/orders", spot);
  assert.deepEqual(
    [unenrolled.status, unenrolled.text],
    [403, "Complete wallet enrollment (MemberAuth) before trading."],
  );
});

test("NAT-36 a body that is not an order gets 422, and a request without a token 401", async () => {
  const { api } = await newUser();
  const cases: readonly (readonly [body: string, words: string])[] = [
    ["{", "body is not JSON"],
    ["[]", "body must be a JSON object"],
    [JSON.stringify({ ...limit, qty: undefined }), "missing field: qty"],
    [JSON.stringify({ ...limit, qty: true }), "wrong type of field: qty"],
    [JSON.stringify({ ...limit, leverage: "5" }), "wrong type of field: leverage"],
    [JSON.stringify({ ...limit, reduce_only: "yes" }), "wrong type of field: reduce_only"],
    [JSON.stringify({ ...limit, hidden: true }), "unknown field: hidden"],
    [`{"__proto__":{"qty":"1"},"symbol":"BTC-PERP"}`, "missing field: side"],
  ];
  for (const [body, message] of cases) {
    const answer = await api.send("POST", "/v1/orders", body);
    assert.equal(answer.status, 422, body);
    assert.equal(answer.text, message);
  }
  const stranger = new NativeClient(front.base);
  assert.equal((await stranger.post("/v1/orders", limit)).text, "missing bearer token");
  stranger.token = "no-such-token";
  assert.equal((await stranger.post("/v1/orders", limit)).text, "invalid session");
});

test("NAT-30 a repeated idempotency key returns the first order, whatever the new body says and the order's later state", async () => {
  const { api } = await newUser();
  const keyed = { ...limit, idempotency_key: "my first order" };
  const first = await api.post("/v1/orders", keyed);
  assert.deepEqual([first.status, first.json.replayed], [200, false]);
  const again = await api.post("/v1/orders", { ...keyed, qty: "5", side: "SELL" });
  assert.deepEqual(again.json, { ...first.json, replayed: true });
  const senseless = await api.post("/v1/orders", { ...keyed, symbol: "???", qty: "0" });
  assert.deepEqual(senseless.json, { ...first.json, replayed: true });
  await api.delete(`/v1/orders/${first.json.order_id}`);
  const later = await api.post("/v1/orders", keyed);
  assert.deepEqual(
    [later.json.order_id, later.json.status, later.json.replayed],
    [first.json.order_id, "CANCELED", true],
  );
  const unknown = await api.post("/v1/orders", { ...keyed, idempotency_key: "other", qty: "0" });
  assert.deepEqual([unknown.status, unknown.text], [400, "qty must be positive"]);
});

test("NAT-37 an idempotency key that is a valid client order id becomes the order's, and another order must not have it", async () => {
  const { api, account } = await newUser();
  const placed = await api.post("/v1/orders", { ...limit, idempotency_key: "k-1" });
  assert.equal(placed.json.client_order_id, "k-1");
  const key = await front.newKey(account);
  const elsewhere = { symbol: "BTCUSDT", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  const fapi = { ...elsewhere, quantity: "0.1", price: "100", newClientOrderId: "k-2" };
  assert.equal((await front.send("POST", "/fapi/v1/order", fapi, { key })).status, 200);
  const taken = await api.post("/v1/orders", { ...limit, idempotency_key: "k-2" });
  const message = "AlreadyExists: idempotency_key equals the client id of another order";
  assert.deepEqual([taken.status, taken.text], [409, message]);
  const derived = await api.post("/v1/orders", {
    ...limit,
    idempotency_key: "o-00000000000000000001",
  });
  assert.deepEqual([derived.status, derived.text], [409, message]);
  await api.delete("/v1/orders?symbol=BTC-PERP");
});

test("NAT-32 an idempotency key in flight gets 409, a full ring 503, an order that takes too long 408", async () => {
  const slow = await FrontFixture.open({ deadlineMs: 2000 });
  try {
    const api = new NativeClient(slow.base);
    await api.login();
    const account = parsePublicId(PublicIdKind.user, api.userId)?.number ?? 0;
    slow.venue.credit(account, Wallet.perp, 0, 100_000_000_000n);
    slow.isFull = true;
    const full = await api.post("/v1/orders", limit);
    assert.equal(full.status, 503);
    assert.match(full.text, /^Request was not executed/);
    slow.isFull = false;
    slow.isHolding = true;
    const keyed = { ...limit, idempotency_key: "twice" };
    const pair = [api.post("/v1/orders", keyed), api.post("/v1/orders", keyed)];
    while (slow.held.length < 2) await wait(5);
    slow.release();
    const answers = await Promise.all(pair);
    const message = "Aborted: a request with this idempotency_key is still in flight";
    const sorted = answers.map(({ status, text }) => [status, status === 200 ? "" : text]).sort();
    assert.deepEqual(sorted, [
      [200, ""],
      [409, message],
    ]);
    slow.isHolding = true;
    const late = api.post("/v1/orders", { ...limit, idempotency_key: "late" });
    while (slow.held.length < 1) await wait(5);
    slow.advance(2000);
    assert.equal((await late).status, 408);
    // Set the clock back, so that for clearing the order has arrived in time.
    slow.venue.nowUs -= 2_000_000;
    slow.release();
    const found = await api.post("/v1/orders", { ...limit, idempotency_key: "late" });
    assert.deepEqual([found.status, found.json.replayed], [200, true]);
  } finally {
    slow.close();
  }
});

test("NAT-38 only its owner can cancel an open order, once", async () => {
  const { api } = await newUser();
  const { api: other } = await newUser();
  const { json: placed } = await api.post("/v1/orders", limit);
  const path = `/v1/orders/${placed.order_id}`;
  const foreign = await other.delete(path);
  assert.deepEqual([foreign.status, foreign.text], [403, "not order owner"]);
  front.advance(5);
  const cancelled = await api.delete(path);
  assert.equal(cancelled.status, 200);
  const {
    updated_at: updated,
    take_profit: takeProfit,
    stop_loss: stopLoss,
    expiry_reason: expiryReason,
    ...rest
  } = cancelled.json;
  assert.deepEqual([takeProfit, stopLoss, expiryReason], [null, null, null]);
  assert.deepEqual(rest, { ...placed, status: "CANCELED" });
  assert(Date.parse(updated) > Date.parse(placed.created_at));
  for (const user of [api, other]) {
    const gone = await user.delete(path);
    assert.deepEqual([gone.status, gone.text], [404, "order not found"]);
  }
  const malformed = await api.delete("/v1/orders/12");
  assert.deepEqual([malformed.status, malformed.text], [400, "malformed UUID in the path"]);
  const { number = 0, bornMs = 0 } = parsePublicId(PublicIdKind.order, placed.order_id) ?? {};
  for (const id of [
    publicId(PublicIdKind.trade, number, bornMs),
    publicId(PublicIdKind.order, number, bornMs + 1),
    publicId(PublicIdKind.order, 999_999, bornMs),
  ]) {
    assert.equal((await api.delete(`/v1/orders/${id}`)).status, 404);
  }
});

test("NAT-38 a cancel does not find a filled order", async () => {
  const { api } = await newUser();
  const { api: other } = await newUser();
  const { json: maker } = await api.post("/v1/orders", limit);
  await other.post("/v1/orders", { ...limit, side: "SELL" });
  const gone = await api.delete(`/v1/orders/${maker.order_id}`);
  assert.deepEqual([gone.status, gone.text], [404, "order not found"]);
});

test("NAT-39 cancelling all orders requires a market and returns the ids", async () => {
  const { api } = await newUser();
  const ids: string[] = [];
  for (const price of ["90", "91", "92"]) {
    ids.push((await api.post("/v1/orders", { ...limit, price })).json.order_id);
  }
  const nameless = await api.delete("/v1/orders");
  assert.deepEqual([nameless.status, nameless.text], [400, "symbol is required"]);
  const unknown = await api.delete("/v1/orders?symbol=X");
  assert.deepEqual([unknown.status, unknown.text], [400, "unknown symbol"]);
  const all = await api.delete("/v1/orders?symbol=BTC-PERP");
  assert.deepEqual(new Set(all.json.cancelled), new Set(ids));
  assert.deepEqual((await api.delete("/v1/orders?symbol=BTC-PERP")).json, { cancelled: [] });
});

test("NAT-49 NAT-52 NAT-70 an entry order shows its take profit and stop loss, and both exist at once", async () => {
  const { api } = await newUser();
  const { api: other } = await newUser();
  const guarded = { ...limit, take_profit: "110", stop_loss: 90.5 };
  const { json: entry } = await api.post("/v1/orders", guarded);
  await other.post("/v1/orders", { ...limit, side: "SELL", qty: "0.06" });
  const list = async () => (await api.get("/v1/orders/me?status=open")).json.items;
  const rows = (await list()).map((item: Record<string, unknown>) => [
    ...[item["type"], item["side"], item["qty"]],
    ...[item["take_profit"], item["stop_loss"]],
  ]);
  assert.deepEqual(rows, [
    ["STOP_MARKET", "SELL", "0.000", null, "90.50"],
    ["TAKE_PROFIT_MARKET", "SELL", "0.000", "110.00", null],
    ["LIMIT", "BUY", "0.100", "110.00", "90.50"],
  ]);
  await api.delete(`/v1/orders/${entry.order_id}`);
  assert.equal((await list()).length, 2, "Both legs must protect the filled part");
  await other.post("/v1/orders", { ...limit, qty: "0.06" });
  await api.post("/v1/orders", { symbol: "BTC-PERP", side: "SELL", qty: "0.06" });
  assert.deepEqual(await list(), []);
  const { items } = (await api.get("/v1/orders/me?symbol=BTC-PERP")).json;
  const first = items.at(-1);
  assert.deepEqual(
    [first.order_id, first.status, first.take_profit, first.stop_loss],
    [entry.order_id, "CANCELED", "110.00", "90.50"],
  );
});

test("NAT-48 a session's orders count against the limits of a standard key", async () => {
  const { api } = await newUser();
  const statuses: number[] = [];
  for (let count = 0; count < 51; count++) {
    statuses.push((await api.post("/v1/orders", { ...limit, qty: "0" })).status);
  }
  assert.deepEqual(
    [statuses.slice(0, 50).every((status) => status === 400), statuses[50]],
    [true, 429],
  );
});

test("RSK-26 RSK-57 ERR-40 a perpetual whose index is stale accepts only orders that reduce, and says so", async () => {
  const { venue } = front;
  const { api } = await newUser();
  const house = venue.fund(10_000_000n * 1_000_000n, AccountType.house);
  venue.credit(house, Wallet.spot, 2, 10n ** 11n);
  venue.buy(house, marketId.cbtcUsdc, 5_999_000, 100_000);
  venue.sell(house, marketId.cbtcUsdc, 6_001_000, 100_000);
  const tick = (ms: number) => {
    front.advance(ms);
    venue.machine.handle(venue.command({ kind: CommandKind.tick }));
  };
  tick(1_000);
  const order = { ...limit, price: "59900.00", qty: "0.001" };
  assert.equal((await api.post("/v1/orders", order)).status, 200);
  venue.done({ kind: CommandKind.cancelAllOrders, account: house, market: marketId.cbtcUsdc });
  tick(1_000);
  tick(61_000);
  const refused = await api.post("/v1/orders", order);
  assert.deepEqual([refused.status, refused.text], [400, "market is reduce-only"]);
});

test("RSK-33 RSK-61 ERR-40 a perpetual that never had an index opens no position, and says so", async (t) => {
  const quiet = await FrontFixture.open({ opensWithoutIndex: false });
  t.after(() => quiet.close());
  const api = new NativeClient(quiet.base);
  await api.login();
  const account = parsePublicId(PublicIdKind.user, api.userId)?.number ?? 0;
  quiet.venue.credit(account, Wallet.perp, 0, 100_000_000_000n);
  const refused = await api.post("/v1/orders", limit);
  assert.deepEqual([refused.status, refused.text], [400, "market has no index price yet"]);
});
