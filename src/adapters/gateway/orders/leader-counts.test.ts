// Proves what the commands of a request count for at the leader, and what its answer shows.

import assert from "node:assert/strict";
import { test } from "node:test";
import { RateTier } from "../../../core/accounts.ts";
import { emptyOrderClaim, emptyReply } from "../../../core/generated/messages.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { asUnixMs } from "../../../core/unix-ms.ts";
import { limitsOf, RateLimiter } from "../../../services/access/rate-limiter.ts";
import { notCounted, OrderClaims } from "../../../services/bus/order-claims.ts";
import { LeaderCounts, requestClaim } from "./leader-counts.ts";

const nowMs = asUnixMs(28_333_333 * 60_000);
const caller = { keyId: 7, account: 1001, tier: RateTier.standard };

function setUp(orders: number, weight = 5) {
  const limiter = new RateLimiter(RateLimiter.allocate(1));
  const claims = new OrderClaims();
  const clock = { nowMs: () => nowMs, nowUs: () => nowMs * 1000 };
  const counts = new LeaderCounts({ claims, limiter, clock });
  limiter.admit(7, weight, 0, limitsOf(RateTier.standard), nowMs);
  const shown: number[][] = [];
  const request = {
    orderClaim: requestClaim(
      caller,
      { ownerOf: () => 1009, largestTier: () => RateTier.house },
      { orders, weight },
    ),
    usedWeight: limiter.usedWeight,
    reportUse: (...use: number[]) => shown.push(use),
  };
  const claimed = (correlation: number) => {
    counts.claim(request, correlation);
    const claim = emptyOrderClaim();
    claims.read(correlation, claim);
    return claim;
  };
  return { limiter, claims, counts, request, shown, claimed };
}

test("GWY-21 each command of a request counts as one order, until all its orders are carried", () => {
  const { claimed } = setUp(2);
  const { keyId, owner, keyTier, accountTier } = claimed(1);
  const expected = [7, 1009, RateTier.standard, RateTier.house];
  assert.deepEqual([keyId, owner, keyTier, accountTier], expected);
  assert.deepEqual(
    [2, 3].map(claimed).map(({ orders }) => orders),
    [1, 0],
  );
});

test("LIM-13 GWY-20 an answer shows the leader's counts, and a request that a limit refused costs no weight", () => {
  const { limiter, claims, counts, request, shown, claimed } = setUp(1);
  claimed(9);
  claims.uses.note(9, { per10s: 50, perMinute: 60 });
  const reply = { ...emptyReply(), correlation: 9 };
  counts.told(request, reply);
  counts.told(request, { ...reply, reason: RejectReason.tooManyOrdersIn10s });
  assert.deepEqual(shown, [
    [5, 50, 60],
    [0, 50, 60],
  ]);
  limiter.lookAtKey(7, nowMs);
  assert.deepEqual([limiter.ordersPer10s, limiter.ordersPerMinute], [50, 60], "for later answers");
  claims.uses.note(9, { per10s: notCounted, perMinute: 0 });
  counts.told(request, reply);
  assert.equal(shown.length, 2, "what the leader did not count changes nothing");
});
