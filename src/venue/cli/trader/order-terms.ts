// What a trader types about a market and an order, as parameters of the order routes.

import { InvalidArgumentError } from "commander";

export interface Market {
  readonly symbol: string;
  readonly isPerpetual: boolean;
}

/** The market as its surface names it: `CC-USDC` is spot, `BTC-PERP` and `BTCUSDT` are the same perpetual. */
export function marketNamed(text: string): Market {
  const symbol = text.toUpperCase();
  if (!/^[A-Z0-9]{1,20}(-[A-Z0-9]{1,20})?$/.test(symbol))
    throw new InvalidArgumentError("expected a market such as CC-USDC or BTC-PERP");
  const base = /^(\w+)-PERP$/.exec(symbol)?.[1];
  if (base !== undefined) return { symbol: `${base}USDT`, isPerpetual: true };
  return { symbol, isPerpetual: !symbol.includes("-") };
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
