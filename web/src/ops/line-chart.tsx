// A chart of figures over the last minutes, drawn by uplot on a canvas. Its caption states the newest figures, so
// the canvas is hidden from screen readers.

import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { theme } from "../theme.ts";
import { aloneIn, topOf } from "./curve-form.ts";

export interface Curve {
  readonly name: string;
  /** Name of a CSS colour variable of the page. */
  readonly colour: string;
  /** One value for each of the chart's times; undefined where nothing was measured. */
  readonly values: ReadonlyArray<number | undefined>;
}

interface ChartProps {
  readonly title: string;
  /** Unix milliseconds of the values. */
  readonly times: readonly number[];
  readonly curves: readonly Curve[];
  /** The vertical axis reaches at least this value. */
  readonly least: number;
  shown(value: number): string;
}

const height = 130;

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function timeText(seconds: number): string {
  return new Date(seconds * 1000).toLocaleTimeString("en-GB");
}

/** Empties each axis label that equals the previous one. Labels repeat if the axis has finer steps than they show. */
function each(message: readonly string[]): string[] {
  return message.map((text, at) => (text === message[at - 1] ? "" : text));
}

/** Least time range of a chart in seconds, so that the first samples do not fill it. */
const secondsMin = 60;

/** Returns the time range of the chart. While there are no samples, the range ends at the current time. */
function stretch(from: number | null, to: number | null): [number, number] {
  const end = to === null || to < secondsMin ? Date.now() / 1000 : to;
  return [Math.min(from ?? end, end - secondsMin), end];
}

/** Minimum distance in pixels between two times on the axis: eight characters and a gap. */
const timeSpace = 80;

function optionsOf({ curves, least, shown }: ChartProps, width: number): uPlot.Options {
  const axis = {
    stroke: colour("soft"),
    grid: { stroke: colour("line"), width: 1 },
    ticks: { show: false },
    font: "11px system-ui",
  };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { range: (_, min, max) => stretch(min, max) },
      y: { range: (_, __, max) => [0, topOf(max, least)] },
    },
    axes: [
      { ...axis, size: 24, space: timeSpace, values: (_, splits) => each(splits.map(timeText)) },
      { ...axis, size: 64, values: (_, splits) => each(splits.map(shown)) },
    ],
    series: [
      {},
      ...curves.map(({ name, colour: stroke }) => ({
        label: name,
        stroke: colour(stroke),
        width: 1.5,
        points: {
          show: true,
          size: 4,
          fill: colour(stroke),
          filter: (chart: uPlot, at: number) => aloneIn(chart.data[at] ?? []),
        },
      })),
    ],
  };
}

export function LineChart(props: ChartProps): VNode {
  const { title, times, curves, shown } = props;
  const container = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  const now = theme.value;
  useEffect(() => {
    const { current } = container;
    if (current === null) return undefined;
    const made = new uPlot(optionsOf(props, current.clientWidth), [[]], current);
    chart.current = made;
    const watch = new ResizeObserver(() => made.setSize({ width: current.clientWidth, height }));
    watch.observe(current);
    return () => {
      watch.disconnect();
      made.destroy();
    };
  }, [now]);
  useEffect(() => {
    const data = [
      times.map((ms) => ms / 1000),
      ...curves.map(({ values }) => values.map((value) => value ?? null)),
    ];
    chart.current?.setData(data as uPlot.AlignedData);
  }, [times, now]);
  return (
    <figure class="chart">
      <figcaption>
        {title}
        {curves.map(({ name, colour: stroke, values }) => {
          const last = values.at(-1);
          return (
            <span key={name}>
              <i class={`key ${stroke}`} /> {name} <b>{last === undefined ? "–" : shown(last)}</b>
            </span>
          );
        })}
      </figcaption>
      <div ref={container} aria-hidden="true" />
    </figure>
  );
}
