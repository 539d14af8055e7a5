// Swap steps in the journal: each step is journaled once and in the order of the numbers, also after a snapshot.

import assert from "node:assert/strict";
import { test } from "node:test";
import { testMarkets } from "../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../test/support/machine/test-venue.ts";
import { AssertionFailure } from "../../core/assert.ts";
import { CommandKind } from "../../core/generated/commands.ts";
import { EventKind } from "../../core/generated/events.ts";
import { Side } from "../../core/orders.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import { SwapReason, SwapState } from "../../core/swaps.ts";
import { captureState, restoreState } from "../state/snapshot/venue-snapshot.ts";
import { stateHash } from "../state-hash.ts";

function step(venue: TestVenue, moveNo: number) {
  const { reason } = venue.send({
    kind: CommandKind.recordSwapMove,
    account: 0,
    moveNo,
    swapNo: 7,
    market: 0,
    side: Side.sell,
    ...{ from: SwapState.accepted, to: SwapState.expired, reason: SwapReason.traderLate },
    ...{ price: 12, lots: 34, digestHigh: -5n, digestLow: 6n },
  });
  return reason;
}

test("RFQ-10 a swap's step is journaled once and changes no balance", () => {
  const venue = new TestVenue();
  const before = venue.state.seq;
  assert.equal(step(venue, 1), RejectReason.none);
  assert.equal(venue.events.at(-1)?.kind, EventKind.swapMoved);
  assert.equal(venue.state.seq, before + 1);
  assert.equal(step(venue, 1), RejectReason.swapMoveKnown);
  assert.equal(venue.state.seq, before + 1, "a refusal writes nothing");
  assert.equal(step(venue, 2), RejectReason.none);
  assert.equal(venue.state.swapMoves, 2);
  const restored = restoreState(testMarkets, captureState(venue.state));
  assert.equal(stateHash(restored), stateHash(venue.state));
});

test("RFQ-10 a step that skips its predecessor stops clearing", () => {
  assert.throws(() => step(new TestVenue(), 2), AssertionFailure);
});
