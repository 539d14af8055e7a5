// Snapshot + following events must equal the state of the whole journal, and a snapshot with a wrong hash is never
// used.

import assert from "node:assert/strict";
import { test } from "node:test";
import { randomEvents } from "../../../test/support/journal/journal-tables.ts";
import { MemoryJournal } from "../../../test/support/journal/memory-journal.ts";
import { testMarkets } from "../../../test/support/machine/test-markets.ts";
import { apply } from "../../engine/state/apply/apply.ts";
import { VenueState } from "../../engine/state/venue-state.ts";
import { stateHash } from "../../engine/state-hash.ts";
import { announced, recover, takeSnapshot } from "./replay.ts";
import { foldSnapshot } from "./snapshot-folding.ts";

const options = { projectionIntervalMs: 250 };
const events = randomEvents({ seed: 11, commands: 3_000 });
const transactionEnds = events
  .filter(({ isTransactionEnd }) => isTransactionEnd)
  .map(({ seq }) => seq);

function stateAfter(seq: number): VenueState {
  const state = new VenueState(testMarkets);
  for (const event of events.slice(0, seq)) apply(state, event);
  return state;
}

const wholeHash = stateHash(stateAfter(events.length));

test("without a snapshot the whole journal is replayed", async () => {
  const { projection, snapshotSeq, replayed } = await recover(
    new MemoryJournal(events),
    testMarkets,
    options,
  );
  assert.equal(stateHash(projection.state), wholeHash);
  assert.deepEqual([snapshotSeq, replayed], [0, events.length]);
});

test("every snapshot with the events after it gives the same state as the whole journal", async () => {
  for (let index = 0; index < transactionEnds.length; index += 397) {
    const journal = new MemoryJournal(events);
    const seq = transactionEnds[index] ?? 0;
    await foldSnapshot(journal, testMarkets, seq);
    const recovery = await recover(journal, testMarkets, options);
    assert.equal(recovery.snapshotSeq, seq);
    assert.equal(stateHash(recovery.projection.state), wholeHash);
  }
});

test("a snapshot folded from an earlier snapshot equals one folded from the start", async () => {
  const journal = new MemoryJournal(events);
  const [middle = 0] = transactionEnds.slice(transactionEnds.length / 2);
  await foldSnapshot(journal, testMarkets, middle);
  const folded = await foldSnapshot(journal, testMarkets, events.length);
  assert.equal(folded.folded, events.length - middle);
  assert.equal(folded.stateHash, wholeHash);
});

test("if a snapshot is damaged, the previous one is used", async () => {
  const journal = new MemoryJournal(events);
  const [first = 0, second = 0] = [transactionEnds[50], transactionEnds[500]];
  await journal.writeSnapshot(takeSnapshot(stateAfter(first)));
  const good = takeSnapshot(stateAfter(second));
  for (const bad of [
    { ...good, stateHash: "0000000000000000" },
    { ...good, seq: good.seq + 1 },
    { ...good, bytes: good.bytes.slice(0, good.bytes.length / 2) },
  ]) {
    journal.snapshots = journal.snapshots.filter(({ seq }) => seq === first);
    await journal.writeSnapshot(bad);
    const { projection, snapshotSeq, rejected } = await recover(journal, testMarkets, options);
    assert.equal(snapshotSeq, first);
    assert.equal(rejected.length, 1);
    assert.equal(stateHash(projection.state), wholeHash);
  }
});

test("a journal with a gap is not replayed", async () => {
  const holed = events.filter(({ seq }) => seq !== 20);
  await assert.rejects(recover(new MemoryJournal(holed), testMarkets, options), /gapless/);
});

test("GWY-5 what a leader has not announced as durable is not read, snapshots included", async () => {
  const journal = new MemoryJournal(events);
  const [first = 0, second = 0, third = 0] = [50, 100, 500].map((index) => transactionEnds[index]);
  for (const seq of [first, third]) await journal.writeSnapshot(takeSnapshot(stateAfter(seq)));
  const recovery = await recover(announced(journal, second), testMarkets, options);
  assert.equal(recovery.snapshotSeq, first);
  assert.equal(stateHash(recovery.projection.state), stateHash(stateAfter(second)));
});
