// What a trader types about a market and an order, as parameters of the order routes.

import { InvalidArgumentError } from "commander";

export interface Market {
  /** The venue's name of the market, such as BTC-PERP. */
  readonly name: string;
  /** The name on the market's own routes, such as BTCUSDT. */
  readonly symbol: string;
  readonly isPerpetual: boolean;
}

/** The market as its surface names it: `CC-USDC` is spot, `BTC-PERP` and `BTCUSDT` are the same perpetual. */
export function marketNamed(text: string): Market {
  const typed = text.toUpperCase();
  if (!/^[A-Z0-9]{1,20}(-[A-Z0-9]{1,20})?$/.test(typed))
    throw new InvalidArgumentError("expected a market such as CC-USDC or BTC-PERP");
  const name = nameOf(typed);
  const base = /^(\w+)-PERP$/.exec(name)?.[1];
  if (base !== undefined) return { name, symbol: `${base}USDT`, isPerpetual: true };
  return { name, symbol: name, isPerpetual: !name.includes("-") };
}

/** The venue's name of the market that a route calls `symbol`: BTC-PERP for BTCUSDT. */
export function nameOf(symbol: string): string {
  return symbol.replace(/^(\w+)USDT$/, "$1-PERP");
}

/** Parses a number of an order, or of levels. */
export function count(text: string): string {
  if (!/^[1-9]\d{0,15}$/.test(text))
    throw new InvalidArgumentError("expected a whole number above 0");
  return text;
}

/** The venue's name of the collateral of perpetuals, which their routes call USDT. */
export function assetOf(code: string): string {
  return code === "USDT" ? "USDC" : code;
}

export interface OrderTerms {
  readonly price?: string;
  /** GTC, IOC or FOK. */
  readonly tif: string;
  readonly postOnly?: boolean;
  readonly reduceOnly?: boolean;
}

/** The parameters of an order's market, type and time in force; throws for terms that contradict each other. */
export function orderTerms(
  { symbol, isPerpetual }: Market,
  { price, tif, postOnly = false, reduceOnly = false }: OrderTerms,
): Readonly<Record<string, string | undefined>> {
  if (reduceOnly && !isPerpetual) throw new InvalidArgumentError("--reduce-only is for perpetuals");
  const closes = reduceOnly ? { reduceOnly: "true" } : {};
  if (price === undefined) {
    if (postOnly || tif !== "GTC")
      throw new InvalidArgumentError("--post-only and --tif need a --price");
    return { symbol, type: "MARKET", ...closes };
  }
  if (!postOnly) return { symbol, type: "LIMIT", price, timeInForce: tif, ...closes };
  if (tif !== "GTC") throw new InvalidArgumentError("a post-only order stays: leave out --tif");
  if (!isPerpetual) return { symbol, type: "LIMIT_MAKER", price };
  return { symbol, type: "LIMIT", price, timeInForce: "GTX", ...closes };
}
