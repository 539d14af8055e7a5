// Threads, rings, refusals, responses, settlement and epochs as tables of the operations page.

import type { VNode } from "preact";
import { readerOf } from "../../../src/ports/ring-reader.ts";
import { type Column, Table } from "../views/form/table.tsx";
import { agoText, boundText, durationText, perSecond, type Window, windowOf } from "./findings.ts";
import { type LedgerRow, ledgerRows } from "./ledger-rows.ts";
import { quantile } from "./metrics-text.ts";
import { samples } from "./samples.ts";

interface ThreadRow {
  readonly name: string;
  readonly silent: number;
  readonly loop: number;
  readonly pause: number | undefined;
  readonly collecting: number | undefined;
}

function threadsOf(window: Window): ThreadRow[] {
  const { from, to } = window;
  const loops = to.metrics.by("rialto_thread_loop_delay_seconds", "thread");
  const [before, now] = [from, to].map(({ metrics }) =>
    metrics.by("rialto_thread_gc_seconds_sum", "thread"),
  );
  return to.metrics.all("rialto_thread_silent_seconds").map(({ labels, value }) => {
    const thread = labels["thread"] ?? "";
    const label = ["thread", thread] as const;
    return {
      name: thread,
      silent: value,
      loop: loops.get(thread) ?? 0,
      pause: quantile("rialto_thread_gc_seconds", 0.99, from.metrics, to.metrics, label),
      collecting: perSecond(window, before?.get(thread) ?? 0, now?.get(thread) ?? 0),
    };
  });
}

const threadColumns: ReadonlyArray<Column<ThreadRow>> = [
  { name: "Thread", cell: ({ name }) => name },
  { name: "Last heartbeat", isNumber: true, cell: ({ silent }) => agoText(silent) },
  { name: "Event loop delay", isNumber: true, cell: ({ loop }) => durationText(loop) },
  { name: "GC pause p99", isNumber: true, cell: ({ pause }) => boundText(pause) },
  {
    name: "GC time",
    isNumber: true,
    cell: ({ collecting }) =>
      collecting === undefined ? "–" : `${(100 * collecting).toFixed(1)} %`,
  },
];

interface RingRow {
  readonly name: string;
  readonly used: number;
  readonly most: number;
}

function ringsOf({ to }: Window): RingRow[] {
  const used = to.metrics.by("rialto_ring_used_bytes", "ring");
  const most = to.metrics.by("rialto_ring_high_water_bytes", "ring");
  return [...to.metrics.by("rialto_ring_capacity_bytes", "ring")]
    .map(([ring, capacity]) => ({
      name: ring,
      used: (100 * (used.get(ring) ?? 0)) / capacity,
      most: (100 * (most.get(ring) ?? 0)) / capacity,
    }))
    .sort((one, other) => other.used - one.used || other.most - one.most);
}

const ringColumns: ReadonlyArray<Column<RingRow>> = [
  { name: "Ring", cell: ({ name }) => name },
  { name: "Read by", cell: ({ name }) => readerOf(name) },
  { name: "Used", isNumber: true, cell: ({ used }) => `${used.toFixed(1)} %` },
  { name: "High-water mark", isNumber: true, cell: ({ most }) => `${most.toFixed(1)} %` },
];

interface CountRow {
  readonly name: string;
  readonly count: number;
  readonly rate: number | undefined;
}

function countsOf(window: Window, metric: string, label: string): CountRow[] {
  const before = window.from.metrics.by(metric, label);
  return [...window.to.metrics.by(metric, label)]
    .map(([name, count]) => ({
      ...{ name, count },
      rate: perSecond(window, before.get(name) ?? 0, count),
    }))
    .sort((one, other) => (other.rate ?? 0) - (one.rate ?? 0) || other.count - one.count);
}

function countColumns(name: string): ReadonlyArray<Column<CountRow>> {
  return [
    { name, cell: (row) => row.name.replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`) },
    { name: "Per second", isNumber: true, cell: ({ rate }) => rate?.toFixed(1) ?? "–" },
    { name: "Since start", isNumber: true, cell: ({ count }) => count.toLocaleString("en") },
  ];
}

const lagColumns: ReadonlyArray<Column<LedgerRow>> = [
  { name: "Figure", cell: ({ name }) => name },
  { name: "Value", isNumber: true, cell: ({ value }) => value },
];

interface ListProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: ReadonlyArray<Column<T>>;
  /** Shown in place of an empty table. */
  readonly empty: string;
}

function List<T extends { readonly name: string }>(props: ListProps<T>): VNode {
  return (
    <div>
      <h2>{props.label}</h2>
      <Table {...props} keyOf={({ name }) => name} />
    </div>
  );
}

export function OpsTables(): VNode | null {
  const window = windowOf(samples.value);
  if (window === null) return null;
  const refusals = countsOf(window, "rialto_refusals_total", "reason");
  const answers = countsOf(window, "rialto_http_answers_total", "status");
  const [reason, status] = [countColumns("Reason"), countColumns("Status")];
  const [threads, rings, lags] = [
    threadsOf(window),
    ringsOf(window),
    ledgerRows(window.to.metrics),
  ];
  return (
    <div id="tables" class="tables">
      <List label="All threads" rows={threads} columns={threadColumns} empty="No threads." />
      <List label="Rings" rows={rings} columns={ringColumns} empty="No rings." />
      <List label="Refusals" rows={refusals} columns={reason} empty="No refusals." />
      <List label="HTTP responses" rows={answers} columns={status} empty="No responses yet." />
      <List label="Settlement and epochs" rows={lags} columns={lagColumns} empty="No epochs yet." />
    </div>
  );
}
