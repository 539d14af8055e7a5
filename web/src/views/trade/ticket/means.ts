// What the account and the book offer the order of a ticket, as they are now.

import { book } from "../../../markets/book.ts";
import { orderGuards } from "../../../markets/guard-settings.ts";
import type { Market } from "../../../markets/market.ts";
import { lastPrice, mark } from "../../../markets/market-figures.ts";
import { tradesAtMarket } from "../../../markets/order-kinds.ts";
import { boundedPrice } from "../../../markets/order-requests.ts";
import type { Means, Ticket } from "../../../markets/order-ticket.ts";
import { pegPrice } from "../../../markets/ticket/pegs.ts";
import { balances, positions } from "../../../member/account.ts";
import { leverageIn } from "../../../member/risk/margin.ts";
import { openingTerms } from "../../../member/risk/opening-terms.ts";
import { bestAgainst, payerOf, reachOf } from "../ticket-sending.ts";

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
  return {
    free: held?.free,
    positionQuantity: position?.qty,
    best,
    // Other orders do not depend on the levels, and so need not follow each change of the book.
    reach: kind === "MARKET" ? reachOf(side) : null,
    leverage: market.isPerpetual ? leverageIn(market.listed) : 1,
    ...(market.isPerpetual && { opening: openingTerms(market, side, kind) }),
    ...(bound !== null && { bound }),
    ...(watched != null && { watched }),
  };
}
