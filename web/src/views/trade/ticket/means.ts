// What the account and the book offer the order of a ticket, as they are now.

import { book } from "../../../markets/book.ts";
import { exact } from "../../../markets/exact.ts";
import { orderGuards } from "../../../markets/guard-settings.ts";
import type { Market } from "../../../markets/market.ts";
import { lastPrice, mark } from "../../../markets/market-figures.ts";
import { tradesAtMarket } from "../../../markets/order-kinds.ts";
import { boundedPrice } from "../../../markets/order-requests.ts";
import type { Means, Ticket } from "../../../markets/order-ticket.ts";
import { type Crossing, crossingOf } from "../../../markets/ticket/book-fill.ts";
import { pegPrice } from "../../../markets/ticket/pegs.ts";
import { balances, positions } from "../../../member/account.ts";
import { leverageIn } from "../../../member/risk/margin.ts";
import { openingTerms } from "../../../member/risk/opening-terms.ts";
import { bestAgainst, payerOf, reachOf } from "../ticket-sending.ts";

/** The levels at the price of a limit order that may not rest; undefined for any other order. */
function crossingIn({ kind, lifetime, side, price }: Ticket): Crossing | undefined {
  const [units, mayRest] = [exact(price), lifetime !== "IOC" && lifetime !== "FOK"];
  if (kind !== "LIMIT" || mayRest || units === null) return undefined;
  const { bids, asks, isKnown } = book.whole.value;
  return isKnown ? crossingOf(side, units, side === "BUY" ? asks : bids) : undefined;
}

export function meansOf(market: Market, ticket: Ticket): Means {
  const { side, kind, triggeredBy } = ticket;
  const { wallet, asset } = payerOf(market, side);
  const best = kind === "PEGGED" ? pegPrice(ticket, book.whole.value) : bestAgainst(side);
  const { slippageMax } = orderGuards.value;
  const bound = tradesAtMarket(kind) ? boundedPrice(side, best, slippageMax, market) : null;
  const held = balances.value.find((one) => one.wallet === wallet && one.asset === asset);
  const isMark = market.isPerpetual && triggeredBy === "MARK_PRICE";
  const watched = isMark ? mark.value?.price : lastPrice.value;
  const position = positions.value.find(({ symbol }) => symbol === market.symbol);
  const crossing = crossingIn(ticket);
  return {
    free: held?.free,
    positionQuantity: position?.qty,
    best,
    // Other orders do not depend on the levels, and so need not follow each change of the book.
    reach: kind === "MARKET" ? reachOf(side) : null,
    ...(crossing !== undefined && { crossing }),
    leverage: market.isPerpetual ? leverageIn(market.listed) : 1,
    ...(market.isPerpetual && { opening: openingTerms(market, side, kind) }),
    ...(bound !== null && { bound }),
    ...(watched != null && { watched }),
  };
}
