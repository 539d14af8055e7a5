// The life of a settlement batch (specification: settlementStatus). The batch is the unit; its fills
// show its state. A guarded update in the store carries a transition out, so a state that moved on in
// the meantime refuses it.

/** `open` and `ready` are shown as pending. */
export const BatchState = {
  open: 1,
  ready: 2,
  processing: 3,
  retry: 4,
  confirmed: 5,
  failed: 6,
  skipped: 7,
} as const;
export type BatchState = (typeof BatchState)[keyof typeof BatchState];

/** What `settlementStatus` of a fill says. */
export type SettlementStatus =
  | "pending"
  | "processing"
  | "retry"
  | "confirmed"
  | "failed"
  | "skipped"
  | "internal";

const shown: { readonly [State in BatchState]: SettlementStatus } = {
  [BatchState.open]: "pending",
  [BatchState.ready]: "pending",
  [BatchState.processing]: "processing",
  [BatchState.retry]: "retry",
  [BatchState.confirmed]: "confirmed",
  [BatchState.failed]: "failed",
  [BatchState.skipped]: "skipped",
};

/** The status of a fill: that of its batch; `internal` for one that has none (null). */
export function statusOf(batch: BatchState | null): SettlementStatus {
  return batch === null ? "internal" : shown[batch];
}

export type BatchEvent =
  /** Membership is frozen and there is something to pay. */
  | "sealed"
  /** Membership is frozen and it nets to zero: confirmed without a transaction. */
  | "sealed-empty"
  | "claimed"
  /** Seen on the ledger, whoever saw it. */
  | "committed"
  /** Definitely not on the ledger, and it may be tried again. */
  | "rejected"
  /** Definitely not on the ledger, and never will be. */
  | "given-up"
  /** The operator's word. */
  | "skip";

const { open, ready, processing, retry, confirmed, failed, skipped } = BatchState;

const transitions: { readonly [State in BatchState]: Partial<Record<BatchEvent, BatchState>> } = {
  [open]: { sealed: ready, "sealed-empty": confirmed },
  [ready]: { claimed: processing, committed: confirmed, skip: skipped },
  [processing]: { committed: confirmed, rejected: retry, "given-up": failed },
  // Claimed again when due; the ledger may still show an attempt that was thought lost.
  [retry]: { claimed: processing, committed: confirmed, "given-up": failed, skip: skipped },
  [confirmed]: {},
  [failed]: {},
  [skipped]: {},
};

/**
 * Where `event` leads from `state`; null where it does not belong. While the outcome of an attempt is
 * unknown a batch neither fails nor is skipped: it could settle after all.
 */
export function nextBatchState(
  state: BatchState,
  event: BatchEvent,
  isOutcomeUnknown: boolean,
): BatchState | null {
  const ends = event === "given-up" || event === "skip" || event === "rejected";
  if (isOutcomeUnknown && ends) return null;
  return transitions[state][event] ?? null;
}

/** States from which an event leads on: the guard of the store's update. */
export function statesBefore(event: BatchEvent): BatchState[] {
  return Object.values(BatchState).filter((state) => transitions[state][event] !== undefined);
}

/** True for a state that nothing leaves. */
export function isSettled(state: BatchState): boolean {
  return Object.keys(transitions[state]).length === 0;
}
