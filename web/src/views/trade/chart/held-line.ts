// The order's line that is held on the chart, and what the handles of lines need to know of the chart's layout.

import { signal } from "@preact/signals";
import type { ChartLine } from "../../../markets/chart-lines.ts";
import { amendRequest } from "../../../markets/ticket-requests.ts";

/** Changes whenever the chart lays out its prices anew. */
export const layouts = signal(0);

/** What the legend over the prices takes of the upper left corner, in pixels. */
export const legendSize = signal({ width: 0, height: 0 });

/** The order whose line is held, at the price where it is now. */
export const held = signal<typeof amendRequest.value>(null);

/**
 * Returns the lines as they are shown: a line that is held or being amended has its new price, and is a line of its own if
 * it has shared one.
 */
export function shownLines(lines: readonly ChartLine[]): ChartLine[] {
  const moved = held.value ?? amendRequest.value;
  const isMoved = ({ orderId }: ChartLine) => orderId !== undefined && orderId === moved?.orderId;
  return lines.flatMap((line) => {
    const own = [line, ...(line.orders ?? [])].find(isMoved);
    if (own === undefined || moved === null) return [line];
    const shown = { ...own, price: moved.price };
    return own === line ? [shown] : [shown, line];
  });
}
