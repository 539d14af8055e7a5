// The chart of a market with its controls. It loads the chart library when it is first shown, and connects the chart
// to what the user has chosen and to the account.

import { signal, useComputed, useSignalEffect } from "@preact/signals";
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { chartLines } from "../../markets/chart-lines.ts";
import type { Anchor } from "../../markets/drawings.ts";
import type { Market } from "../../markets/market.ts";
import type { Print } from "../../markets/market-figures.ts";
import { fills, openOrders, positions } from "../../member/account.ts";
import { isAmendable } from "../../member/order-actions.ts";
import { revalued } from "../../member/risk/margin.ts";
import { requestOwn, session } from "../../member/session.ts";
import { faultMessage } from "../../member/venue-api.ts";
import { theme } from "../../theme.ts";
import { turnZone, zone, zoneLabel } from "../../time-zone.ts";
import { accountFault, forgetFault, isFaultOfChart } from "./account-fault.ts";
import type { CandleChart, Reading } from "./chart/candle-chart.ts";
import { ChartLegend } from "./chart/chart-legend.tsx";
import {
  addAnchor,
  areFillsMarked,
  begun,
  drawings,
  isFull,
  moveDrawing,
  period,
  restoreDrawings,
  selected,
  studies,
  tool,
} from "./chart/chart-settings.ts";
import { ChartToolbar } from "./chart/chart-toolbar.tsx";
import type { ReadFills } from "./chart/fill-history.ts";
import { layouts, shownLines } from "./chart/held-line.ts";

/** The chart on the page; null without one. */
const chart = signal<CandleChart | null>(null);
/** The handles of the account's lines; null before the first line, with which their code is loaded. */
const handles = signal<typeof import("./chart/line-handles.tsx").LineHandles | null>(null);
const state = signal("");
const reading = signal<Reading | null>(null);
/** The place under the pointer, to which a line that is being drawn reaches. */
const pointer = signal<Anchor | null>(null);

/** Updates the newest candle with a trade. */
export function takePrint(print: Print): void {
  if (chart.peek()?.take(print) === true) state.value = "";
}

/** Runs `work` once an element has room. Returns a function that ends the wait. */
function onceInSight(element: HTMLElement, work: () => void): () => void {
  const observer = new ResizeObserver(() => {
    if (element.clientWidth === 0 || element.clientHeight === 0) return;
    observer.disconnect();
    work();
  });
  observer.observe(element);
  return () => observer.disconnect();
}

/** Reads the user's trades in a market, newest first; the cursor of the first page is empty. */
function readFills({ symbol }: Market, cursor: string): ReturnType<ReadFills> {
  const from = cursor === "" ? "" : `&cursor=${cursor}`;
  return requestOwn("GET", `/v1/trades/me?symbol=${encodeURIComponent(symbol)}&limit=500${from}`);
}

/**
 * Creates the chart of a market in a container, once it is in sight: without width, the library would place the newest
 * candles beyond its edge and no longer follow them. Returns a function that removes the chart.
 */
function makeChart(container: HTMLElement, market: Market): () => void {
  let isGone = false;
  let made: CandleChart | undefined;
  const events = {
    onReading: (next: Reading | null) => {
      reading.value = next;
    },
    onLayout: () => {
      // Not `++`, which reads: the effect that draws the chart would follow each layout, and draw again in every frame.
      layouts.value = layouts.peek() + 1;
    },
    onHover: (anchor: Anchor) => {
      if (tool.peek() !== null) pointer.value = anchor;
    },
    onClick: (anchor: Anchor, line: number | null) => {
      if (tool.peek() === null) selected.value = line;
      else addAnchor(market.symbol, anchor);
    },
    // From here, because otherwise the first load has more and smaller files.
    loadTrades: () => import("./chart/own-trades.ts"),
    readFills: (cursor: string) => readFills(market, cursor),
    onUndo: () => restoreDrawings(market.symbol),
    onMove: (id: number, anchors: readonly Anchor[]) => moveDrawing(market.symbol, { id, anchors }),
  };
  state.value = "Loading candles…";
  let stopWaiting = (): void => undefined;
  import("./chart/candle-chart.ts").then(
    (module) => {
      if (isGone) return;
      stopWaiting = onceInSight(container, () => {
        made = new module.CandleChart(container, market, events);
        chart.value = made;
      });
    },
    (fault: unknown) => {
      state.value = faultMessage(fault);
    },
  );
  return () => {
    isGone = true;
    stopWaiting();
    chart.value = null;
    reading.value = null;
    selected.value = null;
    made?.remove();
  };
}

