// Proves market data over FIX against a front with a real socket: instruments, trades, best prices and depth that continues
// from its snapshot and from REST without a gap.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { KeyPermission } from "../../src/core/accounts.ts";
import type { FrontFixture, TestKey } from "../surface/front-fixture.ts";
import { type Fields, FixClient, type FixKey, fixKey, type Pairs } from "./fix-client.ts";
import { FixFront } from "./fix-front.ts";

let fix: FixFront;
let front: FrontFixture;
let maker: TestKey;
let reader: FixKey;

before(async () => {
  fix = await FixFront.open();
  front = fix.front;
  maker = await front.newTrader();
  front.venue.credit(maker.account, 1, 1, 10n ** 14n);
  reader = await newReader();
});
after(() => fix.close());

async function newReader(): Promise<FixKey> {
  const { account } = await front.newTrader();
  return fixKey(front, account, KeyPermission.read);
}

let names = 0;

function loggedOn(key = reader): Promise<FixClient> {
  return fix.loggedOn(key, {}, `MD${names++}`, "marketData");
}

const symbols = (...list: readonly string[]): Pairs => [
  [146, list.length],
  ...list.map((symbol) => [55, symbol] as const),
];
const types = (...list: readonly number[]): Pairs => [
  [267, list.length],
  ...list.map((type) => [269, type] as const),
];

/** A request for a stream of CC-USDC. */
function subscribe(client: FixClient, id: string, depth: number, ...wanted: number[]): void {
  const head = [
    [262, id],
    [263, 1],
    [264, depth],
    [266, "Y"],
  ] as const;
  client.send("V", [...head, ...symbols("CC-USDC"), ...types(...wanted)]);
}

const isRefresh = (id: string) => (fields: Fields) => fields[35] === "X" && fields[262] === id;

let orders = 0;

async function place(side: string, price: string, quantity = "100.0", key = maker) {
  const terms = { symbol: "CC-USDC", side, type: "LIMIT", timeInForce: "GTC", price, quantity };
  const newClientOrderId = `o${orders++}`;
  const sent = { ...terms, newClientOrderId };
  const { status } = await front.send("POST", "/compat/api/v3/order", sent, { key });
  assert.equal(status, 200);
  return newClientOrderId;
}

async function cancel(origClientOrderId: string) {
  const query = { symbol: "CC-USDC", origClientOrderId };
  await front.send("DELETE", "/compat/api/v3/order", query, { key: maker });
}

/** The book as REST has it. */
async function book() {
  const query = { symbol: "CC-USDC", limit: 5000 };
  const { json } = await front.send("GET", "/compat/api/v3/depth", query);
  return json as { lastUpdateId: number; bids: [string, string][]; asks: [string, string][] };
}

/** Applies an entry of a refresh, which must say truly whether its level is new. */
function apply(levels: Map<string, string>, entry: Fields): void {
  const level = `${entry[269]} ${entry[270]}`;
  if (entry[279] === "0") assert.ok(!levels.has(level), level);
  if (entry[279] === "1") assert.ok(levels.has(level), level);
  if (entry[279] === "2") levels.delete(level);
  else levels.set(level, entry[271] ?? "");
}

/** The levels that a client has after the refreshes up to `lastUpdateId`, none of which may be missing. */
async function bookOf(client: FixClient, snapshot: Fields, lastUpdateId: number) {
  const levels = new Map<string, string>();
  for (const entry of client.entriesOf(snapshot, 269))
    levels.set(`${entry[269]} ${entry[270]}`, entry[271] ?? "");
  let last = Number(snapshot[25044]);
  while (last < lastUpdateId) {
    const refresh = await client.next(isRefresh(snapshot[262] ?? ""));
    const entries = client.entriesOf(refresh, 279);
    assert.equal(Number(refresh[268]), entries.length);
    assert.equal(Number(entries[0]?.[25043]), last + 1);
    last = Number(entries[0]?.[25044]);
    for (const entry of entries) apply(levels, entry);
  }
  assert.equal(last, lastUpdateId);
  return levels;
}

