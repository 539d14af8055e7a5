// Sizes of the panels of the trading view, which the user can change. They are kept in this browser.

import { keptSignal } from "../../kept-signal.ts";

interface Bounds {
  readonly first: number;
  readonly least: number;
  readonly most: number;
}

/** Widths of the columns and heights of the rows beside the chart, in pixels. */
const bounds = {
  book: { first: 320, least: 220, most: 460 },
  ticket: { first: 300, least: 260, most: 460 },
  tape: { first: 128, least: 90, most: 480 },
  account: { first: 224, least: 120, most: 520 },
} as const satisfies Readonly<Record<string, Bounds>>;

export type PanelName = keyof typeof bounds;
export const panelBounds: Readonly<Record<PanelName, Bounds>> = bounds;

export type PanelSizes = Readonly<Record<PanelName, number>>;

const firstSizes: PanelSizes = {
  book: bounds.book.first,
  ticket: bounds.ticket.first,
  tape: bounds.tape.first,
  account: bounds.account.first,
};

/** Returns a size within the bounds of its panel. */
function bounded(name: PanelName, size: number): number {
  const { least, most } = panelBounds[name];
  return Math.round(Math.min(Math.max(size, least), most));
}

function acceptSizes(value: unknown): PanelSizes | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const kept: Record<PanelName, number> = { ...firstSizes };
  for (const [name, size] of Object.entries(value)) {
    if (name in kept && Number.isFinite(size)) {
      kept[name as PanelName] = bounded(name as PanelName, Number(size));
    }
  }
  return kept;
}

export const panelSizes = keptSignal<PanelSizes>("rialto-panels", firstSizes, acceptSizes);

export function resize(name: PanelName, size: number): void {
  panelSizes.value = { ...panelSizes.value, [name]: bounded(name, size) };
}

/** Gives a panel its first size again. */
export function resetSize(name: PanelName): void {
  resize(name, panelBounds[name].first);
}
