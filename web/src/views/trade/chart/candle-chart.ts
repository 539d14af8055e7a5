// The chart of one market on a canvas of its own: candles, volume, studies, the account's lines and drawn lines. The
// library is created once for each market and then updated. This module and the library load only when a chart shows.

import {
  CandlestickSeries,
  ColorType,
  CrosshairMode,
  createChart,
  HistogramSeries,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  LineSeries,
  LineStyle,
  type Logical,
  type MouseEventParams,
  type Time,
  type UTCTimestamp,
} from "lightweight-charts";
import {
  type Candle,
  lengthOf,
  type Period,
  type Sums,
  withPrint,
} from "../../../markets/candle.ts";
import {
  type CandleHistory,
  candlesMax,
  loadCandles,
  loadOlder,
  mayHaveOlder,
} from "../../../markets/candles.ts";
import type { ChartLine } from "../../../markets/chart-lines.ts";
import {
  type Anchor,
  indexOfTime,
  type Point,
  timeOfIndex,
  xOfIndex,
} from "../../../markets/drawings.ts";
import { oncePerFrame } from "../../../markets/frame-clock.ts";
import type { Market } from "../../../markets/market.ts";
import type { Print } from "../../../markets/market-figures.ts";
import type { Studies } from "../../../markets/studies.ts";
import type { Fill } from "../../../member/account.ts";
import { dayAndTime } from "../../../moment.ts";
import { AccountLines } from "./account-lines.ts";
import { msOf, priceText, tickText } from "./axis-text.ts";
import { DrawingLayer, type DrawnLine } from "./drawing-layer.ts";
import { type DrawingEvents, followPointer } from "./drawing-pointer.ts";
import type { ReadFills } from "./fill-history.ts";
import type { OwnTrades } from "./own-trades.ts";
import type { StudyReading, StudySeries } from "./study-series.ts";

/** The candle under the pointer, or the newest one, with the values of the studies there by pane. */
export interface Reading {
  readonly candle: Candle;
  /** The pane of the prices is the first one. */
  readonly panes: readonly (readonly StudyReading[])[];
}

export interface ChartEvents extends DrawingEvents {
  onReading(reading: Reading | null): void;
  /** The chart was laid out anew: prices may have other heights. */
  onLayout(): void;
  /** Loads what marks the user's own trades. */
  loadTrades(): Promise<typeof import("./own-trades.ts")>;
  readonly readFills: ReadFills;
  /** A key asks for what was deleted. */
  onUndo(): void;
}

/** Width of a candle with its gap, in pixels: as the library has it, and at most for a market with few candles. */
const usualSpacing = 6;
const widestSpacing = 24;
/** Room at the right, in candles, for the newest one and its time. */
const candleOffset = 6;

/** Older candles are loaded when fewer than this are left before those in sight. */
const nearCandles = 40;

/** Returns a colour of the page, for the canvas, which style sheets cannot colour. */
function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function at(ms: number): UTCTimestamp {
  return (ms / 1000) as UTCTimestamp;
}

function drawn({ openMs, open, high, low, close }: Candle) {
  return { time: at(openMs), open, high, low, close };
}

interface VolumeColours {
  readonly up: string;
  readonly down: string;
}

function drawnVolume({ openMs, volume, open, close }: Candle, { up, down }: VolumeColours) {
  return { time: at(openMs), value: volume, color: close < open ? down : up };
}

