// Marks the user's own trades on the chart, and reads as many of them as it shows. Loaded with the first account.

import type { ISeriesApi } from "lightweight-charts";
import type { Period } from "../../../markets/candle.ts";
import { FillHistory, type OwnFill, type ReadFills } from "./fill-history.ts";
import { FillLayer, type MarkPlacing } from "./fill-layer.ts";
import { fillMarks } from "./fill-marks.ts";

export class OwnTrades {
  readonly #layer: FillLayer;
  readonly #history: FillHistory;
  #isShown = false;
  #period: Period = "1m";
  #fromMs = Number.POSITIVE_INFINITY;

  constructor(
    symbol: string,
    series: ISeriesApi<"Candlestick">,
    placing: MarkPlacing,
    read: ReadFills,
  ) {
    this.#layer = new FillLayer(placing);
    series.attachPrimitive(this.#layer);
    this.#history = new FillHistory(symbol, read, () => this.#draw());
  }

  /** Takes the newest trades of the account; null while none are marked. */
  take(newest: readonly OwnFill[] | null): void {
    this.#isShown = newest !== null;
    if (newest !== null) this.#history.take(newest);
  }

  /** Marks trades in candles that open at `fromMs` or later. */
  show(period: Period, fromMs: number): void {
    this.#period = period;
    this.#fromMs = fromMs;
    this.#draw();
  }

  /** Reads the trades from a time on, if they are marked. */
  async reach(fromMs: number): Promise<void> {
    if (this.#isShown) await this.#history.reach(fromMs);
  }

  #draw(): void {
    const { rows, knownMs } = this.#history;
    const bounds = { fromMs: this.#fromMs, knownMs };
    this.#layer.show(this.#isShown ? fillMarks(rows, this.#period, bounds) : []);
  }
}
