// The curves of the operations page, each from the samples the page has.

import type { VNode } from "preact";
import { durationText } from "./findings.ts";
import { LineChart } from "./line-chart.tsx";
import { type Metrics, quantile } from "./metrics-text.ts";
import { type Sample, samples } from "./samples.ts";

type Read = (from: Metrics, to: Metrics, seconds: number) => number | undefined;

/** One value a sample, from it and the one before. */
function over(all: readonly Sample[], read: Read): Array<number | undefined> {
  return all.map((sample, at) => {
    const before = all[Math.max(0, at - 1)] ?? sample;
    const seconds = (sample.atMs - before.atMs) / 1000;
    return seconds <= 0 ? undefined : read(before.metrics, sample.metrics, seconds);
  });
}

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
  /** What the axis of a quiet venue reaches up to: less could not be told apart in its words. */
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
    "Events a second",
    ["decided", "accent", rate("rialto_issued_seq")],
    ["durable", "gain", rate("rialto_committed_seq")],
  ),
  times("Waiting to be durable", ["oldest", "loss", most("rialto_journal_waiting_seconds")]),
  times(
    "Acknowledged within",
    ["half", "gain", within("rialto_journal_ack_seconds", 0.5)],
    ["99 %", "accent", within("rialto_journal_ack_seconds", 0.99)],
  ),
  times(
    "Committed within",
    ["half", "gain", within("rialto_journal_commit_seconds", 0.5)],
    ["99 %", "accent", within("rialto_journal_commit_seconds", 0.99)],
  ),
  counts("Events in a commit batch", ["mean", "accent", groupSize]),
  counts("Fullest ring, %", ["used", "loss", fullest]),
  times("Event loops", ["latest", "loss", most("rialto_thread_loop_delay_seconds")]),
  times("Garbage collection, share of a second", [
    "all threads",
    "accent",
    rate("rialto_thread_gc_seconds_sum"),
  ]),
  counts(
    "Answers and refusals a second",
    ["answers", "gain", rate("rialto_http_answers_total")],
    ["refused by clearing", "loss", rate("rialto_refusals_total")],
  ),
];

export function OpsCharts(): VNode {
  const all = samples.value;
  const moments = all.map(({ atMs }) => atMs);
  return (
    <section class="charts" aria-label="The last ten minutes">
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
