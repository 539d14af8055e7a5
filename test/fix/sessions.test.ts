// Proves FIX sessions over a real socket: logons, their limits and rights, what sessions hear, and how they end.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { KeyPermission, RateTier } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { type FixKey, fixKey, utcNow } from "./fix-client.ts";
import { FixFront, order, report } from "./fix-front.ts";

let fix: FixFront;

before(async () => {
  fix = await FixFront.open();
});
after(() => fix.close());

test("FIX-12 a Logon is answered with the interval and the id of the server", async () => {
  const { key } = await fix.trader();
  const client = fix.open();
  client.logon(key, { 108: 17 });
  const answer = await client.ofType("A");
  assert.deepEqual(
    [answer[98], answer[108], answer[49], answer[56]],
    ["0", "17", "SPOT", "CLIENT"],
  );
  assert.match(answer[25037] ?? "", /^[0-9a-f-]{36}$/);
});

test("FIX-12 a Logon that does not prove an Ed25519 key is rejected and ends the connection", async () => {
  const { rest, key } = await fix.trader();
  const other = await fixKey(fix.front, rest.account);
  const stranger = { ...key, value: "k".repeat(64) };
  const cases: readonly (readonly [FixKey, string])[] = [
    [{ ...key, privateKey: other.privateKey }, "-1022"],
    [stranger, "-2015"],
    [{ ...key, value: rest.value }, "-2015"],
    [{ ...key, value: "short" }, "-2014"],
  ];
  for (const [wrong, code] of cases) {
    const client = fix.open();
    client.logon(wrong);
    const reject = await client.ofType("3");
    assert.equal(reject[25016], code);
    await client.ofType("5");
    await client.closed();
  }
  const late = fix.open();
  late.logon(key, {}, { 52: utcNow(Date.now() - 20_000) });
  assert.equal((await late.ofType("3"))[25016], "-1021");
  await late.closed();
});

test("FIX-13 a Logon with other terms than Binance's is refused with the field", async () => {
  const { key } = await fix.trader();
  const cases: readonly (readonly [Record<number, string | number>, RegExp])[] = [
    [{ 141: "X" }, /141/],
    [{ 108: 4 }, /108/],
    [{ 98: 1 }, /98/],
    [{ 25035: 3 }, /25035/],
    [{ 25036: 9 }, /25036/],
    [{ 9406: "Y", 9001: "Y" }, /9001/],
  ];
  for (const [more, text] of cases) {
    const client = fix.open();
    client.logon(key, more);
    assert.match((await client.ofType("5"))[58] ?? "", text);
    await client.closed();
  }
});

