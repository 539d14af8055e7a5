// Records the answers that one client got. The audit accepts only these as evidence of what must have survived a crash.
// An order's outcome never goes back from known to unknown. A request without an answer may or may not have taken
// effect, but later answers must not contradict each other about it.

/** What the client knows of a request. `notExecuted`: the venue answered 503, so nothing happened. */
export type Outcome = "unknown" | "acknowledged" | "refused" | "notExecuted";

export interface ToldOrder {
  readonly clientId: string;
  readonly symbol: string;
  readonly side: "BUY" | "SELL";
  /** Price and quantity as sent, in decimal notation; the price of a market order is null. */
  readonly price: string | null;
  readonly qty: string;
  outcome: Outcome;
  /** The order's id; 0 until the venue has reported it. */
  orderId: number;
  /** The largest executed quantity that the venue has reported, in the base asset. */
  executedQty: number;
  /** Executed quantity with which the venue reported the order as cancelled; null if it has not. */
  cancelledAtQty: number | null;
  /** The order's quantity after its last amendment, as the venue reported it; null if it was not amended. */
  amendedQty: string | null;
  /** Time and message of an answer according to which an acknowledged order does not exist; null if there was none. */
  denied: string | null;
}

export interface ToldFill {
  readonly tradeId: number;
  readonly orderId: number;
  readonly price: string;
  readonly qty: string;
  readonly commission: string;
}

export class ToldHistory {
  readonly account: number;
  readonly orders = new Map<string, ToldOrder>();
  readonly fills = new Map<number, ToldFill>();
  /** Ids of orders that an answer to a mass quote named as open. */
  readonly quotes = new Set<number>();
  /** Ledger update ids of the fills that the venue reported as settled, by trade id. */
  readonly settled = new Map<number, string>();
  /** Contradictory answers that were found while the venue was running. */
  readonly contradictions: string[] = [];

  constructor(account: number) {
    this.account = account;
  }

  /** Records an order just before it is sent. */
  sent(order: Pick<ToldOrder, "clientId" | "symbol" | "side" | "price" | "qty">): ToldOrder {
    const told: ToldOrder = {
      ...order,
      outcome: "unknown",
      orderId: 0,
      executedQty: 0,
      cancelledAtQty: null,
      amendedQty: null,
      denied: null,
    };
    this.orders.set(order.clientId, told);
    return told;
  }

  /** Records a report of the order. The order's id may not change, and its executed quantity may only grow. */
  told(order: ToldOrder, orderId: number, executedQty: number, status: string): void {
    order.outcome = "acknowledged";
    if (order.orderId !== 0 && order.orderId !== orderId) {
      this.contradictions.push(
        `${order.clientId}: reported with id ${order.orderId}, then ${orderId}`,
      );
    }
    if (executedQty < order.executedQty) {
      this.contradictions.push(
        `${order.clientId}: reported ${order.executedQty} executed, then ${executedQty}`,
      );
    }
    order.orderId = orderId;
    order.executedQty = Math.max(order.executedQty, executedQty);
    if (status === "CANCELED") order.cancelledAtQty = executedQty;
  }

  /** Records a report of a fill; reports with the same trade id must be equal. */
  toldFill(fill: ToldFill): void {
    const before = this.fills.get(fill.tradeId);
    // One account cannot be both maker and taker of a trade, because the matcher prevents self-trades. So all reports
    // of a trade to one account must be equal.
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(fill)) {
      this.contradictions.push(`trade ${fill.tradeId} was reported twice, with different figures`);
    }
    this.fills.set(fill.tradeId, fill);
  }

  /** Records a report of a fill's settlement. A confirmed fill must stay confirmed by the same ledger update. */
  toldSettlement(tradeId: number, status: string, updateId: string): void {
    const before = this.settled.get(tradeId);
    if (before !== undefined && (status !== "confirmed" || updateId !== before)) {
      this.contradictions.push(
        `trade ${tradeId}: reported as settled by ${before}, then as ${status}`,
      );
    }
    if (status === "confirmed") this.settled.set(tradeId, updateId);
  }
}
