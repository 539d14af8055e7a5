// What a campaign found, and its lines of text.

import type { AuditCounts } from "../crash/audit.ts";
import { type DoneRequests, doneText } from "../crash/done-requests.ts";
import type { Outage } from "./traffic/open-loop-probe.ts";

/** What clients saw of one fault. */
export interface Struck extends Outage {
  readonly kind: string;
  /** How many orders of traders were answered 503. */
  readonly notExecuted: number;
  /** Which streams had to be opened again, with the code of the close. */
  readonly reopened: readonly string[];
}

export interface FailoverReport {
  readonly faults: readonly string[];
  readonly counts: AuditCounts;
  readonly events: number;
  /** Answers that gateways passed on, and epochs that answered. */
  readonly answers: number;
  readonly epochs: number;
  /** Statements of liabilities in the journal. */
  readonly statements: number;
  /** Frames of streams that were compared with the journal. */
  readonly frames: number;
  readonly done: DoneRequests;
  readonly struck: readonly Struck[];
}

export const emptyReport: FailoverReport = {
  faults: [],
  counts: { acknowledged: 0, cancelled: 0, fills: 0, unknown: 0, unknownFound: 0, notExecuted: 0 },
  events: 0,
  answers: 0,
  epochs: 0,
  statements: 0,
  frames: 0,
  done: new Map(),
  struck: [],
};

/** Formats the report as lines of text. */
export function renderReport(report: FailoverReport): string {
  const { faults, counts, events, answers, epochs, statements, frames, struck } = report;
  return [
    `acknowledged and found exactly once: ${counts.acknowledged} orders, ${counts.cancelled} cancels, ` +
      `${counts.fills} fills; ${events} journal entries without a gap`,
    `outcome unknown to the client: ${counts.unknown}, of which ${counts.unknownFound} had happened; ` +
      `promised not executed: ${counts.notExecuted}`,
    `${answers} answers of ${epochs} epochs in order; ${frames} frames of streams agree with the journal; ` +
      `${statements} statements of liabilities`,
    doneText(report.done),
    renderOutages(struck),
    `faults: ${faults.length}`,
    ...faults,
  ].join("\n");
}

/** The table of outages by kind of fault, in ms. */
export function renderOutages(struck: readonly Struck[]): string {
  const heads = ["count", "p50", "p99", "max", "one max", "503", "408", "lost", "reopened"];
  const kinds = [...new Set(struck.map(({ kind }) => kind))].sort();
  const rows = kinds.map((kind) => {
    const own = struck.filter((one) => one.kind === kind);
    const all = own.map(({ allMs }) => allMs).sort((one, other) => one - other);
    const at = (share: number) =>
      all[Math.min(all.length - 1, Math.floor(all.length * share))] ?? 0;
    const sum = (status: string) =>
      own.reduce((count, { others }) => count + (others.get(status) ?? 0), 0);
    const figures = [
      ...[own.length, at(0.5), at(0.99), at(1), Math.max(...own.map(({ oneMs }) => oneMs))],
      sum("503") + own.reduce((count, { notExecuted }) => count + notExecuted, 0),
      ...[sum("408"), sum("lost")],
      own.reduce((count, { reopened }) => count + reopened.length, 0),
    ];
    return [kind, ...figures.map((figure) => figure.toFixed(0))];
  });
  return [["longest ms without an acknowledgement", ...heads], ...rows]
    .map(
      ([kind = "", ...cells]) => kind.padEnd(40) + cells.map((cell) => cell.padStart(9)).join(""),
    )
    .join("\n");
}
