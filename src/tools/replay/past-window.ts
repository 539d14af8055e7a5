// The part of a recording that is played. It begins with the depth of its first moment, which was recorded before it.

import type { PastBook, PastEvent } from "./past-events.ts";

/** Bounds in microseconds UTC; the first counts, the second does not. */
export interface PastWindow {
  readonly fromUs: number;
  readonly toUs: number;
}

/** Yields the events within the window; the newest depth before it comes at its begin. */
export async function* within(
  events: AsyncIterable<readonly PastEvent[]>,
  { fromUs, toUs }: PastWindow,
): AsyncGenerator<readonly PastEvent[]> {
  let before: PastBook | null = null;
  for await (const block of events) {
    const earlier = block.filter(({ atUs }) => atUs < fromUs);
    before = earlier.findLast((event) => event.kind === "book") ?? before;
    const kept: PastEvent[] = block.filter(({ atUs }) => atUs >= fromUs && atUs < toUs);
    if (kept.length > 0 && before !== null) kept.unshift({ ...before, atUs: fromUs });
    if (kept.length > 0) before = null;
    yield kept;
    if (block.some(({ atUs }) => atUs >= toUs)) return;
  }
}
