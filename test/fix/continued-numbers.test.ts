// Proves over a real socket that a session continues its numbers with 141=N: what happened while it was away comes under the
// numbers that a drop copy saw which stayed, and what cannot be continued is refused in words.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { resentAtOnce } from "../../src/adapters/gateway/fix/fix-limits.ts";
import { numbersPerEvent } from "../../src/adapters/gateway/fix/fix-numbers.ts";
import type { FrontFixture, TestKey } from "../surface/front-fixture.ts";
import type { Fields, FixKey } from "./fix-client.ts";
import { FixFront, order as orderAt } from "./fix-front.ts";
import { RecoveringClient } from "./recovering-client.ts";

let fix: FixFront;
let front: FrontFixture;

before(async () => {
  fix = await FixFront.open();
  front = fix.front;
});
after(() => fix.close());

async function recovering(key: FixKey, name: string, terms: Record<number, string> = {}) {
  const port = front.gateway.fixPorts.orders;
  const client = fix.keep(new RecoveringClient(port, key, name, { 25035: "1", ...terms }));
  await client.connect();
  return client;
}

/** A Logon that must be refused; returns the text of the Logout. */
async function refusal(key: FixKey, more: Record<number, string>): Promise<string> {
  const client = fix.open();
  client.logon(key, { 141: "N", ...more });
  const text = (await client.ofType("5"))[58] ?? "";
  await client.closed();
  return text;
}

const order = (id: string, price: string) => orderAt(id, { 44: price });

async function byRest(key: TestKey, terms: Record<string, string>): Promise<void> {
  const all = { symbol: "CC-USDC", type: "LIMIT", timeInForce: "GTC", quantity: "100.0", ...terms };
  const { status } = await front.send("POST", "/compat/api/v3/order", all, { key });
  assert.equal(status, 200);
}

/** A report without what differs when it is sent again, or by session. */
function content(report: Fields): Fields {
  const own = new Set([9, 10, 11, 41, 43, 49, 52, 56, 122]);
  return Object.fromEntries(Object.entries(report).filter(([tag]) => !own.has(Number(tag))));
}

test("FIX-25 FIX-28 a session that was away gets its reports under the numbers of a drop copy that stayed", async () => {
  const { rest, key } = await fix.trader();
  const other = await fix.trader();
  front.venue.credit(other.rest.account, 1, 1, 10n ** 14n);
  const copy = await recovering(key, "COPY", { 9406: "Y" });
  const session = await recovering(key, "DESK");
  for (const [id, price] of [
    ["a", "0.1500"],
    ["b", "0.1501"],
  ] as const)
    session.send("D", order(id, price));
  await session.reported(2);
  session.drop();
  session.send("F", [
    [11, "lost"],
    [41, "a"],
    [55, "CC-USDC"],
  ]);
  await byRest(other.rest, { side: "SELL", price: "0.1501", quantity: "70.0" });
  await byRest(rest, { side: "BUY", price: "0.1400", newClientOrderId: "c" });
  const named = { symbol: "CC-USDC", origClientOrderId: "a" };
  await front.send("DELETE", "/compat/api/v3/order", named, { key: rest });
  await session.connect();
  await copy.reported(5);
  assert.deepEqual([session.faults, copy.faults], [[], []]);
  assert.equal(session.resent, 3, JSON.stringify([...session.reports]));
  const seen = (client: RecoveringClient) =>
    [...client.reports].map(([seq, report]) => [seq, content(report)]);
  assert.deepEqual(seen(session), seen(copy));
  const states = [...copy.reports.values()].map(({ 150: event, 14: filled }) => [event, filled]);
  assert.deepEqual(states, [
    ["0", "0.00000000"],
    ["0", "0.00000000"],
    ["F", "70.00000000"],
    ["0", "0.00000000"],
    ["4", "0.00000000"],
  ]);
});

test("FIX-27 an order that is sent again after a break is executed once", async () => {
  const { rest, key } = await fix.trader();
  const session = await recovering(key, "DESK");
  session.send("D", order("once", "0.1500"));
  await session.reported(1);
  session.drop();
  await session.connect();
  session.send("D", order("once", "0.1500"), { 97: "Y" });
  await byRest(rest, { side: "BUY", price: "0.1400" });
  await session.reported(2);
  const [refused] = session.others.filter(({ 150: event }) => event === "8");
  assert.deepEqual([refused?.[11], refused?.[25016]], ["once", "-2010"]);
  const ids = [...session.reports.values()].map(({ 11: id }) => id);
  assert.equal(ids.filter((id) => id === "once").length, 1);
});