test("FIX-18 all sessions of an account hear of its orders, unless they ask for answers only", async () => {
  const { rest, key } = await fix.trader();
  const all = await fix.loggedOn(key, {}, "ALL");
  const acks = await fix.loggedOn(key, { 25036: 2 }, "ACKS");
  const copy = await fix.loggedOn(key, { 9406: "Y" }, "COPY");
  await fix.placed(acks, "mine");
  assert.equal((await all.next(report("0")))[11], "mine");
  assert.equal((await copy.next(report("0")))[11], "mine");
  const terms = { symbol: "CC-USDC", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  const more = { quantity: "100.0", price: "0.1500", newClientOrderId: "by-rest" };
  await fix.front.send("POST", "/compat/api/v3/order", { ...terms, ...more }, { key: rest });
  assert.equal((await all.next(report("0")))[11], "by-rest");
  assert.equal((await copy.next(report("0")))[11], "by-rest");
  assert.deepEqual(
    acks.messages.filter(report("0")).map((fields) => fields[11]),
    ["mine"],
  );
  copy.send("D", order("copied"));
  const refused = await copy.ofType("3");
  assert.deepEqual([refused[372], refused[25016]], ["D", "-1183"]);
  all.send("x", [
    [320, "list"],
    [559, 4],
  ]);
  const elsewhere = await all.ofType("3");
  assert.deepEqual([elsewhere[372], elsewhere[25016]], ["x", "-1186"]);
});

test("FIX-18 a drop copy needs only the right to read, and order entry the right to trade", async () => {
  const { rest } = await fix.trader();
  const reader = await fixKey(fix.front, rest.account, KeyPermission.read);
  await fix.loggedOn(reader, { 9406: "Y" });
  const client = fix.open("OTHER");
  client.logon(reader);
  assert.equal((await client.ofType("3"))[25016], "-2015");
});

test("FIX-20 orders of a declared session are cancelled when its connection is lost", async () => {
  const { key } = await fix.trader();
  const watch = await fix.loggedOn(key, { 9406: "Y" }, "WATCH");
  const client = await fix.loggedOn(key, { 9001: "Y" });
  assert.equal(client.messages[0]?.[9001], "Y");
  await fix.placed(client, "bound");
  await fix.placed(client, "stays", { 9001: "N" });
  client.drop();
  assert.equal((await watch.next(report("4")))[41], "bound");
  const again = await fix.loggedOn(key, { 9001: "Y" }, "AGAIN");
  await fix.placed(again, "kept");
  again.send("5", []);
  await again.ofType("5");
  await again.closed();
  const { json } = await fix.front.send(
    "GET",
    "/compat/api/v3/openOrders",
    {},
    { key: await fix.front.newKey(key.account) },
  );
  const open = json.map(({ clientOrderId }: { clientOrderId: string }) => clientOrderId);
  assert.deepEqual(open.sort(), ["kept", "stays"]);
});

test("FIX-21 a session ends when its key is revoked", async () => {
  const { key } = await fix.trader();
  const client = await fix.loggedOn(key);
  const { account, keyId } = key;
  const change = { tier: RateTier.standard, permissions: 3, expects: 0, isRevoked: true };
  fix.front.venue.done({ kind: CommandKind.changeKey, account, keyId, ...change });
  await client.ofType("5");
  await client.closed();
});

test("FIX-2 an account has at most ten sessions of a kind, each with a name of its own", async () => {
  const { key } = await fix.trader();
  await fix.loggedOn(key, {}, "A0");
  const twin = fix.open("A0");
  twin.logon(key);
  assert.match((await twin.ofType("3"))[58] ?? "", /SenderCompID/);
  for (let count = 1; count < 10; count++) await fix.loggedOn(key, {}, `A${count}`);
  const eleventh = fix.open("A10");
  eleventh.logon(key);
  assert.match((await eleventh.ofType("3"))[58] ?? "", /limit is 10/);
  await eleventh.closed();
});

test("FIX-11 more messages than the limit end a session, and as many do not", async () => {
  const { key } = await fix.trader();
  // The venue's time then stands still until the real one has caught up, so no window ends meanwhile.
  fix.front.advance(300_000);
  for (const [more, limit, text] of [
    [{ 9406: "Y" }, 60, /60 messages within 60 seconds/],
    [{}, 10_000, /10000 messages within 10 seconds/],
  ] as const) {
    const client = await fix.loggedOn(key, more, `MSG${limit}`);
    for (let count = 2; count < limit; count++) client.send("0", []);
    client.send("1", [[112, "last"]]);
    await client.next(({ 112: id }) => id === "last");
    client.send("0", []);
    assert.match((await client.ofType("5"))[58] ?? "", text);
    await client.closed();
  }
});

test("FIX-2 an account logs on at most fifteen times within thirty seconds", async () => {
  const { key } = await fix.trader();
  // The venue's time then stands still until the real one has caught up, so the window does not end meanwhile.
  fix.front.advance(300_000);
  for (let count = 0; count < 15; count++) {
    const client = await fix.loggedOn(key, {}, "AGAIN");
    client.send("5", []);
    await client.closed();
  }
  const late = fix.open("LATE");
  late.logon(key, {}, fix.sendingTime);
  const reject = await late.ofType("3");
  assert.deepEqual([reject[25016], reject[372]], ["-1003", "A"]);
  assert.match(reject[58] ?? "", /15 within 30 seconds/);
  await late.closed();
  await fix.loggedOn(key, { 9406: "Y" }, "COPY");
  await fix.loggedOn((await fix.trader()).key, {}, "OTHER");
  fix.front.advance(30_000);
  await fix.loggedOn(key, {}, "LATER");
});

test("FIX-21 a session ends when its key expires or loses the right that the session needs", async () => {
  const { rest } = await fix.trader();
  const restricted = async (permissions: number, expiresUs: number) => {
    const own = await fixKey(fix.front, rest.account);
    const client = await fix.loggedOn(own, {}, `K${own.keyId}`);
    const { permissions: expects = 0 } = fix.front.state.keys.get(own.keyId) ?? {};
    const { account, keyId } = own;
    const change = { permissions, expects, expiresUs, expectsExpiresUs: 0 };
    fix.front.venue.done({ kind: CommandKind.restrictKey, account, keyId, ...change });
    return client;
  };
  const reader = await restricted(KeyPermission.read, 0);
  await reader.ofType("5");
  await reader.closed();
  const all = KeyPermission.read | KeyPermission.tradeSpot;
  const startedUs = fix.front.nowUs();
  const brief = await restricted(all, startedUs + 600_000_000);
  await brief.settled();
  fix.front.advance(601_000);
  fix.front.venue.take({ kind: CommandKind.tick });
  await brief.ofType("5");
  await brief.closed();
});

test("FIX-3 what is not FIX gets a Logout and loses its connection", async () => {
  const client = fix.open();
  client.raw("GET / HTTP/1.1\r\n\r\n");
  await client.ofType("5");
  await client.closed();
});
