// Handles of the account's lines on the chart: labels at the height of each line. The handle of a limit order is dragged,
// or moved with the arrow keys, to give the order another price. Nothing is sent before it is let go or Enter is pressed.

import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { shown } from "../../../decimal-text.ts";
import type { ChartLine } from "../../../markets/chart-lines.ts";
import type { Market } from "../../../markets/market.ts";
import { amendRequest } from "../../../markets/ticket-requests.ts";
import type { CandleChart } from "./candle-chart.ts";

/** Changes whenever the chart lays out its prices anew. */
export const layouts = signal(0);

/** The order whose line is held, at the price where it is now. */
const held = signal<typeof amendRequest.value>(null);

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

/** Asks for the amendment of the order that is held; does nothing if its line is where it was. */
function letGo(): void {
  if (held.value !== null) amendRequest.value = held.value;
  held.value = null;
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
  const drag = (event: PointerEvent): void => {
    const { currentTarget: handle, pointerId, clientY, movementY } = event;
    if (!(handle instanceof HTMLElement) || !handle.hasPointerCapture(pointerId)) return;
    if (movementY === 0 && held.value === null) return;
    const top = handle.closest(".line-handles")?.getBoundingClientRect().top ?? 0;
    const next = chart.priceAt(clientY - top);
    if (next !== null) hold(next);
  };
  const press = (event: KeyboardEvent): void => {
    const step = keySteps[event.key];
    if (step !== undefined) hold(Number(price) + step * Number(market.tick));
    else if (event.key === "Enter") letGo();
    else if (event.key === "Escape") held.value = null;
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
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onPointerUp={letGo}
      onPointerCancel={() => {
        held.value = null;
      }}
      onKeyDown={press}
      onBlur={() => {
        held.value = null;
      }}
    >
      <span aria-hidden="true">⠿</span> {label}
      {held.value?.orderId === orderId && <b> {shown(price, market.pricePlaces)}</b>}
    </button>
  );
}

interface HandlesProps {
  readonly lines: readonly ChartLine[];
  readonly chart: CandleChart;
  readonly market: Market;
}

/** The handles of all lines that are in sight. */
export function LineHandles({ lines, chart, market }: HandlesProps): VNode {
  // Read the signal, so that the handles follow every layout of the chart.
  void layouts.value;
  const placed = lines.flatMap((line) => {
    const height = chart.heightOf(Number(line.price));
    return height === null ? [] : [{ line, height }];
  });
  return (
    <div class="line-handles">
      {placed.map(({ line, height }) => (
        <div
          key={line.id}
          class={`line-handle ${line.colour}`}
          style={{ transform: `translateY(${height.toFixed(1)}px)` }}
        >
          {line.orderId === undefined ? (
            <span key={line.label}>{line.label}</span>
          ) : (
            <OrderHandle line={line} chart={chart} market={market} />
          )}
        </div>
      ))}
    </div>
  );
}
