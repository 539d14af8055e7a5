// Makes the quotes of a reference provider: at a price around the venue's order book, and only for amounts that the
// provider can deliver. A quote reserves its amount until the venue reports the outcome or, without a report, until
// `takenMs` after the quote has expired.

import { randomBytes } from "node:crypto";
import type * as z from "zod";
import type { quoteBody } from "../../../schemas/http/provider-api.ts";
import { formatScaled } from "../../core/money/amounts.ts";
import { ledgerDecimals } from "../../core/money/ledger-amount.ts";
import { type Priced, priceOfLots, priceOfValue } from "./quote-price.ts";
import { unitsOf, type VenueWatch, type WatchedMarket } from "./venue-watch.ts";

/**
 * How long in ms an expired quote is kept: the venue may request the leg of an accepted quote that long after the
 * quote's validity has ended.
 */
const takenMs = 180_000;
const quotesMax = 10_000;

export type QuoteRequest = z.output<typeof quoteBody>;

export interface QuoteServiceParts {
  readonly watch: VenueWatch;
  readonly pairs: readonly string[];
  readonly spreadBps: number;
  /** Largest value of a swap, in whole units of the quote asset. */
  readonly notionalMax: number;
  readonly validMs: number;
  /** Returns the free balance of an asset in units of 10^−10. */
  free(code: string): Promise<bigint>;
}

export interface OpenQuote extends Priced {
  readonly quoteId: string;
  readonly swapId: string;
  readonly market: WatchedMarket;
  readonly side: "BUY" | "SELL";
  readonly validUntilMs: number;
  /** Amounts of the two legs, in units of 10^−10. */
  readonly baseUnits: bigint;
  readonly quoteUnits: bigint;
}

/** Returns the asset and the amount that the provider delivers. */
function deliveryOf({ market, side, baseUnits, quoteUnits }: OpenQuote) {
  const isBase = side === "BUY";
  return { code: isBase ? market.base : market.quote, units: isBase ? baseUnits : quoteUnits };
}

export class QuoteService {
  readonly #parts: QuoteServiceParts;
  /** Quotes that are not released yet, oldest first. */
  readonly #quotes = new Map<string, OpenQuote>();

  constructor(parts: QuoteServiceParts) {
    this.#parts = parts;
  }

  /** Returns a quote, or null if the provider cannot quote. */
  async quote(request: QuoteRequest): Promise<OpenQuote | null> {
    const { watch, pairs, validMs } = this.#parts;
    this.#forget();
    const market = pairs.includes(request.pair) ? watch.market(request.pair) : undefined;
    if (market === undefined || this.#quotes.size >= quotesMax) return null;
    const priced = await this.#price(market, request);
    if (priced === null) return null;
    const { ticks, lots } = priced;
    const { tickPlaces, lotPlaces } = market;
    const quote: OpenQuote = {
      ...{ ticks, lots, market, side: request.side, swapId: request.rfq_id },
      quoteId: randomBytes(12).toString("hex"),
      validUntilMs: Date.now() + validMs,
      baseUnits: lots * 10n ** BigInt(ledgerDecimals - lotPlaces),
      quoteUnits: ticks * lots * 10n ** BigInt(ledgerDecimals - tickPlaces - lotPlaces),
    };
    const { code, units } = deliveryOf(quote);
    const free = await this.#parts.free(code);
    if (this.#held(code) + units > free) return null;
    this.#quotes.set(quote.quoteId, quote);
    return quote;
  }

  find(quoteId: string): OpenQuote | undefined {
    return this.#quotes.get(quoteId);
  }

  /** Releases the amount reserved for a swap that has ended for this provider. */
  release(swapId: string): void {
    for (const [id, quote] of this.#quotes) if (quote.swapId === swapId) this.#quotes.delete(id);
  }

  /** Returns the amount of the asset `code` that all unreleased quotes reserve. */
  #held(code: string): bigint {
    let held = 0n;
    for (const quote of this.#quotes.values()) {
      const delivery = deliveryOf(quote);
      if (delivery.code === code) held += delivery.units;
    }
    return held;
  }

  #forget(): void {
    const before = Date.now() - takenMs;
    for (const [id, { validUntilMs }] of this.#quotes)
      if (validUntilMs < before) this.#quotes.delete(id);
  }

  async #price(market: WatchedMarket, request: QuoteRequest): Promise<Priced | null> {
    const { watch, spreadBps, notionalMax } = this.#parts;
    const { tickPlaces, lotPlaces } = market;
    const isBuy = request.side === "BUY";
    const book = await watch.book(market);
    const side = isBuy ? book.asks : book.bids;
    const spread = BigInt(spreadBps);
    const lots = request.qty === undefined ? null : unitsOf(request.qty, lotPlaces);
    const value =
      request.quote_qty === undefined ? null : unitsOf(request.quote_qty, tickPlaces + lotPlaces);
    const priced =
      lots !== null
        ? priceOfLots(side, lots, isBuy, spread)
        : priceOfValue(side, value ?? 0n, isBuy, spread);
    const most = BigInt(notionalMax) * 10n ** BigInt(tickPlaces + lotPlaces);
    return priced === null || priced.ticks * priced.lots > most ? null : priced;
  }
}

/** Returns the quote in the form that is sent to the venue. */
export function shownQuote(quote: OpenQuote, party: string): object {
  const { market, quoteId, ticks, lots, validUntilMs } = quote;
  return {
    quote_id: quoteId,
    price: formatScaled(ticks, market.tickPlaces),
    qty: formatScaled(lots, market.lotPlaces),
    valid_until_ms: validUntilMs,
    provider_party: party,
  };
}
