// Fixed windows: exactly the limit passes, two limiters over one memory count together.

import assert from "node:assert/strict";
import { test } from "node:test";
import { RateTier } from "../../core/accounts.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { limitsOf, publicWeightPerMinute } from "./rate-tiers.ts";

const minute = 28_333_333 * 60_000;
const standard = limitsOf(RateTier.standard);

function newLimiter(): RateLimiter {
  return new RateLimiter(RateLimiter.allocate(12_345));
}

test("LIM-1 LIM-2 exactly the tier's weight passes in a minute, and the next minute begins at zero", () => {
  const limiter = newLimiter();
  for (let used = 0; used < 1200; used += 10) {
    assert.ok(limiter.takeWeight(7, 10, standard, minute + used));
  }
  assert.ok(!limiter.takeWeight(7, 1, standard, minute + 59_999));
  assert.equal(limiter.weightOf(7, minute + 59_999), 1200);
  assert.ok(limiter.takeWeight(8, 1200, standard, minute));
  assert.equal(limiter.weightOf(7, minute + 60_000), 0);
  assert.ok(limiter.takeWeight(7, 1200, standard, minute + 60_000));
});

test("LIM-2 50 orders in 10 s and 200 in a minute; what one window refuses the other does not count", () => {
  const limiter = newLimiter();
  for (let window = 0; window < 4; window++) {
    const at = minute + window * 10_000;
    for (let order = 0; order < 50; order++) assert.ok(limiter.takeOrders(7, 1, standard, at));
    assert.ok(!limiter.takeOrders(7, 1, standard, at + 9_999));
    assert.deepEqual(limiter.ordersOf(7, at), { per10s: 50, perMinute: 50 * (window + 1) });
  }
  assert.ok(!limiter.takeOrders(7, 1, standard, minute + 40_000));
  assert.ok(limiter.takeOrders(7, 1, standard, minute + 60_000));
  assert.ok(!limiter.takeOrders(7, 50, standard, minute + 60_000));
});

test("LIM-1 fronts that share the memory share the counts", () => {
  const memory = RateLimiter.allocate(1);
  const [one, other] = [new RateLimiter(memory), new RateLimiter(memory)];
  for (let order = 0; order < 50; order++) {
    assert.ok((order % 2 === 0 ? one : other).takeOrders(3, 1, standard, minute));
  }
  assert.ok(!one.takeOrders(3, 1, standard, minute));
  assert.ok(!other.takeOrders(3, 1, standard, minute));
});

test("addresses are counted apart, and more addresses than rows only make limits stricter", () => {
  const limiter = newLimiter();
  assert.ok(limiter.takePublicWeight(0x7f000001, publicWeightPerMinute, minute));
  assert.ok(!limiter.takePublicWeight(0x7f000001, 1, minute));
  assert.ok(limiter.takePublicWeight(0x7f000002, 1, minute));
  assert.equal(limiter.publicWeightOf(0x7f000002, minute), 1);
  for (let address = 0; address < 100_000; address++) {
    limiter.takePublicWeight(Math.imul(address, 2_654_435_761), 1, minute);
  }
  assert.ok(!limiter.takePublicWeight(0x7f000001, 1, minute), "a crowd does not wash counts away");
  assert.ok(limiter.takePublicWeight(0x7f000001, 1, minute + 60_000));
});
