// Draws the order lists that crash clients place: lists of every type that sell, around the middle of their market.
// Some of their stop losses trigger, and most working orders are filled. Some show only a slice, and some take their price
// from a level of the book.

import { formatScaled } from "../../src/core/money/amounts.ts";
import type { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { type CrashMarket, symbolOf } from "./crash-market.ts";
import type { DrawnOrder } from "./drawn-order.ts";

export interface DrawnList {
  readonly path: string;
  /** The orders of the list, in the order of the reports in the answer. */
  readonly told: readonly DrawnOrder["told"][];
  /** The request's parameters in URL encoding. */
  readonly query: string;
}

/** Error codes of lists that the venue may refuse: prices have moved meanwhile, or it has too many lists or triggers. */
export const mayRefuseList: readonly number[] = [-2010, -1013];

/** Draws a list in a spot market; `name` is its client id, and begins those of its orders. */
export function drawList(random: SeededRandom, place: CrashMarket, name: string): DrawnList {
  const { market, middle, lotsMin } = place;
  const priceAt = (ticks: number) => formatScaled(ticks, market.tickDecimals);
  const lots = lotsMin + random.below(lotsMin);
  const qty = formatScaled(lots, market.lotDecimals);
  const slice = formatScaled(Math.ceil(lots / (2 + random.below(9))), market.lotDecimals);
  const sliced = (leg: string) => (random.below(3) === 0 ? `&${leg}IcebergQty=${slice}` : "");
  const isPegged = random.below(3) === 0;
  const isBehind = random.below(2) === 0;
  const away = 3 + random.below(4);
  const [bid, high, low] = [middle - 2 + random.below(4), middle + away, middle - away].map(
    priceAt,
  );
  const of = (leg: string, side: "BUY" | "SELL", price: string | null = null) => ({
    ...{ clientId: `${name}-${leg}`, symbol: symbolOf(market), side, price, qty },
  });
  const [buy, stop] = [of("buy", "BUY", bid), of("stop", "SELL")];
  const limit = of("limit", "SELL", isPegged ? null : high);
  const terms = `symbol=${symbolOf(market)}&listClientOrderId=${name}`;
  const peg = (leg: string, side: string) => {
    const offset = isBehind ? `&${leg}PegOffsetType=PRICE_LEVEL&${leg}PegOffsetValue=1` : "";
    return `${leg}PegPriceType=${side}_PEG${offset}`;
  };
  const priced = (leg: string) => {
    const price = isPegged ? peg(leg, "PRIMARY") : `${leg}Price=${high}`;
    return `&${leg}Type=LIMIT_MAKER&${price}&${leg}ClientOrderId=${limit.clientId}${sliced(leg)}`;
  };
  const pair = (above: string, below: string) => {
    const type = isPegged
      ? `STOP_LOSS_LIMIT&${below}TimeInForce=GTC&${peg(below, "MARKET")}${sliced(below)}`
      : "STOP_LOSS";
    const waiting = `&${below}StopPrice=${low}&${below}ClientOrderId=${stop.clientId}`;
    return `${priced(above)}&${below}Type=${type}${waiting}`;
  };
  const working =
    `&workingType=LIMIT&workingSide=BUY&workingTimeInForce=GTC&workingPrice=${bid}${sliced("working")}` +
    `&workingQuantity=${qty}&workingClientOrderId=${buy.clientId}&pendingSide=SELL`;
  const sized = `${terms}${working}&pendingQuantity=${qty}`;
  const paid = (order: DrawnOrder["told"]) => ({
    ...order,
    qty: formatScaled(0, market.lotDecimals),
  });
  const pending = priced("pending");
  const path = "/api/v3/orderList";
  switch (random.below(5)) {
    case 0: {
      const query = `${terms}&side=SELL&quantity=${qty}${pair("above", "below")}`;
      return { path: `${path}/oco`, told: [stop, limit], query };
    }
    case 1:
      return { path: `${path}/oto`, told: [buy, limit], query: sized + pending };
    case 2:
      return { path: `${path}/opo`, told: [buy, paid(limit)], query: terms + working + pending };
    case 3: {
      const query = terms + working + pair("pendingAbove", "pendingBelow");
      return { path: `${path}/opoco`, told: [buy, paid(stop), paid(limit)], query };
    }
    default: {
      const query = sized + pair("pendingAbove", "pendingBelow");
      return { path: `${path}/otoco`, told: [buy, stop, limit], query };
    }
  }
}
