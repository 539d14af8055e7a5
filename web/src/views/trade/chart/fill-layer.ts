// Marks of the user's own trades as a plugin of the chart library: an arrow under the candle for bought, over it for sold,
// with a letter. The library's own marks would make the first visit load more.

import type {
  IPrimitivePaneRenderer,
  IPrimitivePaneView,
  ISeriesPrimitive,
  Time,
} from "lightweight-charts";
import type { Point } from "../../../markets/drawings.ts";
import type { FillMark } from "./fill-marks.ts";

type Side = FillMark["side"];

/** How the chart places and colours marks; null for a candle that it does not have. */
export interface MarkPlacing {
  /** The lower end of a candle for a buy, the upper one for a sale. */
  endOf(openMs: number, side: Side): Point | null;
  colourOf(side: Side): string;
}

type Target = Parameters<IPrimitivePaneRenderer["draw"]>[0];

const arrowPx = 6;
const gapPx = 4;

export class FillLayer implements ISeriesPrimitive<Time> {
  readonly #placing: MarkPlacing;
  readonly #views: readonly IPrimitivePaneView[];
  #marks: readonly FillMark[] = [];
  #redraw: () => void = () => undefined;

  constructor(placing: MarkPlacing) {
    this.#placing = placing;
    const renderer = { draw: (target: Target) => this.#draw(target) };
    this.#views = [{ renderer: () => renderer, zOrder: () => "top" }];
  }

  attached({ requestUpdate }: { requestUpdate: () => void }): void {
    this.#redraw = requestUpdate;
  }

  paneViews(): readonly IPrimitivePaneView[] {
    return this.#views;
  }

  show(marks: readonly FillMark[]): void {
    this.#marks = marks;
    this.#redraw();
  }

  #draw(target: Target): void {
    target.useMediaCoordinateSpace(({ context }) => {
      context.font = "11px sans-serif";
      context.textAlign = "center";
      context.textBaseline = "middle";
      for (const mark of this.#marks) this.#drawMark(context, mark);
    });
  }

  #drawMark(context: CanvasRenderingContext2D, { openMs, side, text }: FillMark): void {
    const end = this.#placing.endOf(openMs, side);
    if (end === null) return;
    const down = side === "BUY" ? 1 : -1;
    const tip = end.y + down * gapPx;
    const foot = tip + down * arrowPx;
    context.fillStyle = this.#placing.colourOf(side);
    context.beginPath();
    context.moveTo(end.x, tip);
    context.lineTo(end.x - arrowPx, foot);
    context.lineTo(end.x + arrowPx, foot);
    context.fill();
    context.fillText(text, end.x, foot + down * 2 * gapPx);
  }
}
