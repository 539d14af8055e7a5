// What decides how much an account may open in a perpetual: read from the account, its orders, the market and its book.

import { book } from "../../markets/book.ts";
import { exact, times, whole } from "../../markets/exact.ts";
import type { Market } from "../../markets/market.ts";
import { floorLeverages } from "../../markets/markets.ts";
import { isWaiting, type OrderKind, tradesAtMarket } from "../../markets/order-kinds.ts";
import type { Side } from "../../markets/ticket-requests.ts";
import { openOrders } from "../account.ts";
import { termsOf } from "../order-terms.ts";
import { countedQuantity } from "./counted-orders.ts";
import { accountMargin, largestValue, leverageIn, quantityIn } from "./margin.ts";
import { markOf } from "./marks.ts";
import type { OpeningTerms } from "./order-cover.ts";

/**
 * What the margin floor requires beyond the margin of the positions and orders that the account has, in exact units. The
 * loss that an order reserves is scaled with its margin, so this is never too little.
 */
export function floorBeside(): bigint {
  let sum = 0n;
  for (const { symbol, leverage, initialMargin } of accountMargin.value?.positions ?? []) {
    const [own, most] = [BigInt(leverage), floorLeverages.value.get(symbol)];
    if (most === undefined || own <= BigInt(most)) continue;
    sum += ((exact(initialMargin) ?? 0n) * (own - BigInt(most))) / BigInt(most);
  }
  return sum;
}

/** Quantity of the account's open orders of a side that the venue counts. */
function quantityOpen({ symbol }: Market, side: Side): bigint {
  const orders = openOrders.value.filter((one) => one.symbol === symbol && one.side === side);
  return countedQuantity(orders, termsOf);
}

/** What the position would be worth at the mark if all counted orders of its larger side were filled (ACC-22). */
export function worthIfFilled(market: Market): bigint {
  const mark = exact(markOf(market.listed)) ?? 0n;
  const held = quantityIn(market.listed);
  const [long, short] = [held + quantityOpen(market, "BUY"), quantityOpen(market, "SELL") - held];
  return times(long + positive(short - long), mark);
}

function positive(units: bigint): bigint {
  return units > 0n ? units : 0n;
}

/**
 * The orders against which an order would trade. Only one at the market takes level after level: of any other the best
 * price is enough, so its terms need not follow each change of the book.
 */
function levelsAgainst(side: Side, kind: OrderKind): OpeningTerms["levels"] {
  if (tradesAtMarket(kind)) {
    const { bids, asks, isKnown } = book.whole.value;
    return isKnown ? (side === "BUY" ? asks : bids) : [];
  }
  const price = (side === "BUY" ? book.bestAsk : book.bestBid).value;
  return price === undefined ? [] : [{ price, quantity: "0" }];
}

/** The terms of an order of a kind: one that waits for a trigger reserves nothing for losses. */
export function openingTerms(market: Market, side: Side, kind: OrderKind): OpeningTerms {
  const { listed } = market;
  const mark = exact(markOf(listed)) ?? 0n;
  const leverage = leverageIn(listed);
  const held = side === "BUY" ? quantityIn(listed) : -quantityIn(listed);
  const open = quantityOpen(market, side);
  const valueMax = mark === 0n ? null : largestValue(listed, leverage);
  return {
    leverage,
    floorLeverage: floorLeverages.value.get(listed) ?? null,
    beside: floorBeside(),
    mark: isWaiting(kind) || mark === 0n ? null : mark,
    reducible: accountMargin.value === null ? null : positive(-held),
    closable: positive(-held - open),
    quantityMax: valueMax === null ? null : positive((valueMax * whole) / mark - open - held),
    valueMax,
    levels: levelsAgainst(side, kind),
  };
}

/** The part of the available balance that may leave the perp wallet, in exact units: the floor keeps its part. */
export function movableOf(available: string): bigint {
  return positive((exact(available) ?? 0n) - floorBeside());
}
