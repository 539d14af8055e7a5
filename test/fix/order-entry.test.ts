// Proves FIX order entry over a real socket: logon, orders, cancels, amends, refusals, and the reports of the account.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { KeyPermission, RateTier } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { FrontFixture, type TestKey } from "../surface/front-fixture.ts";
import { type Fields, FixClient, type FixKey, fixKey, utcNow } from "./fix-client.ts";

let front: FrontFixture;
const clients: FixClient[] = [];

before(async () => {
  const fix = { port: 0, marketDataPort: null, tls: null };
  front = await FrontFixture.open({ isLive: true, connectionsPerAddressMax: 500, fix });
});
after(() => {
  for (const client of clients) client.drop();
  front.close();
});

function open(name = "CLIENT"): FixClient {
  const client = new FixClient(front.gateway.fixPorts.orders, name);
  clients.push(client);
  return client;
}

async function trader(): Promise<{ rest: TestKey; key: FixKey }> {
  const rest = await front.newTrader();
  return { rest, key: await fixKey(front, rest.account) };
}

async function loggedOn(
  key: FixKey,
  more: Record<number, string | number> = {},
  name = "CLIENT",
): Promise<FixClient> {
  const client = open(name);
  client.logon(key, more);
  const answer = await client.ofType("A");
  assert.equal(answer[34], "1");
  return client;
}

type Pairs = ReadonlyArray<readonly [number, string | number]>;

/** The fields of a buy order for 100 CC at 0.15 that rests. */
function order(clOrdId: string, more: Record<number, string | number> = {}): Pairs {
  const fields = { 11: clOrdId, 38: "100.0", 40: 2, 44: "0.1500", 54: 1, 55: "CC-USDC", 59: 1 };
  return Object.entries({ ...fields, ...more }).map(([tag, value]) => [Number(tag), value]);
}

const report = (execType: string) => (fields: Fields) =>
  fields[35] === "8" && fields[150] === execType;

async function placed(client: FixClient, clOrdId: string, more = {}): Promise<Fields> {
  client.send("D", order(clOrdId, more));
  return client.next(report("0"));
}

test("FIX-12 a Logon is answered with the interval and the id of the server", async () => {
  const { key } = await trader();
  const client = open();
  client.logon(key, { 108: 17 });
  const answer = await client.ofType("A");
  assert.deepEqual(
    [answer[98], answer[108], answer[49], answer[56]],
    ["0", "17", "SPOT", "CLIENT"],
  );
  assert.match(answer[25037] ?? "", /^[0-9a-f-]{36}$/);
});

test("FIX-12 a Logon that does not prove an Ed25519 key is rejected and ends the connection", async () => {
  const { rest, key } = await trader();
  const other = await fixKey(front, rest.account);
  const stranger = { ...key, value: "k".repeat(64) };
  const cases: readonly (readonly [FixKey, string])[] = [
    [{ ...key, privateKey: other.privateKey }, "-1022"],
    [stranger, "-2015"],
    [{ ...key, value: rest.value }, "-2015"],
    [{ ...key, value: "short" }, "-2014"],
  ];
  for (const [wrong, code] of cases) {
    const client = open();
    client.logon(wrong);
    const reject = await client.ofType("3");
    assert.equal(reject[25016], code);
    await client.ofType("5");
    await client.closed();
  }
  const late = open();
  late.logon(key, {}, { 52: utcNow(Date.now() - 20_000) });
  assert.equal((await late.ofType("3"))[25016], "-1021");
  await late.closed();
});

test("FIX-13 a Logon with other terms than Binance's is refused with the field", async () => {
  const { key } = await trader();
  const cases: readonly (readonly [Record<number, string | number>, RegExp])[] = [
    [{ 141: "X" }, /141/],
    [{ 108: 4 }, /108/],
    [{ 98: 1 }, /98/],
    [{ 25035: 3 }, /25035/],
    [{ 25036: 9 }, /25036/],
    [{ 9406: "Y", 9001: "Y" }, /9001/],
  ];
  for (const [more, text] of cases) {
    const client = open();
    client.logon(key, more);
    assert.match((await client.ofType("5"))[58] ?? "", text);
    await client.closed();
  }
});

