// One market as the terminal needs it: its names, and the steps its prices and quantities go in. Knows neither
// the page nor the network.

import { placesOf } from "../decimal-text.ts";

export interface Market {
  /** As the native routes name it: CC-USDC, BTC-PERP. */
  readonly symbol: string;
  readonly isPerpetual: boolean;
  /** False where orders are refused: halted or delisted. */
  readonly isTrading: boolean;
  /** Gone for good: its orders and trades are history. */
  readonly isDelisted: boolean;
  /** As its streams name it: cc-usdc, btcusdt. */
  readonly stream: string;
  /** As the signed surfaces name it: CC-USDC, BTCUSDT. */
  readonly listed: string;
  readonly base: string;
  readonly quote: string;
  readonly tick: string;
  readonly step: string;
  readonly pricePlaces: number;
  readonly quantityPlaces: number;
  /** Least value of an order in the quote asset; "0" where there is none. */
  readonly notionalMin: string;
  readonly leverageMax: number;
  /** Maintenance margin of the lowest tier, in percent; "0" on spot. */
  readonly maintenancePercent: string;
}

interface Filter {
  readonly filterType: string;
  readonly tickSize?: string;
  readonly stepSize?: string;
  readonly minNotional?: string;
}

/** What a market's surface says of it in exchangeInfo. */
export interface Listing {
  readonly symbol: string;
  readonly status: string;
  readonly baseAsset: string;
  readonly quoteAsset: string;
  readonly maintMarginPercent?: string;
  readonly requiredMarginPercent?: string;
  readonly filters: readonly Filter[];
}

/** A listing of either surface; without filters it goes in steps of 0.01 and 0.001. */
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
    notionalMin: filter("NOTIONAL")?.minNotional ?? "0",
    leverageMax: isPerpetual ? Math.round(100 / Number(requiredMarginPercent ?? "1")) : 1,
    maintenancePercent: listing.maintMarginPercent ?? "0",
  };
}
