// Prices of any market, read when an order is about to be sent: the streams follow only the market in sight, and not
// in a hidden tab.

import { exact } from "../markets/exact.ts";
import { type Market, surfaceOf } from "../markets/market.ts";
import type { Side } from "../markets/ticket-requests.ts";
import { request } from "./venue-api.ts";

type Named = Pick<Market, "listed" | "isPerpetual">;

function read<T>(market: Named, name: string): Promise<T> {
  const symbol = encodeURIComponent(market.listed);
  return request<T>("GET", `${surfaceOf(market)}/${name}?symbol=${symbol}`);
}

/** A price of zero stands for none. */
function known(price: string): string | undefined {
  return (exact(price) ?? 0n) > 0n ? price : undefined;
}

/** Best price of the side against which an order of `side` trades; undefined if that side is empty. */
export async function readBest(market: Named, side: Side): Promise<string | undefined> {
  const best = await read<{ bidPrice: string; askPrice: string }>(market, "ticker/bookTicker");
  return known(side === "BUY" ? best.askPrice : best.bidPrice);
}

/** The price that own limits compare with: the mark, on spot the last price; undefined without one. */
export function readReference(market: Named): Promise<string | undefined> {
  return readWatched(market, market.isPerpetual);
}

/** The price that a trigger watches: the mark of a perpetual, or the last price of any market; undefined without one. */
export async function readWatched(market: Named, isMark: boolean): Promise<string | undefined> {
  if (isMark) {
    return known((await read<{ markPrice: string }>(market, "premiumIndex")).markPrice);
  }
  return known((await read<{ lastPrice: string }>(market, "ticker/24hr")).lastPrice);
}
