// The list of lines that have no handle of their own on the chart. Each is moved and cancelled in the list as at a handle.

import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { ChartLine } from "../../../markets/chart-lines.ts";
import type { Market } from "../../../markets/market.ts";
import type { CandleChart } from "./candle-chart.ts";
import type { Slot } from "./handle-slots.ts";
import { held } from "./held-line.ts";
import { LineHandle } from "./order-handle.tsx";

/** A list of lines, with the place of its button. */
export interface OpenList {
  readonly id: string;
  /** Of the lines that it stands for, and of those that can be chosen one by one. */
  readonly ids: readonly string[];
  readonly slot: Slot;
  /** How many lines of the chart it stands for. */
  readonly count: number;
}

interface ListProps {
  readonly lines: readonly ChartLine[];
  readonly slot: Slot;
  readonly chart: CandleChart;
  readonly market: Market;
  close(): void;
}

/** Half of the button, with a gap. */
const besideButtonPx = 14;

/** Closes a list with Escape, and with a press elsewhere. Returns a function that ends this. */
function followLeaving(list: HTMLElement | null, close: () => void): () => void {
  const box = list?.parentElement;
  const leave = ({ target }: PointerEvent): void => {
    if (target instanceof Node && box?.contains(target) === false) close();
  };
  const press = (event: KeyboardEvent): void => {
    // The first press puts back a line that is held.
    if (event.key !== "Escape" || held.peek() !== null) return;
    event.stopPropagation();
    if (box?.contains(document.activeElement)) box.querySelector<HTMLElement>(".more")?.focus();
    close();
  };
  addEventListener("pointerdown", leave);
  // Before anything else leaves the full screen.
  addEventListener("keydown", press, { capture: true });
  return () => {
    removeEventListener("pointerdown", leave);
    removeEventListener("keydown", press, { capture: true });
  };
}

export function HandleList({ lines, slot, chart, market, close }: ListProps): VNode {
  const box = useRef<HTMLDivElement>(null);
  const isEmpty = lines.length === 0;
  useEffect(() => {
    if (isEmpty) close();
  }, [isEmpty]);
  useEffect(() => followLeaving(box.current, close), []);
  // On the side of its button where there is more room.
  const below = chart.nearestHeightOf(0) - slot.height;
  const isUp = slot.height > below;
  const maxHeight = `${Math.max(slot.height, below) - besideButtonPx}px`;
  const place = { [isUp ? "bottom" : "top"]: `${besideButtonPx}px`, right: `${-slot.right}px` };
  return (
    <div class="handle-list" ref={box} style={{ ...place, maxHeight }}>
      {lines.map((line) => (
        <div key={line.id} class={`line-handle ${line.colour}`}>
          <LineHandle {...{ line, chart, market }} isListed />
        </div>
      ))}
    </div>
  );
}
