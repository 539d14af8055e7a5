// A chart of figures over the last minutes, drawn by uplot on a canvas. Its caption states the newest figures, or those of
// the moment under the pointer, which arrow keys move as well.

import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
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

/** Told where the pointer is: the index of a sample, or null outside the chart. */
type Pointed = (at: number | null) => void;

function optionsOf(
  { curves, least, shown }: ChartProps,
  width: number,
  pointed: Pointed,
): uPlot.Options {
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
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    hooks: { setCursor: [({ cursor: { idx } }) => pointed(idx ?? null)] },
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

/** Which sample a key chooses, from `at` of `count`; null for a key that chooses none. */
function movedBy(key: string, at: number, count: number): number | null {
  const last = count - 1;
  const targets: Readonly<Record<string, number>> = {
    ArrowLeft: at - 1,
    ArrowRight: at + 1,
    PageUp: at - 30,
    PageDown: at + 30,
    Home: 0,
    End: last,
  };
  const target = targets[key];
  return target === undefined ? null : Math.max(0, Math.min(last, target));
}

export function LineChart(props: ChartProps): VNode {
  const { title, times, curves, shown } = props;
  const container = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | null>(null);
  /** Time of the moment that keys have chosen; null if the pointer chooses. */
  const keyed = useRef<number | null>(null);
  const known = useRef(times);
  known.current = times;
  /** Time of the chosen moment; null for the newest. */
  const [chosen, choose] = useState<number | null>(null);
  const now = theme.value;
  const point = (ms: number): void => {
    chart.current?.setCursor({ left: chart.current.valToPos(ms / 1000, "x"), top: 0 });
  };
  useEffect(() => {
    const { current } = container;
    if (current === null) return undefined;
    const pointed: Pointed = (at) =>
      choose(keyed.current ?? (at === null ? null : (known.current[at] ?? null)));
    const made = new uPlot(optionsOf(props, current.clientWidth, pointed), [[]], current);
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
    if (keyed.current !== null) point(keyed.current);
  }, [times, now]);
  const found = chosen === null ? -1 : times.indexOf(chosen);
  const at = found === -1 ? times.length - 1 : found;
  const moment = timeText((times[at] ?? 0) / 1000);
  const figures = curves.map(({ name, colour: stroke, values }) => {
    const value = values[at];
    return { name, stroke, text: value === undefined ? "–" : shown(value) };
  });
  const release = (): void => {
    keyed.current = null;
    chart.current?.setCursor({ left: -10, top: -10 });
    choose(null);
  };
  const move = (event: KeyboardEvent): void => {
    if (event.key === "Escape") release();
    const next = movedBy(event.key, at, times.length);
    const ms = next === null ? undefined : times[next];
    if (ms === undefined) return;
    event.preventDefault();
    keyed.current = ms;
    point(ms);
  };
  return (
    <figure class="chart">
      <figcaption>
        {title}
        {figures.map(({ name, stroke, text }) => (
          <span key={name}>
            <i class={`key ${stroke}`} /> {name} <b>{text}</b>
          </span>
        ))}
        <span class="moment">{found === -1 ? "now" : moment}</span>
      </figcaption>
      <div
        ref={container}
        role="slider"
        tabIndex={0}
        aria-label={`Moment of ${title}`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, times.length - 1)}
        aria-valuenow={Math.max(0, at)}
        aria-valuetext={`${moment}: ${figures.map(({ name, text }) => `${name} ${text}`).join(", ")}`}
        onKeyDown={move}
        onBlur={release}
        onPointerMove={() => {
          keyed.current = null;
        }}
      />
    </figure>
  );
}
