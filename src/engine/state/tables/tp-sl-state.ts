// Take profit and stop loss of positions that entries brought. Everything here follows from the events of
// orders, so there are none of its own:
//
//   entry trades and opens ──▶ owed ──leg accepted──▶ leg waits ──triggers──▶ spent: the other leg goes
//                               ▲                       └── cancelled by hand: the other stays
//                               └── another entry brings newer prices: they replace the leg
//
// A leg is a conditional order that closes the whole position on the mark. What has changed is noted for
// clearing to act on; that note is derived and no state.

import { marketsMax } from "../../../core/limits.ts";
import type { Side } from "../../../core/orders.ts";

/** What protects, or is to protect, one position. */
export interface TpSlPair {
  readonly account: number;
  readonly market: number;
  /** The side of the entries, which is that of the position. */
  side: Side;
  /** Ticks at which a leg is still to be placed; 0 for none. */
  owedTakeProfit: number;
  owedStopLoss: number;
  /** Orders that wait; 0 for none. */
  takeProfitId: number;
  stopLossId: number;
  /** A leg has triggered: what is left of the pair is to go. */
  isSpent: boolean;
}

export class TpSlState {
  readonly #all = new Map<number, TpSlPair>();
  /** Keys of protections that have changed, or whose position has. */
  readonly changed = new Set<number>();

  get(account: number, market: number): TpSlPair | undefined {
    return this.#all.size === 0 ? undefined : this.#all.get(account * marketsMax + market);
  }

  /** The protection behind an entry of `changed`. */
  at(key: number): TpSlPair | undefined {
    return this.#all.get(key);
  }

  /** By account and market. */
  all(): TpSlPair[] {
    const keys = [...this.#all.keys()].sort((a, b) => a - b);
    return keys.flatMap((key) => this.#all.get(key) ?? []);
  }

  /** Adds one, new or restored. */
  add(pair: TpSlPair): void {
    const key = pair.account * marketsMax + pair.market;
    this.#all.set(key, pair);
    this.changed.add(key);
  }

  /** Notes a change; forgets a protection that protects nothing any more. */
  note(pair: TpSlPair): void {
    const key = pair.account * marketsMax + pair.market;
    const { owedTakeProfit, owedStopLoss, takeProfitId, stopLossId } = pair;
    if (takeProfitId === 0 && stopLossId === 0) pair.isSpent = false;
    if (owedTakeProfit + owedStopLoss + takeProfitId + stopLossId > 0) this.changed.add(key);
    else {
      this.#all.delete(key);
      this.changed.delete(key);
    }
  }
}
