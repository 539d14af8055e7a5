// The user's drawn lines as a plugin of the chart library: it draws on the library's canvas at every repaint, so that
// lines move with the prices and times they belong to. It also tells the page when the chart was laid out anew.

import type {
  IPrimitivePaneRenderer,
  IPrimitivePaneView,
  ISeriesPrimitive,
  Time,
} from "lightweight-charts";
import { type Anchor, type Drawing, distanceOf, type Point } from "../../../markets/drawings.ts";

/** How the chart places prices and times; null for what it cannot place. */
export interface Placing {
  pointOf(anchor: Anchor): Point | null;
  width(): number;
}

/** A line that is not kept yet has no id. */
export type DrawnLine = Pick<Drawing, "kind" | "anchors"> & { readonly id?: number };

interface Layer {
  readonly lines: readonly DrawnLine[];
  readonly selected: number | null;
  /** Whether a drawing tool is in hand. */
  readonly isDrawing: boolean;
  readonly colour: string;
}

type Target = Parameters<IPrimitivePaneRenderer["draw"]>[0];

/** Distance in pixels within which a click selects a line. */
const reachPx = 7;
const anchorPx = 4;

export class DrawingLayer implements ISeriesPrimitive<Time> {
  readonly #placing: Placing;
  readonly #onLayout: () => void;
  readonly #views: readonly IPrimitivePaneView[];
  #layer: Layer = { lines: [], selected: null, isDrawing: false, colour: "" };
  #redraw: () => void = () => undefined;

  constructor(placing: Placing, onLayout: () => void) {
    this.#placing = placing;
    this.#onLayout = onLayout;
    const renderer = { draw: (target: Target) => this.#draw(target) };
    this.#views = [{ renderer: () => renderer }];
  }

  attached({ requestUpdate }: { requestUpdate: () => void }): void {
    this.#redraw = requestUpdate;
  }

  paneViews(): readonly IPrimitivePaneView[] {
    return this.#views;
  }

  updateAllViews(): void {
    this.#onLayout();
  }

  show(layer: Layer): void {
    this.#layer = layer;
    this.#redraw();
  }

  /** Returns the newest line at a point; null if there is none, and while a line is being drawn. */
  lineAt(point: Point): DrawnLine | null {
    const { lines, isDrawing } = this.#layer;
    const hit = lines.findLast((line) => {
      const [from, to] = this.#endsOf(line) ?? [];
      return from !== undefined && to !== undefined && distanceOf(point, from, to) <= reachPx;
    });
    return isDrawing ? null : (hit ?? null);
  }

  /** A horizontal line reaches over the whole pane. */
  #endsOf({ kind, anchors }: DrawnLine): readonly [Point, Point] | null {
    const [from, to] = anchors.map((anchor) => this.#placing.pointOf(anchor));
    if (from == null) return null;
    if (kind === "horizontal") {
      return [
        { x: 0, y: from.y },
        { x: this.#placing.width(), y: from.y },
      ];
    }
    return to == null ? null : [from, to];
  }

  #draw(target: Target): void {
    const { lines, colour } = this.#layer;
    target.useMediaCoordinateSpace(({ context }) => {
      context.strokeStyle = colour;
      context.fillStyle = colour;
      for (const line of lines) this.#drawLine(context, line);
    });
  }

  #drawLine(context: CanvasRenderingContext2D, line: DrawnLine): void {
    const ends = this.#endsOf(line);
    if (ends === null) return;
    const isSelected = line.id === undefined || line.id === this.#layer.selected;
    context.lineWidth = isSelected ? 2 : 1;
    context.beginPath();
    context.moveTo(ends[0].x, ends[0].y);
    context.lineTo(ends[1].x, ends[1].y);
    context.stroke();
    if (!isSelected) return;
    for (const at of line.anchors.map((anchor) => this.#placing.pointOf(anchor))) {
      if (at === null) continue;
      context.beginPath();
      context.arc(at.x, at.y, anchorPx, 0, 2 * Math.PI);
      context.fill();
    }
  }
}
