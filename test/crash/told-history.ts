// The answers one client got: the only evidence the audit accepts for what must have survived a crash. An outcome
// only moves forward. A request without an answer may have taken effect or not, but only one of the two.

/** `notExecuted`: the venue answered 503, so nothing happened. */
export type Outcome = "unknown" | "acknowledged" | "refused" | "notExecuted";

export interface ToldOrder {
  readonly clientId: string;
  readonly symbol: string;
  readonly side: "BUY" | "SELL";
  /** Decimal strings as sent; a market order has no price. */
  readonly price: string | null;
  readonly qty: string;
  outcome: Outcome;
  /** 0 until reported. */
  orderId: number;
  /** The largest executed quantity ever reported, as a number of the base asset. */
  executedQty: number;
  /** Reported as cancelled, with exactly this executed quantity. */
  cancelledAtQty: number | null;
  /** The smallest quantity that an amendment was reported to leave. */
  amendedQty: string | null;
  /** Denied although it had been acknowledged: when, and with which message. */
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
  /** Update ids of the ledger by trade, of fills that were reported as settled. */
  readonly settled = new Map<number, string>();
  /** Contradictions that were found while the venue was running. */
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

  /** Records a report of the order: its executed quantity may only grow. */
  told(order: ToldOrder, orderId: number, executedQty: number, status: string): void {
    order.outcome = "acknowledged";
    if (order.orderId !== 0 && order.orderId !== orderId) {
      this.contradictions.push(`${order.clientId}: told id ${order.orderId}, then ${orderId}`);
    }
    if (executedQty < order.executedQty) {
      this.contradictions.push(
        `${order.clientId}: told ${order.executedQty} executed, then ${executedQty}`,
      );
    }
    order.orderId = orderId;
    order.executedQty = Math.max(order.executedQty, executedQty);
    if (status === "CANCELED") order.cancelledAtQty = executedQty;
  }

  /** Records a report of a fill; the same id must always mean the same fill. */
  toldFill(fill: ToldFill): void {
    const before = this.fills.get(fill.tradeId);
    // No fill has one account on both sides: the matcher prevents self-trades.
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(fill)) {
      this.contradictions.push(`trade ${fill.tradeId} was told twice, differently`);
    }
    this.fills.set(fill.tradeId, fill);
  }

  /** Records a report of a fill's settlement: a confirmed one stays confirmed, by the same update. */
  toldSettlement(tradeId: number, status: string, updateId: string): void {
    const before = this.settled.get(tradeId);
    if (before !== undefined && (status !== "confirmed" || updateId !== before)) {
      this.contradictions.push(`trade ${tradeId}: told settled by ${before}, then ${status}`);
    }
    if (status === "confirmed") this.settled.set(tradeId, updateId);
  }
}
