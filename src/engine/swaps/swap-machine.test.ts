// The swap state machine: each transition, and that no other event changes a state.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isSwapOver, SwapReason, SwapState } from "../../core/swaps.ts";
import {
  decideSwap,
  type SwapEvent,
  type SwapFacts,
  type SwapTimes,
  settleAttemptsMax,
} from "./swap-machine.ts";

const times: SwapTimes = {
  quoteWindowMs: 1_500,
  traderMs: 60_000,
  walletMs: 120_000,
  providerMs: 30_000,
  allocateMs: 150_000,
  settleMs: 60_000,
  marginMs: 5_000,
  lapseMs: 120_000,
  graceMs: 2_000,
  unkeptMax: 3,
  unkeptMs: 600_000,
};
const now = 1_000_000;
const settleBeforeMs = now + 100_000;

function facts(state: SwapState, change: Partial<SwapFacts> = {}): SwapFacts {
  return {
    ...{ state, dueMs: now + 10_000, settleBeforeMs, signBeforeMs: now + 5_000 },
    ...{ signature: null, isLockFailed: false, refusals: 0, isUnknown: false },
    ...change,
  };
}

/** The resulting state and reason; null if the event has no effect. */
function follows(
  state: SwapState,
  event: SwapEvent,
  change: Partial<SwapFacts> = {},
  atMs = now,
): readonly [SwapState, SwapReason] | null {
  const move = decideSwap(facts(state, change), event, atMs, times);
  return move && [move.to, move.reason];
}

const S = SwapState;
const R = SwapReason;

test("RFQ-1 a request becomes quoted with its first quote, and expires without one", () => {
  assert.deepEqual(follows(S.requested, { kind: "quoted", untilMs: now + 5 }), [S.quoted, R.none]);
  assert.deepEqual(follows(S.requested, { kind: "roundOver" }), [S.expired, R.noQuote]);
  assert.deepEqual(follows(S.requested, { kind: "cancelled" }), [S.cancelled, R.traderCancelled]);
  assert.equal(follows(S.requested, { kind: "accepted", isWallet: false }), null);
});

test("RFQ-2 RFQ-29 a swap stays quoted until its longest-lived quote expires, and no longer", () => {
  const later = { kind: "quoted", untilMs: now + 20_000 } as const;
  const move = decideSwap(facts(S.quoted), later, now, times);
  assert.deepEqual(move, { to: S.quoted, reason: R.none, dueMs: now + 20_000 });
  assert.equal(follows(S.quoted, { kind: "quoted", untilMs: now + 9_000 }), null);
  assert.equal(follows(S.quoted, { kind: "roundOver" }), null);
  assert.equal(follows(S.quoted, { kind: "looked" }, {}, now + 9_999), null);
  const over = follows(S.quoted, { kind: "looked" }, {}, now + 10_000);
  assert.deepEqual(over, [S.expired, R.quotesLapsed]);
});

test("RFQ-3 RFQ-30 accepting a quote starts the time for the trader's lock, which is longer with the trader's own wallet", () => {
  for (const [isWallet, ms] of [
    [false, times.traderMs],
    [true, times.walletMs],
  ] as const) {
    const move = decideSwap(facts(S.quoted), { kind: "accepted", isWallet }, now, times);
    assert.deepEqual(move, { to: S.accepted, reason: R.none, dueMs: now + ms });
  }
});

test("RFQ-4 a swap ends if nothing is locked in time, unless a lock may still commit", () => {
  const late = now + 10_000;
  assert.deepEqual(follows(S.accepted, { kind: "looked" }, {}, late), [S.expired, R.traderLate]);
  assert.equal(follows(S.accepted, { kind: "looked" }, { isUnknown: true }, late), null);
  assert.equal(follows(S.accepted, { kind: "aborted" }, { isUnknown: true }), null);
  const locked = decideSwap(facts(S.accepted), { kind: "traderLocked" }, now, times);
  const dueMs = now + times.providerMs;
  assert.deepEqual(locked, { to: S.traderAllocated, reason: R.none, dueMs });
});

