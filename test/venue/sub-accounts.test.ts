// Proves on a whole venue how an owner uses sub-accounts over HTTP: it opens them, funds them, gives their traders keys, and
// sees all of them, while a key of a sub-account sees and trades only its own account.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { PublicIdKind, parsePublicId } from "../../src/core/ids/public-id.ts";
import { call } from "../streams/session-client.ts";
import { StreamClient } from "../streams/stream-client.ts";
import type { Json } from "../support/client/json.ts";
import {
  type NativeAnswer,
  NativeClient,
  newWallet,
  signText,
  type Wallet,
} from "../support/client/native-client.ts";
import { signedFetch } from "../support/client/signed-fetch.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";

let fixture: VenueFixture;

before(async () => {
  fixture = await VenueFixture.open({ DEV_TOOLS: "1" });
});
after(() => fixture.close());

interface MadeKey {
  readonly id: string;
  readonly key: string;
  readonly secret: string;
}

/** A logged-in owner with test funds in the spot wallet. */
class Owner {
  readonly wallet: Wallet = newWallet();
  readonly user = new NativeClient(fixture.address);

  static async open(): Promise<Owner> {
    const owner = new Owner();
    await owner.user.login(owner.wallet);
    const funds = { asset: "USDC", amount: "1000", wallet: "spot" };
    assert.equal((await owner.user.post("/v1/deposits/seed", funds)).status, 200);
    return owner;
  }

  async subAccount(label: string): Promise<string> {
    const { status, json, text } = await this.user.post("/v1/sub-accounts", { label });
    assert.equal(status, 200, text);
    return json.id;
  }

  async key(path: string): Promise<MadeKey> {
    return (await this.user.post(path, {})).json as MadeKey;
  }

  transfer(from: string, to: string, amount: string, key = `${from}-${to}-${amount}`) {
    const wallets = { from: "spot", to: "spot", asset: "USDC", amount };
    const body = {
      from_account: from,
      to_account: to,
      ...wallets,
      idempotency_key: key.slice(0, 64),
    };
    return this.user.post("/v1/sub-accounts/transfers", body);
  }

  async spotBalance(path: string): Promise<string> {
    const { json } = await this.user.get(path);
    const rows = json.balances as { wallet: string; asset: string; free: string }[];
    return rows.find(({ wallet, asset }) => wallet === "spot" && asset === "USDC")?.free ?? "";
  }
}

async function signed(
  key: MadeKey,
  method: "GET" | "POST" | "DELETE",
  path: string,
  parameters: Record<string, string> = {},
) {
  return signedFetch<Json>(fixture.address, key, { method, path, parameters });
}

/** When a request of a session is sent. A busy machine may take longer than the usual window. */
const timed = () => ({ recvWindow: 60_000, timestamp: Date.now() });

/** A connection that cancels the orders of the key's account when it is lost. */
async function guarded(client: StreamClient, { key, secret }: MadeKey): Promise<void> {
  const sign = (text: string) => createHmac("sha256", secret).update(text).digest("hex");
  const wish = { cancelOnDisconnect: true };
  const logon = await call(client, "session.logon", wish, { value: key, sign });
  assert.equal(logon.status, 200, JSON.stringify(logon));
}

function sessionClient(): Promise<StreamClient> {
  return StreamClient.open(`${fixture.address.replace("http", "ws")}/compat/ws-api/v3`);
}

async function openOrders(key: MadeKey): Promise<number> {
  return (await signed(key, "GET", "/api/v3/openOrders")).json.length;
}

const order = { symbol: "CC-USDC", type: "LIMIT", timeInForce: "GTC", price: "0.15" };

