// Proves that docs/reference/errors.md is correct for the native surface: whole venues produce each error over real
// sockets, and the answer is compared byte for byte. The last test checks that every row was produced.

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { present } from "../../src/core/assert.ts";
import { PublicIdKind, parsePublicId } from "../../src/core/ids/public-id.ts";
import { loginsPerMinute } from "../../src/core/limits.ts";
import { until } from "../epochs/epoch-waits.ts";
import { NativeClient, newWallet } from "../support/client/native-client.ts";
import { sendRaw } from "../support/client/raw-request.ts";
import { untilRoomIn } from "../support/clock/clock-windows.ts";
import { stateLiabilities } from "../support/epochs/stated-venue.ts";
import { withHeldJournal } from "../support/journal/held-journal.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";
import { errors } from "./native-gate-errors.ts";

const assertRow = errors.assertRow.bind(errors);

const dayMs = 86_400_000;

let fixture: VenueFixture;
/** A venue without development tools, whose requests have a short deadline. */
let plain: VenueFixture;
let rich: NativeClient;
let poor: NativeClient;

before(async () => {
  // No epoch is sealed while the tests run.
  await untilRoomIn(dayMs, 300_000);
  const settings = { EPOCH_SECONDS: String(dayMs / 1000), TRUSTED_PROXIES: "127.0.0.1" };
  const quick = { GATEWAY_TIMEOUT_MS: "8000" };
  [fixture, plain] = await Promise.all([
    VenueFixture.open({ ...settings, DEV_TOOLS: "1" }),
    VenueFixture.open({ ...settings, ...quick, DEV_TOOLS: "0" }),
  ]);
  rich = nobody("10.2.0.1");
  await rich.login(richWallet);
  poor = await newUser("10.2.0.2");
  await rich.post("/v1/deposits/seed", { asset: "USDC", amount: "100000", wallet: "perp" });
  await poor.post("/v1/deposits/seed", { asset: "USDC", amount: "5", wallet: "perp" });
});
after(async () => {
  await fixture.close();
  await plain.close();
});

// A wallet with several sessions: each test uses another session, because a session may send only 50 orders in ten
// seconds.
const richWallet = newWallet();
beforeEach(() => rich.login(richWallet));

async function newUser(address: string, at = fixture): Promise<NativeClient> {
  const user = nobody(address, at);
  await user.login();
  return user;
}

function nobody(address: string, at = fixture): NativeClient {
  return Object.assign(new NativeClient(at.address), { address });
}

const order = { symbol: "BTC-PERP", side: "BUY", qty: "0.01", price: "50000" };

