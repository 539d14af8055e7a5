// Take profit and stop loss of positions, set by the orders that open positions ("entries") or placed by the owner of an
// open position. They are derived from order events, so they need no separate events. "Owed" means that the leg is still
// to be placed:
//
//   entry trades and opens ──▶ owed ──leg accepted──▶ leg waits ──triggers──▶ spent: the other leg is removed
//                               ▲                       ├── cancelled by its owner: the other leg stays
//                               │                       └── its owner places another: that one replaces it
//                               └── another entry brings newer prices: they replace the leg
//
// A leg is a conditional order that watches the mark and closes the whole position. `changed` lists pairs for clearing
// to act on; it is derived and not part of the state.

import { marketsMax } from "../../../core/limits.ts";
import type { Side } from "../../../core/orders.ts";

/** The TP/SL pair of one position. */
export interface TpSlPair {
  readonly account: number;
  readonly market: number;
  /** The side of the entries and the position. */
  side: Side;
  /** Trigger in ticks of a leg still to be placed; 0 for none. */
  owedTakeProfit: number;
  owedStopLoss: number;
  /** Ids of waiting legs; 0 for none. */
  takeProfitId: number;
  stopLossId: number;
  /** Whether a leg has triggered, so that the other one must be removed. */
  isSpent: boolean;
}

export class TpSlState {
  readonly #all = new Map<number, TpSlPair>();
  /** Keys of pairs that changed, or whose position changed. */
  readonly changed = new Set<number>();
  /** Orders that a newer leg has replaced and that wait until clearing closes them, by their pair's key. Derived, too. */
  readonly replaced = new Map<number, number[]>();

  get(account: number, market: number): TpSlPair | undefined {
    return this.#all.size === 0 ? undefined : this.#all.get(account * marketsMax + market);
  }

  /** The pair of a key in `changed`. */
  at(key: number): TpSlPair | undefined {
    return this.#all.get(key);
  }

  /** All pairs, by account and market. */
  all(): TpSlPair[] {
    const keys = [...this.#all.keys()].sort((a, b) => a - b);
    return keys.flatMap((key) => this.#all.get(key) ?? []);
  }

  /** Adds a pair, or records a change of it. */
  add(pair: TpSlPair): void {
    const key = pair.account * marketsMax + pair.market;
    this.#all.set(key, pair);
    this.changed.add(key);
  }

  /** Makes the order the pair's leg of its kind; it replaces an owed and a waiting one. */
  link(pair: TpSlPair, leg: "takeProfit" | "stopLoss", orderId: number): void {
    const earlier = pair[`${leg}Id`];
    pair[`${leg}Id`] = orderId;
    pair[leg === "takeProfit" ? "owedTakeProfit" : "owedStopLoss"] = 0;
    this.add(pair);
    if (earlier !== 0) this.#replace(pair.account, pair.market, earlier);
  }

  /** Notes an order of a snapshot that belongs to its position: one that is not the pair's leg was replaced. */
  recall(account: number, market: number, orderId: number): void {
    const pair = this.get(account, market);
    if (pair?.takeProfitId === orderId || pair?.stopLossId === orderId) return;
    this.#replace(account, market, orderId);
  }

  #replace(account: number, market: number, orderId: number): void {
    const key = account * marketsMax + market;
    this.replaced.set(key, [...(this.replaced.get(key) ?? []), orderId]);
    this.changed.add(key);
  }

  /** Records a change; removes a pair without legs. */
  note(pair: TpSlPair): void {
    const key = pair.account * marketsMax + pair.market;
    const { owedTakeProfit, owedStopLoss, takeProfitId, stopLossId } = pair;
    if (takeProfitId === 0 && stopLossId === 0) pair.isSpent = false;
    if (owedTakeProfit + owedStopLoss + takeProfitId + stopLossId > 0) this.changed.add(key);
    else {
      this.#all.delete(key);
      if (!this.replaced.has(key)) this.changed.delete(key);
    }
  }
}
