// Liquidity providers that follow scripts: each script defines quotes and the reaction to an acceptance. To the swap
// service they behave like the real port, but without a network: at most eight are called, late quotes and quotes of
// others are dropped, and a suspended provider is not called.

import type {
  AcceptOutcome,
  AcceptRequest,
  LiquidityProviders,
  ProviderMark,
  ProviderQuote,
  QuoteAnswer,
  QuoteRequest,
} from "../../../src/ports/swaps/liquidity-providers.ts";

const providersMax = 8;

/** The behaviour of one provider. Each method may be slow, fail or never answer. */
export interface ProviderScript {
  readonly party: string;
  /** How often the provider sends each of its quotes; once by default. */
  readonly answers?: number;
  quote(request: QuoteRequest): Promise<QuoteAnswer | null>;
  accept(request: AcceptRequest): Promise<AcceptOutcome>;
}

export class ScriptedProviders implements LiquidityProviders {
  readonly marks: { readonly provider: string; readonly mark: ProviderMark }[] = [];
  readonly suspended = new Map<string, string>();
  readonly #scripts: ReadonlyMap<string, ProviderScript>;

  constructor(scripts: Readonly<Record<string, ProviderScript>>) {
    this.#scripts = new Map(Object.entries(scripts));
  }

  async requestQuotes(
    request: QuoteRequest,
    onQuote: (quote: ProviderQuote) => void,
  ): Promise<readonly string[]> {
    const requested = [...this.#scripts]
      .filter(([id]) => !this.suspended.has(id))
      .slice(0, providersMax);
    const answered = requested.map(async ([provider, script]) => {
      const quote = await script.quote(request).catch(() => null);
      const isHeard = quote !== null && Date.now() <= request.respond_by_ms;
      if (!isHeard || quote.provider_party !== script.party) return;
      for (let answer = 0; answer < (script.answers ?? 1); answer++)
        onQuote({ ...quote, provider });
    });
    let timer: NodeJS.Timeout | undefined;
    const closed = new Promise((resolve) => {
      timer = setTimeout(resolve, request.respond_by_ms - Date.now());
    });
    await Promise.race([Promise.all(answered), closed]);
    clearTimeout(timer);
    return requested.map(([provider]) => provider);
  }

  async acceptAndAllocate(
    provider: string,
    request: AcceptRequest,
    deadlineMs: number,
  ): Promise<AcceptOutcome> {
    const script = this.#scripts.get(provider);
    if (script === undefined) return { kind: "unknown", message: `no provider ${provider}` };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<AcceptOutcome>((resolve) => {
      const message = "no answer in time";
      timer = setTimeout(() => resolve({ kind: "unknown", message }), deadlineMs - Date.now());
    });
    const failed = (error: unknown): AcceptOutcome => ({ kind: "unknown", message: String(error) });
    const outcome = await Promise.race([script.accept(request).catch(failed), late]);
    clearTimeout(timer);
    return outcome;
  }

  async mark(provider: string, mark: ProviderMark): Promise<void> {
    this.marks.push({ provider, mark });
  }

  async suspend(provider: string, reason: string): Promise<void> {
    this.suspended.set(provider, reason);
  }

  wakeCourier(): void {
    // Nothing to wake: tests read the notices in their table.
  }
}
