// Requests to the ticket and the table of orders from other parts of the trading view: hotkeys, book, chart. A part
// sets a signal; the ticket or the table takes the request and sets the signal back to null. Nothing is ever sent to
// the venue by setting `ticketSide` or `pickedPrice`: they only fill in the form.
//
//   hotkeys      ticketSide.value = "BUY"                         choose the side and put the cursor in the quantity
//                cancelRequest.value = { symbol, side: null }     cancel all open orders of a market, or of one side
//   book, chart  pickedPrice.value = "64000.00"                   fill in the price (the trigger of a stop order)
//   chart        amendRequest.value = { orderId, price }          a dragged order line; while the request is not null
//                                                                 the venue has not answered. Afterwards `openOrders`
//                                                                 has the price that counts, also after a refusal.

import { signal } from "@preact/signals";

export type Side = "BUY" | "SELL";

interface AmendRequest {
  readonly orderId: string;
  /** Decimal text, a multiple of the market's tick. */
  readonly price: string;
}

interface CancelRequest {
  readonly symbol: string;
  /** Null for both sides. */
  readonly side: Side | null;
}

export const ticketSide = signal<Side | null>(null);
/** Empty for no price. */
export const pickedPrice = signal("");
export const amendRequest = signal<AmendRequest | null>(null);
export const cancelRequest = signal<CancelRequest | null>(null);
