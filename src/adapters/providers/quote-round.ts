// Sends one quote request to several providers at once, with the same body, individual signatures and one deadline.
// Each answer is checked when it arrives; late or invalid answers are counted and dropped. Each provider receives the
// request once. Implements LPC-2 and LPC-3.

import { quoteAnswer } from "../../../schemas/http/provider-api.ts";
import type { Market } from "../../core/markets.ts";
import { parseAmount, parseScaled } from "../../core/money/amounts.ts";
import { Side } from "../../core/orders.ts";
import { fitQuote, type RequestedQuote } from "../../engine/swaps/quote-fit.ts";
import type { Log } from "../../ports/log.ts";
import type {
  ProviderQuote,
  QuoteAnswer,
  QuoteRequest,
} from "../../ports/swaps/liquidity-providers.ts";
import type { Conduct } from "../../services/providers/provider-score.ts";
import { answerOf, shownReply } from "./provider-answer.ts";
import type { ListedProvider } from "./provider-roll.ts";
import type { ProviderReply } from "./reply-reader.ts";

// How an answer is checked: a valid quote has the quantity and the side of the request, a price and a quantity on the
// market's steps, and a validity that gives the trader time without binding the provider for long (LPC-3).

/**
 * Validity of a quote in milliseconds: at least `validMsMin` from the request, at most `validMsMax` from its arrival.
 */
const validMsMin = 3_000;
const validMsMax = 30_000;

interface QuoteExchange {
  readonly request: QuoteRequest;
  readonly answer: QuoteAnswer;
  readonly requestedMs: number;
  readonly nowMs: number;
}

/**
 * The reason why an answer is not a valid quote. The conduct is `passed` if the request was too small for a valid
 * quote, because this is not the provider's fault.
 */
interface QuoteFault {
  readonly conduct: "invalid" | "passed";
  readonly message: string;
}

/** Returns the fault of a quote, with a message for the operator; null if the quote is valid. */
export function quoteFault(market: Market, round: QuoteExchange): QuoteFault | null {
  const { request, answer, requestedMs, nowMs } = round;
  const { valid_until_ms: untilMs, price, qty } = answer;
  if (untilMs < requestedMs + validMsMin || untilMs > nowMs + validMsMax)
    return { conduct: "invalid", message: `the quote is valid for ${untilMs - nowMs} ms` };
  const fit = fitQuote(market, requestedIn(request, market), answer);
  if (typeof fit !== "string") return null;
  if (fit === "small")
    return { conduct: "passed", message: `${qty} is below the market's minimum` };
  const requested = request.qty ?? `worth ${request.quote_qty}`;
  return { conduct: "invalid", message: `${fit}: ${qty} at ${price} for ${requested}` };
}

/** Reads the amount of the stored request, which needs no validation because the venue wrote it. */
function requestedIn(
  { side, qty, quote_qty: value }: QuoteRequest,
  market: Market,
): RequestedQuote {
  return {
    side: side === "BUY" ? Side.buy : Side.sell,
    askedLots: qty === undefined ? null : parseScaled(qty, market.lotDecimals),
    askedQuote: value === undefined ? null : parseAmount(value, market.quote.decimals),
  };
}

export interface QuoteRoundParts {
  readonly request: QuoteRequest;
  readonly market: Market;
  readonly onQuote: (quote: ProviderQuote) => void;
  readonly log: Log;
  nowMs(): number;
}

export class QuoteRound {
  readonly #parts: QuoteRoundParts;
  readonly #body: string;
  readonly #requestedMs: number;
  readonly #end = new AbortController();
  #isOver = false;

  constructor(parts: QuoteRoundParts) {
    this.#parts = parts;
    this.#body = JSON.stringify(parts.request);
    this.#requestedMs = parts.nowMs();
  }

  /** Resolves when all providers have answered or the time is up. */
  async run(providers: readonly ListedProvider[]): Promise<void> {
    const leftMs = Math.max(0, this.#parts.request.respond_by_ms - this.#requestedMs);
    let timer: NodeJS.Timeout | undefined;
    const closed = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.#isOver = true;
        this.#end.abort();
        resolve();
      }, leftMs);
    });
    await Promise.race([
      Promise.all(providers.map((provider) => this.#requestQuote(provider))),
      closed,
    ]);
    clearTimeout(timer);
  }

  async #requestQuote(provider: ListedProvider): Promise<void> {
    const reply = await provider.client.send({
      method: "POST",
      path: "/rfq/quotes",
      body: this.#body,
      idempotencyKey: `quote-${this.#parts.request.rfq_id}`,
      signal: this.#end.signal,
    });
    const nowMs = this.#parts.nowMs();
    const conduct = this.#isOver ? "late" : this.#take(provider, reply, nowMs);
    provider.did(
      conduct,
      conduct === "quoted" || conduct === "passed" ? nowMs - this.#requestedMs : 0,
    );
  }

  #take(provider: ListedProvider, reply: ProviderReply, nowMs: number): Conduct {
    const { request, market, onQuote } = this.#parts;
    if (reply.kind === "late" || nowMs > request.respond_by_ms) return "late";
    if (reply.kind === "fault" || reply.status >= 500 || reply.status === 429) {
      return this.#reject(provider, "failed", shownReply(reply));
    }
    if (reply.status === 204) return "passed";
    const answer = answerOf(quoteAnswer, reply);
    if (answer === null) return this.#reject(provider, "invalid", shownReply(reply));
    if (answer.provider_party !== provider.record.party)
      return this.#reject(provider, "invalid", "the quote names another party");
    const fault = quoteFault(market, { request, answer, requestedMs: this.#requestedMs, nowMs });
    if (fault !== null) return this.#reject(provider, fault.conduct, fault.message);
    onQuote({ ...answer, provider: provider.provider });
    return "quoted";
  }

  #reject(provider: ListedProvider, conduct: Conduct, message: string): Conduct {
    const { log } = this.#parts;
    log.debug({ provider: provider.provider, words: message }, "a provider gave no usable quote");
    return conduct;
  }
}
