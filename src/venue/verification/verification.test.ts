// Tests the comparison of the folded journal with stored snapshots: differences, and snapshots of another format.

import assert from "node:assert/strict";
import { test } from "node:test";
import { randomEvents } from "../../../test/support/journal/journal-tables.ts";
import { MemoryJournal } from "../../../test/support/journal/memory-journal.ts";
import { testMarkets } from "../../../test/support/machine/test-markets.ts";
import { apply } from "../../engine/state/apply/apply.ts";
import { captureState } from "../../engine/state/snapshot/venue-snapshot.ts";
import { VenueState } from "../../engine/state/venue-state.ts";
import { takeSnapshot } from "../../services/journal/replay.ts";
import { packSnapshot } from "../../wire/snapshot-codec.ts";
import { verifyReplay } from "./verification.ts";

const events = randomEvents({ seed: 5, commands: 300 });
const options = { untilSeq: events.length, projections: null, onProgress: () => undefined };

function stateAfter(seq: number): VenueState {
  const state = new VenueState(testMarkets);
  for (const event of events.slice(0, seq)) apply(state, event);
  return state;
}

test("CHN-12 a snapshot in an older format is counted, and is not a difference", async () => {
  const journal = new MemoryJournal(events);
  const state = stateAfter(events.length);
  const older = packSnapshot({ ...captureState(state), format: 1 });
  await journal.writeSnapshot({ ...takeSnapshot(state), bytes: older });
  const verification = await verifyReplay(journal, testMarkets, options);
  assert.deepEqual(verification.differences, []);
  assert.deepEqual([verification.snapshotsCompared, verification.snapshotsPassedOver], [0, 1]);
});

test("a snapshot of another state, or an unreadable snapshot, is a difference", async () => {
  const journal = new MemoryJournal(events);
  const state = stateAfter(events.length);
  await journal.writeSnapshot({ ...takeSnapshot(state), stateHash: "0123456789abcdef" });
  await journal.writeSnapshot({ seq: 1, stateHash: "0", bytes: Uint8Array.of(1, 2, 3) });
  const { differences } = await verifyReplay(journal, testMarkets, options);
  assert(differences.some((message) => message.startsWith(`snapshot ${events.length}`)));
  assert(differences.some((message) => message.startsWith("snapshot 1 cannot be read")));
});
