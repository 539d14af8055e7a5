// Lines that a user draws on the chart of a market: horizontal lines and trend lines. Independent of the page: the
// chart draws them, the settings keep them.

export interface Anchor {
  readonly atMs: number;
  readonly price: number;
}

export interface Drawing {
  readonly id: number;
  readonly kind: DrawingKind;
  /** One anchor for a horizontal line, two for a trend line. */
  readonly anchors: readonly Anchor[];
}

export const drawingKinds = ["trend", "horizontal"] as const;
export type DrawingKind = (typeof drawingKinds)[number];

export const anchorCount: Readonly<Record<DrawingKind, number>> = { trend: 2, horizontal: 1 };

/** The drawings of each market, by its symbol. */
export type Drawings = Readonly<Record<string, readonly Drawing[]>>;

/** Keeps the storage small, and the chart readable. */
export const drawingsMax = 50;

function isAnchor(value: unknown): value is Anchor {
  const { atMs, price } = (value ?? {}) as Partial<Anchor>;
  return Number.isFinite(atMs) && Number.isFinite(price);
}

function isDrawing(value: unknown): value is Drawing {
  const { id, kind, anchors } = (value ?? {}) as Partial<Drawing>;
  if (!Number.isSafeInteger(id) || !Array.isArray(anchors) || !anchors.every(isAnchor))
    return false;
  const known = drawingKinds.find((one) => one === kind);
  return known !== undefined && anchors.length === anchorCount[known];
}

/** Reads stored drawings; leaves out what is not one. */
export function acceptDrawings(value: unknown): Drawings | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const lists = Object.entries(value).map(([symbol, list]) => [
    symbol,
    Array.isArray(list) ? list.filter(isDrawing).slice(-drawingsMax) : [],
  ]);
  return Object.fromEntries(lists) as Drawings;
}

/** Adds a drawing; beyond the limit the oldest one is dropped. */
export function withDrawing(
  drawings: Drawings,
  symbol: string,
  drawing: Omit<Drawing, "id">,
): Drawings {
  const before = drawings[symbol] ?? [];
  const id = Math.max(0, ...before.map((one) => one.id)) + 1;
  return { ...drawings, [symbol]: [...before, { ...drawing, id }].slice(-drawingsMax) };
}

/** Gives a drawing other anchors. */
export function movedDrawing(
  drawings: Drawings,
  symbol: string,
  { id, anchors }: Pick<Drawing, "id" | "anchors">,
): Drawings {
  const moved = (drawings[symbol] ?? []).map((one) => (one.id === id ? { ...one, anchors } : one));
  return { ...drawings, [symbol]: moved };
}

export function withoutDrawing(drawings: Drawings, symbol: string, id: number): Drawings {
  const rest = (drawings[symbol] ?? []).filter((one) => one.id !== id);
  return { ...drawings, [symbol]: rest };
}

/**
 * Returns the place of a time among candles: the index of the candle that contains it, plus the part of the candle
 * that has passed. Before the first and after the last candle, it goes on at the distance of a whole period.
 */
export function indexOfTime(openTimes: readonly number[], periodMs: number, atMs: number): number {
  const [first, last] = [openTimes[0], openTimes.at(-1)];
  if (first === undefined || last === undefined) return 0;
  if (atMs < first) return (atMs - first) / periodMs;
  let [low, high] = [0, openTimes.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((openTimes[middle] ?? 0) <= atMs) low = middle;
    else high = middle - 1;
  }
  const open = openTimes[low] ?? last;
  const rest = (atMs - open) / periodMs;
  // Candles without trades are left out, so a time may be in a gap; it then stays before the next candle.
  return low + (low === openTimes.length - 1 ? rest : Math.min(rest, 1));
}

/** Returns where a place among candles is, between the two candles beside it. `xOf` places whole candles only. */
export function xOfIndex(index: number, xOf: (whole: number) => number | null): number | null {
  const before = Math.floor(index);
  const [left, right] = [xOf(before), xOf(before + 1)];
  return left === null || right === null ? null : left + (index - before) * (right - left);
}

/** Returns the time of a place among candles; the reverse of `indexOfTime` except in gaps. */
export function timeOfIndex(openTimes: readonly number[], periodMs: number, index: number): number {
  const whole = Math.min(Math.max(Math.floor(index), 0), Math.max(openTimes.length - 1, 0));
  return Math.round((openTimes[whole] ?? 0) + (index - whole) * periodMs);
}

/** A pointer that moves farther between press and release, in pixels, drags. */
export const clickPx = 5;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Returns the distance of a point from the segment between two points, in the unit of the points. */
export function distanceOf(point: Point, from: Point, to: Point): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const squared = dx * dx + dy * dy;
  const along = squared === 0 ? 0 : ((point.x - from.x) * dx + (point.y - from.y) * dy) / squared;
  const part = Math.min(Math.max(along, 0), 1);
  return Math.hypot(point.x - from.x - part * dx, point.y - from.y - part * dy);
}
