// What the venue's refusal of an order leaves out: the limit that was missed, or the market that was probably meant.
// Both are read from exchangeInfo of the market's surface, and only after a refusal.

import { getPublic, RequestRefused } from "../../../tools/trader/trading-client.ts";
import { nearest } from "../terminal/nearest.ts";
import { type Market, nameOf } from "./order-terms.ts";

/** A filter of exchangeInfo; each has some of these fields. */
interface Filter {
  readonly filterType: string;
  readonly tickSize?: string;
  readonly maxPrice?: string;
  readonly minQty?: string;
  readonly maxQty?: string;
  readonly stepSize?: string;
  /** Spot. */
  readonly minNotional?: string;
  /** Perpetuals. */
  readonly notional?: string;
  readonly multiplierUp?: string;
  readonly multiplierDown?: string;
}

interface Listed {
  readonly symbol: string;
  /** BREAK: delisted. */
  readonly status: string;
  readonly quoteAsset: string;
  readonly filters: readonly Filter[];
}

/** Filters that a refusal of a perpetual may be about, by its code; unlike on spot, its message names no filter. */
const filtersByCode: ReadonlyMap<number | null, readonly string[]> = new Map([
  [-1111, ["PRICE_FILTER", "LOT_SIZE"]],
  [-4013, ["PRICE_FILTER"]],
  [-4002, ["PRICE_FILTER"]],
  [-4003, ["LOT_SIZE"]],
  [-4005, ["LOT_SIZE"]],
]);

/** How a filter's limits are told; a filter that is not here is left as the venue named it. */
const sentences: Readonly<Record<string, (filter: Filter, quoteAsset: string) => string>> = {
  PRICE_FILTER: ({ tickSize, maxPrice }) => `prices in steps of ${tickSize}, at most ${maxPrice}`,
  LOT_SIZE: ({ stepSize, minQty, maxQty }) =>
    `quantities in steps of ${stepSize}, from ${minQty} to ${maxQty}`,
  NOTIONAL: ({ minNotional }, quoteAsset) => `orders of at least ${minNotional} ${quoteAsset}`,
  MIN_NOTIONAL: ({ notional }) => `orders of at least ${notional} USDC`,
  PERCENT_PRICE: ({ multiplierDown, multiplierUp }) =>
    `prices from ${multiplierDown} to ${multiplierUp} times its current price`,
};

/**
 * A refusal with what would have been right, such as the step of a quantity. Returns `error` unchanged if it is about
 * something else, or if the venue does not tell its markets.
 */
export async function explained(error: unknown, address: string, market: Market): Promise<unknown> {
  if (!(error instanceof RequestRefused)) return error;
  try {
    if (isOfSymbol(error)) return unknownMarket(market, await namesAt(address));
    const named = filtersOf(error);
    const own = named.length === 0 ? undefined : await listedAs(market, address);
    const rules = (own?.filters ?? []).flatMap((filter) => {
      const told = named.includes(filter.filterType) ? sentences[filter.filterType] : undefined;
      return told === undefined ? [] : [told(filter, own?.quoteAsset ?? "")];
    });
    if (rules.length === 0) return error;
    return new Error(`${error.message}; ${market.name} takes ${rules.join(", and ")}`);
  } catch {
    // The refusal matters more than a list of markets that cannot be read.
    return error;
  }
}

function isOfSymbol({ code, message }: RequestRefused): boolean {
  return code === -1121 || (code === -1100 && message.includes("'symbol'"));
}

function filtersOf({ code, message }: RequestRefused): readonly string[] {
  const [, named] = /Filter failure: (\w+)/.exec(message) ?? [];
  if (named === "NOTIONAL") return ["NOTIONAL", "MIN_NOTIONAL"];
  return named === undefined ? (filtersByCode.get(code) ?? []) : [named];
}

function unknownMarket({ name }: Market, names: readonly string[]): Error {
  const meant = nearest(name, names);
  const suggestion = meant === null ? "" : `. Did you mean ${meant}?`;
  return new Error(`no market ${name}; markets: ${names.join(", ")}${suggestion}`);
}

async function namesAt(address: string): Promise<string[]> {
  const both = await Promise.all([false, true].map((isPerpetual) => listed(address, isPerpetual)));
  return both
    .flat()
    .filter(({ status }) => status !== "BREAK")
    .map(({ symbol }) => nameOf(symbol));
}

async function listedAs({ symbol, isPerpetual }: Market, address: string) {
  return (await listed(address, isPerpetual)).find((one) => one.symbol === symbol);
}

/** Perpetuals have their filters in the compat view only. */
async function listed(address: string, isPerpetual: boolean): Promise<readonly Listed[]> {
  const path = isPerpetual ? "/compat/fapi/v1/exchangeInfo" : "/api/v3/exchangeInfo";
  return (await getPublic<{ readonly symbols: readonly Listed[] }>(address, path)).symbols;
}
