// The swap state machine: which events are valid in which state, and the result. It moves no money: locking and
// settlement happen on the ledger; this only decides the venue's next step.
//
//   requested ─▶ quoted ─▶ accepted ─▶ trader_allocated ─▶ allocated ─▶ executing ─▶ settled
//      │           │           │              │                │            │
//      ▼           ▼           ▼              └──────▶ releasing ◀──────────┘
//   expired     expired     expired                        │
//   cancelled   cancelled   cancelled                      ▼
//                                                       released
//
// Spec RFQ-1 to RFQ-9, RFQ-24, RFQ-25, RFQ-28.

import { SwapReason, SwapState } from "../../core/swaps.ts";

export interface SwapTimes {
  /** How long providers can answer a request. */
  readonly quoteWindowMs: number;
  /** From acceptance until the trader's leg must be visible, if the venue submits it. */
  readonly traderMs: number;
  /** From acceptance until the trader's leg must be visible, if the trader's wallet submits it. */
  readonly walletMs: number;
  /** From the end of a quote until the accepting trader's signature must have arrived. */
  readonly graceMs: number;
  /** An account with this many accepted but uncompleted quotes within `unkeptMs` cannot accept another one. */
  readonly unkeptMax: number;
  readonly unkeptMs: number;
  /** From calling the provider until both legs must be visible. */
  readonly providerMs: number;
  /** From acceptance until nothing may be locked any more. */
  readonly allocateMs: number;
  /** From the end of `allocateMs` until nothing may be settled any more and locked holdings are free. */
  readonly settleMs: number;
  /** No settlement is sent within this time before its deadline. */
  readonly marginMs: number;
  /** Additional time after which a deadline has surely passed on the ledger too. */
  readonly lapseMs: number;
}

/** After this many settlements that the ledger refused, a swap is released. */
export const settleAttemptsMax = 6;

/** The facts about a swap that a decision uses. */
export interface SwapFacts {
  readonly state: SwapState;
  /** When the state times out, milliseconds UTC. */
  readonly dueMs: number;
  /** Deadline of the settlement, milliseconds UTC; 0 before acceptance. */
  readonly settleBeforeMs: number;
  /** The end of the quote plus grace, when an unsigned swap ends. 0 before acceptance. */
  readonly signBeforeMs: number;
  /** The trader's last signature that was not refused; null for none. */
  readonly signature: string | null;
  /** The trader signed in time but the lock did not appear on the ledger, through no fault of the trader. */
  readonly isLockFailed: boolean;
  /** Number of settlements that the ledger definitively refused. */
  readonly refusals: number;
  /** The outcome of a submission is unknown, so nothing can be released or cancelled yet. */
  readonly isUnknown: boolean;
}

export type SwapEvent =
  /** An acceptable quote, the first or a further one; `untilMs` is its end. */
  | { readonly kind: "quoted"; readonly untilMs: number }
  /** The time for quotes has ended, or every provider has answered. */
  | { readonly kind: "roundOver" }
  | { readonly kind: "accepted"; readonly isWallet: boolean }
  | { readonly kind: "cancelled" }
  | { readonly kind: "traderLocked" }
  | { readonly kind: "bothLocked" }
  | { readonly kind: "declined" }
  | { readonly kind: "wrongTerms" }
  /** The trader's leg was withdrawn before the settlement started. */
  | { readonly kind: "withdrawn" }
  /** A settlement is about to be sent. */
  | { readonly kind: "begun" }
  | { readonly kind: "committed" }
  /** The ledger definitively refused a settlement; `isFinal` if a retry cannot help. */
  | { readonly kind: "refused"; readonly isFinal: boolean }
  /** Nothing is locked any more, or no remaining lock is binding. */
  | { readonly kind: "freed" }
  | { readonly kind: "aborted" }
  /** The trader's account is frozen: a swap with both legs locked continues, every other ends. */
  | { readonly kind: "frozen" }
  /** Nothing happened, but a deadline may have passed. */
  | { readonly kind: "looked" };

/** The result. `to` may equal the current state: then only its deadline changes. */
export interface SwapMove {
  readonly to: SwapState;
  readonly reason: SwapReason;
  readonly dueMs: number;
}

/**
 * The result of an event at `nowMs`; null for an event that has no effect because it is late, early or repeated. Every
 * event is possible in every state. Changes nothing itself.
 */
export function decideSwap(
  swap: SwapFacts,
  event: SwapEvent,
  nowMs: number,
  times: SwapTimes,
): SwapMove | null {
  switch (swap.state) {
    case SwapState.requested:
      return whileRequested(event);
    case SwapState.quoted:
      return whileQuoted(swap, event, nowMs, times);
    case SwapState.accepted:
      return whileAccepted(swap, event, nowMs, times);
    case SwapState.traderAllocated:
      return whileTraderAllocated(swap, event, nowMs);
    case SwapState.allocated:
      return whileAllocated(swap, event, nowMs, times);
    case SwapState.executing:
      return whileExecuting(swap, event, nowMs, times);
    case SwapState.releasing:
      return event.kind === "freed" ? end(SwapState.released) : null;
    default:
      return null;
  }
}

function end(to: SwapState, reason: SwapReason = SwapReason.none): SwapMove {
  return { to, reason, dueMs: 0 };
}

function release(swap: SwapFacts, reason: SwapReason): SwapMove {
  return { to: SwapState.releasing, reason, dueMs: swap.settleBeforeMs };
}

