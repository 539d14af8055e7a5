// Proves on random days, audited after every transaction, that the venue's invariants hold in whatever order matchers
// answer, that replaying the events gives the live state, and that a restored state continues like the original.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { CommandKind } from "../../src/core/generated/commands.ts";
import type { VenueEvent } from "../../src/core/generated/events.ts";
import type { MatchRequest } from "../../src/core/generated/messages.ts";
import { RejectReason } from "../../src/core/reject-reason.ts";
import { apply } from "../../src/engine/state/apply/apply.ts";
import { restingOrders, restingOrdersOf } from "../../src/engine/state/snapshot/resting-orders.ts";
import { captureState, restoreState } from "../../src/engine/state/snapshot/venue-snapshot.ts";
import { VenueState } from "../../src/engine/state/venue-state.ts";
import { stateHash } from "../../src/engine/state-hash.ts";
import { testMarkets } from "../support/machine/test-markets.ts";
import { TestVenue } from "../support/machine/test-venue.ts";
import { auditedVenue, intervals, runStreams, sayTold } from "./clearing-runs.ts";
import { drive, streams } from "./clearing-steps.ts";
import { endConnections } from "./connection-steps.ts";

const seed = 20261121;

function replay(events: readonly VenueEvent[], state = new VenueState(testMarkets)): VenueState {
  for (const event of events) apply(state, event);
  return state;
}

/** Copies a state by taking and restoring a snapshot. */
function copied(state: VenueState): VenueState {
  return restoreState(testMarkets, captureState(state));
}

test("ACC-3 ACC-8 ACC-14 ACC-20 ACC-21 ACC-22 ORD-4 ORD-42 JRN-3 the invariants hold after every transaction of 120,000 commands", (t) => {
  const told = runStreams({ seed, commands: 120_000 });
  t.diagnostic(sayTold(told));
  assert(told.payments > 1000, "the streams had too few funding payments");
  assert(told.claims > 100, "the streams had too few commission claims");
  assert(told.moves > 50, "the streams had too few takeovers");
  assert(told.trades > 10_000, "the streams had too few trades");
  assert(
    told.foretold > 10_000 && told.short > 500 && told.beyond > 50,
    "margin decided too few commands",
  );
});

test("JRN-9 folding the events gives the live venue's state hash", () => {
  fc.assert(
    fc.property(streams(1500), (steps) => {
      const { venue } = auditedVenue(2);
      for (const step of steps) drive(venue, step);
      venue.machine.settle();
      assert.equal(stateHash(replay(venue.events)), stateHash(venue.state));
    }),
    { seed: seed + 1, numRuns: 4, endOnFailure: true },
  );
});

test("JRN-10 a snapshot and the events after it give the state of all events", () => {
  fc.assert(
    fc.property(streams(1000), fc.nat({ max: 999 }), (steps, cut) => {
      const { venue } = auditedVenue(2);
      for (const step of steps) drive(venue, step);
      venue.machine.settle();
      // Snapshots are taken between transactions, so the cut is at the next end of a transaction.
      const middle = Math.floor((venue.events.length * cut) / 1000);
      const ends =
        venue.events.findIndex(({ isTransactionEnd, seq }) => isTransactionEnd && seq > middle) + 1;
      const restored = copied(replay(venue.events.slice(0, ends)));
      replay(venue.events.slice(ends), restored);
      assert.equal(stateHash(restored), stateHash(venue.state));
    }),
    { seed: seed + 2, numRuns: 4, endOnFailure: true },
  );
});

test("JRN-10 a restored venue has the same hash and books and continues like the original", () => {
  fc.assert(
    fc.property(streams(600), streams(600), (past, future) => {
      const { venue } = auditedVenue(2);
      for (const step of past) drive(venue, step);
      venue.machine.settle();
      endConnections(venue);
      const snapshot = captureState(venue.state);
      const state = restoreState(testMarkets, snapshot);
      const stored: MatchRequest[] = [];
      restingOrdersOf(snapshot, (order) => stored.push({ ...order }));
      const restored: MatchRequest[] = [];
      restingOrders(state, (order) => restored.push({ ...order }));
      assert.deepEqual(
        stored,
        restored,
        "the books of the snapshot and of the restored state must be equal",
      );
      const twin = new TestVenue({ state, matcherCount: 2, ...intervals });
      twin.nowUs = venue.nowUs;
      const before = venue.events.length;
      // The first tick after a start compares what waits with the last prices.
      for (const one of [venue, twin]) one.machine.take(one.command({ kind: CommandKind.tick }));
      assert.equal(stateHash(twin.state), stateHash(venue.state));
      for (const step of future) {
        drive(venue, step);
        drive(twin, step);
      }
      venue.machine.settle();
      twin.machine.settle();
      for (const [index, event] of venue.events.slice(before).entries()) {
        assert.deepEqual(twin.events[index], event);
      }
      assert.equal(stateHash(twin.state), stateHash(venue.state));
    }),
    { seed: seed + 3, numRuns: 3, endOnFailure: true },
  );
});

test("ORD-20 a refusal changes no state and writes no event", (t) => {
  const reasons = new Set<number>();
  fc.assert(
    fc.property(streams(800), (steps) => {
      const { venue } = auditedVenue(1);
      for (const step of steps) {
        const before = stateHash(venue.state);
        const said = venue.replies.length;
        const wrote = venue.events.length;
        drive(venue, step);
        venue.machine.settle();
        const [reply, ...more] = venue.replies.slice(said);
        if (reply === undefined || reply.reason === RejectReason.none) continue;
        reasons.add(reply.reason);
        assert.equal(more.length, 0, "each command must have one reply");
        assert.equal(venue.events.length, wrote);
        assert.equal(stateHash(venue.state), before);
      }
    }),
    { seed: seed + 4, numRuns: 3 },
  );
  t.diagnostic(`refused for ${[...reasons].sort().join(" ")}`);
  assert(reasons.size >= 12, "the streams had too few kinds of refusal");
});