test("FIX-16 an order, its trade and its cancel are reported as they are journaled", async () => {
  const { key } = await trader();
  const client = await loggedOn(key);
  const opened = await placed(client, "first");
  assert.deepEqual(
    [opened[11], opened[39], opened[38], opened[44], opened[14], opened[151], opened[636]],
    ["first", "0", "100.00000000", "0.15000000", "0.00000000", "100.00000000", "Y"],
  );
  client.send("F", [
    [11, "cancel-1"],
    [41, "first"],
    [55, "CC-USDC"],
  ]);
  const cancelled = await client.next(report("4"));
  assert.deepEqual(
    [cancelled[11], cancelled[41], cancelled[37], cancelled[39], cancelled[151]],
    ["cancel-1", "first", opened[37], "4", "0.00000000"],
  );
  const ids = client.messages.filter(({ 35: type }) => type === "8").map((one) => Number(one[17]));
  assert.deepEqual(
    ids,
    [...new Set(ids)].sort((a, b) => a - b),
  );
});

test("FIX-16 both sides of a trade hear of it, with fee and role, before REST answers", async () => {
  const maker = await trader();
  const taker = await trader();
  front.venue.credit(maker.rest.account, 1, 1, 10n ** 14n);
  const buys = await loggedOn(taker.key);
  const sells = await loggedOn(maker.key);
  sells.send("D", order("ask", { 54: 2, 44: "0.1700" }));
  await sells.next(report("0"));
  buys.send("D", order("bid", { 44: "0.1700" }));
  const bought = await buys.next(report("F"));
  const sold = await sells.next(report("F"));
  assert.deepEqual([bought[1057], sold[1057]], ["Y", "N"]);
  assert.deepEqual([bought[39], bought[31], bought[32]], ["2", "0.17000000", "100.00000000"]);
  assert.equal(bought[1003], sold[1003]);
  assert.deepEqual([bought[138], sold[138]], ["CC", "USDC"]);
});

test("FIX-15 refusals have the message that the request has for them", async () => {
  const { key } = await trader();
  const client = await loggedOn(key);
  const cases: readonly (readonly [string, Pairs, Fields])[] = [
    ["D", order("big", { 38: "99999999.0" }), { 35: "8", 150: "8", 39: "8", 11: "big" }],
    ["D", order("x", { 55: "NOPE" }), { 35: "3", 371: "55", 25016: "-1100" }],
    ["D", order("x", { 44: "abc" }), { 35: "3", 371: "44", 25016: "-1100" }],
    ["D", order("x", { 54: 7 }), { 35: "3", 371: "54", 373: "5" }],
    ["D", order("x", { 6000: 1 }), { 35: "3", 371: "6000", 373: "2" }],
    ["D", order("bad id!"), { 35: "3", 371: "11" }],
    ["D", [[11, "x"]], { 35: "3", 373: "1" }],
    [
      "F",
      [
        [11, "c"],
        [37, 999_999],
        [55, "CC-USDC"],
      ],
      { 35: "9", 11: "c", 37: "999999", 434: "1", 25016: "-2011" },
    ],
    [
      "XAK",
      [
        [11, "a"],
        [41, "none"],
        [38, "1.0"],
        [55, "CC-USDC"],
      ],
      { 35: "XAR", 11: "a", 25016: "-2038" },
    ],
    [
      "q",
      [
        [11, "m"],
        [55, "CC-USDC"],
        [530, 1],
      ],
      { 35: "r", 531: "0", 25016: "-2011" },
    ],
    ["E", [[25014, "l"]], { 35: "3", 372: "E" }],
  ];
  for (const [type, fields, expected] of cases) {
    const seq = client.seq;
    client.send(type, fields);
    const answer = await client.next(({ 35: answerType }) => answerType !== "0");
    const shown = Object.fromEntries(
      Object.keys(expected).map((tag) => [tag, answer[Number(tag)]]),
    );
    assert.deepEqual(shown, expected, JSON.stringify(answer));
    if (answer[35] === "3") assert.equal(answer[45], String(seq));
  }
});

