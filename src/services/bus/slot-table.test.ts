// Proves that replies of one gateway cannot reach another that gets its slot, and that a gateway which registers again
// gets the number that it was given, until it has used it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gatewayLostMs } from "../../core/bus-limits.ts";
import { SlotTable } from "./slot-table.ts";

test("each gateway has one slot, which it keeps when it joins again", () => {
  const table = new SlotTable(2);
  assert.equal(table.join(11, 0), 0);
  assert.equal(table.join(22, 0), 1);
  assert.equal(table.join(11, 5), 0);
  assert.equal(table.join(33, 5), undefined, "all slots are taken");
});

test("a silent gateway loses its slot only once its commands are answered", () => {
  const table = new SlotTable(1);
  table.join(11, 0);
  table.passed(0, 1);
  // Sent again: there is one reply for both.
  table.passed(0, 1);
  table.passed(0, 2);
  const lateMs = gatewayLostMs + 1;
  assert.equal(table.join(22, gatewayLostMs), undefined, "it is not silent for long enough");
  assert.equal(table.join(22, lateMs), undefined, "replies are still to come");
  table.replied(0, 1);
  assert.equal(table.join(22, lateMs), undefined, "one reply is still to come");
  table.replied(0, 2);
  assert.equal(table.join(22, lateMs), 0);
  assert.equal(table.heard(0, 11, lateMs), false, "messages of the old gateway are discarded");
  assert.equal(table.heard(0, 22, lateMs), true);
});

test("a gateway that leaves makes room at once", () => {
  const table = new SlotTable(1);
  table.join(11, 0);
  table.left(0, 22);
  assert.equal(table.join(22, 1), undefined, "only a gateway itself can leave");
  table.left(0, 11);
  assert.equal(table.join(22, 1), 0);
});

test("a gateway that is heard keeps its slot", () => {
  const table = new SlotTable(1);
  table.join(11, 0);
  assert.equal(table.heard(0, 11, gatewayLostMs), true);
  assert.equal(table.join(22, gatewayLostMs + 1), undefined);
});

const given = { origin: 7, lastSeq: 90 };
const registration = 0;

test("CMD-4 a gateway that registers again waits for the reply under way, and then gets the same number", () => {
  const table = new SlotTable(1);
  table.join(11, 0);
  assert.deepEqual([table.isInFlight(0, registration), table.givenTo(0)], [false, null]);
  table.passed(0, registration);
  assert.equal(table.isInFlight(0, registration), true);
  table.gave(0, given);
  table.replied(0, registration);
  assert.equal(table.isInFlight(0, registration), false);
  table.join(11, 1);
  assert.equal(table.givenTo(0), given);
  assert.equal(table.givenTo(0), given);
});

test("CMD-4 a gateway that has used its number gets another one, as does one that was refused or is new", () => {
  const table = new SlotTable(1);
  table.join(11, 0);
  table.gave(0, given);
  table.used(0, given.origin - 1);
  assert.equal(table.givenTo(0), given, "another number says nothing about this one");
  table.used(0, given.origin);
  assert.equal(table.givenTo(0), null);
  table.gave(0, null);
  assert.equal(table.givenTo(0), null);
  table.gave(0, given);
  table.left(0, 11);
  table.join(22, 1);
  assert.equal(table.givenTo(0), null);
});
