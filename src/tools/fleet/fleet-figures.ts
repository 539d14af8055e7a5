// Counts the figures of a fleet by market, for display and report.

import type { FleetMarket, FleetStep, Outcome } from "./fleet-market.ts";

export interface MarketFigures {
  /** Number of orders placed or replaced. */
  orders: number;
  /** Number of orders filled immediately. */
  trades: number;
  cancels: number;
}

export class FleetFigures {
  readonly markets: ReadonlyMap<string, MarketFigures>;
  /** Counts of requests by outcome, including account queries. */
  readonly outcomes: Record<Outcome, number> = {
    ...{ done: 0, late: 0, limited: 0, unavailable: 0, unsure: 0, refused: 0 },
  };
  /** Request, status and answer of the last unexpected refusal. */
  lastRefusal = "";

  constructor(markets: readonly FleetMarket[]) {
    this.markets = new Map(
      markets.map(({ symbol }) => [symbol, { orders: 0, trades: 0, cancels: 0 }]),
    );
  }

  count({ market, kind }: FleetStep, outcome: Outcome, hasTraded: boolean): void {
    this.outcomes[outcome] += 1;
    const figures = this.markets.get(market.symbol);
    if (figures === undefined || outcome !== "done") return;
    if (kind === "order") figures.orders += 1;
    if (kind === "cancel") figures.cancels += 1;
    if (hasTraded) figures.trades += 1;
  }

  /** Number of orders in all markets. */
  get orders(): number {
    return this.#sum(({ orders }) => orders);
  }

  get trades(): number {
    return this.#sum(({ trades }) => trades);
  }

  get cancels(): number {
    return this.#sum(({ cancels }) => cancels);
  }

  /** Number of unexpected outcomes: refused, rate limited, not executed, or without an answer. */
  get unmeant(): number {
    const { limited, unavailable, unsure, refused } = this.outcomes;
    return limited + unavailable + unsure + refused;
  }

  #sum(of: (figures: MarketFigures) => number): number {
    return [...this.markets.values()].reduce((sum, figures) => sum + of(figures), 0);
  }
}