test("FIX-35 a session of market data needs the right to read, and takes nothing else", async () => {
  const client = await loggedOn();
  client.send("D", [[11, "x"]]);
  const reject = await client.ofType("3");
  assert.deepEqual([reject[372], reject[25016]], ["D", "-1187"]);
  const { account } = await front.newTrader();
  const trader = await fixKey(front, account, KeyPermission.tradeSpot);
  const other = new FixClient(front.gateway.fixPorts.marketData, "OTHER");
  other.logon(trader);
  assert.equal((await other.ofType("3"))[25016], "-2015");
  for (const more of [{ 9406: "Y" }, { 9001: "Y" }]) {
    const wrong = new FixClient(front.gateway.fixPorts.marketData, "WRONG");
    wrong.logon(reader, more);
    assert.match((await wrong.ofType("5"))[58] ?? "", new RegExp(String(Object.keys(more)[0])));
  }
});

test("FIX-36 an InstrumentList has the filters of exchangeInfo", async () => {
  const client = await loggedOn();
  client.send("x", [
    [320, "one"],
    [559, 0],
    [55, "CC-USDC"],
  ]);
  const one = await client.ofType("y");
  const [listed] = client.entriesOf(one, 55);
  assert.ok(listed !== undefined);
  const { json } = await front.send("GET", "/compat/api/v3/exchangeInfo", { symbol: "CC-USDC" });
  const filters = new Map<string, Record<string, string>>(
    json.symbols[0].filters.map((filter: { filterType: string }) => [filter.filterType, filter]),
  );
  const [price, lot] = [filters.get("PRICE_FILTER"), filters.get("LOT_SIZE")];
  assert.deepEqual(
    [one[320], one[146], listed[15], listed[562], listed[1140], listed[25039]],
    ["one", "1", "USDC", lot?.["minQty"], lot?.["maxQty"], lot?.["stepSize"]],
  );
  assert.deepEqual(
    [listed[969], listed[2551], listed[2552]],
    [price?.["tickSize"], price?.["minPrice"], price?.["maxPrice"]],
  );
  client.send("x", [
    [320, "all"],
    [559, 4],
  ]);
  const all = await client.ofType("y");
  const known = await front.send("GET", "/compat/api/v3/exchangeInfo");
  assert.equal(all[146], String(known.json.symbols.length));
  client.send("x", [
    [320, "bad"],
    [559, 0],
    [55, "NONE"],
  ]);
  assert.equal((await client.ofType("3"))[25016], "-1121");
  client.send("x", [
    [320, "bad"],
    [559, 3],
  ]);
  assert.equal((await client.ofType("3"))[371], "559");
});

test("FIX-38 depth begins with a snapshot and continues without a gap, in step with REST", async () => {
  const [early, late] = [await loggedOn(), await loggedOn()];
  await place("BUY", "0.1500");
  subscribe(early, "depth", 5000, 0, 1);
  const first = await early.ofType("W");
  const kept = await place("BUY", "0.1490");
  await place("BUY", "0.1490", "80.0");
  await place("SELL", "0.1700");
  subscribe(late, "later", 5000, 0, 1);
  const second = await late.ofType("W");
  await cancel(kept);
  await cancel(await place("SELL", "0.1800"));
  await place("BUY", "0.1480");
  const { lastUpdateId, bids, asks } = await book();
  const shown = [
    ...bids.map(([price, qty]) => [`0 ${price}`, qty]),
    ...asks.map(([price, qty]) => [`1 ${price}`, qty]),
  ].sort();
  const gone = (client: FixClient) =>
    client.messages
      .filter(({ 35: type }) => type === "X")
      .flatMap((refresh) => client.entriesOf(refresh, 279))
      .filter((entry) => entry[279] === "2")
      .map((entry) => `${entry[269]} ${entry[270]}`);
  for (const [client, snapshot] of [
    [early, first],
    [late, second],
  ] as const)
    assert.deepEqual([...(await bookOf(client, snapshot, lastUpdateId))].sort(), shown);
  for (const client of [early, late])
    assert.ok(gone(client).includes("1 0.18000000"), "a level that came and went");
});

test("FIX-39 the best prices are sent when they change, and only the side that changed", async () => {
  const client = await loggedOn();
  subscribe(client, "best", 1, 0, 1);
  const snapshot = await client.ofType("W");
  assert.equal(snapshot[268], "2");
  const better = await place("BUY", "0.1510");
  await place("BUY", "0.1450");
  const raised = await client.next(isRefresh("best"));
  assert.deepEqual(
    client.entriesOf(raised, 279).map((entry) => [entry[279], entry[269], entry[270], entry[271]]),
    [["1", "0", "0.15100000", "100.00000000"]],
  );
  await cancel(better);
  const fallen = await client.next(isRefresh("best"));
  assert.equal(fallen[270], "0.15000000");
  assert.ok(Number(fallen[25044]) > Number(raised[25044]));
  assert.equal(client.messages.filter(isRefresh("best")).length, 2);
});

