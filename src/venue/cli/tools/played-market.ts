// What the commands share that play a market in a venue started with --rewind: their speed, the venue that they need, the end
// on Ctrl-C, and the summary.

import { resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import { controlSocketPath, isAnswered } from "../../../adapters/runtime/control-socket.ts";
import { formatScaled } from "../../../core/money/amounts.ts";
import type { PlayOutcome, ReplayRunning } from "../../../tools/replay/played-market.ts";
import type { ProgressBar } from "../terminal/progress-bar.ts";
import { venueAddress } from "../venue-address.ts";
import { canBeRewound } from "../venue-answers.ts";
import { requestAt } from "../venue-call.ts";

/** Parses a speed; `max` is infinite. */
export function speed(text: string): number {
  if (text === "max") return Number.POSITIVE_INFINITY;
  const times = Number(/^(\d{1,4}(?:\.\d{1,3})?)x$/.exec(text)?.[1]);
  if (!(times >= 0.1 && times <= 1000))
    throw new InvalidArgumentError("expected a speed from 0.1x to 1000x, or max");
  return times;
}

/** Returns the running venue's data folder and calls. Refuses a venue that was not started with --rewind: REW-51. */
export async function rewindVenue(folder: string) {
  const dataDir = resolve(folder);
  const socket = controlSocketPath(dataDir);
  if (!(await isAnswered(socket)))
    throw new Error(`no venue is running on ${dataDir}: start one with rialto start --rewind`);
  if (!(await canBeRewound(await venueAddress(undefined, dataDir))))
    throw new Error("the venue cannot be rewound: start it with rialto start --rewind");
  const call: ReplayRunning["call"] = (name, parameters) => requestAt(socket, name, parameters);
  return { dataDir, call };
}

/** Plays with a progress bar until the end or a signal. */
export async function untilEnded<Outcome>(
  bar: ProgressBar,
  play: (signal: AbortSignal) => Promise<Outcome>,
): Promise<Outcome> {
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => ending.abort());
  const outcome = await play(ending.signal);
  bar.end();
  return outcome;
}

/** The fields of a summary that all played markets have. */
export function summaryOf({ market, lag, lastUs, ...figures }: PlayOutcome, times: number) {
  const isPaced = times !== Number.POSITIVE_INFINITY;
  return {
    market: market.symbol,
    trades: figures.trades,
    orders: figures.orders,
    depth_moments: figures.depthMoments,
    quote_sides: figures.quoteSides,
    played_until: new Date(lastUs / 1000).toISOString(),
    elapsed_ms: Math.round(figures.elapsedMs),
    lag_p50_ms: isPaced ? lag.p50Ms : null,
    lag_p99_ms: isPaced ? lag.p99Ms : null,
    member_fills: figures.memberFills,
    member_quantity: formatScaled(figures.memberLots, market.lotDecimals),
    too_small: figures.tooSmall,
    checked: figures.checked,
    equal: figures.equal,
    refused: figures.refused,
    last_refusal: figures.lastRefusal,
  };
}
