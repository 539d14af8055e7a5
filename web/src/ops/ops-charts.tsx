// The charts of the operations page, drawn from its samples.

import type { VNode } from "preact";
import { over, type Read } from "./curve-values.ts";
import { durationText } from "./findings.ts";
import { LineChart } from "./line-chart.tsx";
import { quantile } from "./metrics-text.ts";
import { samples } from "./samples.ts";

function rate(name: string): Read {
  return (from, to, seconds) => Math.max(0, to.sum(name) - from.sum(name)) / seconds;
}

function within(name: string, share: number): Read {
  return (from, to) => quantile(name, share, from, to);
}

function most(name: string): Read {
  return (_, to) => Math.max(0, ...to.all(name).map(({ value }) => value));
}

const fullest: Read = (_, to) => {
  const capacities = to.by("rialto_ring_capacity_bytes", "ring");
  const shares = [...to.by("rialto_ring_used_bytes", "ring")].map(
    ([ring, used]) => used / (capacities.get(ring) ?? used),
  );
  return 100 * Math.max(0, ...shares);
};

const groupSize: Read = (from, to) => {
  const name = "rialto_journal_group_events";
  const groups = to.sum(`${name}_count`) - from.sum(`${name}_count`);
  return groups === 0 ? undefined : (to.sum(`${name}_sum`) - from.sum(`${name}_sum`)) / groups;
};

function plain(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(1);
}

type Curve = readonly [name: string, colour: string, read: Read];

interface Chart {
  readonly title: string;
  shown(value: number): string;
  /** The vertical axis reaches at least this value, because its labels cannot show smaller differences. */
  readonly least: number;
  readonly curves: readonly Curve[];
}

function counts(title: string, ...curves: readonly Curve[]): Chart {
  return { title, shown: plain, least: 1, curves };
}

function times(title: string, ...curves: readonly Curve[]): Chart {
  return { title, shown: durationText, least: 0.001, curves };
}

const charts: readonly Chart[] = [
  counts(
    "Events per second",
    ["decided", "accent", rate("rialto_issued_seq")],
    ["durable", "gain", rate("rialto_committed_seq")],
  ),
  times("Oldest event not yet durable", ["age", "loss", most("rialto_journal_waiting_seconds")]),
  times(
    "Acknowledgement latency",
    ["p50", "gain", within("rialto_journal_ack_seconds", 0.5)],
    ["p99", "accent", within("rialto_journal_ack_seconds", 0.99)],
  ),
  times(
    "Commit latency",
    ["p50", "gain", within("rialto_journal_commit_seconds", 0.5)],
    ["p99", "accent", within("rialto_journal_commit_seconds", 0.99)],
  ),
  counts("Events per commit", ["mean", "accent", groupSize]),
  counts("Fullest ring, %", ["used", "loss", fullest]),
  times("Event loop delay", ["max", "loss", most("rialto_thread_loop_delay_seconds")]),
  times("Garbage collection time per second", [
    "all threads",
    "accent",
    rate("rialto_thread_gc_seconds_sum"),
  ]),
  counts(
    "Responses and refusals per second",
    ["responses", "gain", rate("rialto_http_answers_total")],
    ["refused by clearing", "loss", rate("rialto_refusals_total")],
  ),
];

export function OpsCharts(): VNode {
  const all = samples.value;
  const moments = all.map(({ atMs }) => atMs);
  return (
    <section id="charts" class="charts" aria-label="The last ten minutes">
      {charts.map(({ title, shown, least, curves }) => (
        <LineChart
          key={title}
          title={title}
          times={moments}
          shown={shown}
          least={least}
          curves={curves.map(([name, colour, read]) => ({ name, colour, values: over(all, read) }))}
        />
      ))}
    </section>
  );
}
