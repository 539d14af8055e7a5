// Proves what a FIX session does while the venue does not answer: requests wait within bounds, and a Logout has a
// deadline.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  waitingCharactersMax,
  waitingMessagesMax,
} from "../../src/adapters/gateway/fix/fix-limits.ts";
import { FrontFixture } from "../surface/front-fixture.ts";
import { FixClient, fixKey } from "./fix-client.ts";

let front: FrontFixture;
const clients: FixClient[] = [];

before(async () => {
  const fix = { port: 0, marketDataPort: null, tls: null };
  front = await FrontFixture.open({
    isLive: true,
    deadlineMs: 1_500,
    connectionsPerAddressMax: 500,
    fix,
  });
});
after(() => {
  for (const client of clients) client.drop();
  front.close();
});

async function loggedOn(more: Record<number, string | number> = {}): Promise<FixClient> {
  const { account } = await front.newTrader();
  const client = new FixClient(front.gateway.fixPorts.orders);
  clients.push(client);
  client.logon(await fixKey(front, account), more);
  await client.ofType("A");
  return client;
}

const order = [
  ...([
    [11, "first"],
    [38, "100.0"],
    [40, 2],
    [44, "0.1500"],
    [54, 1],
  ] as const),
  ...([
    [55, "CC-USDC"],
    [59, 1],
  ] as const),
];

/** A cancel whose refusal needs no command. */
const badCancel = [
  [11, "bad"],
  [55, "CC-USDC"],
] as const;

test("FIX-10 a Logout that is not answered in time ends the session all the same", async () => {
  const client = await loggedOn({ 9001: "Y" });
  front.isHolding = true;
  client.send("5", []);
  assert.match((await client.ofType("5"))[58] ?? "", /may be cancelled/);
  await client.closed();
  front.release();
});

test("FIX-10 an order that was sent before a Logout is reported before the Logout is answered", async () => {
  const client = await loggedOn();
  front.isHolding = true;
  client.send("D", order);
  client.send("5", []);
  client.send("D", order);
  await new Promise((resolve) => setTimeout(resolve, 50));
  front.release();
  await client.closed();
  const types = client.messages.map(({ 35: type }) => type);
  assert.deepEqual(types, ["A", "8", "5"]);
});

test("FIX-22 FIX-23 a thousand refused requests that have waited are answered one after the other", async () => {
  const client = await loggedOn({ 25035: 2 });
  front.isHolding = true;
  client.send("D", order);
  for (let count = 1; count < waitingMessagesMax; count++) client.send("F", badCancel);
  front.release();
  for (let count = 1; count < waitingMessagesMax; count++) await client.ofType("3");
  client.send("1", [[112, "alive"]]);
  await client.next(({ 112: id }) => id === "alive");
});

test("FIX-23 waiting requests are bounded by number and by length", async () => {
  for (const text of ["", "x".repeat(8_000)]) {
    const client = await loggedOn({ 25035: 2 });
    front.isHolding = true;
    client.send("D", order);
    const held = text === "" ? waitingMessagesMax : Math.floor(waitingCharactersMax / 8_000);
    for (let count = 0; count <= held; count++)
      client.send("F", [...badCancel, ...(text === "" ? [] : [[58, text] as const])]);
    assert.match((await client.ofType("5"))[58] ?? "", /Too many messages wait/);
    await client.closed();
    front.release();
  }
});
