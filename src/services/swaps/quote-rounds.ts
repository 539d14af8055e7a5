// Runs a round of quote requests for each swap and stores the quotes that fit. After a restart a round continues with
// its stored quotes; a round without quotes is repeated while its window lasts.

import { createHmac } from "node:crypto";
import type { MarketTable } from "../../core/markets.ts";
import type { Log } from "../../ports/log.ts";
import type { LiquidityProviders, ProviderQuote } from "../../ports/swaps/liquidity-providers.ts";
import type { SwapRow, SwapStore } from "../../ports/swaps/swap-store.ts";
import type { SwapSteps } from "./swap-steps.ts";
import { fittingQuote, quoteRequestOf } from "./swap-terms.ts";

export interface QuoteRoundsParts {
  readonly store: SwapStore;
  readonly providers: LiquidityProviders;
  readonly steps: SwapSteps;
  readonly table: MarketTable;
  /** Key for computing the tags of traders. A trader's tag never changes; providers see the tag, not the trader. */
  readonly tagKey: Uint8Array;
  readonly now: () => number;
  readonly log: Log;
}

const tagDigits = 16;

export class QuoteRounds {
  readonly #parts: QuoteRoundsParts;
  readonly #running = new Set<number>();

  constructor(parts: QuoteRoundsParts) {
    this.#parts = parts;
  }

  /** Starts the round of a swap unless it is running. */
  begin(swap: SwapRow): void {
    const { swapNo } = swap;
    if (this.#running.has(swapNo)) return;
    this.#running.add(swapNo);
    this.#round(swap)
      .catch((error: unknown) => {
        this.#parts.log.warn({ err: error, swapNo }, "a quote round failed");
      })
      .finally(() => this.#running.delete(swapNo));
  }

  async #round(swap: SwapRow): Promise<void> {
    const { providers, table, now, steps } = this.#parts;
    if (await this.#resume(swap)) return;
    const keeping: Promise<void>[] = [];
    if (now() < swap.windowEndsMs) {
      const request = quoteRequestOf(swap, table.market(swap.market), this.#tagOf(swap));
      await providers.requestQuotes(request, (quote) => keeping.push(this.#keep(swap, quote)));
    }
    await Promise.allSettled(keeping);
    if (await this.#resume(swap)) return;
    await steps.take(swap, { kind: "roundOver" });
  }

  /**
   * If a stored quote is still valid, takes the step that follows from the quote, because the process may have ended
   * before that step. False if no stored quote is valid.
   */
  async #resume(swap: SwapRow): Promise<boolean> {
    const { store, steps, now } = this.#parts;
    const valid = (await store.quotes(swap.swapNo)).filter((each) => each.validUntilMs > now());
    const [first] = valid;
    if (first === undefined) return false;
    const untilMs = Math.max(...valid.map(({ validUntilMs }) => validUntilMs));
    const { provider, quoteId } = first;
    await steps.take(swap, { kind: "quoted", untilMs }, { provider, quote_id: quoteId });
    return true;
  }

  async #keep(swap: SwapRow, given: ProviderQuote): Promise<void> {
    const { store, steps, table, now, log } = this.#parts;
    const { swapNo, swapId } = swap;
    try {
      const quote = fittingQuote(given, swap, table.market(swap.market), now());
      if (quote === null) {
        log.info({ swapId, provider: given.provider }, "a quote does not fit its request");
        return;
      }
      if (!(await store.addQuote(swapNo, quote, now()))) return;
      const event = { kind: "quoted", untilMs: quote.validUntilMs } as const;
      const { provider, quoteId } = quote;
      if ((await steps.take(swap, event, { provider, quote_id: quoteId })) !== null) return;
      const current = await store.swap(swapNo);
      if (current !== null) await steps.take(current, event);
    } catch (error) {
      log.warn({ err: error, swapId }, "a quote could not be stored");
    }
  }

  #tagOf({ trader }: SwapRow): string {
    const hmac = createHmac("sha256", this.#parts.tagKey).update(`rfq-trader ${trader.party}`);
    return hmac.digest("hex").slice(0, tagDigits);
  }
}