export class CandleChart {
  readonly #market: Market;
  readonly #events: ChartEvents;
  readonly #chart: IChartApi;
  readonly #series: ISeriesApi<"Candlestick">;
  readonly #volume: ISeriesApi<"Histogram">;
  /** Null before the first study. */
  #studySeries: StudySeries | null = null;
  readonly #layer: DrawingLayer;
  /** Null before trades are to be marked. */
  #trades: OwnTrades | null = null;
  #newestFills: readonly Fill[] | null = null;
  readonly #lines: AccountLines;
  #volumeColours: VolumeColours = { up: "", down: "" };
  #studies: Studies = {};
  #candles: Candle[] = [];
  /** What was traded on the first candle's day before it; null if unknown. */
  #before: Sums | null = null;
  /** The last price at the axis. The library's own label shows the close of the last candle in sight. */
  #lastLine: IPriceLine | null = null;
  #openTimes: number[] = [];
  #period: Period = "1m";
  /** Index of the candle under the pointer; null while it is elsewhere. */
  #hovered: number | null = null;
  #isLoaded = false;
  /** Whether the candles were widened because there were few. */
  #isWide = false;
  #loading = 0;
  /** Whether there may be candles before the first one, and none are being loaded. */
  #mayReachBack = false;
  #isGone = false;
  readonly #refresh = oncePerFrame(() => {
    if (!this.#isLoaded) return;
    this.#studySeries?.update(this.#history);
    this.#read();
  });

  readonly #placeLabels = oncePerFrame(() => {
    if (!this.#isGone) this.#lines.placeLabels(this.#candles.at(-1)?.close ?? 0);
  });

  /** Tells of the layout once the library has drawn panes that came or went: it lays them out in its next frame. */
  readonly #placePanes = oncePerFrame(() => this.#events.onLayout());

  constructor(container: HTMLElement, market: Market, events: ChartEvents) {
    this.#market = market;
    this.#events = events;
    // The library's logo needs a style element, which the content policy refuses. The footer credits the library
    // instead.
    this.#chart = createChart(container, {
      autoSize: true,
      layout: { attributionLogo: false },
      // The label is the price under the pointer. The library's magnet would show that of a candle or a study.
      crosshair: { mode: CrosshairMode.Normal },
      // The scale is wide enough for any price, so that the chart does not shift when the first prices arrive.
      rightPriceScale: { minimumWidth: 92 },
      timeScale: {
        timeVisible: true,
        secondsVisible: false,
        rightOffset: candleOffset,
        tickMarkFormatter: tickText,
      },
      localization: { timeFormatter: (time: Time) => dayAndTime(msOf(time)) },
    });
    const { pricePlaces: precision, tick } = market;
    this.#series = this.#chart.addSeries(CandlestickSeries, {
      priceFormat: { type: "custom", formatter: priceText(precision), minMove: Number(tick) },
      priceLineVisible: false,
      lastValueVisible: false,
    });
    this.#volume = this.#chart.addSeries(HistogramSeries, {
      priceFormat: { type: "volume" },
      priceScaleId: "volume",
      priceLineVisible: false,
      lastValueVisible: false,
    });
    this.#chart.priceScale("volume").applyOptions({ scaleMargins: { top: 0.84, bottom: 0 } });
    this.#layer = new DrawingLayer(
      {
        pointOf: (anchor) => this.#pointOf(anchor),
        width: () => this.#chart.timeScale().width(),
      },
      () => {
        this.#placeLabels();
        events.onLayout();
      },
    );
    this.#lines = new AccountLines(this.#series, colour);
    this.#series.attachPrimitive(this.#layer);
    this.#chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
      if (range !== null && range.from < nearCandles) void this.#reachBack();
      this.#reachTrades();
    });
    this.#chart.subscribeCrosshairMove((move) => this.#hover(move));
    const surface = {
      anchorOf: (point: Point) => this.#anchorOf(point),
      pointOf: (anchor: Anchor) => this.#pointOf(anchor),
      lineAt: (point: Point) => this.#layer.lineAt(point),
      letPan: (isAllowed: boolean) => this.#chart.applyOptions({ handleScroll: isAllowed }),
    };
    followPointer(container, surface, events);
    const load = () => import("./chart-keys.ts");
    const follow = ({ followKeys }: Awaited<ReturnType<typeof load>>) =>
      followKeys(container, this.#chart.timeScale(), events.onUndo);
    // Without the keys there is the pointer.
    const begin = () => void load().then(follow, () => undefined);
    container.addEventListener("focus", begin, { once: true });
  }

  /** Applies the colours of the current theme. */
  paint(): void {
    const [gain, loss, line] = [colour("gain"), colour("loss"), colour("line")];
    this.#chart.applyOptions({
      layout: {
        background: { type: ColorType.Solid, color: colour("panel") },
        textColor: colour("soft"),
        panes: { separatorColor: line, separatorHoverColor: colour("raised") },
      },
      grid: { vertLines: { color: colour("grid") }, horzLines: { color: colour("grid") } },
      rightPriceScale: { borderColor: line },
      timeScale: { borderColor: line },
    });
    this.#series.applyOptions({
      upColor: gain,
      downColor: loss,
      wickUpColor: gain,
      wickDownColor: loss,
      borderVisible: false,
    });
    this.#showMarks();
    this.#volumeColours = { up: colour("gain-soft"), down: colour("loss-soft") };
    this.#showVolume();
    this.#showLast();
    this.#studySeries?.paint();
  }

  /** Loads the history of a period and returns the number of candles. The answer to an older load is dropped. */
  async load(period: Period): Promise<number> {
    const number = ++this.#loading;
    this.#isLoaded = false;
    this.#mayReachBack = false;
    const { candles, before } = await loadCandles(this.#market, period);
    if (number !== this.#loading) return candles.length;
    this.#period = period;
    this.#candles = candles;
    this.#before = before;
    this.#openTimes = candles.map(({ openMs }) => openMs);
    this.#series.setData(candles.map(drawn));
    this.#showVolume();
    this.#showLast();
    this.#showMarks();
    this.#studySeries?.show(this.#studies, this.#history);
    this.#placePanes();
    this.#isLoaded = true;
    this.#hovered = null;
    this.#read();
    this.#widen();
    this.#chart.timeScale().scrollToRealTime();
    this.#mayReachBack = mayHaveOlder(candles);
    return candles.length;
  }

  /** Puts older candles before the others; the library keeps those in sight where they are. */
  async #reachBack(): Promise<void> {
    const [first] = this.#candles;
    if (!this.#mayReachBack || first === undefined) return;
    this.#mayReachBack = false;
    const number = this.#loading;
    const older = await loadOlder(this.#market, this.#period, first.openMs).catch(() => null);
    if (number !== this.#loading) return;
    // After a failure, the next move of the chart tries again.
    this.#mayReachBack = older === null;
    if (older === null || older.candles.length === 0) return;
    this.#candles = [...older.candles, ...this.#candles];
    this.#before = older.before;
    this.#openTimes = this.#candles.map(({ openMs }) => openMs);
    if (this.#hovered !== null) this.#hovered += older.candles.length;
    this.#series.setData(this.#candles.map(drawn));
    this.#showVolume();
    this.#showMarks();
    this.#studySeries?.extend(this.#history);
    this.#read();
    this.#mayReachBack = this.#candles.length < candlesMax;
  }

  /** Updates the newest candle with a trade; returns whether the candles were loaded. */
  take(print: Print): boolean {
    if (!this.#isLoaded) return false;
    const before = this.#candles.at(-1);
    const newest = withPrint(before, print, this.#period);
    if (before?.openMs === newest.openMs) this.#candles.pop();
    else this.#openTimes.push(newest.openMs);
    this.#candles.push(newest);
    this.#series.update(drawn(newest));
    this.#volume.update(drawnVolume(newest, this.#volumeColours));
    this.#showLast();
    this.#refresh();
    return true;
  }

  async showStudies(studies: Studies): Promise<void> {
    this.#studies = studies;
    if (Object.keys(studies).length > 0 && this.#studySeries === null) {
      const { StudySeries } = await import("./study-series.ts");
      if (this.#isGone) return;
      const kinds = { line: LineSeries, histogram: HistogramSeries };
      this.#studySeries ??= new StudySeries(this.#chart, kinds, colour, this.#market.pricePlaces);
    }
    this.#studySeries?.show(this.#studies, this.#history);
    this.#placePanes();
    this.#read();
  }

  /** Shows the account's lines; lines that are gone disappear. */
  showLines(lines: readonly ChartLine[]): void {
    this.#lines.show(lines);
    this.#placeLabels();
  }

  /** Marks the user's trades at their candles, given the newest of all markets; null marks none. */
  async showFills(newest: readonly Fill[] | null): Promise<void> {
    this.#newestFills = newest;
    if (newest !== null && this.#trades === null) {
      const { OwnTrades } = await this.#events.loadTrades();
      if (this.#isGone) return;
      this.#trades ??= new OwnTrades(
        this.#market.symbol,
        this.#series,
        this.#markPlacing(),
        this.#events.readFills,
      );
    }
    this.#trades?.take(this.#newestFills);
    this.#showMarks();
  }

  showDrawings(drawn: {
    readonly lines: readonly DrawnLine[];
    readonly selected: number | null;
    readonly isDrawing: boolean;
  }): void {
    this.#layer.show({ ...drawn, colour: colour("accent") });
  }

  /** Shows all times again, after the zone has changed. */
  showTimes(): void {
    this.#chart.applyOptions({
      localization: { timeFormatter: (time: Time) => dayAndTime(msOf(time)) },
      timeScale: { tickMarkFormatter: tickText },
    });
  }

  /** Height of a price in the pane of prices, in pixels from its top; null if it is out of sight. */
  heightOf(price: number): number | null {
    const height = this.#series.priceToCoordinate(price);
    return height === null || height !== this.#within(height) ? null : height;
  }

  /** Height of a price or, if it is out of sight, of the edge of the pane of prices. */
  nearestHeightOf(price: number): number {
    return this.#within(this.#series.priceToCoordinate(price) ?? 0);
  }

  /** The price at the nearest height in the pane of prices; null before the first candle. */
  priceAt(height: number): number | null {
    return this.#series.coordinateToPrice(this.#within(height));
  }

  /** Width of the pane of prices, without the scale. */
  get width(): number {
    return this.#chart.timeScale().width();
  }

  /** Distance of a pane from the top of the chart, in pixels; null before it is drawn. */
  topOf(pane: number): number | null {
    return this.#chart.panes()[pane]?.getHTMLElement()?.offsetTop ?? null;
  }

  remove(): void {
    this.#isGone = true;
    this.#loading++;
    this.#isLoaded = false;
    this.#chart.remove();
  }

  /** The nearest height in the pane of prices. */
  #within(height: number): number {
    return Math.min(Math.max(height, 0), this.#chart.panes()[0]?.getHeight() ?? 0);
  }

  get #history(): CandleHistory {
    return { candles: this.#candles, before: this.#before };
  }

  /** Shows the last price at the axis, whichever candles are in sight. */
  #showLast(): void {
    const newest = this.#candles.at(-1);
    if (newest === undefined) return;
    const { open, close: price } = newest;
    const options = {
      price,
      color: colour(price < open ? "loss" : "gain"),
      lineWidth: 1 as const,
      lineStyle: LineStyle.Dotted,
      axisLabelVisible: true,
    };
    if (this.#lastLine === null) this.#lastLine = this.#series.createPriceLine(options);
    else this.#lastLine.applyOptions(options);
  }

  /** Shows few candles wider, so that those of a new market do not crowd at the edge. */
  #widen(): void {
    const scale = this.#chart.timeScale();
    const room = scale.width() / (this.#candles.length + candleOffset);
    const barSpacing = Math.min(Math.max(room, usualSpacing), widestSpacing);
    // Otherwise the width is the one that the user has zoomed to.
    if (barSpacing > usualSpacing || this.#isWide) scale.applyOptions({ barSpacing });
    this.#isWide = barSpacing > usualSpacing;
  }

  #markPlacing() {
    return {
      endOf: (openMs: number, side: "BUY" | "SELL"): Point | null => {
        const index = indexOfTime(this.#openTimes, lengthOf(this.#period), openMs);
        const candle = this.#candles[index];
        if (candle === undefined) return null;
        return this.#pointOf({ atMs: openMs, price: side === "BUY" ? candle.low : candle.high });
      },
      colourOf: (side: "BUY" | "SELL") => colour(side === "BUY" ? "gain" : "loss"),
    };
  }

  #showMarks(): void {
    const fromMs = this.#openTimes[0] ?? Number.POSITIVE_INFINITY;
    this.#trades?.show(this.#period, fromMs);
    this.#reachTrades();
  }

  /** Reads the user's trades back to the first candle in sight. */
  #reachTrades(): void {
    const { from = 0 } = this.#chart.timeScale().getVisibleLogicalRange() ?? {};
    const openMs = this.#openTimes[Math.max(0, Math.floor(from))];
    if (openMs !== undefined) void this.#trades?.reach(openMs);
  }

  #showVolume(): void {
    this.#volume.setData(this.#candles.map((one) => drawnVolume(one, this.#volumeColours)));
  }

  #pointOf({ atMs, price }: Anchor): Point | null {
    const index = indexOfTime(this.#openTimes, lengthOf(this.#period), atMs);
    const scale = this.#chart.timeScale();
    const x = xOfIndex(index, (whole) => scale.logicalToCoordinate(whole as Logical));
    const y = this.#series.priceToCoordinate(price);
    return x === null || y === null ? null : { x, y };
  }

  /** Returns the place of a pointer among prices and times; null if it is outside the pane of prices. */
  #anchorOf({ x, y }: Point): Anchor | null {
    const height = this.#chart.panes()[0]?.getHeight() ?? 0;
    if (x > this.#chart.timeScale().width() || y > height) return null;
    const index = this.#chart.timeScale().coordinateToLogical(x);
    const price = this.#series.coordinateToPrice(y);
    if (index === null || price === null) return null;
    return { atMs: timeOfIndex(this.#openTimes, lengthOf(this.#period), index), price };
  }

  #hover({ logical }: MouseEventParams): void {
    const index = logical ?? null;
    this.#hovered = index !== null && this.#candles[index] !== undefined ? index : null;
    this.#read();
  }

  #read(): void {
    const index = this.#hovered ?? this.#candles.length - 1;
    const candle = this.#candles[index];
    const panes = this.#studySeries?.readingsAt(index) ?? [];
    this.#events.onReading(candle === undefined ? null : { candle, panes });
  }
}