test("FIX-14 orders of every type are those of REST", async () => {
  const { key } = await trader();
  const client = await loggedOn(key);
  const trigger = { 1100: 4, 1101: 1, 1107: 2, 1102: "0.2500" };
  const cases: readonly (readonly [Record<number, string | number>, string, string])[] = [
    [{ 18: 6, 59: "" }, "LIMIT_MAKER", "2"],
    [{ ...trigger, 40: 4, 1109: "U" }, "STOP_LOSS_LIMIT", "4"],
    [{ ...trigger, 40: 4, 1109: "D", 1102: "0.0500" }, "TAKE_PROFIT_LIMIT", "4"],
  ];
  for (const [index, [more, name, ordType]] of cases.entries()) {
    const fields = order(`t${index}`, more).filter(([, value]) => value !== "");
    client.send("D", fields);
    const opened = await client.next(({ 35: type }) => type === "8" || type === "3");
    assert.equal(opened[40], ordType, JSON.stringify(opened));
    const { type } = (
      await front.send(
        "GET",
        "/compat/api/v3/order",
        { symbol: "CC-USDC", orderId: opened[37] ?? "" },
        { key: await front.newKey(key.account) },
      )
    ).json;
    assert.equal(type, name);
  }
});

test("FIX-17 an amend keeps the order's ClOrdID, and the report names the request", async () => {
  const { key } = await trader();
  const client = await loggedOn(key);
  const opened = await placed(client, "whole");
  client.send("XAK", [
    [11, "less"],
    [37, opened[37] ?? ""],
    [38, "80.0"],
    [55, "CC-USDC"],
  ]);
  const amended = await client.next(report("5"));
  assert.deepEqual([amended[11], amended[41], amended[38]], ["less", "whole", "80.00000000"]);
});

test("FIX-17 a cancel with a new order reports both", async () => {
  const { key } = await trader();
  const client = await loggedOn(key);
  await placed(client, "old");
  const more = { 25033: 1, 41: "old", 25034: "gone", 44: "0.1600" };
  client.send("XCN", order("new", more));
  const cancelled = await client.next(report("4"));
  assert.deepEqual([cancelled[11], cancelled[41]], ["gone", "old"]);
  const opened = await client.next(report("0"));
  assert.deepEqual([opened[11], opened[44]], ["new", "0.16000000"]);
  client.send("XCN", order("newer", { 25033: 1, 41: "none" }));
  const refused = await client.ofType("9");
  assert.deepEqual([refused[41], refused[25016]], ["none", "-2011"]);
  assert.equal((await client.next(report("8")))[11], "newer");
});

test("FIX-19 a mass cancel and a query of limits are answered after what they caused", async () => {
  const { key } = await trader();
  const client = await loggedOn(key);
  for (const name of ["m1", "m2"]) await placed(client, name);
  client.send("q", [
    [11, "all"],
    [55, "CC-USDC"],
    [530, 1],
  ]);
  const done = await client.ofType("r");
  assert.deepEqual([done[11], done[531], done[533]], ["all", "1", "2"]);
  assert.equal(client.messages.filter(report("4")).length, 2);
  client.send("XLQ", [[6136, "limits"]]);
  const limits = await client.ofType("XLR");
  assert.deepEqual([limits[6136], limits[25003]], ["limits", "3"]);
});

