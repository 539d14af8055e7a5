// An order as the surfaces ask for it, before the bridge stamps it: what a surface read, field by field.
// A spread among other fields takes more time for two dozen of them than reading the request does.

import { CommandKind, type PlaceOrder } from "../../../core/generated/commands.ts";
import type { OrderOptions } from "../../../core/orders.ts";

/** An order as a surface asks for it. */
export type OrderAsk = Omit<PlaceOrder, "source" | "correlation" | "atUs" | "deadlineUs">;

/** What every order says, beside its options. */
export type OrderTerms = Omit<OrderAsk, "kind" | keyof OrderOptions>;

/** The order of these terms with these options. */
export function orderAsk(terms: OrderTerms, options: Readonly<OrderOptions>): OrderAsk {
  return {
    kind: CommandKind.placeOrder,
    account: terms.account,
    market: terms.market,
    side: terms.side,
    type: terms.type,
    timeInForce: terms.timeInForce,
    price: terms.price,
    qty: terms.qty,
    clientId: terms.clientId,
    attached: terms.attached,
    isReduceOnly: options.isReduceOnly,
    stpMode: options.stpMode,
    quoteQty: options.quoteQty,
    goodTillUs: options.goodTillUs,
    triggerPrice: options.triggerPrice,
    workingPrice: options.workingPrice,
    trailingBps: options.trailingBps,
    activationPrice: options.activationPrice,
    closesPosition: options.closesPosition,
  };
}