test("FIX-28 a client without continued numbers gets a gap fill, and no reports of before", async () => {
  const { rest, key } = await fix.trader();
  await byRest(rest, { side: "BUY", price: "0.1400" });
  const session = await recovering(key, "DESK");
  assert.deepEqual([session.reports.size, session.resent], [0, 0]);
  session.send("D", order("first", "0.1500"));
  await session.reported(1);
  assert.equal([...session.reports.values()][0]?.[11], "first");
});

test("FIX-28 a client that says which number it expects need not ask", async () => {
  const { rest, key } = await fix.trader();
  const session = await recovering(key, "DESK");
  session.send("D", order("a", "0.1500"));
  await session.reported(1);
  session.drop();
  await byRest(rest, { side: "BUY", price: "0.1400", newClientOrderId: "b" });
  const client = fix.open("DESK");
  client.logon(key, { 141: "N", 789: session.expected }, { 34: "9" });
  assert.equal((await client.ofType("A"))[789], "10");
  const report = await client.ofType("8");
  assert.deepEqual([report[11], report[43]], ["b", "Y"]);
  assert(
    client.messages.every(
      ({ 34: seq, 35: type }) => type === "A" || Number(seq) >= session.expected,
    ),
  );
});

test("FIX-26 a session that logs out and comes back at once begins above its last number", async () => {
  const { key } = await fix.trader();
  let next = 0;
  for (let turn = 0; turn < 5; turn++) {
    const client = fix.open("DESK");
    client.logon(key, { 141: "N" });
    const first = Number((await client.ofType("A"))[34]);
    assert(first >= next, `${first} is below ${next}`);
    client.seq = 2;
    client.send("1", [[112, "alive"]]);
    await client.ofType("0");
    client.send("5", []);
    next = Number((await client.ofType("5"))[34]) + 1;
  }
});

test("FIX-28 hundreds of reports come whole and in order", async () => {
  const { rest, key } = await fix.trader();
  const session = await recovering(key, "DESK");
  session.send("D", order("first", "0.1500"));
  await session.reported(1);
  session.drop();
  const orders = resentAtOnce;
  for (let count = 0; count < orders; count++)
    front.venue.cancel(rest.account, 0, front.venue.buy(rest.account, 0, 1_400, 1_000));
  await session.connect();
  await session.reported(1 + 2 * orders);
  assert.deepEqual([session.faults, session.resent], [[], 2 * orders]);
  const numbers = [...session.reports].map(([seq, { 17: execId }]) => seq / Number(execId));
  assert.deepEqual(new Set(numbers), new Set([numbersPerEvent]));
});

test("FIX-13 what cannot be continued is refused in words", async () => {
  const { key } = await fix.trader();
  assert.match(await refusal(key, { 25036: "2" }), /ResponseMode \(25036\)/);
  assert.match(await refusal(key, { 141: "X" }), /ResetSeqNumFlag \(141\)/);
  assert.match(await refusal(key, { 789: "0" }), /\(789\)/);
  assert.match(await refusal(key, { 789: "9000000000000000" }), /\(789\) is above/);
});

test("FIX-30 a resend does not keep others waiting, and reads of clients that have left are not made", async () => {
  const { rest, key } = await fix.trader();
  const other = await recovering((await fix.trader()).key, "OTHER");
  const session = await recovering(key, "DESK");
  session.send("D", order("a", "0.1500"));
  await session.reported(1);
  session.drop();
  await byRest(rest, { side: "BUY", price: "0.1400", newClientOrderId: "b" });
  const { orderEvents } = front;
  let open: () => void = () => undefined;
  orderEvents.gate = new Promise((resolve) => {
    open = resolve;
  });
  const readsBefore = orderEvents.reads;
  const terms = { 141: "N", 789: session.expected };
  // The read of the first one is under way; those of the others wait behind it.
  const leaving = ["DESK", "SECOND", "THIRD"].map((name) => {
    const client = fix.open(name);
    client.logon(key, terms, { 34: "9" });
    return client;
  });
  for (const client of leaving) await client.ofType("A");
  other.send("D", order("meanwhile", "0.1500"));
  await other.reported(1);
  const connections = await fix.connections();
  for (const client of leaving) client.drop();
  await fix.untilConnections(connections - leaving.length);
  orderEvents.gate = null;
  open();
  await session.connect();
  await session.reported(2);
  assert.equal(orderEvents.reads, readsBefore + 2, "the first one's, and that of the last session");
});
