// Row M2: what a mass quote costs beside one order. Both are measured on the same venue, one after another, as processor
// time of all of its threads and of PostgreSQL.

import type { LoadReport } from "../load/load-process.ts";
import { pairsPerQuote } from "../load/quote-flow.ts";
import { atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { meteredLoad } from "../venue/metered-load.ts";
import { costBetween, readMeter, shownCost } from "../venue/processor-time.ts";

const connections = 96;
const warmUpMs = 20_000;
/** A minute, so that each of the two windows has one sealed epoch. */
const windowMs = 60_000;
const goal = 5;

type Load = (shape: {
  readonly connections: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
}) => Promise<LoadReport>;

/** Processor time of the venue for each request of `load`, in microseconds. */
async function costOf({ stage }: Bench, load: Load) {
  const venue = await stage.venue();
  await venue.vacuum();
  const metered = await meteredLoad(
    { warmUpMs, windowMs },
    (times) => load({ connections, ...times }),
    () => readMeter(venue),
  );
  return { ...shownCost(costBetween(metered.before, metered.after)), load: metered.load };
}

function notesOf({ counts, lastRefusal }: LoadReport): string[] {
  const failed = counts === null ? 0 : counts.refused + counts.limited + counts.unavailable;
  return failed === 0 ? [] : [`${failed} requests failed, the last: ${lastRefusal || "a limit"}`];
}

async function massQuoteCost(bench: Bench): Promise<Reading> {
  const { stage } = bench;
  const { endpoint } = await stage.venue();
  const keys = await stage.keys();
  bench.say(`processor time of orders over ${windowMs / 1000} s`);
  const orders = await costOf(bench, (shape) => stage.orders(endpoint, keys, shape));
  bench.say(`processor time of mass quotes of ${pairsPerQuote} pairs`);
  const quotes = await costOf(bench, (shape) => stage.quotes(endpoint, shape));
  // What is refused costs less than what is done, and counts as cost of what is done.
  const failures = [...notesOf(orders.load), ...notesOf(quotes.load)];
  const score = atMost(quotes.us / orders.us, goal);
  return {
    measured: `${shortNumber(quotes.us)} µs`,
    baseline: `${shortNumber(orders.us)} µs for one order`,
    ...score,
    passed: score.passed && failures.length === 0,
    figures: {
      "us/mass quote": quotes.us,
      "us/order": orders.us,
      "us/side": quotes.us / (2 * pairsPerQuote),
      "mass quotes/s": Math.round(quotes.load.perSecond),
      "mass quote p50 ms": quotes.load.latency.p50Ms,
      "mass quote p99 ms": quotes.load.latency.p99Ms,
    },
    notes: [
      `${2 * pairsPerQuote} sides, all amended to another price; ${connections} connections, several accounts each`,
      `µs per order: ${orders.shown}`,
      `µs per mass quote: ${quotes.shown}`,
      ...failures,
    ],
  };
}

export const quoteRows: readonly BenchRow[] = [
  {
    id: "M2",
    measure: `processor time of a mass quote of ${pairsPerQuote} pairs`,
    goal: `≤ ${goal}× one order`,
    run: massQuoteCost,
  },
];
