// Candles and volume of the market. The library draws on its own canvas: it is created once for each market and
// then updated, never rendered again.

import { signal, useSignalEffect } from "@preact/signals";
import {
  CandlestickSeries,
  ColorType,
  createChart,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  type UTCTimestamp,
} from "lightweight-charts";
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import {
  type Candle,
  loadCandles,
  type Period,
  periods,
  withPrint,
} from "../../markets/candles.ts";
import type { Market } from "../../markets/market.ts";
import type { Print } from "../../markets/market-figures.ts";
import { faultMessage } from "../../member/venue-api.ts";
import { theme } from "../../theme.ts";

const period = signal<Period>("1m");
const state = signal<string>("");

/** Returns a colour of the page, for the canvas, which style sheets cannot colour. */
function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

class CandleChart {
  readonly #market: Market;
  readonly #chart: IChartApi;
  readonly #candles: ISeriesApi<"Candlestick">;
  readonly #volume: ISeriesApi<"Histogram">;
  #newest: Candle | undefined;
  #isLoaded = false;
  #loading = 0;

  constructor(container: HTMLElement, market: Market) {
    this.#market = market;
    // The library's logo needs a style element, which the content policy refuses. The footer credits the library
    // instead.
    this.#chart = createChart(container, {
      autoSize: true,
      layout: { attributionLogo: false },
      // The scale is wide enough for any price, so that the chart does not shift when the first prices arrive.
      rightPriceScale: { minimumWidth: 92 },
      // The offset leaves room for the newest candle and its time.
      timeScale: { timeVisible: true, secondsVisible: false, rightOffset: 4 },
    });
    const { pricePlaces: precision, tick } = market;
    this.#candles = this.#chart.addSeries(CandlestickSeries, {
      priceFormat: { type: "price", precision, minMove: Number(tick) },
    });
    this.#volume = this.#chart.addSeries(HistogramSeries, {
      priceFormat: { type: "volume" },
      priceScaleId: "volume",
      priceLineVisible: false,
      lastValueVisible: false,
    });
    this.#chart.priceScale("volume").applyOptions({ scaleMargins: { top: 0.82, bottom: 0 } });
  }

  /** Applies the colours of the current theme. */
  paint(): void {
    const [gain, loss, line] = [colour("gain"), colour("loss"), colour("line")];
    this.#chart.applyOptions({
      layout: {
        background: { type: ColorType.Solid, color: colour("panel") },
        textColor: colour("soft"),
      },
      grid: { vertLines: { color: line }, horzLines: { color: line } },
      rightPriceScale: { borderColor: line },
      timeScale: { borderColor: line },
    });
    this.#candles.applyOptions({
      upColor: gain,
      downColor: loss,
      wickUpColor: gain,
      wickDownColor: loss,
      borderVisible: false,
    });
    this.#volume.applyOptions({ color: colour("volume") });
  }

  /** Loads the history of a period and returns the number of candles. The answer to an older load is dropped. */
  async load(period: Period): Promise<number> {
    const number = ++this.#loading;
    this.#isLoaded = false;
    const candles = await loadCandles(this.#market, period);
    if (number !== this.#loading) return candles.length;
    this.#candles.setData(candles.map(drawn));
    this.#volume.setData(
      candles.map(({ openMs, volume }) => ({ time: at(openMs), value: volume })),
    );
    this.#newest = candles.at(-1);
    this.#isLoaded = true;
    this.#chart.timeScale().scrollToRealTime();
    return candles.length;
  }

  take(print: Print): void {
    if (!this.#isLoaded) return;
    this.#newest = withPrint(this.#newest, print, period.value);
    this.#candles.update(drawn(this.#newest));
    this.#volume.update({ time: at(this.#newest.openMs), value: this.#newest.volume });
    state.value = "";
  }

  remove(): void {
    this.#loading++;
    this.#chart.remove();
  }
}

function at(ms: number): UTCTimestamp {
  return (ms / 1000) as UTCTimestamp;
}

function drawn({ openMs, open, high, low, close }: Candle) {
  return { time: at(openMs), open, high, low, close };
}

/** The chart on the page; null without one. */
const chart = signal<CandleChart | null>(null);

/** Updates the newest candle with a trade. */
export function takePrint(print: Print): void {
  chart.peek()?.take(print);
}

function PeriodChoice(): VNode {
  return (
    <fieldset class="periods" aria-label="Candle interval">
      {periods.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={period.value === name}
          onClick={() => {
            period.value = name;
          }}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}

export function ChartView({ market }: { market: Market }): VNode {
  const container = useRef<HTMLDivElement>(null);
  useSignalEffect(() => {
    if (container.current === null) return undefined;
    const made = new CandleChart(container.current, market);
    chart.value = made;
    return () => {
      chart.value = null;
      made.remove();
    };
  });
  useSignalEffect(() => {
    void theme.value;
    chart.value?.paint();
  });
  useSignalEffect(() => {
    state.value = "Loading candles…";
    chart.value?.load(period.value).then(
      (count) => {
        state.value = count === 0 ? "No trades in this market yet." : "";
      },
      (fault: unknown) => {
        state.value = faultMessage(fault);
      },
    );
  });
  return (
    <>
      <PeriodChoice />
      <div
        class="canvas"
        ref={container}
        role="img"
        aria-label={`Candlestick chart of ${market.symbol}, ${period.value}`}
      />
      <output class="chart-state">{state.value}</output>
    </>
  );
}
