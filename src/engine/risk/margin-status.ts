// Computes exactly an account's equity (collateral and profit at the journaled marks) and the maintenance margin of all
// its positions. Only reads the state.

import { Wallet } from "../../core/accounts.ts";
import { isPerpetual, type Market, orderValue } from "../../core/markets.ts";
import { asPriceTicks, asQtyLots } from "../../core/money/amounts.ts";
import type { VenueState } from "../state/venue-state.ts";
import { type MarginBracket, maintenanceMargin, marginBrackets } from "./maintenance.ts";

/** One open position at its mark; money in minor units. */
export interface MarginPosition {
  readonly market: Market;
  /** Signed lots. */
  readonly qty: number;
  /** Ticks; 0 without a mark. */
  readonly mark: number;
  /** Signed value at the mark; the entry value if there is no mark. */
  readonly value: bigint;
  readonly maintenance: bigint;
}

export interface MarginStatus {
  readonly account: number;
  /** Cash of the perp wallet. */
  readonly wallet: bigint;
  /** Cash and unrealised profit. */
  readonly equity: bigint;
  readonly maintenance: bigint;
  /** Largest maintenance first. */
  readonly positions: readonly MarginPosition[];
}

export class MarginStatuses {
  readonly markets: readonly Market[];
  readonly #state: VenueState;
  readonly #brackets: readonly (readonly MarginBracket[])[];

  constructor(state: VenueState) {
    this.#state = state;
    this.markets = state.table.markets.filter(isPerpetual);
    this.#brackets = state.table.markets.map((market) =>
      isPerpetual(market) ? marginBrackets(market) : [],
    );
  }

  /** Id of the margin asset of perpetuals. */
  get asset(): number {
    return this.markets[0]?.quote.id ?? 0;
  }

  brackets(market: number): readonly MarginBracket[] {
    return this.#brackets[market] ?? [];
  }

  of(account: number): MarginStatus {
    const { balances } = this.#state;
    const wallet = balances.total(account, Wallet.perp, this.asset);
    const positions: MarginPosition[] = [];
    let [equity, maintenance] = [wallet, 0n];
    for (const market of this.markets) {
      const position = this.#position(account, market);
      if (position === null) continue;
      equity += position.value - this.#state.positions.entryValue(account, market.id);
      maintenance += position.maintenance;
      positions.push(position);
    }
    positions.sort((one, other) => Number(other.maintenance - one.maintenance));
    return { account, wallet, equity, maintenance, positions };
  }

  /** Maintenance margin of a position of `value` in the market. */
  maintenanceOf(market: Market, value: bigint): bigint {
    return maintenanceMargin(this.brackets(market.id), value < 0n ? -value : value);
  }

  #position(account: number, market: Market): MarginPosition | null {
    const { positions, mark: marks } = this.#state;
    const qty = positions.qty(account, market.id);
    if (qty === 0) return null;
    const mark = marks[market.id] ?? 0;
    const value =
      mark === 0
        ? positions.entryValue(account, market.id)
        : orderValue(market, asPriceTicks(mark), asQtyLots(qty));
    return { market, qty, mark, value, maintenance: this.maintenanceOf(market, value) };
  }
}

/** Whether an account is due for liquidation: its equity is not above its maintenance. Spec RSK-1. */
export function isDue({ equity, maintenance, positions, wallet }: MarginStatus): boolean {
  return positions.length > 0 ? equity <= maintenance : wallet < 0n;
}
