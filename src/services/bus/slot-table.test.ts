// Proves that replies of one gateway cannot reach another that gets its slot.

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
