// The figures of one candle over the chart: of the one under the pointer, otherwise of the newest.

import type { Signal } from "@preact/signals";
import type { VNode } from "preact";
import type { Market } from "../../../markets/market.ts";
import type { Reading } from "./candle-chart.ts";

function priced(value: number | null, places: number): string {
  if (value === null) return "–";
  return value.toLocaleString("en-US", {
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  });
}

interface LegendProps {
  readonly market: Market;
  readonly period: string;
  readonly reading: Signal<Reading | null>;
}

const names = [
  ["O", "open"],
  ["H", "high"],
  ["L", "low"],
  ["C", "close"],
] as const;

export function ChartLegend({ market, period, reading }: LegendProps): VNode {
  if (reading.value === null) return <div class="chart-legend" />;
  const { candle, values } = reading.value;
  const places = market.pricePlaces;
  const change = candle.open === 0 ? 0 : (100 * (candle.close - candle.open)) / candle.open;
  const tone = change < 0 ? "loss" : "gain";
  return (
    <div class="chart-legend">
      <p>
        <b>
          {market.symbol} {period}
        </b>
        {names.map(([letter, name]) => (
          <span key={name}>
            <abbr title={name}>{letter}</abbr>
            <span class={tone}>{priced(candle[name], places)}</span>
          </span>
        ))}
        {/* One text each, because the second of two texts would move with the length of the first. */}
        <span class={`${tone} change`}>{`${change > 0 ? "+" : ""}${change.toFixed(2)} %`}</span>
        <span>
          <abbr title="volume">Vol</abbr>
          <span class="amount">{`${priced(candle.volume, market.quantityPlaces)} ${market.base}`}</span>
        </span>
      </p>
      {values.length > 0 && (
        <p>
          {values.map(({ line, value }) => (
            <span key={line.name}>
              <abbr class={line.colour}>{line.name}</abbr>
              <span>{priced(value, places)}</span>
            </span>
          ))}
        </p>
      )}
    </div>
  );
}