test("ERR-40 400: every broken rule of an order has its own message", async () => {
  const refused = async (more: object, message: string, by = rich) =>
    assertRow(await by.post("/v1/orders", { ...order, ...more }), 400, message);
  await refused({ side: "LONG" }, "side must be BUY or SELL");
  for (const leverage of [0, 101, 2.5, -1]) {
    await refused({ leverage }, "leverage must be an integer from 1 to 100");
  }
  await refused({ price: "0" }, "price must be positive");
  await refused({ price: "-1" }, "price must be positive");
  await refused({ price: "50000.001" }, "price must be a multiple of 0.01");
  await refused({ price: "x" }, "price must be a decimal number");
  await refused({ qty: "0" }, "qty must be positive");
  await refused({ qty: "-0.01" }, "qty must be positive");
  await refused({ qty: "0.0001" }, "qty must be a multiple of 0.001");
  await refused({ qty: "x" }, "qty must be a decimal number");
  await refused({ symbol: "XRP-PERP" }, "unknown symbol");
  await refused({ symbol: "CUSD-USDC", qty: "100", price: "1" }, "market not active");
  await refused({}, "insufficient available balance", poor);
  await refused({ reduce_only: true }, "reduce_only order has no position to reduce");
  await refused({ idempotency_key: "" }, "idempotency_key must be 1 to 64 printable characters");
  await refused({ type: "STOP" }, "type must be LIMIT or MARKET");
  await refused({ type: "MARKET" }, "price is not allowed for MARKET orders");
  await refused({ type: "LIMIT", price: null }, "price is required for LIMIT orders");
  await refused({ time_in_force: "GTD" }, "time_in_force must be GTC, IOC, FOK or GTX");
  const options = { type: "MARKET", price: null, post_only: true };
  await refused(options, "these order options cannot be combined");
  await refused({ qty: "1000000" }, "qty is too large");
  await refused({ price: "99999999.99" }, "price must be at most 10000000.00");
  const spot = { symbol: "CC-USDC", qty: "100", price: "0.15" };
  await refused({ ...spot, leverage: 5 }, "leverage is not allowed for spot orders");
  await refused({ ...spot, reduce_only: true }, "reduce_only is not allowed for spot orders");
  await refused({ ...spot, qty: "1" }, "order value is below the minimum of the market");
  const profit = "take_profit must be above the entry price of a BUY and below that of a SELL";
  await refused({ take_profit: "49000" }, profit);
  await refused({ side: "SELL", take_profit: "51000" }, profit);
  const loss = "stop_loss must be below the entry price of a BUY and above that of a SELL";
  await refused({ stop_loss: "51000" }, loss);
  await refused({ stop_loss: "50000" }, loss);
  await refused({ side: "SELL", stop_loss: "49000" }, loss);
  for (const bad of ["0", "-1", "49000.001", "x"]) {
    await refused({ take_profit: bad }, "take_profit must be a positive multiple of the tick size");
    await refused({ stop_loss: bad }, "stop_loss must be a positive multiple of the tick size");
  }
  const stop = { stop_loss: "49000" };
  await refused({ ...spot, ...stop }, "take_profit and stop_loss are not allowed for spot orders");
  const reducing = { ...stop, reduce_only: true };
  await refused(reducing, "take_profit and stop_loss cannot be combined with reduce_only");
  const { json: resting } = await rich.post("/v1/orders", {
    ...order,
    qty: "0.02",
    price: "40000",
  });
  const taking = { side: "SELL", qty: "0.001", price: "40000", post_only: true };
  await refused(taking, "post_only order would trade at once", poor);
  assert.equal((await rich.delete(`/v1/orders/${resting.order_id}`)).status, 200);
  assertRow(await rich.delete("/v1/orders"), 400, "symbol is required");
});

