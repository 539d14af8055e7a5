// Tests of the map with two generations: young entries stay, old entries are dropped all at once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { RecentMap } from "./recent-orders.ts";

test("the latest entries are kept, and at most twice as many", () => {
  const kept = 100;
  const map = new RecentMap<number, number>(kept);
  for (let key = 0; key < 1000; key++) {
    map.set(key, key);
    const found = Array.from({ length: key + 1 }, (_, at) => map.get(at)).filter(
      (value) => value !== undefined,
    );
    assert.ok(found.length >= Math.min(kept, key + 1) && found.length <= 2 * kept);
    assert.equal(found.at(-1), key);
    assert.equal(found[0], key + 1 - found.length, "the oldest entries must be dropped first");
  }
});

test("setting an entry again renews it, and deleting it removes it from both generations", () => {
  const map = new RecentMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.set("a", 3);
  assert.equal(map.get("a"), 3);
  map.delete("a");
  assert.equal(map.get("a"), undefined);
  assert.equal(map.get("b"), 2);
});