test("RFQ-24 RFQ-36 a swap without a signature ends when its quote and the grace period are over, and a signed one continues", () => {
  const late = now + 5_000;
  const from = S.accepted;
  assert.equal(follows(from, { kind: "looked" }, {}, late - 1), null);
  assert.deepEqual(follows(from, { kind: "looked" }, {}, late), [S.expired, R.traderLate]);
  const signed = { signature: "s" };
  assert.equal(follows(from, { kind: "looked" }, signed, late), null);
  assert.equal(follows(from, { kind: "looked" }, { isUnknown: true }, late), null);
  const locked = { kind: "traderLocked" } as const;
  assert.deepEqual(follows(from, locked, {}, late - 1), [S.traderAllocated, R.none]);
  assert.deepEqual(follows(from, locked, {}, late), [S.releasing, R.traderLate]);
  assert.deepEqual(follows(from, locked, signed, late), [S.traderAllocated, R.none]);
});

test("RFQ-25 the trader can cancel a swap until the trader has signed it", () => {
  const cancelled = { kind: "cancelled" } as const;
  assert.deepEqual(follows(S.accepted, cancelled), [S.cancelled, R.traderCancelled]);
  assert.equal(follows(S.accepted, cancelled, { signature: "s" }), null);
  assert.equal(follows(S.accepted, cancelled, { isUnknown: true }), null);
  assert.equal(follows(S.traderAllocated, cancelled), null);
});

test("RFQ-25 RFQ-28 the trader can cancel while the signed lock waits for the venue's traffic, not while it may commit", () => {
  const cancelled = { kind: "cancelled" } as const;
  const waiting = { signature: "s", isLockFailed: true };
  assert.deepEqual(follows(S.accepted, cancelled, waiting), [S.cancelled, R.lockFailed]);
  assert.equal(follows(S.accepted, cancelled, { ...waiting, isUnknown: true }), null);
});

test("RFQ-28 a lock that failed without the trader's fault does not count as the trader being late", () => {
  const late = now + 5_000;
  const from = S.accepted;
  const failed = { isLockFailed: true };
  assert.equal(follows(from, { kind: "looked" }, failed, late - 1), null);
  assert.deepEqual(follows(from, { kind: "looked" }, failed, late), [S.expired, R.lockFailed]);
  assert.deepEqual(follows(from, { kind: "cancelled" }, failed), [S.cancelled, R.lockFailed]);
  assert.deepEqual(follows(from, { kind: "traderLocked" }, failed, late), [
    ...([S.releasing, R.lockFailed] as const),
  ]);
  const signed = { signature: "s" };
  const over = now + 10_000;
  assert.deepEqual(follows(from, { kind: "looked" }, signed, over), [S.expired, R.lockFailed]);
});

test("RFQ-5 if the provider refuses, is late or answers with wrong terms, the trader's leg is released", () => {
  const from = S.traderAllocated;
  assert.deepEqual(follows(from, { kind: "declined" }), [S.releasing, R.declined]);
  assert.deepEqual(follows(from, { kind: "wrongTerms" }), [S.releasing, R.wrongTerms]);
  assert.deepEqual(follows(from, { kind: "withdrawn" }), [S.releasing, R.traderWithdrew]);
  const late = follows(from, { kind: "looked" }, {}, now + 10_000);
  assert.deepEqual(late, [S.releasing, R.providerLate]);
  assert.deepEqual(follows(from, { kind: "bothLocked" }), [S.allocated, R.none]);
});

test("RFQ-6 a settlement does not begin within the safety margin before its deadline", () => {
  const edge = settleBeforeMs - times.marginMs;
  const begun = { kind: "begun" } as const;
  assert.deepEqual(follows(S.allocated, begun, {}, edge - 1), [S.executing, R.none]);
  assert.deepEqual(follows(S.allocated, begun, {}, edge), [S.releasing, R.settlementLate]);
});

test("RFQ-7 a refused settlement is retried while time and attempts are left and the refusal is not final", () => {
  const refused = { kind: "refused", isFinal: false } as const;
  assert.equal(follows(S.executing, refused), null);
  const last = { refusals: settleAttemptsMax - 1 };
  assert.deepEqual(follows(S.executing, refused, last), [S.releasing, R.refused]);
  const final = { kind: "refused", isFinal: true } as const;
  assert.deepEqual(follows(S.executing, final), [S.releasing, R.refused]);
  const late = follows(S.executing, refused, {}, settleBeforeMs);
  assert.deepEqual(late, [S.releasing, R.settlementLate]);
});