function loadHandles(): void {
  import("./chart/line-handles.tsx").then(
    (module) => {
      handles.value = module.LineHandles;
    },
    // The lines are on the canvas all the same.
    () => undefined,
  );
}

function load(made: CandleChart): void {
  state.value = "Loading candles…";
  made.load(period.value).then(
    (count) => {
      state.value = count === 0 ? "No trades in this market yet." : "";
    },
    (fault: unknown) => {
      state.value = faultMessage(fault);
    },
  );
}

/** Shows kept lines, and the one that is being drawn up to the pointer. */
function showDrawings(made: CandleChart, symbol: string): void {
  const [first] = begun.value;
  const kept = drawings.value[symbol] ?? [];
  const draft =
    first === undefined || pointer.value === null
      ? []
      : [{ kind: "trend" as const, anchors: [first, pointer.value] }];
  made.showDrawings({
    lines: [...kept, ...draft],
    selected: selected.value,
    isDrawing: tool.value !== null,
  });
}

/** The error of what was done at the chart, or of anything while the chart covers what else would tell it. */
function ChartFault(): VNode | null {
  if (accountFault.value === "" || !(isFaultOfChart.value || isFull.value)) return null;
  return (
    <p class="stale-note chart-fault">
      {accountFault.value}
      <button type="button" class="quiet" onClick={forgetFault}>
        Dismiss
      </button>
    </p>
  );
}

export function ChartView({ market }: { market: Market }): VNode {
  const container = useRef<HTMLDivElement>(null);
  const lines = useComputed(() =>
    shownLines(chartLines(market, openOrders.value, positions.value.map(revalued), isAmendable)),
  );
  useSignalEffect(() =>
    container.current === null ? undefined : makeChart(container.current, market),
  );
  useSignalEffect(() => {
    void theme.value;
    chart.value?.paint();
  });
  // Lines and drawings take their colours from the theme, but change far more often than it.
  useSignalEffect(() => {
    void theme.value;
    chart.value?.showLines(lines.value);
  });
  useSignalEffect(() => {
    if (lines.value.length > 0 && handles.peek() === null) loadHandles();
  });
  useSignalEffect(() => {
    void theme.value;
    if (chart.value !== null) showDrawings(chart.value, market.symbol);
  });
  useSignalEffect(() => {
    if (chart.value !== null) load(chart.value);
  });
  useSignalEffect(() => {
    void chart.value?.showStudies(studies.value);
  });
  useSignalEffect(() => {
    void zone.value;
    chart.value?.showTimes();
  });
  useSignalEffect(() => {
    const isMarked = areFillsMarked.value && session.value !== null;
    void chart.value?.showFills(isMarked ? fills.value : null);
  });
  const Handles = handles.value;
  return (
    <>
      <ChartToolbar symbol={market.symbol} />
      <div class={`canvas ${tool.value === null ? "" : "drawing"}`}>
        <div
          class="canvas-box"
          ref={container}
          role="application"
          aria-roledescription="chart"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys move it
          tabIndex={0}
          aria-label={`Candlestick chart of ${market.symbol}, ${period.value}`}
        />
        {chart.value !== null && (
          <ChartLegend {...{ chart: chart.value, market, reading }} period={period.value} />
        )}
        {Handles !== null && chart.value !== null && (
          <Handles lines={lines.value} chart={chart.value} market={market} />
        )}
        <ChartFault />
        <button
          type="button"
          class="zone"
          title="Times are in this zone. Switch between your own zone and UTC."
          onClick={turnZone}
        >
          {zoneLabel.value}
        </button>
        <output class="chart-state">{state.value}</output>
      </div>
    </>
  );
}
