// Draws the orders that crash clients place. They use every type and time in force that needs no trigger, and every
// mode of self-trade prevention. Most prices are close enough to the middle to match.

import { formatScaled } from "../../src/core/money/amounts.ts";
import type { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { type CrashMarket, isPerpetual, symbolOf } from "./crash-market.ts";
import type { ToldOrder } from "./told-history.ts";

const spread = 4;

type OrderForm = "GTC" | "IOC" | "FOK" | "POST_ONLY" | "MARKET";

/** A draw from 0 to 99 selects the first kind whose number is above it. */
const kinds: readonly (readonly [below: number, words: OrderForm])[] = [
  [62, "GTC"],
  [72, "IOC"],
  [78, "FOK"],
  [90, "POST_ONLY"],
  [100, "MARKET"],
];
/** Share of orders that name a mode of self-trade prevention, in percent. */
const preventing = 40;
/** Share of the spot orders that may rest which show only a slice, in percent. */
const slicing = 30;
/** Modes of self-trade prevention. Perpetuals do not have the last one. */
const modes = ["NONE", "EXPIRE_TAKER", "EXPIRE_MAKER", "EXPIRE_BOTH", "DECREMENT"] as const;

export interface DrawnOrder {
  readonly told: Pick<ToldOrder, "clientId" | "symbol" | "side" | "price" | "qty">;
  /** The request's parameters in URL encoding. */
  readonly query: string;
  /** Error codes with which the venue may refuse this order. */
  readonly mayRefuse: readonly number[];
}

/** Draws an order in the given market. */
export function drawOrder(
  random: SeededRandom,
  { market, middle, lotsMin }: CrashMarket,
  clientId: string,
): DrawnOrder {
  const dice = random.below(100);
  const message = kinds.find(([below]) => dice < below)?.[1] ?? "GTC";
  const ticks = middle - spread + random.below(2 * spread + 1);
  const price = formatScaled(ticks, market.tickDecimals);
  const lots = lotsMin + random.below(lotsMin);
  const told = {
    clientId,
    symbol: symbolOf(market),
    side: random.next() < 0.5 ? "BUY" : "SELL",
    price: message === "MARKET" ? null : price,
    qty: formatScaled(lots, market.lotDecimals),
  } as const;
  const mode = modes[random.below(isPerpetual(market) ? modes.length - 1 : modes.length)];
  const prevention = random.below(100) < preventing ? `&selfTradePreventionMode=${mode}` : "";
  const mayRest = message === "GTC" || message === "POST_ONLY";
  const isSliced = mayRest && !isPerpetual(market) && random.below(100) < slicing;
  const sliceLots = Math.ceil(lots / (2 + random.below(9)));
  const slice = isSliced ? `&icebergQty=${formatScaled(sliceLots, market.lotDecimals)}` : "";
  return {
    told,
    query:
      `symbol=${told.symbol}&side=${told.side}${termsOf(message, price, isPerpetual(market))}` +
      `&quantity=${told.qty}&newClientOrderId=${clientId}${prevention}${slice}` +
      (isPerpetual(market) ? "&newOrderRespType=RESULT" : ""),
    mayRefuse: refusalsOf(message),
  };
}

/** The order with the best price of its own side instead of its price, if it is one that may be pegged. */
export function pegged(drawn: DrawnOrder): DrawnOrder {
  const { told, query } = drawn;
  const isAlike = query.includes("type=LIMIT_MAKER") || query.includes("timeInForce=GTC");
  if (told.price === null || !isAlike) return drawn;
  const peg = "pegPriceType=PRIMARY_PEG";
  // The book may have no such price.
  return {
    told: { ...told, price: null },
    query: query.replace(`price=${told.price}`, peg),
    mayRefuse: [-2010],
  };
}

function termsOf(message: OrderForm, price: string, ofPerpetual: boolean): string {
  if (message === "MARKET") return "&type=MARKET";
  if (message !== "POST_ONLY") return `&type=LIMIT&timeInForce=${message}&price=${price}`;
  const type = ofPerpetual ? "&type=LIMIT&timeInForce=GTX" : "&type=LIMIT_MAKER";
  return `${type}&price=${price}`;
}

/**
 * Returns the error codes that are expected: a post-only order may be refused because it would take, a market order
 * because the book is empty.
 */
function refusalsOf(message: OrderForm): readonly number[] {
  if (message === "POST_ONLY") return [-2010, -5022];
  return message === "MARKET" ? [-2010, -1013] : [];
}
