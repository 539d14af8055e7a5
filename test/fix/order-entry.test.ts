// Proves FIX order entry over a real socket: orders, cancels, amends, refusals, and the reports of the account.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Fields, type FixClient, type Pairs, utcNow } from "./fix-client.ts";
import { FixFront, order, report } from "./fix-front.ts";

let fix: FixFront;

before(async () => {
  fix = await FixFront.open();
});
after(() => fix.close());

test("FIX-16 an order, its trade and its cancel are reported as they are journaled", async () => {
  const { key } = await fix.trader();
  const client = await fix.loggedOn(key);
  const opened = await fix.placed(client, "first");
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

test("FIX-16 both sides of a trade hear of it, with fee and role, and each fill is a report", async () => {
  const maker = await fix.trader();
  const taker = await fix.trader();
  fix.front.venue.credit(maker.rest.account, 1, 1, 10n ** 14n);
  const buys = await fix.loggedOn(taker.key);
  const sells = await fix.loggedOn(maker.key);
  sells.send("D", order("ask", { 54: 2, 44: "0.1700" }));
  await sells.next(report("0"));
  buys.send("D", order("bid", { 44: "0.1700" }));
  const bought = await buys.next(report("F"));
  const sold = await sells.next(report("F"));
  assert.deepEqual([bought[1057], sold[1057]], ["Y", "N"]);
  assert.deepEqual([bought[39], bought[31], bought[32]], ["2", "0.17000000", "100.00000000"]);
  assert.equal(bought[1003], sold[1003]);
  assert.deepEqual([bought[138], sold[138]], ["CC", "USDC"]);
  for (const id of ["ask-1", "ask-2"]) sells.send("D", order(id, { 54: 2, 44: "0.1800" }));
  await sells.next(({ 11: id, 150: event }) => id === "ask-2" && event === "0");
  buys.send("D", order("both", { 38: "150.0", 44: "0.1800" }));
  const fills = [await buys.next(report("F")), await buys.next(report("F"))];
  assert.deepEqual(
    fills.map(({ 32: qty, 14: filled, 39: status }) => [qty, filled, status]),
    [
      ["100.00000000", "100.00000000", "1"],
      ["50.00000000", "150.00000000", "2"],
    ],
  );
  const counter = [await sells.next(report("F")), await sells.next(report("F"))];
  const ids = (reports: readonly Fields[]) => reports.map(({ 17: id }) => Number(id));
  assert.deepEqual(ids(counter), ids(fills));
  assert.ok(Number(fills[0]?.[17]) < Number(fills[1]?.[17]));
});

test("FIX-15 refusals have the message that the request has for them", async () => {
  const { key } = await fix.trader();
  const client = await fix.loggedOn(key);
  const cases: readonly (readonly [string, Pairs, Fields])[] = [
    ["D", order("big", { 38: "99999999.0" }), { 35: "8", 150: "8", 39: "8", 11: "big" }],
    ["D", order("x", { 55: "NOPE" }), { 35: "3", 371: "55", 25016: "-1100" }],
    ["D", order("x", { 44: "abc" }), { 35: "3", 371: "44", 25016: "-1100" }],
    ["D", order("x", { 54: 7 }), { 35: "3", 371: "54", 373: "5", 25016: "-1130" }],
    ["D", order("x", { 6000: 1 }), { 35: "3", 371: "6000", 373: "2", 25016: "-1170" }],
    ["D", order("bad id!"), { 35: "3", 371: "11", 25016: "-1130" }],
    ["D", [[11, "x"]], { 35: "3", 373: "1", 25016: "-1102" }],
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
  const { rest, key } = await fix.trader();
  const maker = await fix.trader();
  fix.front.venue.credit(maker.rest.account, 1, 1, 10n ** 14n);
  const makes = await fix.loggedOn(maker.key);
  await fix.placed(makes, "ask", { 54: 2, 44: "0.2000", 38: "1000.0" });
  const client = await fix.loggedOn(key);
  await fix.placed(client, "t-bid");
  const trigger = { 1100: 4, 1101: 1, 1107: 2, 1102: "0.2500" };
  const none = { 44: "", 59: "" };
  const stop = { ...none, ...trigger, 40: 3 };
  const cases: readonly (readonly [Record<number, string | number>, Record<string, string>])[] = [
    [{}, { type: "LIMIT", timeInForce: "GTC" }],
    [{ 59: 3 }, { type: "LIMIT", timeInForce: "IOC" }],
    [
      { 59: 4, 44: "0.2000" },
      { type: "LIMIT", timeInForce: "FOK", status: "FILLED" },
    ],
    [{ 111: "50.0" }, { type: "LIMIT", icebergQty: "50.00000000" }],
    [
      { 40: 1, ...none },
      { type: "MARKET", status: "FILLED" },
    ],
    [
      { 40: 1, ...none, 38: "", 152: "20.0" },
      { type: "MARKET", origQuoteOrderQty: "20.00000000" },
    ],
    [{ 18: 6, 59: "" }, { type: "LIMIT_MAKER" }],
    [
      { 40: "P", 44: "", 1094: 5, 835: 1 },
      { type: "LIMIT", price: "0.15000000" },
    ],
    [
      { ...stop, 1109: "U" },
      { type: "STOP_LOSS", stopPrice: "0.25000000" },
    ],
    [{ ...stop, 1109: "D", 1102: "0.1000" }, { type: "TAKE_PROFIT" }],
    [{ ...trigger, 40: 4, 1109: "U" }, { type: "STOP_LOSS_LIMIT" }],
    [{ ...trigger, 40: 4, 1109: "D", 1102: "0.1000" }, { type: "TAKE_PROFIT_LIMIT" }],
    [
      { ...trigger, 40: 4, 1109: "U", 44: "", 1094: 5, 835: 1, 836: 3, 211: 2 },
      { type: "STOP_LOSS_LIMIT", price: "0.00000000" },
    ],
    [{ 25001: 2 }, { selfTradePreventionMode: "EXPIRE_TAKER" }],
  ];
  for (const [index, [more, expected]] of cases.entries()) {
    const fields = order(`t${index}`, more);
    client.send("D", fields);
    const opened = await client.next(
      ({ 35: type, 150: exec }) => type === "3" || (type === "8" && (exec === "0" || exec === "8")),
    );
    assert.equal(opened[150], "0", JSON.stringify(opened));
    assert.equal(opened[40], String(more[40] === "P" ? 2 : (more[40] ?? 2)));
    const query = { symbol: "CC-USDC", orderId: opened[37] ?? "" };
    const { json } = await fix.front.send("GET", "/compat/api/v3/order", query, { key: rest });
    const shown = Object.fromEntries(Object.keys(expected).map((name) => [name, json[name]]));
    assert.deepEqual(shown, expected, JSON.stringify(more));
  }
});

test("FIX-16 all sessions of an account get the same reports, with the numbers of the journal", async () => {
  const { key } = await fix.trader();
  const client = await fix.loggedOn(key, {}, "ONE");
  const others = [
    await fix.loggedOn(key, {}, "TWO"),
    await fix.loggedOn(key, { 9406: "Y" }, "COPY"),
  ];
  const seqs: number[] = [];
  for (const name of ["a", "b"]) {
    await fix.placed(client, name);
    seqs.push(fix.front.state.seq);
    client.send("F", [
      [11, `undo-${name}`],
      [41, name],
      [55, "CC-USDC"],
    ]);
    await client.next(report("4"));
    seqs.push(fix.front.state.seq);
  }
  const shown = (one: FixClient) =>
    one.messages
      .filter(({ 35: type }) => type === "8")
      .map(({ 17: id, 150: exec, 37: orderId, 14: filled, 60: time }) => [
        ...[id, exec, orderId, filled, time],
      ]);
  const reports = shown(client);
  assert.deepEqual(
    reports.map(([id]) => Number(id)),
    seqs,
  );
  for (const other of others) {
    await other.next(({ 17: id }) => id === String(seqs.at(-1)));
    assert.deepEqual(shown(other), reports);
  }
});

test("FIX-17 an amend keeps the order's ClOrdID, and the report names the request", async () => {
  const { key } = await fix.trader();
  const client = await fix.loggedOn(key);
  const opened = await fix.placed(client, "whole");
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
  const { key } = await fix.trader();
  const client = await fix.loggedOn(key);
  await fix.placed(client, "old");
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

test("FIX-17 ORD-15 a cancel with a new order under the same ClOrdID reports both, and repeated does nothing", async () => {
  const { rest, key } = await fix.trader();
  const client = await fix.loggedOn(key);
  const first = await fix.placed(client, "same");
  const replacement = order("same", { 25033: 1, 41: "same", 37: first[37] ?? "", 44: "0.1600" });
  client.send("XCN", replacement);
  const cancelled = await client.next(report("4"));
  assert.deepEqual([cancelled[37], cancelled[41]], [first[37], "same"]);
  const opened = await client.next(report("0"));
  assert.deepEqual([opened[11], opened[44]], ["same", "0.16000000"]);
  assert.notEqual(opened[37], first[37]);
  client.send("XCN", replacement);
  const refused = await client.next(report("8"));
  assert.deepEqual([refused[11], refused[25016]], ["same", "-2010"]);
  const { json } = await fix.front.send("GET", "/compat/api/v3/openOrders", {}, { key: rest });
  assert.deepEqual(
    json.map(({ orderId }: { orderId: number }) => String(orderId)),
    [opened[37]],
  );
});

test("FIX-19 a mass cancel is reported after what it cancelled, with their number", async () => {
  const { key } = await fix.trader();
  const client = await fix.loggedOn(key);
  for (const name of ["m1", "m2"]) await fix.placed(client, name);
  client.send("q", [
    [11, "all"],
    [55, "CC-USDC"],
    [530, 1],
  ]);
  const done = await client.ofType("r");
  assert.deepEqual([done[11], done[531], done[533]], ["all", "1", "2"]);
  const after = client.messages.slice(-3).map(({ 35: type, 150: exec }) => [type, exec]);
  assert.deepEqual(after, [
    ["8", "4"],
    ["8", "4"],
    ["r", undefined],
  ]);
});

test("FIX-19 a query of limits lists the session's messages and the account's orders", async () => {
  const { rest, key } = await fix.trader();
  // The venue's time then stands still until the real one has caught up, so the window of the limits does not end.
  fix.front.advance(300_000);
  const client = await fix.loggedOn(key);
  for (const name of ["l1", "l2"]) await fix.placed(client, name);
  client.send("XLQ", [[6136, "limits"]]);
  const limits = await client.ofType("XLR");
  assert.equal(limits[6136], "limits");
  const rows = client
    .entriesOf(limits, 25004)
    .map((row) => [row[25004], row[25005], row[25006], row[25007], row[25008]]);
  const path = "/compat/api/v3/rateLimit/order";
  const { json } = await fix.front.send("GET", path, {}, { key: rest });
  const units: Readonly<Record<string, string>> = { SECOND: "s", MINUTE: "m", DAY: "d" };
  assert.deepEqual(rows, [
    ["2", String(client.seq - 1), "10000", "10", "s"],
    ...json.map(({ limit, intervalNum, interval }: Record<string, string | number>) => [
      ...["1", "2", String(limit), String(intervalNum)],
      units[String(interval)],
    ]),
  ]);
});

test("FIX-14 RecvWindow is checked against SendingTime, and an order without it has no window", async () => {
  const { key } = await fix.trader();
  const client = await fix.loggedOn(key);
  const early = { 52: utcNow(Date.now() - 8_000) };
  client.send("D", order("late"), { ...early, 25000: "5000" });
  const refused = await client.ofType("3");
  assert.deepEqual([refused[25016], refused[373]], ["-1021", "10"]);
  client.send("D", order("unhurried"), early);
  assert.equal((await client.next(report("0")))[11], "unhurried");
});

test("FIX-23 in a sequential session a cancel waits for the order before it", async () => {
  const { key } = await fix.trader();
  for (const [mode, commands] of [
    [2, 1],
    [1, 2],
  ] as const) {
    const client = await fix.loggedOn(key, { 25035: mode }, `MODE${mode}`);
    fix.front.isHolding = true;
    client.send("D", order(`do-${mode}`));
    client.send("F", [
      [11, "undo"],
      [41, `do-${mode}`],
      [55, "CC-USDC"],
    ]);
    client.send("1", [[112, "mark"]]);
    await client.next(({ 112: id }) => id === "mark");
    assert.equal(fix.front.held.length, commands);
    fix.front.release();
    await client.next(report("0"));
    assert.equal((await client.next(report("4")))[11], "undo");
  }
});
