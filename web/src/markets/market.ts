// One market as the terminal needs it: its names, price tick, quantity step and limits. Independent of page and
// network.

import { placesOf } from "../decimal-text.ts";

export interface Market {
  /** Name on the native routes: CC-USDC, BTC-PERP. */
  readonly symbol: string;
  readonly isPerpetual: boolean;
  /** False if the market is halted or delisted. */
  readonly isTrading: boolean;
  /** True if the market is closed permanently; its past orders and trades can still be read. */
  readonly isDelisted: boolean;
  /** Name in streams: cc-usdc, btcusdt. */
  readonly stream: string;
  /** Name on the signed surfaces: CC-USDC, BTCUSDT. */
  readonly listed: string;
  readonly base: string;
  readonly quote: string;
  readonly tick: string;
  readonly step: string;
  readonly pricePlaces: number;
  readonly quantityPlaces: number;
  /** Least value of an order in the quote asset; "0" for no limit. */
  readonly notionalMin: string;
  /** Greatest price and quantity of an order; "0" for no limit. */
  readonly priceMax: string;
  readonly quantityMax: string;
  /** Most parts that an iceberg order may show one after another; 0 for no limit. */
  readonly icebergPartsMax: number;
  /** Least and greatest limit price, as factors of the mark price; "0" for no limit. */
  readonly bandDown: string;
  readonly bandUp: string;
  readonly leverageMax: number;
  /** Maintenance margin of the lowest tier, in percent; "0" on spot. */
  readonly maintenancePercent: string;
}

/** Root of the Binance-style routes of a market. */
export function surfaceOf({ isPerpetual }: Pick<Market, "isPerpetual">): string {
  return isPerpetual ? "/compat/fapi/v1" : "/compat/api/v3";
}

/** The leverage above which the margin floor of a listing exceeds the margin; null without a floor. */
export function floorLeverageOf({ openingMarginPercent }: Listing): number | null {
  const percent = Number(openingMarginPercent ?? "0");
  return percent > 0 ? Math.max(Math.floor(100 / percent), 1) : null;
}

interface Filter {
  readonly filterType: string;
  readonly tickSize?: string;
  readonly stepSize?: string;
  readonly minNotional?: string;
  readonly notional?: string;
  readonly maxPrice?: string;
  readonly maxQty?: string;
  readonly multiplierUp?: string;
  readonly multiplierDown?: string;
  readonly limit?: number;
}

/** A market in exchangeInfo of its surface. */
export interface Listing {
  readonly symbol: string;
  readonly status: string;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  readonly maintMarginPercent?: string;
  readonly requiredMarginPercent?: string;
  /** Margin that opening an order needs at least, whatever the leverage; absent without a floor. */
  readonly openingMarginPercent?: string;
  readonly filters: readonly Filter[];
}

/** Returns a market from its listing on either surface. Without filters, its tick is 0.01 and its step 0.001. */
export function marketOf(listing: Listing, isPerpetual: boolean): Market {
  const filter = (type: string) => listing.filters.find(({ filterType }) => filterType === type);
  const tick = filter("PRICE_FILTER")?.tickSize ?? "0.01";
  const step = filter("LOT_SIZE")?.stepSize ?? "0.001";
  const { symbol, baseAsset, quoteAsset, requiredMarginPercent } = listing;
  return {
    symbol: isPerpetual ? `${baseAsset}-PERP` : symbol,
    isPerpetual,
    isTrading: listing.status === "TRADING",
    isDelisted: listing.status === "BREAK" || listing.status === "CLOSE",
    stream: symbol.toLowerCase(),
    listed: symbol,
    base: baseAsset,
    quote: quoteAsset,
    tick,
    step,
    pricePlaces: placesOf(tick),
    quantityPlaces: placesOf(step),
    notionalMin: filter("NOTIONAL")?.minNotional ?? filter("MIN_NOTIONAL")?.notional ?? "0",
    priceMax: filter("PRICE_FILTER")?.maxPrice ?? "0",
    quantityMax: filter("LOT_SIZE")?.maxQty ?? "0",
    icebergPartsMax: filter("ICEBERG_PARTS")?.limit ?? 0,
    bandDown: filter("PERCENT_PRICE")?.multiplierDown ?? "0",
    bandUp: filter("PERCENT_PRICE")?.multiplierUp ?? "0",
    leverageMax: isPerpetual ? Math.round(100 / Number(requiredMarginPercent ?? "1")) : 1,
    maintenancePercent: listing.maintMarginPercent ?? "0",
  };
}
