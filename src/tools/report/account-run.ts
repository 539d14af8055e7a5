// One account while the journal is folded: its orders, fills and sweeps, its positions and equity over time, and the money
// that it paid or received otherwise than by trading.

import type { LiquidationStage } from "../../core/liquidation.ts";
import { isPerpetual, type Market } from "../../core/markets.ts";
import { ThinnedSeries } from "./thinned-series.ts";
import type { Sweep, TrackedFill, TrackedOrder } from "./tracked-orders.ts";

const pointsMax = 800;

export class AccountRun {
  readonly account: number;
  readonly startUs: number;
  readonly equityStart: bigint;
  readonly orders = new Map<number, TrackedOrder>();
  readonly fills: TrackedFill[] = [];
  readonly sweeps: Sweep[] = [];
  /** By market: lots of the position; on spot, of what was bought less what was sold. */
  readonly positions = new Map<Market, ThinnedSeries<number>>();
  readonly equity = new ThinnedSeries<bigint>(pointsMax);
  /** By market: funding received less paid. */
  readonly funding = new Map<Market, bigint>();
  readonly liquidations: { readonly atUs: number; readonly stage: LiquidationStage }[] = [];
  /** Value of what came in less what left, at the prices of that moment. */
  deposits = 0n;
  /** Orders and fills beyond what a report keeps. */
  ordersLeft = 0;
  fillsLeft = 0;

  constructor(account: number, startUs: number, equityStart: bigint) {
    this.account = account;
    this.startUs = startUs;
    this.equityStart = equityStart;
  }

  /** Adds a fill; `position` is the position after it, in lots. */
  addFill(fill: TrackedFill, position: number): void {
    this.fills.push(fill);
    const { market } = fill.order;
    const series = this.#series(market);
    const signed = fill.side === 0 ? fill.lots : -fill.lots;
    const qty = isPerpetual(market) ? position : (series.points.at(-1)?.last ?? 0) + signed;
    series.add(fill.atUs, qty);
  }

  /** Notes a position that changed without a fill. */
  notePosition(market: Market, atUs: number, position: number): void {
    this.#series(market).add(atUs, position);
  }

  addFunding(market: Market, amount: bigint): void {
    this.funding.set(market, (this.funding.get(market) ?? 0n) + amount);
  }

  #series(market: Market): ThinnedSeries<number> {
    let series = this.positions.get(market);
    if (series === undefined) {
      series = new ThinnedSeries<number>(pointsMax);
      this.positions.set(market, series);
    }
    return series;
  }
}
