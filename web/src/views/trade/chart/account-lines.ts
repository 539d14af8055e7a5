// The account's lines on the canvas of the chart, and which of them have their price at the scale.

import { type IPriceLine, type ISeriesApi, LineStyle } from "lightweight-charts";
import type { ChartLine } from "../../../markets/chart-lines.ts";

/** Height of a label at the scale. */
const labelPx = 18;

export class AccountLines {
  readonly #series: ISeriesApi<"Candlestick">;
  readonly #colour: (name: string) => string;
  readonly #shown = new Map<string, IPriceLine>();

  constructor(series: ISeriesApi<"Candlestick">, colour: (name: string) => string) {
    this.#series = series;
    this.#colour = colour;
  }

  /** Shows lines; those that are gone disappear. */
  show(lines: readonly ChartLine[]): void {
    const gone = new Set(this.#shown.keys());
    for (const { id, price, colour, isDashed } of lines) {
      gone.delete(id);
      const options = {
        price: Number(price),
        color: this.#colour(colour),
        lineWidth: 1 as const,
        lineStyle: isDashed ? LineStyle.Dashed : LineStyle.Solid,
      };
      const known = this.#shown.get(id);
      // The label comes once it has its place.
      if (known !== undefined) known.applyOptions(options);
      else {
        const line = this.#series.createPriceLine({ ...options, axisLabelVisible: false });
        this.#shown.set(id, line);
      }
    }
    for (const id of gone) {
      const line = this.#shown.get(id);
      if (line !== undefined) this.#series.removePriceLine(line);
      this.#shown.delete(id);
    }
  }

  /**
   * Labels the lines at the scale, those nearest to the market's price first. A label that would cover another one is left
   * out: the library would move it aside, and many of them off the chart.
   */
  placeLabels(market: number): void {
    const heightOf = (price: number) => this.#series.priceToCoordinate(price) ?? 0;
    const taken = [heightOf(market)];
    const distance = (line: IPriceLine) => Math.abs(line.options().price - market);
    for (const line of [...this.#shown.values()].sort((a, b) => distance(a) - distance(b))) {
      const { price, axisLabelVisible } = line.options();
      const height = heightOf(price);
      const isFree = taken.every((other) => Math.abs(other - height) >= labelPx);
      if (isFree) taken.push(height);
      if (isFree !== axisLabelVisible) line.applyOptions({ axisLabelVisible: isFree });
    }
  }
}
