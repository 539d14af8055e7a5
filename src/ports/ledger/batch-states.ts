// The states of a settlement batch, declared once (specification: settlementStatus). A batch settles as a whole; its
// fills show its state. SQL statements, metrics and API responses use the groups of states below.
//
//   open ──▶ ready ──▶ processing ──▶ confirmed        nothing to pay: confirmed at once
//              ▲         │ no attempt of the round can commit
//              └─ retry ◀┴──▶ failed                   skipped: by the operator
//
// The store's guarded updates perform the transitions: an update is refused if the state has changed in the meantime.
// While the outcome of an attempt is unknown, a batch can neither fail nor be skipped.

import { present } from "../../core/assert.ts";

interface StateRow {
  /** The state's code in tables, which is never reused. */
  readonly code: number;
  /** `settlementStatus` of the fills of a batch in this state. */
  readonly shown: string;
  /** Stage of the batch: collecting fills, in progress, settled, or ended without settling. */
  readonly is: "gathering" | "underWay" | "confirmed" | "ended";
  /**
   * True if fills of batches in this state still wait to settle. The metric `rialto_settlement_batches` counts these
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
  // This state is final, unless the operator requeues the fills of the batch.
  failed: { code: 6, shown: "failed", is: "ended", isWaiting: true },
  skipped: { code: 7, shown: "skipped", is: "ended", isWaiting: false },
} as const satisfies Readonly<Record<string, StateRow>>;

type Rows = typeof rows;
type StateName = keyof Rows;
export type BatchState = Rows[StateName]["code"];
/** The status of a fill. `internal` is a status of fills only, never the state of a batch. */
export type SettlementStatus = Rows[StateName]["shown"] | "internal";

const entries = Object.entries(rows) as [StateName, StateRow & { code: BatchState }][];

/** The code of each state, by name. */
export const BatchState = Object.fromEntries(entries.map(([name, { code }]) => [name, code])) as {
  readonly [Name in StateName]: Rows[Name]["code"];
};

function codesWhere(holds: (row: StateRow) => boolean): readonly BatchState[] {
  return entries.filter(([, row]) => holds(row)).map(([, { code }]) => code);
}

/** States of batches that are sealed, so that they take no more fills, and have not ended. */
export const statesUnderWay = codesWhere(({ is }) => is === "underWay");
/** States of batches that ended without settling; the operator may requeue their fills. */
export const statesEnded = codesWhere(({ is }) => is === "ended");
/** States of batches that have not ended. */
export const statesLive = codesWhere(({ is }) => is === "gathering" || is === "underWay");
/** States of batches that have not settled, whether they have ended or not. */
export const statesUnsettled = codesWhere(({ is }) => is !== "confirmed");
/** States in which fills wait to settle, with the name of each state, in the order of the metrics. */
export const statesWaiting: readonly (readonly [name: string, code: BatchState])[] = entries
  .filter(([, { isWaiting }]) => isWaiting)
  .map(([name, { code }]) => [name, code]);

const shownByCode = new Map<number, string>(entries.map(([, { code, shown }]) => [code, shown]));

/** The status of a fill: the status of its batch, or `internal` for a fill without a batch (null). */
export function statusOf(batch: number | null): SettlementStatus {
  if (batch === null) return "internal";
  return present(
    shownByCode.get(batch),
    "the status of fills whose batch is in this state",
  ) as SettlementStatus;
}
