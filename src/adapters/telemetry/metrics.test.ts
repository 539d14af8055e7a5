// Tests that all metrics are in the text. They are read from shared memory and, for custody, from its reader.

import assert from "node:assert/strict";
import { test } from "node:test";
import { RejectReason } from "../../core/reject-reason.ts";
import { asUnixMs } from "../../core/unix-ms.ts";
import { AnswerCounts } from "../../wire/answer-counts.ts";
import { CountersBuffer } from "../../wire/counters-buffer.ts";
import { LeaseBuffer } from "../../wire/lease-buffer.ts";
import { RefusalCounts } from "../../wire/refusal-counts.ts";
import { SpscRing } from "../../wire/spsc-ring.ts";
import { JournalFigures } from "./journal-figures.ts";
import { createMetricsText } from "./metrics.ts";
import { SafetyFigures } from "./safety-figures.ts";
import { SettlementFigures } from "./settlement-figures.ts";
import { ThreadFigures } from "./thread-figures.ts";
import { ownKernelThread } from "./thread-time.ts";

const custodyFigures = {
  holdings: [{ asset: "CC", amount: 7.5 }],
  withdrawalsPending: 2,
  depositsUnclaimed: 1,
  mirrorAgeSeconds: 30,
  baseRemainingBytes: 399_000,
  lanes: [{ lane: "epoch", leftBytes: 90_000 }],
};

const heldClock = {
  nowMs: () => asUnixMs(Date.now()),
  nowUs: () => 0,
  isHeld: () => true,
  differenceMs: () => -3_600_000,
};

const shownLines = [
  "rialto_committed_seq 41",
  'rialto_custody_holdings{asset="CC"} 7.5',
  "rialto_custody_withdrawals_pending 2",
  "rialto_custody_deposits_unclaimed 1",
  "rialto_settlement_mirror_age_seconds 30",
  "rialto_makers_held 1",
  "rialto_traffic_base_remaining_bytes 399000",
  'rialto_traffic_lane_left_bytes{lane="epoch"} 90000',
  'rialto_thread_beats{thread="clearing"} 1',
  'rialto_ring_used_bytes{ring="journal"} 16',
  'rialto_thread_gc_seconds_bucket{thread="clearing",le="0.0004"} 1',
  'rialto_thread_gc_seconds_count{thread="main"} 0',
  'rialto_refusals_total{reason="insufficientBalance"} 1',
  'rialto_http_answers_total{status="200"} 3',
  "rialto_clock_held 1",
  "rialto_clock_step_seconds -3600",
  "rialto_snapshot_seq 40",
  "rialto_conservation_assets_astray 0",
  "rialto_journal_stalled 0",
  'rialto_ring_capacity_bytes{ring="journal"} 1024',
  'rialto_journal_group_events_bucket{le="1"} 1',
  'rialto_journal_group_events_bucket{le="2"} 2',
  'rialto_journal_group_events_bucket{le="4"} 3',
  'rialto_journal_group_events_bucket{le="4096"} 4',
  'rialto_journal_group_events_bucket{le="+Inf"} 4',
  "rialto_journal_group_events_sum 4102",
  "rialto_journal_group_events_count 4",
  "rialto_settlement_pending_fills 9",
  "rialto_settlement_retries 7",
  'rialto_price_source_failing{source="one.example"} 0',
  'rialto_price_source_failing{source="two.example"} 1',
  "rialto_settlement_coins_astray 2",
  'rialto_settlement_batches{state="open"} 4',
  'rialto_settlement_batches{state="failed"} 5',
];

test("OPS-41 OPS-90 the metrics text shows the current seqs, rings, threads and histograms", async () => {
  const counters = CountersBuffer.allocate(2);
  const journalFigures = JournalFigures.allocate();
  const settlementFigures = SettlementFigures.allocate();
  const buffer = SpscRing.allocate(1024);
  const threadFigures = ThreadFigures.allocate(2);
  const refusals = RefusalCounts.allocate();
  const safety = SafetyFigures.allocate();
  const answers = AnswerCounts.allocate(2);
  const text = createMetricsText({
    lease: LeaseBuffer.allocate(),
    monotonicMs: () => performance.now(),
    counters,
    journalFigures,
    settlementFigures,
    threadFigures,
    ...{ refusals, answers, safety },
    rings: [{ name: "journal", buffer }],
    front: "front 0",
    dataDir: ".",
    custody: { read: async () => custodyFigures },
    priceSources: () => [
      { name: "one.example", failing: null },
      { name: "two.example", failing: { sinceMs: 0, message: "no answer in time" } },
    ],
    makers: () => "paused",
    clock: heldClock,
    threadNames: ["main", "clearing"],
  });
  new CountersBuffer(counters).storeCommittedSeq(41);
  new CountersBuffer(counters).heartbeat(1);
  const ring = new SpscRing(buffer);
  ring.tryClaim(8);
  ring.commit();
  ring.publish();
  const figures = new JournalFigures(journalFigures);
  for (const events of [1, 2, 3, 4096]) figures.batchEvents.record(events);
  const batches = { open: 4, ready: 3, processing: 2, retry: 1, failed: 5 };
  const backlog = { oldestMs: Date.now() - 60_000, fills: 9, batches };
  new SettlementFigures(settlementFigures).store(backlog, 7);
  new SettlementFigures(settlementFigures).audited(2);
  new ThreadFigures(threadFigures, 0).kernelThread = ownKernelThread();
  new ThreadFigures(threadFigures, 1).gcSeconds.record(0.0004);
  new RefusalCounts(refusals).count(RejectReason.insufficientBalance);
  AnswerCounts.rowOf(answers, 0)[200] = 1;
  AnswerCounts.rowOf(answers, 1)[200] = 2;
  new SafetyFigures(safety).folded(40, 0);
  figures.waitingSinceMs = 1;
  figures.laggingSinceMs = Date.now() - 30_000;
  const lines = (await text()).split("\n");
  for (const line of shownLines) {
    assert(lines.includes(line), line);
  }
  const secondsOf = (name: string) =>
    Number(lines.find((line) => line.startsWith(name))?.split(" ")[1]);
  const ownSeconds = secondsOf('rialto_thread_cpu_seconds_total{thread="main"}');
  const ofProcess = secondsOf("rialto_process_cpu_seconds_total");
  // Only Linux reports the processor time of a thread.
  const isReported = ownSeconds > 0 && ownSeconds <= ofProcess + 0.1;
  assert(isReported || ownKernelThread() === 0, `${ownSeconds} s of ${ofProcess} s`);
  assert(
    !lines.some((line) => line.startsWith('rialto_thread_cpu_seconds_total{thread="clearing"')),
  );
  const lag = lines.find((line) => line.startsWith("rialto_settlement_lag_seconds "));
  assert(Number(lag?.split(" ")[1]) >= 60, lag);
  assert(secondsOf("rialto_projection_lag_seconds ") > 0);
});

test("a value above every bound counts only in the last bucket", () => {
  const figures = new JournalFigures(JournalFigures.allocate());
  figures.commitSeconds.record(1e9);
  figures.commitSeconds.record(0);
  const buckets = figures.commitSeconds.cumulative();
  assert.equal(buckets[0]?.count, 1);
  assert.equal(buckets.at(-2)?.count, 1);
  assert.equal(buckets.at(-1)?.count, 2);
});