test("FIX-39 a side that has no orders any more loses its price", async () => {
  const client = await loggedOn();
  const { asks } = await book();
  assert.ok(asks.length > 0);
  subscribe(client, "empty", 1, 0, 1);
  await client.ofType("W");
  const { json } = await front.send("GET", "/compat/api/v3/openOrders", {}, { key: maker });
  const sells = json.filter(({ side }: { side: string }) => side === "SELL");
  for (const { clientOrderId } of sells) await cancel(clientOrderId);
  assert.deepEqual((await book()).asks, []);
  const ended = await client.next((fields) => isRefresh("empty")(fields) && fields[279] === "2");
  assert.deepEqual(
    client.entriesOf(ended, 279).map((entry) => [entry[279], entry[269], entry[271]]),
    [["2", "1", undefined]],
  );
});

test("FIX-40 the trades of one order come together, with their ids and its side", async () => {
  const client = await loggedOn();
  subscribe(client, "trades", 1, 2);
  await client.settled();
  await place("SELL", "0.1600", "70.0");
  await place("SELL", "0.1601", "70.0");
  const taker = await front.newTrader();
  await place("BUY", "0.1601", "100.0", taker);
  const refresh = await client.next(isRefresh("trades"));
  const { json } = await front.send("GET", "/compat/api/v3/trades", {
    symbol: "CC-USDC",
    limit: 2,
  });
  const entries = client.entriesOf(refresh, 279);
  assert.deepEqual(
    entries.map((entry) => [entry[1003], entry[270], entry[271], entry[269], entry[2446]]),
    (json as { id: number; price: string; qty: string }[]).map(({ id, price, qty }) => [
      ...[String(id), price, qty, "2", "1"],
    ]),
  );
  assert.ok(!client.messages.some(({ 35: type }) => type === "W"));
});

test("FIX-37 a stream ends by the id of its request, and a request may name several markets", async () => {
  const client = await loggedOn();
  const head = [
    [262, "two"],
    [263, 1],
    [264, 1],
  ] as const;
  const spot = front.state.table.markets.filter(({ kind }) => kind === 0).slice(0, 2);
  client.send("V", [...head, ...symbols(...spot.map(({ symbol }) => symbol)), ...types(0, 1)]);
  const shown = [(await client.ofType("W"))[55], (await client.ofType("W"))[55]];
  assert.deepEqual(
    shown,
    spot.map(({ symbol }) => symbol),
  );
  client.send("V", [
    [262, "two"],
    [263, 2],
  ]);
  await client.settled();
  await place("BUY", "0.1520");
  await client.settled();
  assert.ok(!client.messages.some(isRefresh("two")));
  client.send("XLQ", [[6136, "use"]]);
  const limits = await client.ofType("XLR");
  const rows = client.entriesOf(limits, 25004).map((row) => [row[25004], row[25005], row[25006]]);
  assert.deepEqual(rows, [
    ["2", String(client.seq - 1), "2000"],
    ["3", "0", "1000"],
  ]);
});

