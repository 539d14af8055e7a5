// Connections by address: the limit holds across fronts, and released connections can be taken again.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ConnectionCounter } from "./connection-counter.ts";

test("STR-4 an address has at most its limit of connections over all fronts together", () => {
  const memory = ConnectionCounter.allocate(-77);
  const fronts = [new ConnectionCounter(memory, 3), new ConnectionCounter(memory, 3)] as const;
  const rows = [fronts[0].take(5), fronts[1].take(5), fronts[0].take(5)];
  assert.ok(rows.every((row) => row > 0));
  assert.equal(fronts[1].take(5), -1);
  assert.ok(fronts[1].take(6) > 0, "each address has its own count");
  fronts[1].release(rows[0] ?? 0);
  assert.ok(fronts[0].take(5) > 0);
  assert.equal(fronts[0].take(5), -1);
});

test("counts return to zero in whatever order connections are released", () => {
  const counter = new ConnectionCounter(ConnectionCounter.allocate(1), 2);
  const taken: number[] = [];
  for (let address = -5000; address < 5000; address++) {
    for (let time = 0; time < 2; time++) taken.push(counter.take(Math.imul(address, 0x01000193)));
  }
  assert.ok(taken.every((row) => row > 0));
  for (const row of taken.reverse()) counter.release(row);
  for (let address = -5000; address < 5000; address++) {
    assert.ok(counter.take(Math.imul(address, 0x01000193)) > 0);
  }
  const row = counter.take(42);
  counter.release(row);
  assert.throws(() => {
    counter.release(row);
    counter.release(row);
  });
});
