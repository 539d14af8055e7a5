// The pointer on the chart: clicks that draw or select lines, and drags that move a drawn line. The library's own clicks
// do not serve: of two clicks within half a second it reports only the first.

import { type Anchor, clickPx, distanceOf, type Point } from "../../../markets/drawings.ts";
import type { DrawnLine } from "./drawing-layer.ts";

/** What the chart knows about its places and lines. */
export interface DrawingSurface {
  /** Null outside the pane of prices. */
  anchorOf(point: Point): Anchor | null;
  pointOf(anchor: Anchor): Point | null;
  /** The kept line at a point, unless a line is being drawn. */
  lineAt(point: Point): DrawnLine | null;
  /** Whether a drag moves the chart. */
  letPan(isAllowed: boolean): void;
}

export interface DrawingEvents {
  /** The pointer moved over the prices. */
  onHover(anchor: Anchor): void;
  /** A click at a place, on a kept line or beside all lines. */
  onClick(anchor: Anchor, line: number | null): void;
  /** A line was dragged to other anchors. */
  onMove(line: number, anchors: readonly Anchor[]): void;
}

/** Distance from an anchor within which a drag moves the anchor and not the whole line. */
const anchorPx = 9;

interface Held {
  readonly id: number;
  readonly anchors: readonly Anchor[];
  /** Places of the anchors at the press; null for one that moves not. */
  readonly points: ReadonlyArray<Point | null>;
}

/** Returns what a press at a point holds; null if it is not on a line. */
function heldAt(point: Point, surface: DrawingSurface): Held | null {
  const line = surface.lineAt(point);
  if (line?.id === undefined) return null;
  const points = line.anchors.map((anchor) => surface.pointOf(anchor));
  const near = points.findIndex((one) => one !== null && distanceOf(point, one, one) <= anchorPx);
  const isWhole = near === -1 || line.kind === "horizontal";
  const moving = points.map((one, index) => (isWhole || index === near ? one : null));
  return { id: line.id, anchors: line.anchors, points: moving };
}

/** Returns the anchors of a held line after a move; null if one of them would leave the prices. */
function movedBy({ anchors, points }: Held, by: Point, surface: DrawingSurface): Anchor[] | null {
  const moved = anchors.map((anchor, index) => {
    const point = points[index] ?? null;
    return point === null ? anchor : surface.anchorOf({ x: point.x + by.x, y: point.y + by.y });
  });
  return moved.every((anchor) => anchor !== null) ? moved : null;
}

/** Follows the pointer on the chart's container, as long as the container exists. */
export function followPointer(
  container: HTMLElement,
  surface: DrawingSurface,
  events: DrawingEvents,
): void {
  let pressed: Point | null = null;
  let held: Held | null = null;
  const pointOf = ({ clientX, clientY }: MouseEvent): Point => {
    const { left, top } = container.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const isDrag = (point: Point): boolean =>
    pressed !== null && distanceOf(point, pressed, pressed) > clickPx;
  // Before the library sees the press, so that it does not begin to move the chart.
  const press = (event: PointerEvent): void => {
    pressed = pointOf(event);
    held = heldAt(pressed, surface);
    if (held !== null) surface.letPan(false);
  };
  const move = (event: PointerEvent): void => {
    const point = pointOf(event);
    const anchor = surface.anchorOf(point);
    if (anchor !== null) events.onHover(anchor);
    if (held === null || pressed === null || !isDrag(point)) return;
    const by = { x: point.x - pressed.x, y: point.y - pressed.y };
    const anchors = movedBy(held, by, surface);
    if (anchors !== null) events.onMove(held.id, anchors);
  };
  const release = (): void => {
    if (held !== null) surface.letPan(true);
    held = null;
  };
  container.addEventListener("pointerdown", press, { capture: true });
  container.addEventListener("pointermove", move);
  container.addEventListener("pointerup", release);
  container.addEventListener("pointerleave", release);
  container.addEventListener("click", (event) => {
    const point = pointOf(event);
    const anchor = surface.anchorOf(point);
    if (anchor !== null && !isDrag(point)) {
      events.onClick(anchor, surface.lineAt(point)?.id ?? null);
    }
  });
}
