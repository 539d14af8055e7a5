// Charts of the report's page as inline SVG, which stretches with the page: lines are drawn in a box that stretches, marks are
// placed by percent and keep their size, and labels are text beside it.

import { Html, html } from "./page-parts.ts";
import type { ChartFault, ChartFill, ChartPoint } from "./report-form.ts";

/** The span of time of all charts of an account, in ms. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Chart {
  readonly title: string;
  readonly unit: string;
  readonly points: readonly ChartPoint[];
  readonly span: Span;
  /** Whether values hold until the next one; otherwise a line joins them. */
  readonly isStep: boolean;
  /** Whether zero belongs into the chart. */
  readonly hasZero: boolean;
  readonly fills?: readonly ChartFill[];
  readonly faults: readonly ChartFault[];
}

/** Units of the box in which lines are drawn. */
const box = 1_000;
const gridLines = 4;

export function chart(given: Chart): Html {
  const { title, unit, span, fills = [], faults } = given;
  const points = within(given.points, span);
  const scale = scaleOf(points, fills, given.hasZero);
  const x = (at: number) => (at - span.from) / (span.to - span.from);
  const y = (value: number) => (scale.high - value) / (scale.high - scale.low);
  const lines = scale.ticks.map((tick) => {
    const at = percent(y(tick));
    return html`<line class="grid" x1="0" x2="100%" y1="${at}" y2="${at}"/>`;
  });
  const marks = fills.filter(({ at }) => at >= span.from && at <= span.to);
  const kind = given.fills === undefined ? "chart" : "chart price";
  return html`<figure class="${kind}"><figcaption>${title} <small>${unit}</small></figcaption>
<div class="plot"><svg role="img" aria-label="${title}">${lines}${faultLines(faults, span, x)}
<svg viewBox="0 0 ${box} ${box}" preserveAspectRatio="none" width="100%" height="100%">${drawn(points, given, { x, y })}</svg>
${marks.map((fill) => fillMark(fill, x(fill.at), y(fill.price)))}</svg></div>
<div class="scale">${scale.ticks.map((tick) => html`<span style="top:${percent(y(tick))}">${tickText(tick, scale.step)}</span>`)}</div>
<div class="times">${timeLabels(span)}</div></figure>`;
}

/** The lane of faults below the charts, with one mark each. */
export function faultLane(faults: readonly ChartFault[], span: Span): Html | null {
  const shown = faults.filter(({ at }) => at >= span.from && at <= span.to);
  if (shown.length === 0) return null;
  const marks = shown.map(({ at, kind, profile, what }) => {
    const left = percent((at - span.from) / (span.to - span.from));
    const tone = /lose/.test(kind) ? "lost" : "other";
    return html`<rect class="${tone}" x="${left}" y="0" width="3" height="100%"><title>${timeText(at)} ${profile}/${kind}: ${what}</title></rect>`;
  });
  return html`<figure class="chart lane"><figcaption>Faults <small>red: an answer or a request was lost</small></figcaption>
<div class="plot"><svg role="img" aria-label="Faults">${marks}</svg></div><div class="scale"></div></figure>`;
}

interface Axes {
  readonly x: (at: number) => number;
  readonly y: (value: number) => number;
}

function drawn(
  points: readonly ChartPoint[],
  { isStep, hasZero, span }: Chart,
  { x, y }: Axes,
): Html {
  if (points.length === 0) return new Html("");
  const at = (time: number, value: number) => `${unit(x(time))} ${unit(y(value))}`;
  const line: string[] = [];
  for (const [index, [time, , , last]] of points.entries()) {
    const before = points[index - 1];
    if (isStep && before !== undefined) line.push(at(time, before[3]));
    line.push(at(time, last));
  }
  const lastValue = points.at(-1)?.[3] ?? 0;
  line.push(at(span.to, lastValue));
  const upper = points.map(([time, , high]) => at(time, high));
  const lower = points.map(([time, low]) => at(time, low)).reverse();
  const area = hasZero
    ? html`<polygon class="area" points="${at(points[0]?.[0] ?? 0, 0)} ${line.join(" ")} ${at(span.to, 0)}"/>`
    : html`<polygon class="band" points="${[...upper, ...lower].join(" ")}"/>`;
  return html`${area}<polyline class="line" points="${line.join(" ")}"/>`;
}

/** A triangle up for a buy and down for a sell; hollow for a maker. */
function fillMark({ at, price, side, is_maker: isMaker }: ChartFill, x: number, y: number): Html {
  const shape = side === "BUY" ? "M0 -5 4.5 4H-4.5Z" : "M0 5 4.5 -4H-4.5Z";
  const tone = `${side === "BUY" ? "buy" : "sell"}${isMaker ? " maker" : ""}`;
  const title = `${timeText(at)} ${side} at ${price}, ${isMaker ? "maker" : "taker"}`;
  return html`<svg class="mark" x="${percent(x)}" y="${percent(y)}"><path class="${tone}" d="${shape}"><title>${title}</title></path></svg>`;
}

function faultLines(faults: readonly ChartFault[], span: Span, x: Axes["x"]): Html[] {
  const lost = faults.filter(
    ({ at, kind }) => /lose/.test(kind) && at >= span.from && at <= span.to,
  );
  return lost.map(({ at }) => {
    const left = percent(x(at));
    return html`<line class="fault" x1="${left}" x2="${left}" y1="0" y2="100%"/>`;
  });
}

/** The points of a span, with the value that holds at its begin. */
function within(points: readonly ChartPoint[], { from, to }: Span): ChartPoint[] {
  const inside = points.filter(([at]) => at >= from && at <= to);
  const before = points.findLast(([at]) => at < from);
  return before === undefined ? inside : [[from, before[3], before[3], before[3]], ...inside];
}

function scaleOf(points: readonly ChartPoint[], fills: readonly ChartFill[], hasZero: boolean) {
  const values = points.flatMap(([, low, high]) => [low, high]);
  for (const { price } of fills) values.push(price);
  if (hasZero || values.length === 0) values.push(0);
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  const room = (most - least || Math.abs(most) * 0.01 || 1) * 0.08;
  const [low, high] = [least - room, most + room];
  const step = niceStep((high - low) / gridLines);
  const ticks: number[] = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high; tick += step) ticks.push(tick);
  return { low, high, step, ticks };
}

/** The nearest larger step of 1, 2 or 5 and a power of ten. */
function niceStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const factor = [1, 2, 5, 10].find((one) => one * power >= step) ?? 10;
  return factor * power;
}

function tickText(tick: number, step: number): string {
  const decimals = Math.max(0, Math.min(8, -Math.floor(Math.log10(step))));
  return (Math.abs(tick) < step / 2 ? 0 : tick).toLocaleString("en-US", {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}

function timeLabels({ from, to }: Span): Html[] {
  return [0, 1 / 3, 2 / 3, 1].map((share) => {
    return html`<span>${timeText(from + share * (to - from), to - from)}</span>`;
  });
}

/** The time of day, with milliseconds in a short span. */
function timeText(at: number, spanMs = 0): string {
  const iso = new Date(Math.max(0, at)).toISOString();
  if (spanMs > 172_800_000) return iso.slice(5, 16).replace("T", " ");
  return spanMs > 10_000 ? iso.slice(11, 19) : iso.slice(11, 23);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(2)}%`;
}

function unit(share: number): string {
  return (box * share).toFixed(1);
}
