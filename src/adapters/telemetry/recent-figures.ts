// The figures that the charts of /ops show, sampled every two seconds for ten minutes: a page that is opened during an
// incident shows how it began. They have the names of /metrics.

import { RejectReason } from "../../core/reject-reason.ts";
import type { Clock } from "../../ports/clock.ts";
import { AnswerCounts } from "../../wire/answer-counts.ts";
import { CountersBuffer } from "../../wire/counters-buffer.ts";
import { RefusalCounts } from "../../wire/refusal-counts.ts";
import { SpscRing } from "../../wire/spsc-ring.ts";
import { JournalFigures } from "./journal-figures.ts";
import { boundText, journalHistograms } from "./metrics.ts";
import type { MetricsSources } from "./metrics-sources.ts";
import { ThreadFigures } from "./thread-figures.ts";

const sampleMs = 2_000;
const samplesMax = 300;

type Figure = readonly [name: string, read: () => number];

export class RecentFigures {
  readonly #figures: Figure[];
  readonly #clock: Clock;
  /** Of each sample its time in Unix milliseconds and the values, as JSON. */
  readonly #samples: string[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(sources: MetricsSources) {
    this.#clock = sources.clock;
    this.#figures = [
      ["rialto_process_start_time_seconds", () => Math.round(performance.timeOrigin) / 1000],
      ...journalFiguresOf(sources),
      ...threadFiguresOf(sources),
      ...ringFiguresOf(sources),
      ...refusalsOf(sources),
      ...answersOf(sources),
    ];
  }

  /** Samples another figure from the next sample on; only before the first one. */
  add(name: string, read: () => number): void {
    this.#figures.push([name, read]);
  }

  start(): void {
    this.#sample();
    this.#timer = setInterval(() => this.#sample(), sampleMs);
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  /** JSON: the time now, the names, and the samples, oldest first. */
  text(): string {
    const names = JSON.stringify(this.#figures.map(([name]) => name));
    return `{"now":${this.#clock.nowMs()},"names":${names},"samples":[${this.#samples.join(",")}]}`;
  }

  #sample(): void {
    const values = this.#figures.map(([, read]) => read());
    this.#samples.push(JSON.stringify([this.#clock.nowMs(), ...values]));
    if (this.#samples.length > samplesMax) this.#samples.shift();
  }
}

function journalFiguresOf(sources: MetricsSources): Figure[] {
  const counters = new CountersBuffer(sources.counters);
  const journal = new JournalFigures(sources.journalFigures);
  const waitingMs = () => {
    const sinceMs = journal.waitingSinceMs;
    return sinceMs === 0 ? 0 : Math.max(0, sources.clock.nowMs() - sinceMs);
  };
  const histograms = journalHistograms(journal).flatMap(({ name, series }) =>
    series.flatMap(({ values }): Figure[] => [
      ...values
        .cumulative()
        .map(
          ({ bound }, at): Figure => [
            `${name}_bucket{le="${boundText(bound)}"}`,
            () => values.cumulative()[at]?.count ?? 0,
          ],
        ),
      [`${name}_sum`, () => values.sum],
      [`${name}_count`, () => values.count],
    ]),
  );
  return [
    ["rialto_issued_seq", () => counters.issuedSeq()],
    ["rialto_committed_seq", () => counters.committedSeq()],
    ["rialto_journal_waiting_seconds", () => waitingMs() / 1000],
    ...histograms,
  ];
}

function threadFiguresOf({ threadNames, threadFigures }: MetricsSources): Figure[] {
  return threadNames.flatMap((name, index): Figure[] => {
    const figures = new ThreadFigures(threadFigures, index);
    return [
      [`rialto_thread_loop_delay_seconds{thread="${name}"}`, () => figures.loopDelaySeconds],
      [`rialto_thread_gc_seconds_sum{thread="${name}"}`, () => figures.gcSeconds.sum],
    ];
  });
}

function ringFiguresOf({ rings }: MetricsSources): Figure[] {
  return rings.flatMap(({ name, buffer }): Figure[] => {
    const ring = new SpscRing(buffer);
    return [
      [`rialto_ring_used_bytes{ring="${name}"}`, () => ring.usedBytes],
      [`rialto_ring_capacity_bytes{ring="${name}"}`, () => ring.capacityBytes],
    ];
  });
}

/** All refusals in one figure: a chart shows only their sum. */
function refusalsOf(sources: MetricsSources): Figure[] {
  const counts = new RefusalCounts(sources.refusals);
  const reasons = Object.values(RejectReason).filter((reason) => reason !== RejectReason.none);
  return [
    ["rialto_refusals_total", () => reasons.reduce((sum, reason) => sum + counts.of(reason), 0)],
  ];
}

/** All HTTP answers in one figure. */
function answersOf(sources: MetricsSources): Figure[] {
  const counts = new AnswerCounts(sources.answers);
  const sum = () => counts.all().reduce((total, [, count]) => total + count, 0);
  return [["rialto_http_answers_total", sum]];
}