test("ERR-40 NAT-1 400: keys, logins, transfers, deposits and reads name the broken rule", async () => {
  const key = async (body: object, message: string) =>
    assertRow(await rich.post("/v1/api-keys", body), 400, message);
  await key({ label: "x".repeat(65) }, "label must have at most 64 characters");
  await key({ label: "a\tb" }, "label must not contain control characters");
  await key({ label: "mm-1" }, "label must not start with spot-session:, mm- or taker-");
  await key({ key_type: "RSA" }, "key_type must be HMAC or ED25519");
  await key({ key_type: "ED25519" }, "public_key is required when key_type is ED25519");
  const badKey = "public_key must be the base64 of a valid 32-byte Ed25519 public key";
  await key({ key_type: "ED25519", public_key: "AA==" }, badKey);
  const { publicKey: public_key } = newWallet();
  await key({ public_key }, "public_key is only allowed with key_type ED25519");
  const uuid = "malformed UUID in the path";
  assertRow(await rich.delete("/v1/api-keys/12"), 400, uuid);
  assertRow(await rich.delete("/v1/orders/12"), 400, uuid);
  const call = (body: object) => nobody("10.2.0.3").post("/v1/wallet/challenge", body);
  assertRow(await call({ public_key: "AA==" }), 400, badKey, true);
  const hint = "party_hint must be 1 to 64 letters, digits, _ or -";
  assertRow(await call({ public_key, party_hint: "a b" }), 400, hint, true);
  const proof = { public_key, nonce: "x", signature: "x", referral_code: "x" };
  const verified = await nobody("10.2.0.3").post("/v1/wallet/verify", proof);
  assertRow(verified, 400, "unknown referral_code", true);
  const move = { from: "perp", to: "spot", asset: "USDC", amount: "1", idempotency_key: "e1" };
  const moved = async (more: object, message: string) =>
    assertRow(await rich.post("/v1/transfers", { ...move, ...more }), 400, message);
  await moved({ from: "x" }, "from and to must be funding, spot or perp");
  await moved({ to: "perp" }, "from and to must be different wallets");
  await moved({ asset: "X" }, "unknown asset");
  await moved({ amount: "0" }, "amount must be a positive decimal with at most 6 decimals");
  await moved(
    { asset: "CC", amount: "0" },
    "amount must be a positive decimal with at most 8 decimals",
  );
  await moved({ asset: "CC" }, "the perp wallet holds USDC only");
  await moved({ amount: "100001" }, "insufficient available balance");
  const seed = { asset: "USDC", amount: "1" };
  const wallet = await rich.post("/v1/deposits/seed", { ...seed, wallet: "x" });
  assertRow(wallet, 400, "wallet must be funding, spot, perp or ledger", true);
  const much = await rich.post("/v1/deposits/seed", { ...seed, amount: "9000000000000" });
  assertRow(much, 400, "amount exceeds what the faucet has left", true);
  const candles = "/v1/markets/BTC-PERP/candles";
  assertRow(await rich.get(`${candles}?period=2m`), 400, "invalid query parameter: period");
  const periods = "1m, 3m, 5m, 15m, 30m, 1h, 2h, 4h, 6h, 12h, 1d, 3d, 1w";
  assertRow(await rich.get(candles), 400, `period must be one of ${periods}`);
});

test("NAT-53 ERR-40 an id in a path that is not a UUID gets 400 before any other check, and an unknown UUID gets 404", async () => {
  // Another caller, so that these calls do not use up the minute's limit of later tests.
  const caller = nobody("10.2.0.9");
  await caller.login();
  const nothing = "00000000-0000-7007-8000-00000000ffff";
  const named = [
    ["DELETE", "/v1/orders/@", "order not found"],
    ["DELETE", "/v1/api-keys/@", "API key not found"],
    ["GET", "/v1/api-keys/@/restrictions", "API key not found"],
    ["PUT", "/v1/api-keys/@/restrictions", null],
    ["POST", "/v1/api-keys/@/restrictions/challenge", null],
    ["GET", "/v1/account/@/balances", "user not found"],
    ["GET", "/v1/positions/@/open", "user not found"],
    ["GET", "/v1/withdrawals/@", "withdrawal not found"],
    ["GET", "/v1/swaps/rfq/@", "the ledger network is unreachable"],
    ["POST", "/v1/swaps/rfq/@/accept", null],
    ["POST", "/v1/swaps/rfq/@/cancel", null],
    ["POST", "/v1/swaps/rfq/@/prepare", null],
    ["POST", "/v1/swaps/rfq/@/execute", null],
  ] as const;
  for (const [method, path, unknown] of named) {
    for (const bad of ["12", "me2", `${nothing}0`, nothing.slice(0, -1), "%00", "x".repeat(200)]) {
      const body = method === "POST" ? "" : undefined;
      const answer = await caller.send(method, path.replace("@", bad), body);
      assertRow(answer, 400, "malformed UUID in the path");
    }
    if (unknown === null) continue;
    const { text } = await caller.send(method, path.replace("@", nothing));
    assert.equal(text, unknown, path);
  }
});

