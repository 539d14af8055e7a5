// What the program behind one account can have known, over all its API keys: of each order, whether it heard of it, and how
// many of its lots it was told to be filled.

import { parseScaled } from "../../core/money/amounts.ts";
import type { AccountRun } from "./account-run.ts";
import type { ClientLog, OrderEvidence } from "./client-log.ts";
import { MarketTimeOf, type TimePair } from "./market-time-of.ts";
import type { TrackedOrder } from "./tracked-orders.ts";

/** An order of which the log says something. */
export interface SeenOrder {
  readonly order: TrackedOrder;
  readonly evidence: OrderEvidence;
}

export class ClientView {
  readonly logs: readonly ClientLog[];
  readonly run: AccountRun;
  readonly marketTime: MarketTimeOf;
  /** Orders that the log names, by id. */
  readonly seen: readonly SeenOrder[];

  constructor(run: AccountRun, logs: readonly ClientLog[]) {
    this.run = run;
    this.logs = logs;
    const found: SeenOrder[] = [];
    const pairs: TimePair[] = [];
    for (const order of run.orders.values()) {
      const evidence = this.#evidenceOf(order);
      if (evidence === null) continue;
      found.push({ order, evidence });
      const { sentMs } = evidence;
      if (sentMs !== null) pairs.push({ machineMs: sentMs, marketUs: order.record.acceptedUs });
    }
    this.seen = found.sort((one, other) => one.order.record.orderId - other.order.record.orderId);
    this.marketTime = new MarketTimeOf(pairs);
  }

  get isObserved(): boolean {
    return this.logs.some(({ requests, events }) => requests + events > 0);
  }

  /** Orders that the program sent and never heard of. */
  get lost(): readonly SeenOrder[] {
    return this.seen.filter(({ evidence }) => evidence.sentMs !== null && evidence.toldMs === null);
  }

  /** Lots of an order that the program was told to be filled. */
  toldLots({ order, evidence }: SeenOrder): number {
    const { record, market } = order;
    const { filledTold, tradesMs } = evidence;
    // Surfaces write more decimals than a lot has, which are zeros.
    const told = filledTold === null ? 0 : lotsOf(filledTold, market.lotDecimals);
    if (tradesMs === null) return Math.min(told, record.filledQty);
    const untilUs = this.marketTime.at(tradesMs) ?? 0;
    let listed = 0;
    for (const fill of this.run.fills)
      if (fill.order === order && fill.atUs <= untilUs) listed += fill.lots;
    return Math.min(Math.max(told, listed), record.filledQty);
  }

  /** Whether the program has read its positions or balances after this time of the market. */
  hasReadAccountAfter(atUs: number): boolean {
    return this.logs.some(({ accountReadMs }) => {
      return accountReadMs !== null && (this.marketTime.at(accountReadMs) ?? 0) >= atUs;
    });
  }

  #evidenceOf({ record }: TrackedOrder): OrderEvidence | null {
    for (const log of this.logs) {
      const evidence = log.evidenceOf(record.orderId, record.clientId);
      if (evidence !== null) return evidence;
    }
    return null;
  }
}

/** Whole lots of a decimal; what is finer than a lot is cut. 0 for other text. */
function lotsOf(text: string, lotDecimals: number): number {
  const [, whole = "", fraction = ""] = /^(\d{1,15})(?:\.(\d*))?$/.exec(text) ?? [];
  if (whole === "") return 0;
  const cut = fraction.slice(0, lotDecimals);
  return Math.max(0, parseScaled(cut === "" ? whole : `${whole}.${cut}`, lotDecimals));
}