test("RFQ-8 nothing is released while the outcome of a settlement is unknown", () => {
  const events: SwapEvent[] = [
    { kind: "refused", isFinal: true },
    { kind: "looked" },
    { kind: "aborted" },
    { kind: "withdrawn" },
    { kind: "freed" },
  ];
  for (const event of events) {
    const after = settleBeforeMs + 1_000_000;
    assert.equal(follows(S.executing, event, { isUnknown: true }, after), null, event.kind);
  }
  assert.deepEqual(follows(S.executing, { kind: "committed" }, { isUnknown: true }), [
    S.settled,
    R.none,
  ]);
});

test("RFQ-9 the operator can cancel a swap until its settlement starts, and not afterwards", () => {
  const aborted = { kind: "aborted" } as const;
  assert.deepEqual(follows(S.requested, aborted), [S.cancelled, R.aborted]);
  assert.deepEqual(follows(S.quoted, aborted), [S.cancelled, R.aborted]);
  assert.deepEqual(follows(S.accepted, aborted), [S.cancelled, R.aborted]);
  assert.deepEqual(follows(S.traderAllocated, aborted), [S.releasing, R.aborted]);
  assert.deepEqual(follows(S.allocated, aborted), [S.releasing, R.aborted]);
  assert.equal(follows(S.executing, aborted), null);
  assert.equal(follows(S.settled, aborted), null);
});

test("RFQ-19 RFQ-32 a freeze ends a swap unless both sides have locked or a lock may still commit", () => {
  const frozen = { kind: "frozen" } as const;
  for (const from of [S.requested, S.quoted, S.accepted])
    assert.deepEqual(follows(from, frozen), [S.cancelled, R.accountFrozen]);
  assert.equal(follows(S.accepted, frozen, { isUnknown: true }), null);
  assert.deepEqual(follows(S.traderAllocated, frozen), [S.releasing, R.accountFrozen]);
  for (const from of [S.allocated, S.executing, S.releasing, S.settled])
    assert.equal(follows(from, frozen), null);
});

const anyEvent: fc.Arbitrary<SwapEvent> = fc.oneof(
  fc.record({ kind: fc.constant("quoted" as const), untilMs: fc.integer({ min: 0 }) }),
  fc.record({ kind: fc.constant("accepted" as const), isWallet: fc.boolean() }),
  fc.record({ kind: fc.constant("refused" as const), isFinal: fc.boolean() }),
  fc.constantFrom(
    ...([
      { kind: "roundOver" },
      { kind: "cancelled" },
      { kind: "traderLocked" },
      { kind: "bothLocked" },
      { kind: "declined" },
      { kind: "wrongTerms" },
      { kind: "withdrawn" },
      { kind: "begun" },
      { kind: "committed" },
      { kind: "freed" },
      { kind: "aborted" },
      { kind: "frozen" },
      { kind: "looked" },
    ] as const satisfies readonly SwapEvent[]),
  ),
);

test("RFQ-9 whatever happens, a swap only goes forward, settles only from executing, and stays ended", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(anyEvent, fc.nat(50_000), fc.boolean()), { maxLength: 60 }),
      (steps) => {
        let swap = facts(S.requested);
        let atMs = now;
        for (const [event, passed, isUnknown] of steps) {
          atMs += passed;
          const request = { ...swap, isUnknown };
          const move = decideSwap(request, event, atMs, times);
          if (move === null) continue;
          assert(!isSwapOver(swap.state), "a swap that has ended must not change");
          assert(move.to >= swap.state, "a swap must not go back to an earlier state");
          if (move.to === S.settled) assert.equal(swap.state, S.executing);
          if (move.to === S.released) assert.equal(swap.state, S.releasing);
          const hadLock = swap.state >= S.traderAllocated;
          if (hadLock)
            assert(
              move.to !== S.expired && move.to !== S.cancelled,
              "a swap with a lock must be released or settled",
            );
          swap = { ...swap, state: move.to, dueMs: move.dueMs };
        }
      },
    ),
  );
});
