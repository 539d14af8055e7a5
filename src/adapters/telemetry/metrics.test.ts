// Metrics are read from shared memory: whatever the owning threads wrote there is in the text.

import assert from "node:assert/strict";
import { test } from "node:test";
import { CountersBuffer } from "../../wire/counters-buffer.ts";
import { SpscRing } from "../../wire/spsc-ring.ts";
import { JournalFigures } from "./journal-figures.ts";
import { createMetricsText } from "./metrics.ts";

test("the text shows seqs, rings, threads and histograms as they are now", async () => {
  const counters = CountersBuffer.allocate(2);
  const journalFigures = JournalFigures.allocate();
  const buffer = SpscRing.allocate(1024);
  const text = createMetricsText({
    counters,
    journalFigures,
    rings: [{ name: "journal", buffer }],
    front: "front 0",
    threadNames: ["main", "clearing"],
  });
  new CountersBuffer(counters).storeCommittedSeq(41);
  new CountersBuffer(counters).beat(1);
  const ring = new SpscRing(buffer);
  ring.tryClaim(8);
  ring.commit();
  ring.publish();
  const figures = new JournalFigures(journalFigures);
  for (const events of [1, 2, 3, 4096]) figures.groupEvents.record(events);
  const lines = (await text()).split("\n");
  for (const line of [
    "rialto_committed_seq 41",
    'rialto_thread_beats{thread="clearing"} 1',
    'rialto_ring_used_bytes{ring="journal"} 16',
    'rialto_ring_capacity_bytes{ring="journal"} 1024',
    'rialto_journal_group_events_bucket{le="1"} 1',
    'rialto_journal_group_events_bucket{le="2"} 2',
    'rialto_journal_group_events_bucket{le="4"} 3',
    'rialto_journal_group_events_bucket{le="4096"} 4',
    'rialto_journal_group_events_bucket{le="+Inf"} 4',
    "rialto_journal_group_events_sum 4102",
    "rialto_journal_group_events_count 4",
  ]) {
    assert(lines.includes(line), line);
  }
});

test("a value beyond every bound counts in the last bucket only", () => {
  const figures = new JournalFigures(JournalFigures.allocate());
  figures.commitSeconds.record(1e9);
  figures.commitSeconds.record(0);
  const buckets = figures.commitSeconds.cumulative();
  assert.equal(buckets[0]?.count, 1);
  assert.equal(buckets.at(-2)?.count, 1);
  assert.equal(buckets.at(-1)?.count, 2);
});