test("FIX-18 all sessions of an account hear of its orders, unless they ask for answers only", async () => {
  const { rest, key } = await trader();
  const all = await loggedOn(key, {}, "ALL");
  const acks = await loggedOn(key, { 25036: 2 }, "ACKS");
  const copy = await loggedOn(key, { 9406: "Y" }, "COPY");
  await placed(acks, "mine");
  assert.equal((await all.next(report("0")))[11], "mine");
  assert.equal((await copy.next(report("0")))[11], "mine");
  const terms = { symbol: "CC-USDC", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  const more = { quantity: "100.0", price: "0.1500", newClientOrderId: "by-rest" };
  await front.send("POST", "/compat/api/v3/order", { ...terms, ...more }, { key: rest });
  assert.equal((await all.next(report("0")))[11], "by-rest");
  assert.equal((await copy.next(report("0")))[11], "by-rest");
  assert.deepEqual(
    acks.messages.filter(report("0")).map((fields) => fields[11]),
    ["mine"],
  );
  copy.send("D", order("copied"));
  assert.equal((await copy.ofType("3"))[372], "D");
});

test("FIX-18 a drop copy needs only the right to read, and order entry the right to trade", async () => {
  const { rest } = await trader();
  const reader = await fixKey(front, rest.account, KeyPermission.read);
  await loggedOn(reader, { 9406: "Y" });
  const client = open("OTHER");
  client.logon(reader);
  assert.equal((await client.ofType("3"))[25016], "-2015");
});

test("FIX-20 orders of a declared session are cancelled when its connection is lost", async () => {
  const { key } = await trader();
  const watch = await loggedOn(key, { 9406: "Y" }, "WATCH");
  const client = await loggedOn(key, { 9001: "Y" });
  assert.equal(client.messages[0]?.[9001], "Y");
  await placed(client, "bound");
  await placed(client, "stays", { 9001: "N" });
  client.drop();
  assert.equal((await watch.next(report("4")))[41], "bound");
  const again = await loggedOn(key, { 9001: "Y" }, "AGAIN");
  await placed(again, "kept");
  again.send("5", []);
  await again.ofType("5");
  await again.closed();
  const { json } = await front.send(
    "GET",
    "/compat/api/v3/openOrders",
    {},
    { key: await front.newKey(key.account) },
  );
  const open = json.map(({ clientOrderId }: { clientOrderId: string }) => clientOrderId);
  assert.deepEqual(open.sort(), ["kept", "stays"]);
});

test("FIX-21 a session ends when its key is revoked", async () => {
  const { key } = await trader();
  const client = await loggedOn(key);
  const { account, keyId } = key;
  const change = { tier: RateTier.standard, permissions: 3, expects: 0, isRevoked: true };
  front.venue.done({ kind: CommandKind.changeKey, account, keyId, ...change });
  await client.ofType("5");
  await client.closed();
});

test("FIX-2 an account has at most ten sessions of a kind, each with a name of its own", async () => {
  const { key } = await trader();
  await loggedOn(key, {}, "A0");
  const twin = open("A0");
  twin.logon(key);
  assert.match((await twin.ofType("3"))[58] ?? "", /SenderCompID/);
  for (let count = 1; count < 10; count++) await loggedOn(key, {}, `A${count}`);
  const eleventh = open("A10");
  eleventh.logon(key);
  assert.match((await eleventh.ofType("3"))[58] ?? "", /limit is 10/);
  await eleventh.closed();
});

test("FIX-14 RecvWindow is checked against SendingTime, and an order without it has no window", async () => {
  const { key } = await trader();
  const client = await loggedOn(key);
  const early = { 52: utcNow(Date.now() - 8_000) };
  client.send("D", order("late"), { ...early, 25000: "5000" });
  const refused = await client.ofType("3");
  assert.deepEqual([refused[25016], refused[373]], ["-1021", "10"]);
  client.send("D", order("unhurried"), early);
  assert.equal((await client.next(report("0")))[11], "unhurried");
});

test("FIX-23 in a sequential session a cancel waits for the order before it", async () => {
  const { key } = await trader();
  for (const [mode, commands] of [
    [2, 1],
    [1, 2],
  ] as const) {
    const client = await loggedOn(key, { 25035: mode }, `MODE${mode}`);
    front.isHolding = true;
    client.send("D", order(`do-${mode}`));
    client.send("F", [
      [11, "undo"],
      [41, `do-${mode}`],
      [55, "CC-USDC"],
    ]);
    client.send("1", [[112, "mark"]]);
    await client.next(({ 112: id }) => id === "mark");
    assert.equal(front.held.length, commands);
    front.release();
    await client.next(report("0"));
    assert.equal((await client.next(report("4")))[11], "undo");
  }
});

test("FIX-11 more messages than the limit end a session", async () => {
  const { key } = await trader();
  const client = await loggedOn(key, { 9406: "Y" });
  for (let count = 0; count < 61; count++) client.send("0", []);
  assert.match((await client.ofType("5"))[58] ?? "", /60 messages within 60 seconds/);
  await client.closed();
});

test("FIX-3 what is not FIX gets a Logout and loses its connection", async () => {
  const client = open();
  client.raw("GET / HTTP/1.1\r\n\r\n");
  await client.ofType("5");
  await client.closed();
});
