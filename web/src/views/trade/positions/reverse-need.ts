// What turning a position around needs of the available balance: the margin of the new position, and what the venue asks for
// besides (spec RSK-34, ACC-20).

import { shown } from "../../../decimal-text.ts";
import { cutTo, exact } from "../../../markets/exact.ts";
import { orderGuards } from "../../../markets/guard-settings.ts";
import type { Market } from "../../../markets/market.ts";
import { boundedPrice } from "../../../markets/order-requests.ts";
import { closingSide } from "../../../markets/positions/guards.ts";
import { fillOfQuantity, type Reach } from "../../../markets/ticket/book-fill.ts";
import type { Position } from "../../../member/account.ts";
import { risk } from "../../../member/risk/margin.ts";
import { openingTerms } from "../../../member/risk/opening-terms.ts";
import { needOf, shortfallText } from "../../../member/risk/order-cover.ts";
import { turningQuantity } from "./closing.ts";

interface ReverseNeed {
  /** Of the new position; in USDC. */
  readonly margin: string;
  /** Why the available balance does not cover it, with the amount missing; empty if it does. */
  readonly shortfall: string;
}

const places = 2;

/** Null while the book, the balance or the account is unknown, and from an empty book. */
export function needOfReversing(
  position: Pick<Position, "side" | "qty">,
  market: Market,
  reach: Reach,
): ReverseNeed | null {
  const side = closingSide(position);
  const wanted = exact(turningQuantity(position, market)) ?? 0n;
  const [fill, best] = [fillOfQuantity(reach, wanted), reach.levels[0]?.price];
  const free = exact(risk.value?.available);
  if (fill === null || free === null) return null;
  const { slippageMax } = orderGuards.value;
  const bound = slippageMax === "" ? null : exact(boundedPrice(side, best, slippageMax, market));
  // With a limit of the user's own it is a limit order, of which the venue asks for all.
  const [price, quantity] = bound === null ? [fill.worst, fill.quantity] : [bound, wanted];
  const terms = { ...openingTerms(market, side, "MARKET"), levels: reach.levels };
  const need = needOf({ side, price, quantity }, terms);
  if (need === null) return { margin: cutTo(0n, places), shortfall: "" };
  const why = shortfallText(need, free, terms);
  const missing = shown(cutTo(need.total - free, places), places);
  return {
    margin: cutTo(need.margin, places),
    shortfall: why === "" ? "" : `${missing} USDC are missing. ${why}`,
  };
}