function whileRequested(event: SwapEvent): SwapMove | null {
  if (event.kind === "quoted")
    return { to: SwapState.quoted, reason: SwapReason.none, dueMs: event.untilMs };
  if (event.kind === "roundOver") return end(SwapState.expired, SwapReason.noQuote);
  return calledOff(event);
}

function calledOff(event: SwapEvent): SwapMove | null {
  if (event.kind === "cancelled") return end(SwapState.cancelled, SwapReason.traderCancelled);
  return stopped(event);
}

/** Ends a swap through no fault of the trader, while nothing is locked. */
function stopped(event: SwapEvent): SwapMove | null {
  if (event.kind === "frozen") return end(SwapState.cancelled, SwapReason.accountFrozen);
  return event.kind === "aborted" ? end(SwapState.cancelled, SwapReason.aborted) : null;
}

function whileQuoted(
  swap: SwapFacts,
  event: SwapEvent,
  nowMs: number,
  times: SwapTimes,
): SwapMove | null {
  if (event.kind === "accepted") {
    const dueMs = nowMs + (event.isWallet ? times.walletMs : times.traderMs);
    return { to: SwapState.accepted, reason: SwapReason.none, dueMs };
  }
  // A later quote may be valid longer than the earlier ones.
  if (event.kind === "quoted") {
    if (event.untilMs <= swap.dueMs) return null;
    return { to: SwapState.quoted, reason: SwapReason.none, dueMs: event.untilMs };
  }
  if (event.kind === "looked" && nowMs >= swap.dueMs)
    return end(SwapState.expired, SwapReason.quotesLapsed);
  return calledOff(event);
}

function whileAccepted(
  swap: SwapFacts,
  event: SwapEvent,
  nowMs: number,
  times: SwapTimes,
): SwapMove | null {
  const isUnsigned = swap.signature === null && !swap.isUnknown;
  const isLapsed = isUnsigned && nowMs >= swap.signBeforeMs;
  if (event.kind === "traderLocked") {
    // If the trader's wallet submits the lock itself, the visible lock counts as its signature. A lock that appears too
    // late is released.
    if (isLapsed) return release(swap, lateReason(swap));
    const dueMs = nowMs + times.providerMs;
    return { to: SwapState.traderAllocated, reason: SwapReason.none, dueMs };
  }
  // A submission of the trader may still commit and lock the trader's leg, so wait.
  if (swap.isUnknown) return null;
  if (event.kind === "looked" && (isLapsed || nowMs >= swap.dueMs))
    return end(SwapState.expired, lateReason(swap));
  // The trader did sign in time, so cancelling now does not count as abandoning the quote. A signature that waits for
  // the venue's traffic locks nothing until it is sent again.
  if (swap.isLockFailed && event.kind === "cancelled")
    return end(SwapState.cancelled, SwapReason.lockFailed);
  return isUnsigned ? calledOff(event) : stopped(event);
}

/** The reason to end a swap whose lock is missing or late: not the trader's fault if signed in time. Spec RFQ-28. */
function lateReason({ isLockFailed, signature }: SwapFacts): SwapReason {
  return isLockFailed || signature !== null ? SwapReason.lockFailed : SwapReason.traderLate;
}

function whileTraderAllocated(swap: SwapFacts, event: SwapEvent, nowMs: number): SwapMove | null {
  switch (event.kind) {
    case "bothLocked":
      return { to: SwapState.allocated, reason: SwapReason.none, dueMs: swap.settleBeforeMs };
    case "declined":
      return release(swap, SwapReason.declined);
    case "wrongTerms":
      return release(swap, SwapReason.wrongTerms);
    case "withdrawn":
      return release(swap, SwapReason.traderWithdrew);
    case "aborted":
      return release(swap, SwapReason.aborted);
    case "frozen":
      return release(swap, SwapReason.accountFrozen);
    case "looked":
      return nowMs >= swap.dueMs ? release(swap, SwapReason.providerLate) : null;
    default:
      return null;
  }
}

function whileAllocated(
  swap: SwapFacts,
  event: SwapEvent,
  nowMs: number,
  times: SwapTimes,
): SwapMove | null {
  const isLate = nowMs >= swap.settleBeforeMs - times.marginMs;
  if (event.kind === "begun" && !isLate)
    return { to: SwapState.executing, reason: SwapReason.none, dueMs: swap.settleBeforeMs };
  if (event.kind === "aborted") return release(swap, SwapReason.aborted);
  if (event.kind === "withdrawn") return release(swap, SwapReason.traderWithdrew);
  const isOver = event.kind === "looked" || event.kind === "begun";
  return isOver && isLate ? release(swap, SwapReason.settlementLate) : null;
}

function whileExecuting(
  swap: SwapFacts,
  event: SwapEvent,
  nowMs: number,
  times: SwapTimes,
): SwapMove | null {
  if (event.kind === "committed") return end(SwapState.settled);
  // Nothing is released while a settlement may still commit.
  if (swap.isUnknown) return null;
  const isLate = nowMs >= swap.settleBeforeMs - times.marginMs;
  if (event.kind === "refused") {
    if (event.isFinal || swap.refusals + 1 >= settleAttemptsMax)
      return release(swap, SwapReason.refused);
    return isLate ? release(swap, SwapReason.settlementLate) : null;
  }
  return event.kind === "looked" && isLate ? release(swap, SwapReason.settlementLate) : null;
}
