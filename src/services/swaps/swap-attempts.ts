// Submits the phases of swaps to the ledger, each at most once: an attempt is stored before it is sent, all
// attempts of a phase share a command id, and an unknown outcome is resolved before anything else is sent.

import { present } from "../../core/assert.ts";
import type { ChangeKey, Outcome, Party, Rejected } from "../../ports/ledger/ledger.ts";
import type { SwapLedger } from "../../ports/swaps/swap-ledger.ts";
import { SwapPhase, type SwapRow, type SwapStore } from "../../ports/swaps/swap-store.ts";

export interface SwapAttemptsParts {
  readonly store: SwapStore;
  readonly ledger: SwapLedger;
  readonly now: () => number;
  readonly newId: () => string;
  /** Additional ledger time in ms after a phase's deadline. Once it has passed, no attempt of the phase can commit. */
  readonly lapseMs: number;
  readonly marginMs: number;
}

export type AttemptResult =
  | { readonly kind: "committed"; readonly updateId: string; readonly offset: number }
  /** No attempt of the phase has committed or can still commit. */
  | { readonly kind: "refused"; readonly isFinal: boolean; readonly message: string }
  /** The outcome is not known yet; it is checked again later. */
  | { readonly kind: "waits" };

export interface Attempt {
  readonly phase: SwapPhase;
  readonly actAs: Party;
  /** The ledger refuses the phase after this time. */
  readonly deadlineMs: number;
  /** Null if nothing may be sent any more: only earlier attempts are looked up. */
  readonly send: ((change: ChangeKey) => Promise<Outcome>) | null;
  /** Whether the trader has signed what is sent, so that nobody else can prepare it again. */
  readonly isSigned?: boolean;
  /** Returns whether the trader is to blame. Called when a lock that the trader signed has ended without a commit. */
  readonly isTradersDoing?: () => Promise<boolean>;
}

const waits = { kind: "waits" } as const;
const lookAgainMs = 500;

/** How a phase ended without a commit. */
interface Ending {
  readonly isFinal: boolean;
  /** False if nothing was sent, so the end does not count as a refusal by the ledger. */
  readonly isSent: boolean;
  readonly message: string;
}

const unsent: Ending = {
  isFinal: true,
  isSent: false,
  message: "no time is left to submit the step",
};

const phaseNames: Readonly<Record<SwapPhase, string>> = {
  [SwapPhase.none]: "none",
  [SwapPhase.lock]: "lock",
  [SwapPhase.settle]: "settle",
  [SwapPhase.cancel]: "cancel",
  [SwapPhase.withdraw]: "withdraw",
  [SwapPhase.reclaim]: "reclaim",
};

export function commandIdOf(swapId: string, phase: SwapPhase): string {
  return `rfq:${swapId}:${phaseNames[phase]}`;
}

export class SwapAttempts {
  readonly #parts: SwapAttemptsParts;

  constructor(parts: SwapAttemptsParts) {
    this.#parts = parts;
  }

  /** Continues a phase: looks up earlier attempts and sends another one if none of them decides the phase. */
  async run(swap: SwapRow, attempt: Attempt): Promise<AttemptResult> {
    const { store, ledger, now, newId, marginMs } = this.#parts;
    const { swapNo } = swap;
    const wasSent = swap.phase === attempt.phase && swap.dedupOffset !== null;
    if (wasSent) {
      const found = await this.#earlier(swap, attempt);
      if (found !== null) return found;
    }
    const isLate = now() >= attempt.deadlineMs - marginMs;
    if (isLate && !wasSent) return this.#refused(swap, attempt, unsent);
    const { send } = attempt;
    if (isLate || send === null) return this.#again(swapNo);
    const dedupOffset = wasSent
      ? present(swap.dedupOffset, "the attempt must be stored first")
      : await ledger.ledgerEnd();
    const submissionId = newId();
    const begun = { phase: attempt.phase, dedupOffset, submissionId };
    if (!(await store.begin(swapNo, begun, attempt.isSigned === true))) return waits;
    const change = this.#change(swap, attempt, dedupOffset, submissionId);
    const outcome = await send(change);
    if (outcome.kind === "committed") return outcome;
    // While an earlier attempt may still commit, no answer to this attempt ends the phase.
    return outcome.kind === "unknown" || wasSent
      ? this.#again(swapNo)
      : this.#rejected(swap, attempt, outcome);
  }

  /** The result of a first attempt that the ledger rejected. */
  async #rejected(
    swap: SwapRow,
    attempt: Attempt,
    { action, message }: Rejected,
  ): Promise<AttemptResult> {
    const { store, now } = this.#parts;
    // The venue's traffic comes back by itself; a signature does not.
    if (action === "wait-traffic" && attempt.isSigned === true) {
      await store.awaitTraffic(swap.swapNo, now() + lookAgainMs);
      return waits;
    }
    const isFinal = action === "stop" || action === "fallback";
    return this.#refused(swap, attempt, { isFinal, isSent: true, message });
  }

  /** The outcome of earlier attempts; null if another attempt may be sent. */
  async #earlier(swap: SwapRow, attempt: Attempt): Promise<AttemptResult | null> {
    const { ledger, lapseMs } = this.#parts;
    const dedupOffset = present(swap.dedupOffset, "the attempt must be stored first");
    const submissionId = present(swap.submissionId, "the attempt must be stored first");
    const latest = await ledger.lookup(this.#change(swap, attempt, dedupOffset, submissionId));
    if (latest.kind === "rejected" && swap.attempts === 1)
      return this.#refused(swap, attempt, { isFinal: false, isSent: true, message: latest.code });
    if (latest.kind === "committed") return latest;
    // A rejection covers only the latest attempt, but it tells the ledger's time.
    const ledgerMs = Date.parse(latest.recordTime ?? "");
    if (!(ledgerMs > attempt.deadlineMs + lapseMs)) return null;
    return this.#refused(swap, attempt, {
      isFinal: true,
      isSent: true,
      message: "no attempt committed before the deadline",
    });
  }

  async #refused(
    { swapNo }: SwapRow,
    { phase, isTradersDoing }: Attempt,
    { isFinal, isSent, message }: Ending,
  ): Promise<AttemptResult> {
    const { store, now } = this.#parts;
    const isRefusal = phase === SwapPhase.settle && isSent;
    const isLockFailed = isTradersDoing !== undefined && !(await isTradersDoing());
    const lookMs = now() + lookAgainMs;
    await store.endPhase(swapNo, { lookMs, isRefusal, isLockFailed, fault: message });
    return { kind: "refused", isFinal, message };
  }

  async #again(swapNo: number): Promise<AttemptResult> {
    const { store, now } = this.#parts;
    await store.unknown(swapNo, now() + lookAgainMs);
    return waits;
  }

  #change(
    { swapId }: SwapRow,
    { phase, actAs }: Attempt,
    dedupOffset: number,
    submissionId: string,
  ): ChangeKey {
    return { commandId: commandIdOf(swapId, phase), actAs: [actAs], dedupOffset, submissionId };
  }
}
