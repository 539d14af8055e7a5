// The handle of one line on the chart. That of an order is dragged, or moved with the arrow keys, to give the order another
// price; its cross, or the Delete key, cancels the order. Nothing is sent before it is let go or a key is pressed.

import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { shown, signed } from "../../../decimal-text.ts";
import { replacedNo } from "../../../history/past-order.ts";
import type { ChartLine } from "../../../markets/chart-lines.ts";
import { clickPx } from "../../../markets/drawings.ts";
import type { Market } from "../../../markets/market.ts";
import { profitAt } from "../../../markets/positions/guard-terms.ts";
import { amendRequest } from "../../../markets/ticket-requests.ts";
import { openOrders } from "../../../member/account.ts";
import { orderNumber } from "../../../proof-reference.ts";
import { usePassedFocus } from "../../form/focus.ts";
import { attemptAtChart } from "../account-fault.ts";
import { cancelOne } from "../orders/order-cancel.tsx";
import type { CandleChart } from "./candle-chart.ts";
import { held } from "./held-line.ts";

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

export interface HandleProps {
  readonly line: ChartLine;
  readonly chart: CandleChart;
  readonly market: Market;
  /** Whether it stands in a list, and not at the height of its price. */
  readonly isListed?: boolean;
}

function onTick(price: number, { tick, pricePlaces }: Market): string {
  return (Math.max(1, Math.round(price / Number(tick))) * Number(tick)).toFixed(pricePlaces);
}

/** Puts the line of an order back to where it was. */
function drop(orderId: string): void {
  if (held.peek()?.orderId === orderId) held.value = null;
  if (grip?.orderId === orderId) grip = null;
}

/** Number of the order whose new price was sent. The one that takes its place gets the focus; null for none. */
let sentNo: number | null = null;

/** Asks for the amendment of an order if its line is held. */
function letGo(orderId: string): void {
  if (held.peek()?.orderId === orderId) {
    sentNo = orderNumber(orderId);
    amendRequest.value = held.peek();
  }
  drop(orderId);
}

/** Steps by which a key moves a line. */
const keySteps: Readonly<Record<string, number>> = {
  ArrowUp: 1,
  ArrowDown: -1,
  PageUp: 10,
  PageDown: -10,
};
/** A step as a part of the price. A tick alone may be too small to be seen. */
const stepShare = 1e-4;

/** By how much a key moves a line at a price: a step is at least a tick, and with Shift one. */
function moveOf({ key, shiftKey }: KeyboardEvent, price: number, tick: number): number | null {
  const steps = keySteps[key];
  if (steps === undefined) return null;
  return shiftKey ? Math.sign(steps) * tick : steps * Math.max(tick, price * stepShare);
}

function cancel(orderId: string): void {
  const order = openOrders.peek().find(({ order_id: id }) => id === orderId);
  if (order !== undefined) void attemptAtChart(() => cancelOne(order));
}

/** Cancels the order of a line. */
function CancelHandle({ line }: { line: ChartLine }): VNode {
  const button = useRef<HTMLButtonElement>(null);
  usePassedFocus(button, chartOf);
  const name = `Cancel: ${line.label}`;
  return (
    <button
      type="button"
      class="cancel"
      ref={button}
      tabIndex={line.orderId === undefined ? 0 : -1}
      aria-label={name}
      title={name}
      onClick={() => cancel(line.cancels ?? "")}
    >
      ×
    </button>
  );
}

/** The chart that a handle lies on. */
function chartOf(handle: HTMLElement): HTMLElement | null {
  return handle.closest(".canvas")?.querySelector<HTMLElement>(".canvas-box") ?? null;
}

function OrderHandle({ line, chart, market, isListed = false }: HandleProps): VNode {
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
  const button = useRef<HTMLButtonElement>(null);
  // Keys that were meant for this order must not move or cancel another one.
  usePassedFocus(button, chartOf);
  useLayoutEffect(() => {
    const order = openOrders.peek().find(({ order_id: id }) => id === orderId);
    if (sentNo === null || order === undefined || replacedNo(order.client_order_id) !== sentNo)
      return;
    sentNo = null;
    const own = button.current;
    // The user may have gone elsewhere meanwhile.
    const focused = document.activeElement;
    if (own !== null && (focused === document.body || focused === chartOf(own))) own.focus();
  }, [orderId]);
  const press = (event: KeyboardEvent): void => {
    const move = moveOf(event, Number(price), Number(market.tick));
    if (move !== null) hold(Number(price) + move);
    else if (event.key === "Enter") letGo(orderId);
    else if (event.key === "Escape" && held.peek()?.orderId === orderId) drop(orderId);
    else if (event.key === "Delete" && !event.repeat) cancel(orderId);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <button
      type="button"
      role="slider"
      ref={button}
      aria-orientation="vertical"
      aria-label={`Price of your order: ${label} ${market.base}`}
      aria-valuemin={0}
      aria-valuemax={2 * Number(price)}
      aria-valuenow={Number(price)}
      aria-valuetext={shown(price, market.pricePlaces)}
      title="Drag to change the price, or use the arrow keys and Enter. Delete cancels."
      onPointerDown={take}
      onPointerMove={drag}
      onPointerUp={release}
      onLostPointerCapture={lose}
      onKeyDown={press}
      onBlur={() => drop(orderId)}
    >
      <span aria-hidden="true">⠿</span> {label}
      {(isListed || held.value?.orderId === orderId) && (
        <b>
          {" "}
          {shown(price, market.pricePlaces)}
          {line.closes !== undefined && ` ${signed(profitAt(line.closes, price), 2)}`}
        </b>
      )}
    </button>
  );
}

/** What stands for a line: its label, with a cross if an order is cancelled there. */
export function LineHandle(props: HandleProps): VNode {
  const { line } = props;
  return (
    <>
      {line.orderId === undefined ? (
        <span key={line.label}>{line.label}</span>
      ) : (
        <OrderHandle {...props} />
      )}
      {line.cancels !== undefined && <CancelHandle line={line} />}
    </>
  );
}
