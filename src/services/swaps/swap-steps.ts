// Stores the steps that the state machine decides: the swap's row, the entry for the journal and the notices to
// providers, in one database transaction. Afterwards `markProvider` updates the chosen provider's score.

import { isSwapOver, SwapReason, SwapState, swapReasonNames } from "../../core/swaps.ts";
import { decideSwap, type SwapEvent, type SwapTimes } from "../../engine/swaps/swap-machine.ts";
import type { Log } from "../../ports/log.ts";
import type { LiquidityProviders } from "../../ports/swaps/liquidity-providers.ts";
import type {
  NoticeDraft,
  SwapRecord,
  SwapRepository,
  SwapRow,
  SwapStep,
} from "../../ports/swaps/swap-store.ts";

export interface SwapStepsParts {
  readonly store: SwapRepository;
  readonly times: SwapTimes;
  readonly now: () => number;
}

type Extra = Pick<SwapStep, "taken" | "settled">;

export class SwapSteps {
  readonly #parts: SwapStepsParts;

  constructor(parts: SwapStepsParts) {
    this.#parts = parts;
  }

  /**
   * Stores the step that follows from an event. Null if no step follows or the row changed meanwhile. `swap`
   * is the row as it was read.
   */
  async take(
    swap: SwapRow,
    event: SwapEvent,
    details: Readonly<Record<string, string>> = {},
    extra: Extra = {},
  ): Promise<SwapRecord | null> {
    const { store, times, now } = this.#parts;
    const atMs = now();
    const move = decideSwap(swap, event, atMs, times);
    if (move === null) return null;
    const { to, dueMs } = move;
    // The step to `released` repeats the reason of the step to `releasing`.
    const reason = to === SwapState.released ? swap.reason : move.reason;
    if (to === swap.state) {
      await store.extend(swap.swapNo, dueMs);
      return null;
    }
    const notices = await this.#notices(swap, { to, reason }, extra);
    const step = { swap, to, reason, dueMs, atMs, details, notices, ...extra };
    return store.step(step);
  }

  /** The notices to providers that a step causes. Spec RFQ-11. */
  async #notices(
    swap: SwapRow,
    { to, reason }: { readonly to: SwapState; readonly reason: SwapReason },
    { taken, settled }: Extra,
  ): Promise<NoticeDraft[]> {
    const chosen = taken?.quote.provider ?? swap.taken?.provider ?? null;
    const why = swapReasonNames[reason];
    const because = why === null ? {} : { reason: why };
    if (swap.state === SwapState.quoted) {
      const losers = (await this.#parts.store.quotes(swap.swapNo)).filter(
        ({ provider }) => provider !== chosen,
      );
      const body = { status: "not_selected", ...because } as const;
      return losers.map(({ provider }) => ({ provider, kind: "result", body }));
    }
    if (chosen === null) return [];
    if (to === SwapState.releasing)
      return [{ provider: chosen, kind: "cancel", body: { reason: why ?? "released" } }];
    if (!isSwapOver(to)) return [];
    const update = settled === undefined ? {} : { update_id: settled.updateId };
    const body = { status: resultOf(to), ...because, ...update };
    return [{ provider: chosen, kind: "result", body }];
  }
}

function resultOf(to: SwapState): "settled" | "released" | "expired" | "cancelled" {
  if (to === SwapState.settled) return "settled";
  if (to === SwapState.released) return "released";
  return to === SwapState.expired ? "expired" : "cancelled";
}

/**
 * Reports to the registry what the step says about the provider: settled, declined, late, or wrong terms, which suspend
 * it. Failures are logged for the operator.
 */
export async function markProvider(
  providers: LiquidityProviders,
  swap: SwapRow,
  reason: SwapReason,
  log: Log,
): Promise<void> {
  const provider = swap.taken?.provider;
  if (provider === undefined) return;
  try {
    if (reason === SwapReason.none) await providers.mark(provider, "settled", swap.swapId);
    if (reason === SwapReason.declined) await providers.mark(provider, "declined", swap.swapId);
    if (reason === SwapReason.providerLate) await providers.mark(provider, "late", swap.swapId);
    if (reason === SwapReason.wrongTerms)
      await providers.suspend(
        provider,
        `swap ${swap.swapId}: the provider locked terms that differ from its quote`,
      );
  } catch (error) {
    log.warn({ err: error, provider }, "a provider's conduct could not be recorded");
  }
}
