// Renders /metrics: the venue's shared counters as Prometheus text. Everything is read from shared memory
// when scraped, so no thread is interrupted.

import { createGauges } from "./gauges.ts";
import { JournalFigures } from "./journal-figures.ts";
import { LoopDelay } from "./loop-delay.ts";
import type { MetricsSources } from "./metrics-sources.ts";
import type { SharedHistogram } from "./shared-histogram.ts";
import { ThreadFigures } from "./thread-figures.ts";

/** Sampling interval of the front's event loop delay, in ms. */
const loopSampleMs = 20;
/** Interval in ms of the looks that start and end the samples. */
const loopLookMs = 1_000;

/** Returns the renderer of all metrics. */
export function createMetricsText(sources: MetricsSources): () => Promise<string> {
  const delay = new LoopDelay(loopSampleMs);
  setInterval(() => delay.look(), loopLookMs).unref();
  const histograms = [
    ...journalHistograms(new JournalFigures(sources.journalFigures)),
    pausesOf(sources),
  ];
  // The gauges are made at the first scrape, so that a restart does not wait for them.
  let gauges: (() => Promise<string>) | null = null;
  return async () => {
    gauges ??= createGauges(sources, delay);
    return `${await gauges()}\n${histograms.map(histogramText).join("\n\n")}\n`;
  };
}

/** The histograms of the journal thread. */
export function journalHistograms(figures: JournalFigures): HistogramSource[] {
  return [
    {
      name: "rialto_journal_group_events",
      help: "Events in one commit batch",
      series: [{ label: "", values: figures.batchEvents }],
    },
    {
      name: "rialto_journal_commit_seconds",
      help: "Time from handing a commit batch to the database until it is durable",
      series: [{ label: "", values: figures.commitSeconds }],
    },
    {
      name: "rialto_journal_ack_seconds",
      help: "Time from a commit batch's first event in clearing until its replies leave the journal",
      series: [{ label: "", values: figures.ackSeconds }],
    },
  ];
}

function pausesOf({ threadNames, threadFigures }: MetricsSources): HistogramSource {
  const series = threadNames.map((thread, index) => ({
    label: `thread="${thread}"`,
    values: new ThreadFigures(threadFigures, index).gcSeconds,
  }));
  return {
    name: "rialto_thread_gc_seconds",
    help: "Garbage collection pauses of a thread",
    series,
  };
}

interface Series {
  /** A Prometheus label, `name="value"`; empty for none. */
  readonly label: string;
  readonly values: SharedHistogram;
}

export interface HistogramSource {
  readonly name: string;
  readonly help: string;
  readonly series: readonly Series[];
}

/**
 * Renders a histogram. The metrics library is not used for it, because its histograms count values themselves, while
 * these values are counted in shared memory.
 */
function histogramText({ name, help, series }: HistogramSource): string {
  const lines = series.flatMap(({ label, values }) => {
    const beside = label === "" ? "" : `${label},`;
    const alone = label === "" ? "" : `{${label}}`;
    const buckets = values
      .cumulative()
      .map(({ bound, count }) => `${name}_bucket{${beside}le="${boundText(bound)}"} ${count}`);
    return [
      ...buckets,
      `${name}_sum${alone} ${values.sum}`,
      `${name}_count${alone} ${values.count}`,
    ];
  });
  return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...lines].join("\n");
}

/** A bucket's upper bound, as its label has it. */
export function boundText(bound: number): string {
  return bound === Number.POSITIVE_INFINITY ? "+Inf" : String(bound);
}
