// What the user has chosen for the chart: interval, studies and drawn lines, kept in this browser; and the tool in hand.

import { signal } from "@preact/signals";
import { keptSignal, oneOf } from "../../../kept-signal.ts";
import { type Period, periods } from "../../../markets/candle.ts";
import {
  type Anchor,
  acceptDrawings,
  anchorCount,
  type Drawing,
  type DrawingKind,
  type Drawings,
  movedDrawing,
  withDrawing,
  withoutDrawing,
} from "../../../markets/drawings.ts";
import {
  acceptStudies,
  firstLengths,
  type Studies,
  type StudyId,
} from "../../../markets/studies.ts";

export const period = keptSignal<Period>("rialto-interval", "1m", oneOf(periods));
export const studies = keptSignal<Studies>("rialto-studies", {}, acceptStudies);
/** The lengths that the user has set, also of studies that are off. */
const setLengths = keptSignal<Studies>("rialto-study-lengths", {}, acceptStudies);
/** Whether the user's own trades are marked at their candles. */
export const areFillsMarked = keptSignal<boolean>("rialto-own-trades", true, (value) =>
  typeof value === "boolean" ? value : undefined,
);
export const drawings = keptSignal<Drawings>("rialto-drawings", {}, acceptDrawings);

/** The kind of line that the next clicks draw; null while clicks select lines. */
export const tool = signal<DrawingKind | null>(null);
/** Anchors of a line that is not complete yet. */
export const begun = signal<readonly Anchor[]>([]);
/** The line that was drawn or clicked last; null for none. */
export const selected = signal<number | null>(null);
/** The lines of a market before the newest deletion, until others are drawn or moved; null for none. */
const deleted = signal<{ readonly symbol: string; readonly lines: readonly Drawing[] } | null>(
  null,
);

/** Whether the chart covers the page. */
export const isFull = signal(false);

/** The lengths that a study has, or will have once it is on. */
export function lengthsOfStudy(id: StudyId): readonly number[] {
  return studies.value[id] ?? setLengths.value[id] ?? firstLengths(id);
}

export function turnStudy(id: StudyId): void {
  const { [id]: lengths, ...rest } = studies.value;
  studies.value = lengths === undefined ? { ...rest, [id]: lengthsOfStudy(id) } : rest;
}

export function setLength(id: StudyId, index: number, length: number): void {
  const next = lengthsOfStudy(id).map((one, at) => (at === index ? length : one));
  studies.value = { ...studies.value, [id]: next };
  setLengths.value = { ...setLengths.value, [id]: next };
}

/** Takes a tool, or puts it down if it is already in hand. */
export function takeTool(kind: DrawingKind | null): void {
  tool.value = tool.value === kind ? null : kind;
  begun.value = [];
  selected.value = null;
}

/** Adds an anchor to the line that is drawn. Once it has all its anchors, it is kept and the tool is put down. */
export function addAnchor(symbol: string, anchor: Anchor): void {
  const kind = tool.value;
  if (kind === null) return;
  const anchors = [...begun.value, anchor];
  if (anchors.length < anchorCount[kind]) {
    begun.value = anchors;
    return;
  }
  const next = withDrawing(drawings.value, symbol, { kind, anchors });
  keepDrawings(next);
  takeTool(null);
  // So that the next press of Delete takes this line, and no other.
  selected.value = next[symbol]?.at(-1)?.id ?? null;
}

function keepDrawings(next: Drawings): void {
  drawings.value = next;
  deleted.value = null;
}

export function moveDrawing(symbol: string, line: Pick<Drawing, "id" | "anchors">): void {
  keepDrawings(movedDrawing(drawings.value, symbol, line));
  selected.value = line.id;
}

/** Deletes the selected line. */
export function deleteSelected(symbol: string): void {
  if (selected.value === null) return;
  deleted.value = { symbol, lines: drawings.value[symbol] ?? [] };
  drawings.value = withoutDrawing(drawings.value, symbol, selected.value);
  selected.value = null;
}

/** Deletes all lines of a market. */
export function clearDrawings(symbol: string): void {
  deleted.value = { symbol, lines: drawings.value[symbol] ?? [] };
  drawings.value = { ...drawings.value, [symbol]: [] };
  takeTool(null);
}

/** Whether the newest deletion can be taken back. */
export function isRestorable(symbol: string): boolean {
  return deleted.value?.symbol === symbol;
}

/** Brings back what was deleted last. */
export function restoreDrawings(symbol: string): void {
  const { value } = deleted;
  if (value?.symbol === symbol) keepDrawings({ ...drawings.value, [symbol]: value.lines });
}