test("SUB-1 SUB-3 SUB-4 an owner opens a sub-account, moves money to it, and its key trades with that money alone", async () => {
  const owner = await Owner.open();
  const me = owner.user.userId;
  const sub = await owner.subAccount("one");
  const { json: listed } = await owner.user.get("/v1/sub-accounts");
  assert.deepEqual(
    listed.sub_accounts.map(({ id, label, frozen }: Record<string, unknown>) => [
      id,
      label,
      frozen,
    ]),
    [[sub, "one", false]],
  );
  const taken = await owner.user.post("/v1/sub-accounts", { label: "One" });
  assert.equal(taken.status, 409, taken.text);
  for (const label of ["", "x".repeat(500), "zw\u00f6lf", "a b"])
    assert.equal((await owner.user.post("/v1/sub-accounts", { label })).status, 400, label);
  const moved = await owner.transfer(me, sub, "400", "move");
  assert.deepEqual([moved.json.amount, moved.json.replayed], ["400.000000", false], moved.text);
  const again = await owner.transfer(me, sub, "400", "move");
  assert.deepEqual(again.json, { ...moved.json, replayed: true });
  assert.equal(await owner.spotBalance(`/v1/sub-accounts/${sub}/balances`), "400.000000");
  assert.equal(await owner.spotBalance("/v1/balances/me"), "600.000000");
  const trader = await owner.key(`/v1/sub-accounts/${sub}/api-keys`);
  const account = await signed(trader, "GET", "/api/v3/account");
  const usdc = account.json.balances.find(({ asset }: { asset: string }) => asset === "USDC");
  assert.equal(Number(usdc.free), 400);
  const bought = await signed(trader, "POST", "/api/v3/order", {
    ...order,
    ...{ side: "BUY", quantity: "2000" },
  });
  assert.equal(bought.json.status, "NEW", JSON.stringify(bought.json));
  const beyond = await signed(trader, "POST", "/api/v3/order", {
    ...order,
    ...{ side: "BUY", quantity: "2000" },
  });
  assert.equal(beyond.json.code, -2010);
  const main = await owner.key("/v1/api-keys");
  assert.deepEqual((await signed(main, "GET", "/api/v3/openOrders")).json, []);
  assert.equal((await signed(trader, "GET", "/api/v3/openOrders")).json.length, 1);
  assert.equal(
    (await owner.user.get(`/v1/sub-accounts/${sub}/positions`)).text,
    '{"positions":[]}',
  );
});

test("SUB-1 ERR-40 refusals of sub-accounts have messages of their own", async () => {
  const owner = await Owner.open();
  const refused = async (answer: Promise<NativeAnswer>, status: number, message: string) => {
    const { status: got, text } = await answer;
    assert.deepEqual([got, text], [status, message]);
  };
  const open = (label: string) => owner.user.post("/v1/sub-accounts", { label });
  await refused(open("a b"), 400, "label must be 1 to 20 letters, digits, _, - or .");
  const id = await owner.subAccount("one");
  await refused(open("ONE"), 409, "another sub-account has this label");
  const same = "from_account and to_account must differ: use /v1/transfers";
  await refused(owner.transfer(id, id, "1"), 400, same);
  for (let more = 2; more <= 20; more++) await owner.subAccount(`n${more}`);
  await refused(open("n21"), 409, "an account can have at most 20 sub-accounts");
});

test("SUB-3 keys of a sub-account are listed, restricted and revoked by its owner only", async () => {
  const [owner, stranger] = [await Owner.open(), await Owner.open()];
  const sub = await owner.subAccount("one");
  const trader = await owner.key(`/v1/sub-accounts/${sub}/api-keys`);
  const { json } = await owner.user.get(`/v1/sub-accounts/${sub}/api-keys`);
  assert.deepEqual(
    json.keys.map(({ id }: MadeKey) => id),
    [trader.id],
  );
  assert.deepEqual((await owner.user.get("/v1/api-keys")).json.keys, []);
  const path = `/v1/api-keys/${trader.id}/restrictions`;
  const reading = JSON.stringify({ permissions: ["READ"], allowed_addresses: [] });
  for (const [user, status] of [
    [stranger.user, 404],
    [owner.user, 200],
  ] as const)
    assert.equal((await user.send("PUT", path, reading)).status, status);
  const small = { ...order, side: "BUY", quantity: "100" };
  assert.equal((await signed(trader, "POST", "/api/v3/order", small)).json.code, -2015);
  for (const route of ["balances", "positions", "api-keys"])
    assert.equal((await stranger.user.get(`/v1/sub-accounts/${sub}/${route}`)).status, 404);
  const foreign = await stranger.transfer(stranger.user.userId, sub, "1");
  assert.deepEqual([foreign.status, foreign.text], [404, "sub-account not found"]);
  assert.equal((await stranger.user.delete(`/v1/api-keys/${trader.id}`)).status, 404);
  assert.equal((await owner.user.delete(`/v1/api-keys/${trader.id}`)).status, 200);
  assert.equal((await signed(trader, "GET", "/api/v3/account")).json.code, -2015);
});

