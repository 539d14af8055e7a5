// The figures of one candle over the chart: of the one under the pointer, otherwise of the newest. Studies with a pane of
// their own have their figures there. On a small chart the figures take more lines, but none is left out.

import type { Signal } from "@preact/signals";
import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Market } from "../../../markets/market.ts";
import type { CandleChart, Reading } from "./candle-chart.ts";
import { layouts, legendSize } from "./held-line.ts";
import type { StudyReading } from "./study-series.ts";

function priced(value: number | null, places: number): string {
  if (value === null) return "–";
  // Adding 0 turns a rounded −0 into 0.
  const rounded = Number(value.toFixed(places)) + 0;
  return rounded.toLocaleString("en-US", {
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  });
}

function StudyFigures({ readings }: { readings: readonly StudyReading[] }): VNode {
  return (
    <p>
      {readings.map(({ line, value, places }) => (
        <span key={line.name}>
          <abbr class={line.colour} title={line.title}>
            {line.name}
          </abbr>
          <span class="study-value">{priced(value, places)}</span>
        </span>
      ))}
    </p>
  );
}

interface PaneLegendsProps {
  readonly panes: readonly (readonly StudyReading[])[];
  readonly chart: CandleChart;
}

/** The figures of the panes under the prices, each at the top of its pane. */
function PaneLegends({ panes, chart }: PaneLegendsProps): VNode {
  // Read the signal, so that the figures follow every layout of the chart.
  void layouts.value;
  return (
    <>
      {panes.map((readings, index) => {
        const top = chart.topOf(index + 1);
        if (top === null) return null;
        return (
          <div key={index} class="chart-legend" style={{ transform: `translateY(${top}px)` }}>
            <StudyFigures readings={readings} />
          </div>
        );
      })}
    </>
  );
}

interface LegendProps {
  readonly chart: CandleChart;
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

/** Tells the handles of lines which corner the legend takes, whenever that changes. */
function followSize(element: HTMLElement | null): (() => void) | undefined {
  if (element === null) return undefined;
  const observer = new ResizeObserver(() => {
    const { offsetLeft, offsetTop, offsetWidth, offsetHeight } = element;
    legendSize.value = { width: offsetLeft + offsetWidth, height: offsetTop + offsetHeight };
  });
  observer.observe(element);
  return () => observer.disconnect();
}

export function ChartLegend({ chart, market, period, reading }: LegendProps): VNode {
  const box = useRef<HTMLDivElement>(null);
  const isRead = reading.value !== null;
  useLayoutEffect(() => (isRead ? followSize(box.current) : undefined), [isRead]);
  if (reading.value === null) return <div class="chart-legend" />;
  const { candle, panes } = reading.value;
  const [overPrices = [], ...below] = panes;
  const places = market.pricePlaces;
  const change = candle.open === 0 ? 0 : (100 * (candle.close - candle.open)) / candle.open;
  const tone = change < 0 ? "loss" : "gain";
  return (
    <>
      <div class="chart-legend" ref={box}>
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
          <span class="volume">
            <abbr title="volume">Vol</abbr>
            <span class="amount">{`${priced(candle.volume, market.quantityPlaces)} ${market.base}`}</span>
          </span>
        </p>
        {overPrices.length > 0 && <StudyFigures readings={overPrices} />}
      </div>
      {below.length > 0 && <PaneLegends panes={below} chart={chart} />}
    </>
  );
}
