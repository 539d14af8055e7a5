// The states of a settlement batch, declared once (specification: settlementStatus). The batch is the unit; its
// fills show its state. Statements, figures and answers tell batches apart by the groups below.
//
//   open ──▶ ready ──▶ processing ──▶ confirmed        nothing to pay: confirmed at once
//              ▲         │ no attempt of the round can commit
//              └─ retry ◀┴──▶ failed                   skipped: the operator's word
//
// The store's guarded updates carry the transitions out: a state that moved on in the meantime refuses one, and
// while the outcome of an attempt is unknown a batch neither fails nor is skipped.

import { present } from "../../core/assert.ts";

interface StateRow {
  /** As tables have it; a number is never given again. */
  readonly code: number;
  /** What `settlementStatus` of its fills says. */
  readonly shown: string;
  /** Where it is in its life: fills come in, on its way, over. */
  readonly is: "gathering" | "underWay" | "confirmed" | "ended";
  /** Whether its fills still wait to settle, as `rialto_settlement_batches` counts them. */
  readonly isWaiting: boolean;
}

const rows = {
  open: { code: 1, shown: "pending", is: "gathering", isWaiting: true },
  ready: { code: 2, shown: "pending", is: "underWay", isWaiting: true },
  processing: { code: 3, shown: "processing", is: "underWay", isWaiting: true },
  retry: { code: 4, shown: "retry", is: "underWay", isWaiting: true },
  confirmed: { code: 5, shown: "confirmed", is: "confirmed", isWaiting: false },
  // For good, until the operator queues its fills again.
  failed: { code: 6, shown: "failed", is: "ended", isWaiting: true },
  skipped: { code: 7, shown: "skipped", is: "ended", isWaiting: false },
} as const satisfies Readonly<Record<string, StateRow>>;

type Rows = typeof rows;
type StateName = keyof Rows;
export type BatchState = Rows[StateName]["code"];
/** What a fill says; `internal`: no batch ever has it. */
export type SettlementStatus = Rows[StateName]["shown"] | "internal";

const entries = Object.entries(rows) as [StateName, StateRow & { code: BatchState }][];

/** The code of each state by its name. */
export const BatchState = Object.fromEntries(entries.map(([name, { code }]) => [name, code])) as {
  readonly [Name in StateName]: Rows[Name]["code"];
};

function codesWhere(holds: (row: StateRow) => boolean): readonly BatchState[] {
  return entries.filter(([, row]) => holds(row)).map(([, { code }]) => code);
}

/** Sealed, and without an end yet. */
export const statesUnderWay = codesWhere(({ is }) => is === "underWay");
/** Over without having settled: what the operator may queue again. */
export const statesEnded = codesWhere(({ is }) => is === "ended");
/** Not over. */
export const statesLive = codesWhere(({ is }) => is === "gathering" || is === "underWay");
/** Not settled, whatever became of it. */
export const statesUnsettled = codesWhere(({ is }) => is !== "confirmed");
/** Fills wait in it: with its name, in the order of the figures. */
export const statesWaiting: readonly (readonly [name: string, code: BatchState])[] = entries
  .filter(([, { isWaiting }]) => isWaiting)
  .map(([name, { code }]) => [name, code]);

const shownByCode = new Map<number, string>(entries.map(([, { code, shown }]) => [code, shown]));

/** The status of a fill: that of its batch; `internal` for one that has none (null). */
export function statusOf(batch: number | null): SettlementStatus {
  if (batch === null) return "internal";
  return present(shownByCode.get(batch), "a batch is in a state of the table") as SettlementStatus;
}