test("ERR-40 401 and 403: a request that is not authenticated or not allowed has its message", async () => {
  assertRow(await nobody("10.2.0.4").get("/v1/orders/me"), 401, "missing bearer token");
  const forged = Object.assign(nobody("10.2.0.4"), { token: "A".repeat(43) });
  assertRow(await forged.get("/v1/orders/me"), 401, "invalid session");
  assertRow(await forged.post("/v1/wallet/logout"), 401, "invalid session", true);
  const { publicKey: public_key } = newWallet();
  const proof = { public_key, nonce: "x", signature: "x" };
  const unproven = await nobody("10.2.0.4").post("/v1/wallet/verify", proof);
  assertRow(unproven, 401, "invalid nonce or signature", true);
  const { json: placed } = await rich.post("/v1/orders", { ...order, price: "40000" });
  assertRow(await poor.delete(`/v1/orders/${placed.order_id}`), 403, "not order owner");
  assert.equal((await rich.delete(`/v1/orders/${placed.order_id}`)).status, 200);
  const user = await newUser("10.2.0.5", plain);
  for (const path of [`/v1/account/${user.userId}/balances`, `/v1/positions/${user.userId}/open`]) {
    assertRow(await user.get(path), 403, "development tools are off");
  }
});

test("ERR-40 404 and 409: a missing object and one that already exists have their messages", async () => {
  const { json: placed } = await rich.post("/v1/orders", { ...order, price: "40000" });
  await rich.delete(`/v1/orders/${placed.order_id}`);
  assertRow(await rich.delete(`/v1/orders/${placed.order_id}`), 404, "order not found");
  assertRow(await rich.delete(`/v1/orders/${rich.userId}`), 404, "order not found");
  assertRow(await rich.delete(`/v1/api-keys/${rich.userId}`), 404, "API key not found");
  assertRow(await rich.get("/v1/nothing"), 404, "not found");
  const stranger = "00000000-0000-7003-8000-00000000ffff";
  assertRow(await rich.get(`/v1/account/${stranger}/balances`), 404, "user not found");
  assertRow(await rich.get("/v1/chain/proof"), 400, "give either seq or ref_id");
  assertRow(await rich.get("/v1/chain/epochs/9999999"), 404, "epoch not found");
  const unsealed = "seq or ref_id not found in a sealed epoch; epochs are sealed once a minute";
  assertRow(await rich.get("/v1/chain/proof?seq=1"), 404, unsealed);
  const absent = "there is no such journal entry, order or trade yet";
  assertRow(await rich.get("/v1/chain/proof?seq=999999999"), 404, absent);
  const user = await newUser("10.2.0.6", plain);
  assertRow(await user.post("/v1/funding/tick"), 404, "not found");
  assertRow(await user.post("/v1/deposits/seed", {}), 404, "not found", true);
  const keys = await newUser("10.2.0.7");
  for (let made = 0; made < 10; made++) {
    assert.equal((await keys.post("/v1/api-keys")).status, 200);
  }
  assertRow(await keys.post("/v1/api-keys"), 409, "an account can have at most 10 active API keys");
});

test("ERR-40 404: statements of liabilities that are absent have their messages", async () => {
  const stating = await VenueFixture.open({ EPOCH_SECONDS: "1", TRUSTED_PROXIES: "127.0.0.1" });
  try {
    const member = await newUser("10.2.0.10", stating);
    const none = "there is no liabilities statement yet; one follows each sealed epoch";
    assertRow(await member.get("/v1/liabilities"), 404, none);
    const unknown = "there is no liabilities statement of this epoch";
    assertRow(await member.get("/v1/liabilities/9999999"), 404, unknown);
    const isSealed = async () => (await member.get("/v1/chain/epochs")).json.items.length > 0;
    await until("an epoch is sealed", async () => (await isSealed()) || null);
    const asset = { asset: "USDC", number: 0, decimals: 6 };
    const epoch = await stateLiabilities(stating, [asset], []);
    await stating.venue.database.sql`delete from liability_tiles`;
    const gone = "leaves are kept for the newest two liabilities statements only";
    assertRow(await member.get(`/v1/liabilities/me?epoch=${epoch}`), 404, gone);
  } finally {
    await stating.close();
  }
});

