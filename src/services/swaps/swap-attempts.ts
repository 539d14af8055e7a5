// Submissions of swaps to the ledger, each phase of each swap at most once there: what is about to be
// sent is written first, all attempts of a phase share a command id, and an outcome that is not known is
// looked up before anything else is sent.

import { present } from "../../core/assert.ts";
import type { ChangeKey, Outcome, Party } from "../../ports/ledger/ledger.ts";
import type { SwapLedger } from "../../ports/swaps/swap-ledger.ts";
import { SwapPhase, type SwapRow, type SwapStore } from "../../ports/swaps/swap-store.ts";

export interface SwapAttemptsParts {
  readonly store: SwapStore;
  readonly ledger: SwapLedger;
  readonly now: () => number;
  readonly newId: () => string;
  /** A deadline counts as passed on the ledger this long after it. */
  readonly lapseMs: number;
  readonly marginMs: number;
}

export type AttemptResult =
  | { readonly kind: "committed"; readonly updateId: string; readonly offset: number }
  /** No attempt of the phase is or comes on the ledger. */
  | { readonly kind: "refused"; readonly isFinal: boolean; readonly message: string }
  /** It is not known yet, and looked at again. */
  | { readonly kind: "waits" };

export interface Attempt {
  readonly phase: SwapPhase;
  readonly actAs: Party;
  /** The ledger refuses it from then on. */
  readonly deadlineMs: number;
  /** Null where there is nothing to send any more: then an earlier attempt is only looked for. */
  readonly send: ((change: ChangeKey) => Promise<Outcome>) | null;
  /** Whether a refusal is the trader's doing; asked where what it signed is refused. */
  readonly isTradersDoing?: () => Promise<boolean>;
}

const waits = { kind: "waits" } as const;
const lookAgainMs = 500;

/** How a phase is over without a commit. */
interface Ending {
  readonly isFinal: boolean;
  /** What was never sent is nothing that the ledger refused. */
  readonly isSent: boolean;
  readonly message: string;
}

const unsent: Ending = { isFinal: true, isSent: false, message: "no time is left" };

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

  /** Goes on with a phase: looks for what was sent before, and sends where nothing of it is there. */
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
      ? present(swap.dedupOffset, "an attempt was written down")
      : await ledger.ledgerEnd();
    const submissionId = newId();
    await store.begin(swapNo, { phase: attempt.phase, dedupOffset, submissionId });
    const change = this.#change(swap, attempt, dedupOffset, submissionId);
    const outcome = await send(change);
    if (outcome.kind === "committed") return outcome;
    // While an earlier attempt may still commit, no answer to this one ends the phase.
    if (outcome.kind === "unknown" || wasSent) return this.#again(swapNo);
    const isFinal = outcome.action === "stop" || outcome.action === "fallback";
    return this.#refused(swap, attempt, { isFinal, isSent: true, message: outcome.message });
  }

  /** What became of earlier attempts; null where another may be sent. */
  async #earlier(swap: SwapRow, attempt: Attempt): Promise<AttemptResult | null> {
    const { ledger, lapseMs, newId } = this.#parts;
    const dedupOffset = present(swap.dedupOffset, "an attempt was written down");
    const submissionId = present(swap.submissionId, "an attempt was written down");
    const latest = await ledger.lookup(this.#change(swap, attempt, dedupOffset, submissionId));
    if (latest.kind === "rejected" && swap.attempts === 1)
      return this.#refused(swap, attempt, { isFinal: false, isSent: true, message: latest.code });
    // The rejection is of the latest attempt: it says nothing of one before, nor what time it is there.
    const found =
      latest.kind === "rejected"
        ? await ledger.lookup(this.#change(swap, attempt, dedupOffset, newId()))
        : latest;
    if (found.kind === "committed") return found;
    if (found.kind === "rejected") return null;
    const ledgerMs = Date.parse(found.recordTime ?? "");
    if (!(ledgerMs > attempt.deadlineMs + lapseMs)) return null;
    return this.#refused(swap, attempt, {
      isFinal: true,
      isSent: true,
      message: "no attempt was in time",
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
