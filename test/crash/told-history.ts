// What one client was told, and nothing else: the only evidence the audit accepts for what must have
// survived a crash. An outcome moves forward only; what was never told stays unknown and may be
// either way, as long as it is one way.

/** `notExecuted`: the venue promised (503) that nothing happened. */
export type Outcome = "unknown" | "acknowledged" | "refused" | "notExecuted";

export interface ToldOrder {
  readonly clientId: string;
  readonly symbol: string;
  readonly side: "BUY" | "SELL";
  /** Decimal strings as sent; no price of an order at the market. */
  readonly price: string | null;
  readonly qty: string;
  outcome: Outcome;
  /** 0 until told. */
  orderId: number;
  /** The largest executed quantity ever told, as a number of the base asset. */
  executedQty: number;
  /** Told that it was cancelled, with exactly this executed quantity. */
  cancelledAtQty: number | null;
  /** The smallest quantity it was told to have been amended to. */
  amendedQty: string | null;
  /** Denied once although it had been acknowledged: when, and in which words. */
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
  /** Update ids of the ledger by trade, of fills that were told to be settled there. */
  readonly settled = new Map<number, string>();
  /** Where the venue contradicted itself already while it was running. */
  readonly contradictions: string[] = [];

  constructor(account: number) {
    this.account = account;
  }

  /** The order is about to be sent. */
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

  /** The venue spoke of the order: what it says may only grow. */
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

  /** The venue spoke of a fill; the same id must always mean the same fill. */
  toldFill(fill: ToldFill): void {
    const before = this.fills.get(fill.tradeId);
    // One account may meet itself through nobody: the matcher skips its own orders.
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(fill)) {
      this.contradictions.push(`trade ${fill.tradeId} was told twice, differently`);
    }
    this.fills.set(fill.tradeId, fill);
  }

  /** The venue spoke of a fill's settlement: what is confirmed stays so, by the same update. */
  toldSettlement(tradeId: number, status: string, updateId: string): void {
    const before = this.settled.get(tradeId);
    if (before !== undefined && (status !== "confirmed" || updateId !== before)) {
      this.contradictions.push(`trade ${tradeId}: told settled by ${before}, then ${status}`);
    }
    if (status === "confirmed") this.settled.set(tradeId, updateId);
  }
}
