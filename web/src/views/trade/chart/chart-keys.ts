// Keys of a chart that has the focus: they move it and change its scale of times.

import type { ITimeScaleApi, Time } from "lightweight-charts";

/** A press shows so much more or less time, and moves the chart by so many candles. */
const zoomShare = 0.2;
const moveCandles = 10;

/** What a key adds to the two ends of the times in sight, which are `width` candles apart; null for another key. */
function changeOf(key: string, width: number): readonly [from: number, to: number] | null {
  const moves: Readonly<Record<string, readonly [number, number]>> = {
    ArrowLeft: [-moveCandles, -moveCandles],
    ArrowRight: [moveCandles, moveCandles],
    // Towards the newest candle, which stays.
    "+": [zoomShare * width, 0],
    "=": [zoomShare * width, 0],
    "-": [-zoomShare * width, 0],
  };
  return moves[key] ?? null;
}

/** Follows the keys of a chart's container, as long as the container exists. `undo` brings deleted lines back. */
export function followKeys(
  container: HTMLElement,
  scale: ITimeScaleApi<Time>,
  undo: () => void,
): void {
  container.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    const isCommand = ctrlKey || metaKey;
    const range = scale.getVisibleLogicalRange();
    const change = range === null ? null : changeOf(key, range.to - range.from);
    if (isCommand && key === "z") undo();
    else if (isCommand || altKey) return;
    else if (key === "End") scale.scrollToRealTime();
    else if (range !== null && change !== null)
      scale.setVisibleLogicalRange({ from: range.from + change[0], to: range.to + change[1] });
    else return;
    event.preventDefault();
  });
}
