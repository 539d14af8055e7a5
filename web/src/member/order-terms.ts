// Terms of open orders that the native lists do not show: triggers, time in force, reduce-only, callbacks. They are
// read from the Binance-style lists of the markets that have open orders, after every change of an order.

import { signal } from "@preact/signals";
import { AnswerOrder } from "../answer-order.ts";
import { surfaceOf } from "../markets/market.ts";
import { markets } from "../markets/markets.ts";
import { orderNumber } from "../proof-reference.ts";
import { requestSigned } from "./signed-request.ts";

/** What this file reads of an open order. */
interface Listed {
  readonly order_id: string;
  readonly symbol: string;
  readonly updated_at: string;
}

export interface OrderTerms {
  readonly orderId: number;
  /** Type on the surface of its market, such as STOP_MARKET or STOP_LOSS. */
  readonly type: string;
  readonly timeInForce: string;
  readonly stopPrice?: string;
  readonly reduceOnly?: boolean;
  readonly closePosition?: boolean;
  readonly workingType?: string;
  readonly goodTillDate?: number;
  /** Of a trailing stop: the price at which it starts to follow, and its distance in percent. */
  readonly activatePrice?: string;
  readonly priceRate?: string;
  /** On spot: false while the order waits for its trigger. */
  readonly isWorking?: boolean;
  /** Of an iceberg order on spot: the quantity that it shows; zero for an order that shows all of itself. */
  readonly icebergQty?: string;
  /** -1 for an order of no list. */
  readonly orderListId?: number;
}

const terms = signal<ReadonlyMap<number, OrderTerms>>(new Map());

/** The further terms of an open order; undefined until read. */
export function termsOf(order: Listed): OrderTerms | undefined {
  return terms.value.get(orderNumber(order.order_id) ?? 0);
}

/** Number of the list of an open order; -1 for none, undefined until read. */
export function listOf(order: Listed): number | undefined {
  return termsOf(order)?.orderListId;
}

/** Whether the venue ends the order when its position closes or turns, and replaces it by a newer one of its kind. */
export function endsWithPosition(of: Pick<OrderTerms, "timeInForce"> | undefined): boolean {
  return of?.timeInForce === "GTE_GTC";
}

/** What decides whether the terms must be read again: which orders are open, and when each has changed. */
function contentOf(orders: readonly Listed[]): string {
  return orders.map(({ order_id: id, updated_at: time }) => `${id} ${time}`).join();
}

let read = "";
const order = new AnswerOrder();

/** Reads the terms of these open orders, unless they are known. */
export async function readTerms(orders: readonly Listed[]): Promise<void> {
  const content = contentOf(orders);
  if (content === read) return;
  const own = order.begin();
  const symbols = new Set(orders.map(({ symbol }) => symbol));
  const traded = markets.value.filter(({ symbol }) => symbols.has(symbol));
  const lists = await Promise.all(
    traded.map((market) =>
      requestSigned<OrderTerms[]>("GET", `${surfaceOf(market)}/openOrders`, {
        symbol: market.listed,
      }),
    ),
  );
  if (!order.takes(own)) return;
  terms.value = new Map(lists.flat().map((one) => [one.orderId, one]));
  // The list of markets may arrive after the orders, which are then read again with it.
  if (traded.length === symbols.size) read = content;
}

export function forgetTerms(): void {
  terms.value = new Map();
  read = "";
}
