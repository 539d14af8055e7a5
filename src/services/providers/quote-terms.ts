// Whether a provider's answer is a quote for what was asked: the quantity and side of the request, prices
// and quantities in the market's steps, and a validity that leaves a trader time and binds nobody for
// long. Spec LPC-3.

import type { Market } from "../../core/markets.ts";
import { parseAmount, parseScaled } from "../../core/money/decimal.ts";
import { Side } from "../../core/orders.ts";
import { type AskedQuote, fitQuote } from "../../engine/swaps/quote-fit.ts";
import type { QuoteAnswer, QuoteRequest } from "../../ports/swaps/liquidity-providers.ts";

/** How long a quote holds: at least from when it was asked for, at most from when it came. */
const validMsMin = 3_000;
const validMsMax = 30_000;

export interface AskedAndAnswered {
  readonly request: QuoteRequest;
  readonly answer: QuoteAnswer;
  readonly askedMs: number;
  readonly nowMs: number;
}

/** Why an answer is no quote; whoever was asked for too little did nothing wrong. */
export interface QuoteFault {
  readonly conduct: "invalid" | "passed";
  readonly words: string;
}

/** What is wrong with a quote, in words for the operator; null where it is one. */
export function quoteFault(market: Market, round: AskedAndAnswered): QuoteFault | null {
  const { request, answer, askedMs, nowMs } = round;
  const { valid_until_ms: untilMs, price, qty } = answer;
  if (untilMs < askedMs + validMsMin || untilMs > nowMs + validMsMax)
    return { conduct: "invalid", words: `valid for ${untilMs - nowMs} ms` };
  const fit = fitQuote(market, askedIn(request, market), answer);
  if (typeof fit !== "string") return null;
  if (fit === "small") return { conduct: "passed", words: `${qty} is below the market's minimum` };
  const asked = request.qty ?? `worth ${request.quote_qty}`;
  return { conduct: "invalid", words: `${fit}: ${qty} at ${price} for ${asked}` };
}

/** The request as it is kept; the venue wrote it itself. */
function askedIn({ side, qty, quote_qty: value }: QuoteRequest, market: Market): AskedQuote {
  return {
    side: side === "BUY" ? Side.buy : Side.sell,
    askedLots: qty === undefined ? null : parseScaled(qty, market.lotDecimals),
    askedQuote: value === undefined ? null : parseAmount(value, market.quote.decimals),
  };
}
