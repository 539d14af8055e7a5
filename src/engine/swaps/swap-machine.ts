// How a swap goes on: a table of what may happen in which state, and what follows. It decides nothing
// about money: what is locked and settled is on the ledger, and this says only what the venue does next.
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
  /** How long providers may answer a request. */
  readonly quoteWindowMs: number;
  /** From acceptance until the trader's leg must be seen, where the venue submits it. */
  readonly traderMs: number;
  /** The same where the trader's wallet submits it. */
  readonly walletMs: number;
  /** From the end of a quote until the signature of the trader that took it must be there. */
  readonly graceMs: number;
  /** So many quotes an account may have taken within such a time and not carried out; then it takes none. */
  readonly unkeptMax: number;
  readonly unkeptMs: number;
  /** From the call to the provider until both legs must be seen. */
  readonly providerMs: number;
  /** From acceptance until nothing may be locked any more. */
  readonly allocateMs: number;
  /** From there until nothing may be settled any more, and what is locked is free. */
  readonly settleMs: number;
  /** No settlement is begun, or begun again, so close to its end. */
  readonly marginMs: number;
  /** A deadline counts as passed on the ledger this long after it. */
  readonly lapseMs: number;
}

/** Settlements that the ledger may refuse before a swap is released. */
export const settleAttemptsMax = 6;

/** What a decision rests on. */
export interface SwapFacts {
  readonly state: SwapState;
  /** When the state ends by itself, milliseconds UTC. */
  readonly dueMs: number;
  /** 0 before acceptance. */
  readonly settleBeforeMs: number;
  /** The end of the quote and its grace: what the trader has not signed by then ends. 0 before acceptance. */
  readonly signBeforeMs: number;
  /** What the trader signed last and is not refused; null where there is nothing. */
  readonly signature: string | null;
  /** What the trader signed in time did not come about on the ledger, and not by its doing. */
  readonly isLockFailed: boolean;
  /** Settlements that the ledger definitely refused. */
  readonly refusals: number;
  /** The outcome of a submission is not known: nothing may be given back or called over. */
  readonly isUnknown: boolean;
}

export type SwapEvent =
  /** The first quote that can be taken; it and all others end at `untilMs` at the latest. */
  | { readonly kind: "quoted"; readonly untilMs: number }
  /** The window is over, or everybody has answered. */
  | { readonly kind: "roundOver" }
  | { readonly kind: "accepted"; readonly isWallet: boolean }
  | { readonly kind: "cancelled" }
  | { readonly kind: "traderLocked" }
  | { readonly kind: "bothLocked" }
  | { readonly kind: "declined" }
  | { readonly kind: "wrongTerms" }
  /** The trader's leg was taken back before both were locked. */
  | { readonly kind: "withdrawn" }
  /** A settlement is about to be sent. */
  | { readonly kind: "begun" }
  | { readonly kind: "committed" }
  /** The ledger definitely refused a settlement; `isFinal` where sending it again cannot help. */
  | { readonly kind: "refused"; readonly isFinal: boolean }
  /** Nothing is locked any more, or nothing that is locked binds anybody. */
  | { readonly kind: "freed" }
  | { readonly kind: "aborted" }
  /** The trader's account is frozen: what both sides have locked goes on, everything else ends. */
  | { readonly kind: "frozen" }
  /** Time has passed. */
  | { readonly kind: "looked" };

/** What follows. `to` may be the state it is in: then only the time it ends is new. */
export interface SwapMove {
  readonly to: SwapState;
  readonly reason: SwapReason;
  readonly dueMs: number;
}

/**
 * What follows from an event at `nowMs`; null where nothing does, because it comes too late, too early
 * or once more. Pure and total.
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

/** Ends it without the trader's doing, while nothing is locked. */
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
  // A better quote may hold longer than the first.
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
    // A wallet that locks by itself has signed when its lock is seen.
    if (isLapsed) return release(swap, lateReason(swap));
    const dueMs = nowMs + times.providerMs;
    return { to: SwapState.traderAllocated, reason: SwapReason.none, dueMs };
  }
  // While a submission of the trader may still commit, its leg may still be locked.
  if (swap.isUnknown) return null;
  if (event.kind === "looked" && (isLapsed || nowMs >= swap.dueMs))
    return end(SwapState.expired, lateReason(swap));
  // The trader has kept its word: giving up then is not leaving the quote.
  if (isUnsigned && swap.isLockFailed && event.kind === "cancelled")
    return end(SwapState.cancelled, SwapReason.lockFailed);
  return isUnsigned ? calledOff(event) : stopped(event);
}

/** Who is why no lock is there in time: a signature that was in time keeps the trader's word. Spec RFQ-28. */
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
  // Nothing is given back while a settlement may still commit.
  if (swap.isUnknown) return null;
  const isLate = nowMs >= swap.settleBeforeMs - times.marginMs;
  if (event.kind === "refused") {
    if (event.isFinal || swap.refusals + 1 >= settleAttemptsMax)
      return release(swap, SwapReason.refused);
    return isLate ? release(swap, SwapReason.settlementLate) : null;
  }
  return event.kind === "looked" && isLate ? release(swap, SwapReason.settlementLate) : null;
}