test("SUB-13 KEY-9 KEY-10 KEY-14 the owner's wallet widens a key of a sub-account, and its session narrows it", async () => {
  const [owner, stranger] = [await Owner.open(), await Owner.open()];
  const sub = await owner.subAccount("one");
  const trader = await owner.key(`/v1/sub-accounts/${sub}/api-keys`);
  const path = `/v1/api-keys/${trader.id}/restrictions`;
  const put = (user: NativeClient, body: object) => user.send("PUT", path, JSON.stringify(body));
  const code = async () => {
    const small = { ...order, side: "BUY", quantity: "0.1" };
    return (await signed(trader, "POST", "/api/v3/order", small)).json.code;
  };
  assert.equal(
    await code(),
    -1013,
    "a new key may trade: the order is refused for its small value",
  );
  const trading = { permissions: ["READ", "TRADE"], allowed_addresses: [] };
  const narrow = { permissions: ["READ", "TRADE_PERPETUAL"], allowed_addresses: [] };
  assert.equal((await put(owner.user, narrow)).status, 200);
  assert.equal(await code(), -2015);
  assert.equal((await put(owner.user, trading)).status, 403);
  for (const [user, wallet, status] of [
    [stranger.user, stranger.wallet, 404],
    [owner.user, stranger.wallet, 401],
    [owner.user, owner.wallet, 200],
  ] as const) {
    const { json } = await owner.user.post(`${path}/challenge`, trading);
    const proof = { nonce: json.nonce, signature: signText(wallet, json.message) };
    const changed = await put(user, { ...trading, ...proof });
    assert.equal(changed.status, status, changed.text);
    assert.equal(await code(), status === 200 ? -1013 : -2015);
  }
  assert.equal((await stranger.user.post(`${path}/challenge`, trading)).status, 404);
  const address = { permissions: ["READ", "WITHDRAW"], allowed_addresses: ["192.0.2.1"] };
  assert.equal((await put(owner.user, address)).status, 403);
  const wide = await put(owner.user, { ...narrow, allowed_addresses: ["::1", "10.0.0.5/8"] });
  const network = "allowed_addresses: 10.0.0.5/8 is no network; send 10.0.0.0/8, or 10.0.0.5 alone";
  assert.deepEqual([wide.status, wide.text], [400, network]);
  const wrong = await put(owner.user, { ...narrow, allowed_addresses: ["10.0.0.300"] });
  const range =
    'allowed_addresses: "10.0.0.300" is no address or range, such as 192.0.2.7 or 10.0.0.0/8';
  assert.deepEqual([wrong.status, wrong.text], [400, range]);
  assert.equal((await owner.user.get(path)).json.expires_at, null);
});

test("SUB-12 COD-2 MMP-1 QUO-20 a key of a sub-account guards, protects and cancels only its own account", async () => {
  const owner = await Owner.open();
  const sub = await owner.subAccount("one");
  assert.equal((await owner.transfer(owner.user.userId, sub, "500")).status, 200);
  const main = await owner.key("/v1/api-keys");
  const trader = await owner.key(`/v1/sub-accounts/${sub}/api-keys`);
  const bid = { ...order, side: "BUY", quantity: "200", price: "0.1" };
  const open = openOrders;
  for (const key of [main, trader])
    assert.equal((await signed(key, "POST", "/api/v3/order", bid)).json.status, "NEW");
  const client = await sessionClient();
  await guarded(client, trader);
  await call(client, "order.place", { ...bid, ...timed() });
  assert.deepEqual([await open(main), await open(trader)], [1, 2]);
  client.close();
  const endMs = Date.now() + 60_000;
  while ((await open(trader)) > 1 && Date.now() < endMs) await sleep(20);
  assert.deepEqual([await open(main), await open(trader)], [1, 1]);
  const group = { symbols: '["CC-USDC"]', windowTimeInMilliseconds: "1000", countLimit: "5" };
  assert.equal((await signed(trader, "POST", "/api/v3/mmpSet", group)).status, 200);
  assert.deepEqual((await signed(main, "GET", "/api/v3/mmp")).json, []);
  assert.equal((await signed(trader, "GET", "/api/v3/mmp")).json.length, 1);
  const cancelled = await signed(trader, "DELETE", "/api/v3/massCancel");
  assert.deepEqual(cancelled.json, { canceled: 1 });
  assert.deepEqual([await open(main), await open(trader)], [1, 0]);
});

