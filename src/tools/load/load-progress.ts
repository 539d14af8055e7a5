// What a person watching a load run sees: one line a second, and a summary. Plain text that also
// reads well in a log file; a terminal gets the same lines.

import type { LoadResult, LoadSecond } from "./load-run.ts";
import type { FlowCounts } from "./spot-flow.ts";

export const progressHead = "   s      done/s    p50 ms    p90 ms    p99 ms  p99.9 ms    max ms\n";

/** One second as a line under `progressHead`. */
export function progressLine(second: number, { answers, latency }: LoadSecond): string {
  const { p50Ms, p90Ms, p99Ms, p999Ms, maxMs } = latency;
  const figures = [p50Ms, p90Ms, p99Ms, p999Ms, maxMs].map((ms) => ms.toFixed(2).padStart(9));
  return `${String(second).padStart(4)}  ${String(answers).padStart(10)} ${figures.join(" ")}\n`;
}

/** The summary at the end, hints included. */
export function renderSummary(result: LoadResult, counts: FlowCounts, rate: number | null): string {
  const { latency } = result;
  const failed = counts.refused + counts.unknown + counts.unavailable + counts.limited;
  const answered = Object.values(result.statuses).reduce((sum, count) => sum + count, 0);
  const seconds = result.elapsedMs / 1000;
  const lines = [
    "",
    `${result.answers} requests done and ${answered - result.answers} refused in ${seconds.toFixed(1)} s: ` +
      `${Math.round(answered / seconds)} answers a second` +
      (rate === null ? "" : ` of ${rate} asked for`),
    `latency ms  p50 ${latency.p50Ms.toFixed(2)}  p90 ${latency.p90Ms.toFixed(2)}  p99 ${latency.p99Ms.toFixed(2)}` +
      `  p99.9 ${latency.p999Ms.toFixed(2)}  max ${latency.maxMs.toFixed(2)}` +
      (rate === null ? "" : "  (from the scheduled moment)"),
    `with the warm-up ${counts.orders} orders, ${counts.cancels} cancels, ${counts.cancelsLate} cancels that came too late, ${failed} failed`,
  ];
  if (failed > 0) {
    lines.push(
      `failed: ${counts.limited} limited (429), ${counts.unavailable} not executed (503), ` +
        `${counts.refused} refused, ${counts.unknown} without an answer`,
    );
  }
  if (result.unsent > 0) {
    lines.push(`${result.unsent} requests never left: the rate is beyond venue and connections`);
  }
  return `${lines.join("\n")}\n`;
}
