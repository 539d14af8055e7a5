// What /metrics shows: the venue's shared counters as Prometheus text. Everything is read from shared
// memory at the moment of the question, so no thread is asked and none is slowed down.

import { monitorEventLoopDelay } from "node:perf_hooks";
import { Gauge, Registry } from "prom-client";
import { CountersBuffer } from "../../wire/counters-buffer.ts";
import { SpscRing } from "../../wire/spsc-ring.ts";
import { JournalFigures } from "./journal-figures.ts";
import type { SharedHistogram } from "./shared-histogram.ts";

/** How finely the event loop's delay is sampled. */
const loopSampleMs = 5;

/** A ring and what to call it. */
export interface NamedRing {
  readonly name: string;
  readonly buffer: SharedArrayBuffer;
}

export interface MetricsSources {
  readonly counters: SharedArrayBuffer;
  readonly journalFigures: SharedArrayBuffer;
  readonly rings: readonly NamedRing[];
  /** In the order of the heartbeats. */
  readonly threadNames: readonly string[];
}

/** Answers the text of all metrics of the venue. */
export function createMetricsText(sources: MetricsSources): () => Promise<string> {
  const registry = new Registry();
  addSeqs(registry, new CountersBuffer(sources.counters));
  addThreads(registry, new CountersBuffer(sources.counters), sources.threadNames);
  addRings(registry, sources.rings);
  addLoopDelay(registry);
  const histograms = histogramsOf(new JournalFigures(sources.journalFigures));
  return async () => {
    const gauges = await registry.metrics();
    return `${gauges}\n${histograms.map(histogramText).join("\n\n")}\n`;
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

function addSeqs(registry: Registry, counters: CountersBuffer): void {
  const figures: [name: string, help: string, read: () => number][] = [
    ["rialto_committed_seq", "Last durable event", () => counters.committedSeq()],
    ["rialto_issued_seq", "Last event numbered by clearing", () => counters.issuedSeq()],
    ["rialto_run_state", "0 starting, 1 running, 2 draining, 3 stopped", () => counters.state()],
  ];
  for (const [name, help, read] of figures) {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  }
}

function addThreads(registry: Registry, counters: CountersBuffer, names: readonly string[]): void {
  new Gauge({
    name: "rialto_thread_beats",
    help: "Duty cycles of a thread, modulo 2^32",
    labelNames: ["thread"],
    registers: [registry],
    collect() {
      for (const [place, thread] of names.entries()) this.set({ thread }, counters.beats(place));
    },
  });
}

/** How late this front's event loop is, as the runtime samples it. */
function addLoopDelay(registry: Registry): void {
  const delay = monitorEventLoopDelay({ resolution: loopSampleMs });
  delay.enable();
  new Gauge({
    name: "rialto_front_loop_delay_seconds",
    help: "Delay of the front's event loop since the last scrape",
    labelNames: ["quantile"],
    registers: [registry],
    collect() {
      for (const quantile of [0.5, 0.99, 0.999]) {
        // The runtime measures the whole timer interval; what exceeds it is delay.
        const ms = delay.percentile(quantile * 100) / 1e6 - loopSampleMs;
        this.set({ quantile: String(quantile) }, Math.max(0, ms) / 1000);
      }
      delay.reset();
    },
  });
}

function addRings(registry: Registry, rings: readonly NamedRing[]): void {
  const opened = rings.map(({ name, buffer }) => ({ name, ring: new SpscRing(buffer) }));
  const figures: [name: string, help: string, read: (ring: SpscRing) => number][] = [
    ["rialto_ring_used_bytes", "Bytes waiting in a ring", (ring) => ring.usedBytes],
    ["rialto_ring_high_water_bytes", "Most bytes ever waiting", (ring) => ring.highWater],
    ["rialto_ring_capacity_bytes", "Size of a ring", (ring) => ring.capacityBytes],
  ];
  for (const [name, help, read] of figures) {
    new Gauge({
      name,
      help,
      labelNames: ["ring"],
      registers: [registry],
      collect() {
        for (const entry of opened) this.set({ ring: entry.name }, read(entry.ring));
      },
    });
  }
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
