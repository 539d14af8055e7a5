// Handles of the account's lines on the chart: labels at the height of each line, those nearest to the market first. Lines
// without room for a handle, and orders that share one line, are behind a button that lists them.

import { type Signal, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import type { ChartLine } from "../../../markets/chart-lines.ts";
import type { Market } from "../../../markets/market.ts";
import { lastPrice } from "../../../markets/market-figures.ts";
import type { CandleChart } from "./candle-chart.ts";
import { HandleList, type OpenList } from "./handle-list.tsx";
import { handleSlots, handleWidth, type Slot } from "./handle-slots.ts";
import { held, layouts, legendSize } from "./held-line.ts";
import { LineHandle } from "./order-handle.tsx";

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

function styleOf({ height, right }: Slot) {
  return { transform: `translate(${(-right).toFixed(1)}px, ${height.toFixed(1)}px)` };
}

/** The lines in the order in which they get a place: those of the position, then orders by their distance to the market. */
function byDistance(lines: readonly ChartLine[]): ChartLine[] {
  const market = Number(lastPrice.peek() ?? 0);
  const distance = ({ isDashed, price }: ChartLine) =>
    isDashed ? Math.abs(Number(price) - market) : -1;
  return [...lines].sort((a, b) => distance(a) - distance(b));
}

/** The lines that can be chosen one by one: of a shared line, those of its orders. */
function single(lines: readonly ChartLine[]): ChartLine[] {
  return lines.flatMap((line) => line.orders ?? [line]);
}

/** A list that is open; that of a shared line is gone with it. */
function current(opened: OpenList | null, { lines }: HandlesProps): OpenList | null {
  const isShown = opened?.id.startsWith("more ") || lines.some(({ id }) => id === opened?.id);
  return isShown ? opened : null;
}

/** Where the lines in sight have their handles, and the crowds of those without room. */
function placed({ lines, chart }: HandlesProps, opened: OpenList | null) {
  const inSight = byDistance(lines).flatMap((line) => {
    const height = heightOf(line, chart);
    // What is listed has no other handle, so that it keeps the pointer that drags it.
    if (height === null || opened?.ids.includes(line.id)) return [];
    const parts = { isMoved: line.orderId !== undefined, isEnded: line.cancels !== undefined };
    const width = handleWidth(line.label, parts);
    return [{ line, height, width, isHeld: isHeld(line) }];
  });
  const room = { width: chart.width, legend: legendSize.value };
  const { slots, crowds } = handleSlots(inSight, room);
  const handles = inSight.flatMap(({ line, height }, index) => {
    const slot = slots[index] ?? null;
    return slot === null ? [] : [{ line, height, slot }];
  });
  const lists = crowds.map(({ members, ...slot }): OpenList => {
    const own = members.flatMap((index) => inSight[index]?.line ?? []);
    const orders = single(own);
    const ids = [...new Set([...own, ...orders].map(({ id }) => id))];
    return { id: `more ${[...ids].sort()[0]}`, ids, slot, count: orders.length };
  });
  // An open list stays where it was opened.
  if (opened?.id.startsWith("more ") !== true) return { handles, lists };
  return { handles, lists: [...lists.filter(({ id }) => id !== opened.id), opened] };
}

interface ListButtonProps extends HandlesProps {
  readonly list: OpenList;
  readonly text: string;
  readonly name: string;
  readonly opened: Signal<OpenList | null>;
}

/** A button with a list of lines. */
function ListButton({ list, text, name, opened, lines, chart, market }: ListButtonProps): VNode {
  const isOpen = opened.value?.id === list.id;
  // A line that is held has its own price, and stands before the line that it shares.
  const all = [...lines, ...single(lines)].filter(({ orders }) => orders === undefined);
  const listed = (opened.value?.ids ?? []).flatMap((id) => all.find((one) => one.id === id) ?? []);
  const close = (): void => {
    opened.value = null;
  };
  return (
    <>
      <button
        type="button"
        class="more"
        aria-expanded={isOpen}
        aria-label={name}
        title={name}
        onClick={() => {
          opened.value = isOpen ? null : list;
        }}
      >
        {text}
      </button>
      {isOpen && <HandleList {...{ lines: listed, slot: list.slot, chart, market, close }} />}
    </>
  );
}

/** The handles of all lines that are in sight. */
export function LineHandles(props: HandlesProps): VNode {
  // Read the signal, so that the handles follow every layout of the chart.
  void layouts.value;
  const { chart, market } = props;
  const opened = useSignal<OpenList | null>(null);
  const { handles, lists } = placed(props, current(opened.value, props));
  return (
    <div class="line-handles">
      {handles.map(({ line, height, slot }) => (
        <div key={line.id} class={`line-handle ${line.colour}`} style={styleOf(slot)}>
          {/* Down from a line that the legend covers to its handle. */}
          {slot.height > height && (
            <i style={{ height: `${slot.height - height}px` }} aria-hidden="true" />
          )}
          {line.orders === undefined ? (
            <LineHandle {...{ line, chart, market }} />
          ) : (
            <ListButton
              {...props}
              list={{ id: line.id, ids: line.orders.map(({ id }) => id), slot, count: 1 }}
              text={line.label}
              name={`${line.label}: choose one of them`}
              opened={opened}
            />
          )}
        </div>
      ))}
      {lists.map((list) => (
        <div key={list.id} class="line-handle soft" style={styleOf(list.slot)}>
          <ListButton
            {...props}
            list={list}
            text={`+${list.count}`}
            name={`Choose one of ${list.count} more here`}
            opened={opened}
          />
        </div>
      ))}
    </div>
  );
}
