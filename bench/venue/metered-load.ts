// A load with a window in it, at both ends of which the processes are read.

import { setTimeout as sleep } from "node:timers/promises";

/** The load runs this much longer than its window, which begins only after the generator has started. */
const marginMs = 2_000;

/** How long a load runs before its window, and how long the window is. */
export interface WindowTimes {
  readonly warmUpMs: number;
  readonly windowMs: number;
}

/** The load's report, what was read at both ends of its window, and the seconds between the two. */
export interface MeteredLoad<Report, Read> {
  readonly load: Report;
  readonly before: Read;
  readonly after: Read;
  readonly seconds: number;
}

/** Starts a load with `begin`, which is told how long it lasts, and calls `read` at both ends of its window. */
export async function meteredLoad<Report, Read>(
  { warmUpMs, windowMs }: WindowTimes,
  begin: (times: { warmUpMs: number; durationMs: number }) => Promise<Report>,
  read: () => Promise<Read>,
): Promise<MeteredLoad<Report, Read>> {
  const running = begin({ warmUpMs, durationMs: windowMs + marginMs });
  await sleep(warmUpMs + marginMs / 2);
  const [before, startMs] = [await read(), performance.now()];
  await sleep(windowMs);
  const [after, endMs] = [await read(), performance.now()];
  return { load: await running, before, after, seconds: (endMs - startMs) / 1000 };
}
