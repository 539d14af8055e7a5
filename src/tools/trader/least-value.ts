// What a swap of a market is worth at least, by the market's own figures: the venue's refusal is words alone.

import { ledgerDecimals, parseLedgerAmount } from "../../core/money/ledger-amount.ts";
import type { VenueSession } from "./venue-session.ts";

interface Listing {
  readonly symbols: readonly {
    readonly filters: readonly { readonly filterType: string; readonly minNotional?: string }[];
  }[];
}

interface BestPrices {
  readonly bidPrice: string;
  readonly askPrice: string;
}

interface AskedAmount {
  readonly pair: string;
  /** One of the two is null. */
  readonly qty: string | null;
  readonly quoteQty: string | null;
}

/**
 * The least value of the market, as it writes it, where the amount is below it; null where it is not. A quantity
 * counts by the dearer of the market's best prices. Throws where the venue does not tell its figures.
 */
export async function leastValueAbove(
  session: VenueSession,
  { pair, qty, quoteQty }: AskedAmount,
): Promise<string | null> {
  const symbol = encodeURIComponent(pair);
  const listing = await session.get<Listing>(`/api/v3/exchangeInfo?symbol=${symbol}`);
  const filters = listing.symbols[0]?.filters ?? [];
  const least = filters.find(({ filterType }) => filterType === "NOTIONAL")?.minNotional;
  if (least === undefined) return null;
  const one = 10n ** BigInt(ledgerDecimals);
  if (qty === null) return unitsOf(quoteQty ?? "0") < unitsOf(least) ? least : null;
  const path = `/api/v3/ticker/bookTicker?symbol=${symbol}`;
  const { bidPrice, askPrice } = await session.get<BestPrices>(path);
  const isBelow = [bidPrice, askPrice].every(
    (price) => unitsOf(qty) * unitsOf(price) < unitsOf(least) * one,
  );
  return isBelow ? least : null;
}

/** A decimal in units of 10^−10; throws for any other text. */
export function unitsOf(text: string): bigint {
  const units = parseLedgerAmount(text);
  if (units === null) throw new Error(`${text.slice(0, 50)} is no decimal of at most ten places`);
  return units;
}
