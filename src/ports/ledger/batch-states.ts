// The states of a settlement batch, declared once (specification: settlementStatus). A batch settles as a
// whole; its fills show its state. SQL statements, metrics and API responses classify batches by the groups of states
// below.
//
//   open ──▶ ready ──▶ processing ──▶ confirmed        nothing to pay: confirmed at once
//              ▲         │ no attempt of the round can commit
//              └─ retry ◀┴──▶ failed                   skipped: by the operator
//
// The store's guarded updates perform the transitions: an update is refused if the state has changed
// meanwhile. While the outcome of an attempt is unknown, a batch can neither fail nor be skipped.

import { present } from "../../core/assert.ts";

interface StateRow {
  /** The code in tables; never reused. */
  readonly code: number;
  /** `settlementStatus` of its fills. */
  readonly shown: string;
  /** Stage: collecting fills, in progress, or ended. */
  readonly is: "gathering" | "underWay" | "confirmed" | "ended";
  /**
   * Whether fills of batches in this state still wait to settle. The metric `rialto_settlement_batches` counts these
   * batches.
   */
  readonly isWaiting: boolean;
}

const rows = {
  open: { code: 1, shown: "pending", is: "gathering", isWaiting: true },
  ready: { code: 2, shown: "pending", is: "underWay", isWaiting: true },
  processing: { code: 3, shown: "processing", is: "underWay", isWaiting: true },
  retry: { code: 4, shown: "retry", is: "underWay", isWaiting: true },
  confirmed: { code: 5, shown: "confirmed", is: "confirmed", isWaiting: false },
  // Final, until the operator requeues its fills.
  failed: { code: 6, shown: "failed", is: "ended", isWaiting: true },
  skipped: { code: 7, shown: "skipped", is: "ended", isWaiting: false },
} as const satisfies Readonly<Record<string, StateRow>>;

type Rows = typeof rows;
type StateName = keyof Rows;
export type BatchState = Rows[StateName]["code"];
/** The status of a fill; `internal` is never the state of a batch. */
export type SettlementStatus = Rows[StateName]["shown"] | "internal";

const entries = Object.entries(rows) as [StateName, StateRow & { code: BatchState }][];

/** The code of each state, by name. */
export const BatchState = Object.fromEntries(entries.map(([name, { code }]) => [name, code])) as {
  readonly [Name in StateName]: Rows[Name]["code"];
};

function codesWhere(holds: (row: StateRow) => boolean): readonly BatchState[] {
  return entries.filter(([, row]) => holds(row)).map(([, { code }]) => code);
}

/** Sealed and not ended. */
export const statesUnderWay = codesWhere(({ is }) => is === "underWay");
/** Ended without settling: the operator may requeue its fills. */
export const statesEnded = codesWhere(({ is }) => is === "ended");
/** Not ended. */
export const statesLive = codesWhere(({ is }) => is === "gathering" || is === "underWay");
/** Not settled, ended or not. */
export const statesUnsettled = codesWhere(({ is }) => is !== "confirmed");
/** States with waiting fills, with their names, in the order of the metrics. */
export const statesWaiting: readonly (readonly [name: string, code: BatchState])[] = entries
  .filter(([, { isWaiting }]) => isWaiting)
  .map(([name, { code }]) => [name, code]);

const shownByCode = new Map<number, string>(entries.map(([, { code, shown }]) => [code, shown]));

/** The status of a fill: that of its batch; `internal` for a fill without a batch (null). */
export function statusOf(batch: number | null): SettlementStatus {
  if (batch === null) return "internal";
  return present(shownByCode.get(batch), "a batch is in a state of the table") as SettlementStatus;
}
