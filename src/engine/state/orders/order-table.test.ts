// The order table: slot states, the lists of an account, and assertions.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AssertionFailure } from "../../../core/assert.ts";
import { OrderTable, SlotState } from "./order-table.ts";

/** Opens an order in a new slot. */
function opened(table: OrderTable, orderId: number, account: number, clientId = ""): number {
  const slot = table.allocate();
  table.orderId[slot] = orderId;
  table.account[slot] = account;
  table.setClientId(slot, clientId);
  table.link(slot);
  return slot;
}

function closed(table: OrderTable, slot: number): void {
  table.unlink(slot);
  table.free(slot);
}

function walk(table: OrderTable, account: number): number[] {
  const ids: number[] = [];
  for (let slot = table.firstOfAccount(account); slot >= 0; slot = table.nextOfAccount(slot)) {
    ids.push(table.orderId[slot] ?? 0);
  }
  return ids;
}

test("an account's orders are iterated newest first, whichever are removed", () => {
  const table = new OrderTable();
  const slots = [1, 2, 3, 4].map((id) => opened(table, id, 1001));
  opened(table, 5, 1002);
  assert.deepEqual(walk(table, 1001), [4, 3, 2, 1]);
  closed(table, slots[1] ?? -1);
  assert.deepEqual(walk(table, 1001), [4, 3, 1]);
  closed(table, slots[3] ?? -1);
  closed(table, slots[0] ?? -1);
  assert.deepEqual(walk(table, 1001), [3]);
  closed(table, slots[2] ?? -1);
  assert.deepEqual(walk(table, 1001), []);
  assert.deepEqual(walk(table, 1002), [5]);
  assert.equal(table.openCount, 1);
});

test("open orders are listed by id, whatever slots they reuse", () => {
  const table = new OrderTable();
  const first = opened(table, 1, 1001);
  opened(table, 2, 1001);
  closed(table, first);
  const reused = opened(table, 3, 1001);
  assert.equal(reused, first);
  assert.deepEqual(
    Array.from(table.openSlots(), (slot) => table.orderId[slot]),
    [2, 3],
  );
  assert.throws(() => opened(table, 2, 1001), AssertionFailure);
});

test("a reused slot has a new generation", () => {
  const table = new OrderTable();
  const slot = table.allocate();
  assert.equal(table.state[slot], SlotState.pending);
  const generation = table.generation[slot];
  table.free(slot);
  assert.equal(table.allocate(), slot);
  assert.notEqual(table.generation[slot], generation);
  assert.equal(table.touched, 1);
});

test("an order has the client id that its client chose, or else one derived from its order id", () => {
  const table = new OrderTable();
  const named = opened(table, 1, 1001, "mine:1");
  const nameless = opened(table, 2, 1001);
  assert.equal(table.clientId(named), "mine:1");
  assert.equal(table.chosenClientId(nameless), "");
  assert.equal(table.clientId(nameless), "o-00000000000000000002");
  assert.throws(() => table.setClientId(named, "x".repeat(37)), AssertionFailure);
  assert.throws(() => table.setClientId(named, "ä"), AssertionFailure);
});

test("a slot can only go through its states in order", () => {
  const table = new OrderTable();
  const slot = opened(table, 1, 1001);
  assert.throws(() => table.link(slot), AssertionFailure);
  closed(table, slot);
  assert.throws(() => table.unlink(slot), AssertionFailure);
  assert.throws(() => table.free(slot), AssertionFailure);
  assert.throws(() => table.count(1001, 0, -1), AssertionFailure);
  assert.equal(table.slotOf(1), -1);
});

test("a quantity that its column could not hold fails an assertion", () => {
  const table = new OrderTable();
  const slot = opened(table, 1, 1001);
  table.setQty(slot, 2 ** 31 - 1);
  assert.equal(table.remaining(slot), 2 ** 31 - 1);
  for (const qty of [2 ** 31, 2 ** 32 + 1, 0.5, Number.NaN]) {
    assert.throws(() => table.setQty(slot, qty), AssertionFailure);
  }
});
