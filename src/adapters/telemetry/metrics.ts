// What /metrics shows: the venue's shared counters as Prometheus text. Everything is read from shared
// memory at the moment of the question, so no thread is asked and none is slowed down.

import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { JournalFigures } from "./journal-figures.ts";
import { loopSampleMs, type MetricsSources } from "./metrics-sources.ts";
import type { SharedHistogram } from "./shared-histogram.ts";

/** Answers the text of all metrics of the venue. */
export function createMetricsText(sources: MetricsSources): () => Promise<string> {
  const delay: IntervalHistogram = monitorEventLoopDelay({ resolution: loopSampleMs });
  delay.enable();
  const histograms = histogramsOf(new JournalFigures(sources.journalFigures));
  // Loaded at the first question: a restart must not wait for what it does not need.
  let gauges: Promise<() => Promise<string>> | null = null;
  return async () => {
    gauges ??= import("./gauges.ts").then(({ createGauges }) => createGauges(sources, delay));
    const read = await gauges;
    return `${await read()}\n${histograms.map(histogramText).join("\n\n")}\n`;
  };
}

function histogramsOf(figures: JournalFigures): HistogramSource[] {
  return [
    {
      name: "rialto_journal_group_events",
      help: "Events in one committed group",
      values: figures.groupEvents,
    },
    {
      name: "rialto_journal_commit_seconds",
      help: "From handing a group to the store until it is durable",
      values: figures.commitSeconds,
    },
    {
      name: "rialto_journal_ack_seconds",
      help: "From a group's first event in clearing until its replies leave the journal",
      values: figures.ackSeconds,
    },
  ];
}

interface HistogramSource {
  readonly name: string;
  readonly help: string;
  readonly values: SharedHistogram;
}

/** The library's histograms count by themselves; ours were counted elsewhere and are only written out. */
function histogramText({ name, help, values }: HistogramSource): string {
  const buckets = values
    .cumulative()
    .map(({ bound, count }) => `${name}_bucket{le="${boundText(bound)}"} ${count}`);
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} histogram`,
    ...buckets,
    `${name}_sum ${values.sum}`,
    `${name}_count ${values.count}`,
  ].join("\n");
}

function boundText(bound: number): string {
  return bound === Number.POSITIVE_INFINITY ? "+Inf" : String(bound);
}