test("SUB-13 COD-7 a key of a sub-account that its owner narrows loses its connection, and the owner's own stays", async () => {
  const owner = await Owner.open();
  const sub = await owner.subAccount("one");
  assert.equal((await owner.transfer(owner.user.userId, sub, "500")).status, 200);
  const main = await owner.key("/v1/api-keys");
  const trader = await owner.key(`/v1/sub-accounts/${sub}/api-keys`);
  const clients = [];
  for (const key of [main, trader]) {
    const client = await sessionClient();
    await guarded(client, key);
    const bid = { ...order, side: "BUY", quantity: "200", price: "0.1" };
    await call(client, "order.place", { ...bid, ...timed() });
    clients.push(client);
  }
  const [ofOwner, ofTrader] = clients as [StreamClient, StreamClient];
  const restrict = (permissions: readonly string[]) => {
    const body = { permissions, allowed_addresses: [] };
    return owner.user.send("PUT", `/v1/api-keys/${trader.id}/restrictions`, JSON.stringify(body));
  };
  assert.equal((await restrict(["READ", "TRADE_SPOT"])).status, 200);
  assert.deepEqual([await openOrders(main), await openOrders(trader)], [1, 1]);
  assert.equal((await restrict(["READ"])).status, 200);
  assert.equal((await ofTrader.end()).code, 1008);
  const endMs = Date.now() + 60_000;
  while ((await openOrders(trader)) > 0 && Date.now() < endMs) await sleep(20);
  assert.deepEqual([await openOrders(main), await openOrders(trader)], [1, 0]);
  assert.equal(ofOwner.closed, null);
  ofOwner.close();
});

test("SUB-6 QUO-1 SUB-5 accounts of one owner quote in the same market, each its own, and never with each other", async () => {
  const [owner, stranger] = [await Owner.open(), await Owner.open()];
  const sub = await owner.subAccount("one");
  assert.equal((await owner.transfer(owner.user.userId, sub, "500")).status, 200);
  for (const { user } of [owner, stranger]) {
    const coins = { asset: "CC", amount: "2000", wallet: "spot" };
    assert.equal((await user.post("/v1/deposits/seed", coins)).status, 200);
  }
  const [main, trader, other] = [
    await owner.key("/v1/api-keys"),
    await owner.key(`/v1/sub-accounts/${sub}/api-keys`),
    await stranger.key("/v1/api-keys"),
  ];
  const quote = async (key: MadeKey, side: object) => {
    const quotes = JSON.stringify([{ id: 1, ...side }]);
    const { json } = await signed(key, "POST", "/api/v3/massQuote", { symbol: "CC-USDC", quotes });
    return json[0];
  };
  const ask = { askPrice: "0.155", askQty: "100" };
  const bid = { bidPrice: "0.156", bidQty: "100" };
  assert.equal(typeof (await quote(main, ask)).ask.orderId, "number");
  assert.equal((await quote(other, bid)).bid.code, -2010);
  assert.equal(typeof (await quote(trader, bid)).bid.orderId, "number");
  assert.deepEqual([await openOrders(main), await openOrders(trader)], [1, 1]);
  assert.deepEqual((await signed(trader, "DELETE", "/api/v3/massCancel")).json, { canceled: 1 });
  assert.deepEqual((await signed(main, "DELETE", "/api/v3/massCancel")).json, { canceled: 1 });
});

test("SUB-6 orders of two accounts of one owner do not trade with each other", async () => {
  const owner = await Owner.open();
  const sub = await owner.subAccount("one");
  assert.equal((await owner.transfer(owner.user.userId, sub, "100")).status, 200);
  const coins = { asset: "CC", amount: "1000", wallet: "spot" };
  assert.equal((await owner.user.post("/v1/deposits/seed", coins)).status, 200);
  const main = await owner.key("/v1/api-keys");
  const trader = await owner.key(`/v1/sub-accounts/${sub}/api-keys`);
  const terms = { ...order, price: "0.3", quantity: "100" };
  const sold = await signed(main, "POST", "/api/v3/order", { ...terms, side: "SELL" });
  assert.equal(sold.json.status, "NEW", JSON.stringify(sold.json));
  const bought = await signed(trader, "POST", "/api/v3/order", { ...terms, side: "BUY" });
  assert.deepEqual([bought.json.status, Number(bought.json.executedQty)], ["NEW", 0]);
  const prevented = await signed(trader, "POST", "/api/v3/order", {
    ...{ ...terms, quantity: "50" },
    ...{ side: "BUY", selfTradePreventionMode: "EXPIRE_TAKER" },
  });
  assert.equal(prevented.json.status, "EXPIRED_IN_MATCH", JSON.stringify(prevented.json));
});

