// Handles of the account's lines on the chart: labels at the height of each line. The handle of a limit order is dragged,
// or moved with the arrow keys, to give the order another price. Nothing is sent before it is let go or Enter is pressed.

import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { shown, signed } from "../../../decimal-text.ts";
import type { ChartLine } from "../../../markets/chart-lines.ts";
import { clickPx } from "../../../markets/drawings.ts";
import type { Market } from "../../../markets/market.ts";
import { profitAt } from "../../../markets/positions/guard-terms.ts";
import { amendRequest } from "../../../markets/ticket-requests.ts";
import type { CandleChart } from "./candle-chart.ts";
import { handleSlots, handleWidth } from "./handle-slots.ts";

/** Changes whenever the chart lays out its prices anew. */
export const layouts = signal(0);

/** What the legend over the prices takes of the upper left corner, in pixels. */
export const legendSize = signal({ width: 0, height: 0 });

/** The order whose line is held, at the price where it is now. */
const held = signal<typeof amendRequest.value>(null);

/** A press of the pointer on a handle. */
interface Grip {
  readonly orderId: string;
  readonly pointerId: number;
  /** Where the pointer was pressed, in the window. */
  readonly y: number;
  /** Where the line was then, in the pane of prices. */
  readonly height: number;
  readonly isDragged: boolean;
}

let grip: Grip | null = null;

/** The grip of a pointer on the handle of an order; null without one. */
function gripOf(orderId: string, { pointerId }: PointerEvent): Grip | null {
  return grip?.orderId === orderId && grip.pointerId === pointerId ? grip : null;
}

/** Returns the lines as they are shown: a line that is held or being amended has its new price. */
export function shownLines(lines: readonly ChartLine[]): ChartLine[] {
  const moved = held.value ?? amendRequest.value;
  return lines.map((line) =>
    line.orderId !== undefined && line.orderId === moved?.orderId
      ? { ...line, price: moved.price }
      : line,
  );
}

interface HandleProps {
  readonly line: ChartLine;
  readonly chart: CandleChart;
  readonly market: Market;
}

function onTick(price: number, { tick, pricePlaces }: Market): string {
  return (Math.max(1, Math.round(price / Number(tick))) * Number(tick)).toFixed(pricePlaces);
}

/** Puts the line of an order back to where it was. */
function drop(orderId: string): void {
  if (held.peek()?.orderId === orderId) held.value = null;
  if (grip?.orderId === orderId) grip = null;
}

/** Asks for the amendment of an order if its line is held. */
function letGo(orderId: string): void {
  if (held.peek()?.orderId === orderId) amendRequest.value = held.peek();
  drop(orderId);
}

/** Ticks by which a key moves a line. */
const keySteps: Readonly<Record<string, number>> = {
  ArrowUp: 1,
  ArrowDown: -1,
  PageUp: 10,
  PageDown: -10,
};

function OrderHandle({ line, chart, market }: HandleProps): VNode {
  const { orderId = "", label, price } = line;
  const hold = (next: number): void => {
    held.value = { orderId, price: onTick(next, market) };
  };
  const take = ({ currentTarget: handle, pointerId, button, clientY }: PointerEvent): void => {
    const height = chart.heightOf(Number(price));
    if (button !== 0 || height === null || !(handle instanceof HTMLElement)) return;
    handle.setPointerCapture(pointerId);
    grip = { orderId, pointerId, y: clientY, height, isDragged: false };
  };
  const drag = (event: PointerEvent): void => {
    const own = gripOf(orderId, event);
    if (own === null) return;
    const by = event.clientY - own.y;
    if (!own.isDragged && Math.abs(by) <= clickPx) return;
    grip = { ...own, isDragged: true };
    const next = chart.priceAt(own.height + by);
    if (next !== null) hold(next);
  };
  const release = (event: PointerEvent): void => {
    const own = gripOf(orderId, event);
    if (own === null) return;
    grip = null;
    if (own.isDragged) letGo(orderId);
  };
  // A pointer that is lost has not let go.
  const lose = (event: PointerEvent): void => {
    if (gripOf(orderId, event) !== null) drop(orderId);
  };
  useEffect(() => () => drop(orderId), [orderId]);
  const press = (event: KeyboardEvent): void => {
    const step = keySteps[event.key];
    if (step !== undefined) hold(Number(price) + step * Number(market.tick));
    else if (event.key === "Enter") letGo(orderId);
    else if (event.key === "Escape") drop(orderId);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <button
      type="button"
      role="slider"
      aria-orientation="vertical"
      aria-label={`Price of your order: ${label} ${market.base}`}
      aria-valuemin={0}
      aria-valuemax={2 * Number(price)}
      aria-valuenow={Number(price)}
      aria-valuetext={shown(price, market.pricePlaces)}
      title="Drag to change the price, or use the arrow keys and Enter"
      onPointerDown={take}
      onPointerMove={drag}
      onPointerUp={release}
      onLostPointerCapture={lose}
      onKeyDown={press}
      onBlur={() => drop(orderId)}
    >
      <span aria-hidden="true">⠿</span> {label}
      {held.value?.orderId === orderId && (
        <b>
          {" "}
          {shown(price, market.pricePlaces)}
          {line.closes !== undefined && ` ${signed(profitAt(line.closes, price), 2)}`}
        </b>
      )}
    </button>
  );
}

interface HandlesProps {
  readonly lines: readonly ChartLine[];
  readonly chart: CandleChart;
  readonly market: Market;
}

function isHeld({ orderId }: ChartLine): boolean {
  return orderId !== undefined && held.value?.orderId === orderId;
}

/** Height of a line's handle; null out of sight. A line that is held stays in sight, else its pointer would be lost. */
function heightOf(line: ChartLine, chart: CandleChart): number | null {
  const price = Number(line.price);
  const height = chart.heightOf(price);
  return height !== null || !isHeld(line) ? height : chart.nearestHeightOf(price);
}

function styleOf({ height, right }: { readonly height: number; readonly right: number }) {
  return { transform: `translate(${(-right).toFixed(1)}px, ${height.toFixed(1)}px)` };
}

/** The handles of all lines that are in sight. */
export function LineHandles({ lines, chart, market }: HandlesProps): VNode {
  // Read the signal, so that the handles follow every layout of the chart.
  void layouts.value;
  const inSight = lines.flatMap((line) => {
    const height = heightOf(line, chart);
    const width = handleWidth(line.label, line.orderId !== undefined);
    return height === null ? [] : [{ line, height, width, isHeld: isHeld(line) }];
  });
  const { slots, crowds } = handleSlots(inSight, {
    width: chart.width,
    legend: legendSize.value,
  });
  return (
    <div class="line-handles">
      {inSight.map(({ line }, index) => {
        const slot = slots[index] ?? null;
        if (slot === null) return null;
        return (
          <div key={line.id} class={`line-handle ${line.colour}`} style={styleOf(slot)}>
            {line.orderId === undefined ? (
              <span key={line.label}>{line.label}</span>
            ) : (
              <OrderHandle line={line} chart={chart} market={market} />
            )}
          </div>
        );
      })}
      {crowds.map((crowd, index) => (
        <div key={index} class="line-handle soft" style={styleOf(crowd)}>
          <span title="More lines here. Zoom in, or see the list of open orders.">
            +{crowd.count}
          </span>
        </div>
      ))}
    </div>
  );
}