test("FIX-41 what cannot begin or end is refused with the code of Binance, and changes nothing", async () => {
  const client = await loggedOn();
  subscribe(client, "one", 10, 0, 1);
  await client.ofType("W");
  subscribe(client, "one", 1, 0, 1);
  let refused = await client.ofType("Y");
  assert.deepEqual([refused[262], refused[281], refused[25016]], ["one", "1", "-1190"]);
  subscribe(client, "twin", 100, 0, 1);
  refused = await client.ofType("Y");
  assert.deepEqual([refused[262], refused[281], refused[25016]], ["twin", "2", "-1191"]);
  assert.match(refused[58] ?? "", /Symbol='CC-USDC', active subscription id: 'one'/);
  client.send("V", [
    [262, "none"],
    [263, 2],
  ]);
  assert.equal((await client.ofType("Y"))[25016], "-1190");
  const head = [
    [262, "bad"],
    [263, 1],
  ] as const;
  const cc = symbols("CC-USDC");
  const cases: readonly (readonly [Pairs, string, string])[] = [
    [[[263, 1]], "262", "-1102"],
    [
      [
        [262, "a b"],
        [263, 1],
      ],
      "262",
      "-1130",
    ],
    [[[262, "bad"]], "263", "-1102"],
    [
      [
        [262, "bad"],
        [263, 0],
      ],
      "263",
      "-1130",
    ],
    [[...head, [264, 1], ...cc], "267", "-1102"],
    [[...head, [264, 1], ...types(0, 1)], "146", "-1102"],
    [[...head, ...cc, ...types(0, 1)], "264", "-1102"],
    [[...head, [264, 5001], ...cc, ...types(0, 1)], "264", "-1130"],
    [[...head, [264, 1], ...cc, ...types(0)], "269", "-1130"],
    [[...head, [264, 1], ...cc, ...types(2, 2)], "267", "-1189"],
    [[...head, [264, 1], ...symbols("CC-USDC", "CC-USDC"), ...types(2)], "146", "-1189"],
    [[...head, [264, 1], ...symbols("NONE"), ...types(2)], "55", "-1121"],
    [[...head, [264, 1], ...symbols("BTC-PERP"), ...types(2)], "55", "-1121"],
    [[...head, [264, 1], [266, "N"], ...cc, ...types(2)], "266", "-1130"],
    [[...head, [38, 1], ...cc, ...types(2)], "38", "-1170"],
    [[...head, [146, 2], [55, "CC-USDC"], ...types(2)], "146", "-1188"],
  ];
  for (const [fields, tag, code] of cases) {
    client.send("V", fields);
    const reject = await client.ofType("3");
    assert.deepEqual([reject[371], reject[25016]], [tag, code], JSON.stringify(fields));
  }
  client.send("XLQ", [[6136, "use"]]);
  assert.equal((await client.ofType("XLR"))[25005], "1");
});

test("FIX-42 market data is not sent again: a resend is a gap fill", async () => {
  const client = await loggedOn();
  subscribe(client, "book", 10, 0, 1);
  const snapshot = await client.ofType("W");
  client.send("2", [
    [7, 1],
    [16, 0],
  ]);
  const filled = await client.ofType("4");
  assert.deepEqual([filled[34], filled[123]], ["1", "Y"]);
  assert.ok(Number(filled[36]) > Number(snapshot[34]));
});

test("FIX-41 a snapshot costs the weight of a request for the book", async () => {
  const client = await loggedOn();
  // 5,000 levels weigh 50, and an address has 6,000 a minute: enough for two minutes, if one ends meanwhile.
  for (let count = 0; count < 250; count++) {
    subscribe(client, `deep-${count}`, 5000, 0, 1);
    client.send("V", [
      [262, `deep-${count}`],
      [263, 2],
    ]);
  }
  assert.equal((await client.ofType("Y"))[25016], "-1003");
});

test("FIX-35 an account has at most 100 sessions of market data, and 300 logons within 300 seconds", async () => {
  const key = await newReader();
  // The venue's time then stands still until the real one has caught up, so the window does not end meanwhile.
  front.advance(600_000);
  const sessions = await Promise.all(Array.from({ length: 100 }, () => loggedOn(key)));
  const logon = async () => {
    const client = fix.open(`MD${names++}`, "marketData");
    client.logon(key, {}, fix.sendingTime);
    const answer = await client.next(({ 35: type }) => type === "A" || type === "3");
    client.send("5", []);
    await client.closed();
    return answer[58] ?? "";
  };
  assert.match(await logon(), /limit is 100\./);
  for (const session of sessions) session.send("5", []);
  for (const session of sessions) await session.closed();
  for (let count = 101; count < 300; count++) assert.equal(await logon(), "");
  assert.match(await logon(), /300 within 300 seconds/);
});

test("FIX-11 FIX-35 a session of market data takes 2,000 messages within 60 seconds", async () => {
  const client = await loggedOn(await newReader());
  for (let count = 2; count < 2_000; count++) client.send("0", []);
  await client.settled();
  client.send("0", []);
  assert.match((await client.ofType("5"))[58] ?? "", /2000 messages within 60 seconds/);
  await client.closed();
});

test("FIX-42 a client of market data with more than 4 MiB unread loses its connection", async () => {
  const [client, other] = [await loggedOn(await newReader()), await loggedOn(await newReader())];
  const connections = await fix.connections();
  client.pause();
  // Each is answered with as many bytes. Beside the limit, the sockets of both sides hold some MiB.
  const id = "x".repeat(8_000);
  for (let count = 0; count < 1_900; count++) client.send("1", [[112, id]]);
  await fix.untilConnections(connections - 1);
  await other.settled();
});
