// PUT order of the perpetual surface: which order, and its new terms in ticks and lots.

import type { FapiAmendParameters } from "../../../../../schemas/http/fapi.ts";
import type { Market } from "../../../../core/markets.ts";
import { RejectReason } from "../../../../core/reject-reason.ts";
import type { AmendTerms, OrderReference } from "../../orders/order-flow.ts";
import { qtyOf, reasonOfFigure, sidesByWord } from "../../orders/order-words.ts";
import { missingParameter, type SurfaceError } from "../../requests/surface-error.ts";
import { fapiErrors } from "../error-map.ts";
import { type AskedMarket, sentPriceOf } from "./price-places.ts";

/** The order that parameters name: the venue's id wins; or that they name none. */
export function referenceOf(
  asked: { orderId?: number | undefined; origClientOrderId?: string | undefined },
  market: Market,
): OrderReference | SurfaceError {
  const { orderId, origClientOrderId: clientId } = asked;
  if (orderId === undefined && clientId === undefined) return missingParameter("orderId");
  return { market, orderId, clientId };
}

/** New price and whole quantity, and the side the order has; or what is wrong with them. */
export function amendOf(asked: FapiAmendParameters, at: AskedMarket): AmendTerms | SurfaceError {
  const price = sentPriceOf(asked.price, at);
  if (price < 0) return fapiErrors[reasonOfFigure(price)];
  // To clearing a zero means the price as it is.
  if (price === 0) return fapiErrors[RejectReason.priceNotPositive];
  const qty = qtyOf(asked.quantity, at.market);
  if (qty < 0) return fapiErrors[reasonOfFigure(qty)];
  return { price, qty, side: sidesByWord[asked.side] };
}