test("SUB-10 Binance's routes open, list and fund sub-accounts with a key of the owner, and refuse keys of sub-accounts", async () => {
  const owner = await Owner.open();
  const main = await owner.key("/v1/api-keys");
  const base = "/compat/sapi/v1/sub-account";
  const opened = await signed(main, "POST", `${base}/virtualSubAccount`, {
    subAccountString: "bot",
  });
  const { email } = opened.json;
  assert.equal(email, "bot_virtual@sub-account.invalid");
  const terms = { fromAccountType: "SPOT", toAccountType: "SPOT", asset: "USDC", amount: "5" };
  const sent = { ...terms, toEmail: email, clientTranId: "abc" };
  const moved = await signed(main, "POST", `${base}/universalTransfer`, sent);
  assert.deepEqual([typeof moved.json.tranId, moved.json.clientTranId], ["number", "abc"]);
  // A client that lost the answer sends the transfer again, and money moves once.
  const again = await signed(main, "POST", `${base}/universalTransfer`, sent);
  assert.deepEqual(again.json, moved.json);
  const { json } = await signed(main, "GET", `${base}/list`);
  assert.deepEqual(
    json.subAccounts.map((one: Record<string, unknown>) => [one["email"], one["isFreeze"]]),
    [[email, false]],
  );
  const assets = "/compat/sapi/v3/sub-account/assets";
  const { json: held } = await signed(main, "GET", assets, { email });
  const usdc = held.balances.find(({ asset }: { asset: string }) => asset === "USDC");
  assert.equal(Number(usdc.free), 5);
  const back = { ...terms, fromEmail: email, amount: "6" };
  assert.equal((await signed(main, "POST", `${base}/universalTransfer`, back)).json.code, -2010);
  const none = { ...terms, toEmail: "none@sub-account.invalid" };
  assert.equal((await signed(main, "POST", `${base}/universalTransfer`, none)).json.code, -1100);
  const { json: own } = await owner.user.get("/v1/sub-accounts");
  const trader = await owner.key(`/v1/sub-accounts/${own.sub_accounts[0].id}/api-keys`);
  for (const [method, path, parameters] of [
    ["GET", `${base}/list`, {}],
    ["POST", `${base}/virtualSubAccount`, { subAccountString: "own" }],
    ["POST", `${base}/universalTransfer`, terms],
  ] as const)
    assert.equal((await signed(trader, method, path, parameters)).json.code, -2015, path);
});

test("SUB-9 OPS-23 a freeze of an owner that cancels orders cancels those of its sub-accounts too", async () => {
  const owner = await Owner.open();
  const sub = await owner.subAccount("one");
  assert.equal((await owner.transfer(owner.user.userId, sub, "500")).status, 200);
  const keys = [
    await owner.key("/v1/api-keys"),
    await owner.key(`/v1/sub-accounts/${sub}/api-keys`),
  ];
  for (const key of keys) {
    const bid = { ...order, side: "BUY", quantity: "200", price: "0.1" };
    assert.equal((await signed(key, "POST", "/api/v3/order", bid)).json.status, "NEW");
  }
  const account = parsePublicId(PublicIdKind.user, owner.user.userId)?.number ?? 0;
  await fixture.operator.access.freeze(account, true);
  const endMs = Date.now() + 60_000;
  for (const key of keys) {
    while ((await openOrders(key)) > 0 && Date.now() < endMs) await sleep(20);
    assert.equal(await openOrders(key), 0);
  }
});

test("SUB-5 the orders of a sub-account count for its owner", async () => {
  const owner = await Owner.open();
  const sub = await owner.subAccount("one");
  const keys = [await owner.key("/v1/api-keys")];
  keys.push(await owner.key(`/v1/sub-accounts/${sub}/api-keys`));
  // Each order is refused for its small value, after it was counted. A key may place 50 of them in 10 s.
  const small = { ...order, side: "BUY", quantity: "0.1" };
  let limited: Awaited<ReturnType<typeof signed>> | undefined;
  for (let round = 0; round < 60 && limited === undefined; round++) {
    const answers = await Promise.all(
      [...keys, ...keys].map((key) => signed(key, "POST", "/api/v3/order", small)),
    );
    limited = answers.find(({ json }) => json.code === -1003);
  }
  const ofKey = Number(limited?.headers.get("x-mbx-order-count-10s"));
  assert(ofKey > 0 && ofKey < 50, `the key itself had placed ${ofKey}`);
});

test("SUB-1 sub-accounts and their money survive a crash", async () => {
  const owner = await Owner.open();
  const sub = await owner.subAccount("one");
  await owner.transfer(owner.user.userId, sub, "7");
  await fixture.crashAndRestart();
  const { token } = owner.user;
  const user = Object.assign(new NativeClient(fixture.address), { token });
  Object.assign(owner, { user });
  assert.equal(await owner.spotBalance(`/v1/sub-accounts/${sub}/balances`), "7.000000");
  assert.equal((await user.post("/v1/sub-accounts", { label: "one" })).status, 409);
});
