// Fixed windows: requests pass up to exactly the limit, refused requests are not counted, two limiters on one memory
// count together, and many addresses take no more memory than few.

import assert from "node:assert/strict";
import { test } from "node:test";
import { RateTier } from "../../core/accounts.ts";
import {
  Limited,
  limitsOf,
  publicWeightPerMinute,
  RateLimiter,
  signedRequestsPerMinute,
} from "./rate-limiter.ts";

const minute = 28_333_333 * 60_000;
const standard = limitsOf(RateTier.standard);

function newLimiter(): RateLimiter {
  return new RateLimiter(RateLimiter.allocate(12_345));
}

/** The counts a key has at `nowMs`: weight, orders in 10 s, orders in a minute. */
function usedBy(limiter: RateLimiter, keyId: number, nowMs: number): readonly number[] {
  limiter.lookAtKey(keyId, nowMs);
  return [limiter.usedWeight, limiter.ordersPer10s, limiter.ordersPerMinute];
}

test("LIM-1 LIM-2 exactly the tier's weight is accepted in a minute, and the next minute begins at zero", () => {
  const limiter = newLimiter();
  for (const [key, tier] of [RateTier.standard, RateTier.extMm, RateTier.house].entries()) {
    const limits = limitsOf(tier);
    const keyId = key + 1;
    for (let used = 0; used < limits.weightPerMinute; used += 10) {
      assert.equal(limiter.admit(keyId, 10, 0, limits, minute + used), Limited.no);
    }
    assert.equal(limiter.admit(keyId, 1, 0, limits, minute + 59_999), Limited.weight);
    assert.equal(limiter.usedWeight, limits.weightPerMinute, "a refusal is not counted");
    assert.deepEqual(usedBy(limiter, keyId, minute + 60_000), [0, 0, 0]);
    assert.equal(
      limiter.admit(keyId, limits.weightPerMinute, 0, limits, minute + 60_000),
      Limited.no,
    );
  }
});

test("LIM-2 the tier limits orders in 10 s and in a minute, and an order refused by one window does not count in the other", () => {
  for (const tier of [RateTier.standard, RateTier.extMm, RateTier.house]) {
    const limiter = newLimiter();
    const limits = limitsOf(tier);
    const { ordersPer10s, ordersPerMinute } = limits;
    const windows = Math.floor(ordersPerMinute / ordersPer10s);
    for (let window = 0; window < Math.min(windows, 6); window++) {
      const at = minute + window * 10_000;
      for (let order = 0; order < ordersPer10s; order++) {
        assert.equal(limiter.admit(7, 1, 1, limits, at), Limited.no);
      }
      const full = ordersPer10s * (window + 1);
      const limited = full === ordersPerMinute ? Limited.orders1m : Limited.orders10s;
      assert.equal(limiter.admit(7, 1, 1, limits, at + 9_999), limited);
      assert.deepEqual(usedBy(limiter, 7, at), [full, ordersPer10s, full]);
    }
    assert.equal(limiter.admit(7, 1, 1, limits, minute + 60_000), Limited.no);
    assert.equal(limiter.admit(7, 1, ordersPer10s, limits, minute + 60_000), Limited.orders10s);
  }
});

test("LIM-13 orders above their limit cost no weight, so that a flood of them leaves weight for cancels", () => {
  const limiter = newLimiter();
  for (let order = 0; order < 10_000; order++) limiter.admit(7, 1, 1, standard, minute);
  assert.deepEqual(usedBy(limiter, 7, minute), [50, 50, 50]);
  assert.equal(limiter.admit(7, 1150, 0, standard, minute), Limited.no);
  assert.equal(limiter.admit(7, 1, 1, standard, minute + 10_000), Limited.weight);
  assert.deepEqual(usedBy(limiter, 7, minute + 10_000), [1200, 0, 50], "and no orders are counted");
});

test("a batch counts all of its orders or none", () => {
  const limiter = newLimiter();
  for (let batch = 0; batch < 9; batch++) {
    assert.equal(limiter.admit(7, 5, 5, standard, minute), Limited.no);
  }
  assert.equal(limiter.admit(7, 1, 1, standard, minute), Limited.no);
  assert.equal(limiter.admit(7, 5, 5, standard, minute), Limited.orders10s);
  assert.deepEqual(usedBy(limiter, 7, minute), [46, 46, 46]);
  assert.equal(limiter.admit(7, 4, 4, standard, minute), Limited.no);
});

test("LIM-1 fronts that share the memory share the weights", () => {
  const memory = RateLimiter.allocate(1);
  const [one, other] = [new RateLimiter(memory), new RateLimiter(memory)];
  for (let order = 0; order < 50; order++) {
    assert.equal((order % 2 === 0 ? one : other).admit(3, 1, 1, standard, minute), Limited.no);
  }
  assert.equal(one.admit(3, 1, 1, standard, minute), Limited.orders10s);
  assert.equal(other.admit(3, 1, 1, standard, minute), Limited.orders10s);
});

test("LIM-30 fronts that share the memory share an account's order counts", () => {
  const memory = RateLimiter.allocate(1);
  const [one, other] = [new RateLimiter(memory), new RateLimiter(memory)];
  for (let order = 0; order < 50; order++) {
    const front = order % 2 === 0 ? one : other;
    assert.equal(front.takeAccountOrders(1001, 1, standard, minute), Limited.no);
  }
  assert.equal(one.takeAccountOrders(1001, 1, standard, minute), Limited.orders10s);
  other.giveBackAccountOrders(1001, 1, minute);
  assert.equal(one.takeAccountOrders(1001, 1, standard, minute), Limited.no);
  assert.equal(one.takeAccountOrders(1002, 1, standard, minute), Limited.no, "counted per account");
});

test("LIM-3 an address has 6000 weight and 24000 signed requests in a minute, counted separately", () => {
  const limiter = newLimiter();
  assert.deepEqual([publicWeightPerMinute, signedRequestsPerMinute], [6000, 24_000]);
  assert.ok(limiter.takePublicWeight(0x7f000001, 6000, minute));
  assert.ok(!limiter.takePublicWeight(0x7f000001, 1, minute));
  for (let request = 0; request < 24_000; request++) {
    assert.ok(limiter.takeSignedRequest(0x7f000001, minute));
  }
  assert.ok(!limiter.takeSignedRequest(0x7f000001, minute + 59_999));
  assert.ok(limiter.takeSignedRequest(0x7f000001, minute + 60_000));
  assert.ok(limiter.takePublicWeight(0x7f000002, 1, minute));
  assert.equal(limiter.publicWeightOf(0x7f000002, minute), 1);
});

test("LIM-14 a million addresses only make limits stricter, and the limiter allocates no more memory", () => {
  const memory = RateLimiter.allocate(99);
  const limiter = new RateLimiter(memory);
  const bytes = memory.byteLength;
  assert.ok(limiter.takePublicWeight(0x7f000001, 6000, minute));
  for (let address = 0; address < 1_000_000; address++) {
    limiter.takePublicWeight(Math.imul(address, 2_654_435_761), 1, minute);
  }
  assert.ok(!limiter.takePublicWeight(0x7f000001, 1, minute), "other addresses reset no count");
  assert.ok(limiter.takePublicWeight(0x7f000001, 1, minute + 60_000));
  assert.equal(memory.byteLength, bytes);
});
