// Whether a provider's answer is a quote for what was asked: the quantity and side of the request, prices
// and quantities in the market's steps, and a validity that leaves a trader time and binds nobody for
// long. Spec LPC-3.

import { asPriceTicks, asQtyLots } from "../../core/amounts.ts";
import { parseAmount, parseScaled } from "../../core/decimal.ts";
import { type Market, orderValue } from "../../core/markets.ts";
import type { QuoteAnswer, QuoteRequest } from "../../ports/liquidity-providers.ts";

/** How long a quote holds: at least from when it was asked for, at most from when it came. */
const validMsMin = 3_000;
const validMsMax = 30_000;

export interface AskedAndAnswered {
  readonly request: QuoteRequest;
  readonly answer: QuoteAnswer;
  readonly askedMs: number;
  readonly nowMs: number;
}

/** What is wrong with a quote, in words for the operator; null where it is one. */
export function quoteFault(market: Market, round: AskedAndAnswered): string | null {
  const { request, answer, askedMs, nowMs } = round;
  const { valid_until_ms: untilMs } = answer;
  if (untilMs < askedMs + validMsMin || untilMs > nowMs + validMsMax)
    return `valid for ${untilMs - nowMs} ms`;
  const ticks = parseScaled(answer.price, market.tickDecimals);
  const lots = parseScaled(answer.qty, market.lotDecimals);
  if (ticks <= 0 || ticks > market.priceTicksMax) return `price ${answer.price}`;
  if (lots <= 0 || lots > market.qtyLotsMax) return `quantity ${answer.qty}`;
  if (request.qty !== undefined) {
    const isSame = parseScaled(request.qty, market.lotDecimals) === lots;
    return isSame ? null : `quantity ${answer.qty} for ${request.qty}`;
  }
  const bound = parseAmount(request.quote_qty ?? "", market.quote.decimals);
  if (bound === null) return "no quantity was asked for";
  const value = orderValue(market, asPriceTicks(ticks), asQtyLots(lots));
  const isWithin = request.side === "BUY" ? value <= bound : value >= bound;
  return isWithin ? null : `${answer.qty} at ${answer.price} for ${request.quote_qty}`;
}
