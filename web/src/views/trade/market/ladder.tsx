// One side of the order book. Each level shows the cumulative quantity and value and marks the user's own orders, and a
// click copies its price into the ticket. There are as many rows as there is room for, so that every level that can be
// reached is in sight, and a side with few levels does not shift the page. The Tab key stops once at each side; the arrow
// keys move among its levels.

import { type Signal, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { shown } from "../../../decimal-text.ts";
import { levelsShown } from "../../../markets/book.ts";
import type { GroupedLevel } from "../../../markets/book-groups.ts";
import type { Market } from "../../../markets/market.ts";
import { pickedPrice } from "../../../markets/ticket-requests.ts";
import { pane } from "../panes.ts";

interface RowProps {
  readonly level: GroupedLevel | undefined;
  readonly side: "bid" | "ask";
  readonly market: Market;
  readonly share: number;
  readonly isOwn: boolean;
  /** Decimal places of the columns of sizes and sums. */
  readonly sizeDecimals: number;
  readonly sumDecimals: number;
  /** Whether the Tab key stops here. */
  readonly isStop: boolean;
}

function Row(props: RowProps): VNode {
  const { level, side, market, share, isOwn, sizeDecimals, sumDecimals, isStop } = props;
  if (level === undefined) return <li class="level" aria-hidden="true" />;
  const { pricePlaces, quantityPlaces, base, quote } = market;
  const quantity = shown(level.quantity, sizeDecimals);
  const total = shown(level.total, sumDecimals);
  const exactTotal = shown(level.total, quantityPlaces);
  const value = shown(level.totalValue, 0);
  return (
    <li class={`level ${side}`}>
      <span class="depth" style={{ transform: `scaleX(${share.toFixed(3)})` }} />
      <button
        type="button"
        tabIndex={isStop ? 0 : -1}
        title={`Up to here ${exactTotal} ${base}, ${value} ${quote}`}
        onClick={() => {
          pickedPrice.value = level.price;
          // Where one panel is in sight at a time, the ticket shows what became of the price.
          pane.value = "Order";
        }}
      >
        <span class="price">
          {isOwn && <span class="own" title="Your order" />}
          {shown(level.price, pricePlaces)}
        </span>
        {/* With another text, another element: one that is aligned to the right would move with its length. */}
        <span key={`quantity ${quantity}`}>{quantity}</span>
        <span key={`total ${total}`} class="total">
          {total}
        </span>
        <span key={`value ${value}`} class="total value">
          {value}
        </span>
        <span class="unseen">
          {side}
          {isOwn && ", your order"}
        </span>
      </button>
    </li>
  );
}

interface LadderProps extends Pick<RowProps, "side" | "market" | "sizeDecimals" | "sumDecimals"> {
  /** Best first. */
  readonly levels: readonly GroupedLevel[];
  /** The groups in which the user has orders, by side and price. */
  readonly own: ReadonlySet<string>;
  /** Cumulative quantity of the deeper side. */
  readonly deepest: number;
}

/** Keeps the number of rows that fit whole into a list. Returns a function that ends this. */
function followRoom(list: HTMLElement | null, room: Signal<number>): (() => void) | undefined {
  if (list === null) return undefined;
  const observer = new ResizeObserver(() => {
    const row = list.querySelector<HTMLElement>(".level")?.offsetHeight ?? 0;
    // Without height the list is out of sight.
    if (row > 0 && list.clientHeight > 0) room.value = Math.floor(list.clientHeight / row);
  });
  observer.observe(list);
  return () => observer.disconnect();
}

/** Moves the focus among the levels of a side: the arrows as they stand, asks above bids; `Home` to the best one. */
function step(event: KeyboardEvent, side: "bid" | "ask"): void {
  const list = event.currentTarget;
  if (!(list instanceof HTMLElement)) return;
  const levels = [...list.querySelectorAll("button")];
  const now = levels.indexOf(document.activeElement as HTMLButtonElement);
  const up = side === "ask" ? 1 : -1;
  const goals: Readonly<Record<string, number>> = {
    ArrowUp: now + up,
    ArrowDown: now - up,
    Home: 0,
    End: levels.length - 1,
  };
  const goal = goals[event.key];
  if (goal === undefined) return;
  event.preventDefault();
  levels[goal]?.focus();
}

export function Ladder(props: LadderProps): VNode {
  const { side, levels, market, own, deepest, sizeDecimals, sumDecimals } = props;
  const room = useSignal(levelsShown);
  /** The level at which the Tab key stops. */
  const stop = useSignal(0);
  const list = useRef<HTMLOListElement>(null);
  useLayoutEffect(() => followRoom(list.current, room), []);
  const count = Math.min(levelsShown, Math.max(1, room.value));
  const last = Math.min(count, levels.length) - 1;
  const ownSide = side === "bid" ? "BUY" : "SELL";
  return (
    <ol
      class={side === "bid" ? "ladder" : "ladder asks"}
      aria-label={`${side === "bid" ? "Bids" : "Asks"}, best price first`}
      ref={list}
      onKeyDown={(event) => step(event, side)}
      onFocusIn={({ target }) => {
        const rows = [...(list.current?.children ?? [])];
        stop.value = rows.findIndex((row) => row.contains(target as Node));
      }}
    >
      {Array.from({ length: count }, (_, index) => {
        const level = levels[index];
        return (
          <Row
            key={index}
            {...{ level, side, market, sizeDecimals, sumDecimals }}
            share={Number(level?.total ?? 0) / deepest}
            isOwn={level !== undefined && own.has(`${ownSide} ${level.price}`)}
            isStop={index === Math.min(stop.value, last)}
          />
        );
      })}
    </ol>
  );
}
