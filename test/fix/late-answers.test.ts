// Proves what a FIX session does while the venue does not answer: requests wait within bounds, and a Logout has a
// deadline.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  waitingCharactersMax,
  waitingMessagesMax,
} from "../../src/adapters/gateway/fix/fix-limits.ts";
import type { FrontFixture } from "../surface/front-fixture.ts";
import type { FixClient } from "./fix-client.ts";
import { FixFront, order } from "./fix-front.ts";

let fix: FixFront;
let front: FrontFixture;

before(async () => {
  fix = await FixFront.open({ deadlineMs: 60_000 });
  front = fix.front;
});
after(() => fix.close());

async function loggedOn(more: Record<number, string | number> = {}, at = fix): Promise<FixClient> {
  return at.loggedOn((await at.trader()).key, more);
}

/** A cancel whose refusal needs no command. */
const badCancel = [
  [11, "bad"],
  [55, "CC-USDC"],
] as const;

test("FIX-10 a Logout that is not answered in time ends the session all the same", async (t) => {
  const hasty = await FixFront.open({ deadlineMs: 1_000 });
  t.after(() => hasty.close());
  const client = await loggedOn({ 9001: "Y" }, hasty);
  hasty.front.isHolding = true;
  client.send("5", []);
  assert.match((await client.ofType("5"))[58] ?? "", /may be cancelled/);
  await client.closed();
  hasty.front.release();
});

test("FIX-10 an order that was sent before a Logout is reported before the Logout is answered", async () => {
  const client = await loggedOn();
  front.isHolding = true;
  client.send("D", order("first"));
  client.send("5", []);
  client.send("D", order("behind"));
  await client.settled();
  assert.equal(front.held.length, 1);
  front.release();
  await client.closed();
  const types = client.messages.map(({ 35: type }) => type);
  assert.deepEqual(types, ["A", "0", "8", "5"]);
});

test("FIX-22 FIX-23 a thousand refused requests that have waited are answered one after the other", async () => {
  const client = await loggedOn({ 25035: 2 });
  front.isHolding = true;
  client.send("D", order("first"));
  for (let count = 1; count < waitingMessagesMax; count++) client.send("F", badCancel);
  await client.settled();
  assert.equal(front.held.length, 1);
  front.release();
  for (let count = 1; count < waitingMessagesMax; count++) await client.ofType("3");
  await client.settled();
});

test("FIX-23 waiting requests are bounded by number and by length", async () => {
  for (const text of ["", "x".repeat(8_000)]) {
    const client = await loggedOn({ 25035: 2 });
    front.isHolding = true;
    client.send("D", order("first"));
    const held = text === "" ? waitingMessagesMax : Math.floor(waitingCharactersMax / 8_000);
    for (let count = 0; count <= held; count++)
      client.send("F", [...badCancel, ...(text === "" ? [] : [[58, text] as const])]);
    assert.match((await client.ofType("5"))[58] ?? "", /Too many messages wait/);
    await client.closed();
    front.release();
  }
});