test("ERR-40 413, 414, 422 and 429: unreadable, too large and too many requests have their messages", async () => {
  // Another user: an unreadable request counts as an order too, and the shared session has placed enough.
  const caller = await newUser("10.2.0.9");
  const large = await caller.send("POST", "/v1/orders", `"${"x".repeat(2 ** 20)}"`);
  assertRow(large, 413, "Request body is larger than 1 MiB.");
  assertRow(
    await caller.get(`/v1/orders/me?${"x".repeat(8193)}`),
    414,
    "Query string is too long.",
  );
  const sent = async (body: string, message: string) =>
    assertRow(await caller.send("POST", "/v1/orders", body), 422, message);
  await sent("{", "body is not JSON");
  await sent("[]", "body must be a JSON object");
  await sent("{}", "missing field: symbol");
  await sent(JSON.stringify({ ...order, qty: true }), "wrong type of field: qty");
  await sent(JSON.stringify({ ...order, colour: "red" }), "unknown field: colour");
  const exact = "numbers of more than 15 digits must be strings";
  await sent(JSON.stringify(order).replace('"50000"', "50000.000000000001"), exact);
  const bytes = Buffer.concat([
    Buffer.from(
      `POST /v1/orders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${caller.token}\r\nContent-Length: 2\r\n\r\n`,
    ),
    Buffer.from([0xff, 0xfe]),
  ]);
  const message = "body is not UTF-8 text";
  const { text } = await sendRaw(fixture.venue.port, bytes, (said) => said.includes(message));
  const [head = "", body = ""] = text.split("\r\n\r\n");
  const type = "text/plain; charset=utf-8";
  assert(head.startsWith("HTTP/1.1 422 ") && head.includes(type), head);
  assertRow({ status: 422, type, text: body, json: null }, 422, message);
  const eager = nobody("10.2.0.8");
  await untilRoomIn(60_000, 20_000);
  const many = Array.from({ length: loginsPerMinute + 1 }, () =>
    eager.post("/v1/wallet/challenge", {}),
  );
  const late = (await Promise.all(many)).find(({ status }) => status === 429);
  assertRow(present(late, "a refused login"), 429, "too many requests", true);
});

test("ERR-40 500: a database error is answered with one fixed sentence", async () => {
  const { sql } = fixture.venue.database;
  await sql`alter table candles rename to candles_elsewhere`;
  try {
    const answer = await rich.get("/v1/markets/ETH-PERP/candles?period=5m");
    assertRow(answer, 500, "An unknown error occurred while processing the request.");
  } finally {
    await sql`alter table candles_elsewhere rename to candles`;
  }
});

test("ERR-40 408 and 503: an unknown outcome and a request not executed have their messages", async () => {
  const unknown =
    "Timeout waiting for response from backend server. Send status unknown; execution status unknown.";
  const not = "Request was not executed; resend with the same client order id.";
  const keyed = { ...order, price: "40000", idempotency_key: "held" };
  const user = await newUser("10.2.0.11", plain);
  const account = present(parsePublicId(PublicIdKind.user, user.userId), "the user's id").number;
  await plain.operator.fund({ account, wallet: "perp", asset: "USDC", amount: "1000" });
  await withHeldJournal(plain.database, async () => {
    const taken = user.post("/v1/orders", keyed);
    await until("the stall shows", async () => (await plain.get("/health")).status === 503 || null);
    assertRow(await user.post("/v1/orders", { ...keyed, idempotency_key: "later" }), 503, not);
    assertRow(await user.post("/v1/wallet/logout"), 503, not, true);
    assertRow(await taken, 408, unknown);
  });
  await until(
    "the journal goes on",
    async () => (await plain.get("/health")).status === 200 || null,
  );
  const again = await user.post("/v1/orders", keyed);
  assert.deepEqual(
    [again.status, again.json.replayed],
    [200, true],
    "The key must resolve the 408",
  );
});

test("ERR-40 every row of the table was produced", () => {
  const produced = new Set([...errors.told].map((row) => Number(row.slice(0, 3))));
  for (const status of [400, 401, 403, 404, 408, 409, 413, 422, 429, 500, 503]) {
    assert(produced.has(status), `an error with status ${status} must have been produced`);
  }
  assert.deepEqual(errors.left(), []);
});
