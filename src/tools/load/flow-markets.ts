// Reads the markets of a running venue for a flow. Price and quantity steps come from the filters in the venue's
// listing. The mid price is the last price, or an assumed price before the first trade.

import type { FlowMarket } from "./spot-flow.ts";

/** Prices that a flow uses before the first trade. */
export const firstPrices: Readonly<Record<string, number>> = {
  CC: 0.15,
  CBTC: 60_000,
  CETH: 3_000,
};
/** Minimum order value of the flow, as a multiple of the market's minimum. */
const notionalFactor = 2;

interface Listing {
  readonly symbols: readonly {
    readonly symbol: string;
    readonly status: string;
    readonly baseAsset: string;
    readonly filters: readonly Readonly<Record<string, string>>[];
  }[];
}

/** Returns the trading spot markets in `symbols`, or all of them; throws for an unknown or halted market. */
export async function readFlowMarkets(
  url: string,
  symbols: readonly string[],
): Promise<FlowMarket[]> {
  const listing = await getJson<Listing>(`${url}/api/v3/exchangeInfo`);
  const trading = listing.symbols.filter(({ status }) => status === "TRADING");
  const chosen =
    symbols.length === 0
      ? trading
      : symbols.map((name) => {
          const found = trading.find(({ symbol }) => symbol === name);
          if (found === undefined) {
            const known = trading.map(({ symbol }) => symbol).join(", ");
            throw new Error(`no trading market ${name}; trading markets: ${known}`);
          }
          return found;
        });
  return Promise.all(chosen.map((entry) => flowMarket(url, entry)));
}

async function flowMarket(url: string, entry: Listing["symbols"][number]): Promise<FlowMarket> {
  const field = (filter: string, name: string): string =>
    entry.filters.find((one) => one["filterType"] === filter)?.[name] ?? "";
  const tickDecimals = placesOf(field("PRICE_FILTER", "tickSize"));
  const lotDecimals = placesOf(field("LOT_SIZE", "stepSize"));
  const ticker = await getJson<{ price?: string }>(
    `${url}/api/v3/ticker/price?symbol=${entry.symbol}`,
  );
  const last = Number(ticker.price ?? 0);
  const price = last > 0 ? last : (firstPrices[entry.baseAsset] ?? 100);
  const notional = notionalFactor * Number(field("NOTIONAL", "minNotional") || "10");
  return {
    symbol: entry.symbol,
    tickDecimals,
    lotDecimals,
    middleTicks: Math.round(price * 10 ** tickDecimals),
    qtyLotsMin: Math.max(1, Math.ceil((notional / price) * 10 ** lotDecimals)),
  };
}

/** Returns the number of decimal places of a step such as `0.0001`. */
function placesOf(step: string): number {
  const digits = step.split(".")[1] ?? "";
  return digits.replace(/0+$/, "").length;
}

/** Returns the response to a public GET; throws the response's text unless the status is 200. */
export async function getJson<T>(url: string): Promise<T> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}
