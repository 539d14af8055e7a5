// Measures two things: clearing with its books on one thread (performance goal P5), and replay.
//
// Workload: the stream of `bench/workload/order-flow.ts` as commands of two thousand funded accounts, on a spot market
// (fees in both assets), with and without client ids, and on a perpetual (positions, margin, profit). The book alone
// runs the same stream. The venue and the book alternate after slices of fifty thousand operations. A slice takes some
// milliseconds, so longer disturbances slow both. All figures are medians of these slices; the ratio is the median of
// the slices' ratios. Replay folds the events of the spot run into a new state.

import { assert } from "../../src/core/assert.ts";
import type { VenueEvent } from "../../src/core/generated/events.ts";
import { apply } from "../../src/engine/state/apply/apply.ts";
import { VenueState } from "../../src/engine/state/venue-state.ts";
import { stateHash } from "../../src/engine/state-hash.ts";
import { marketId } from "../../test/support/machine/test-markets.ts";
import { median } from "../report/median.ts";
import { FastRun } from "../workload/book-drivers.ts";
import { MachineRun, type MachineRunOptions, machineMarkets } from "../workload/machine-driver.ts";
import { dayOptions, generateOrderFlow, type OrderFlow } from "../workload/order-flow.ts";
import { sampledAlone } from "./sampling.ts";

const operations = 500_000;
/** Operations per slice: enough that each slice of the machine's run includes its share of garbage collection. */
const slice = 50_000;
const warmRuns = 2;
const timedRuns = 5;

const variants = {
  spot: { market: marketId.ccUsdc, hasClientIds: false },
  named: { market: marketId.ccUsdc, hasClientIds: true },
  perpetual: { market: marketId.btcPerp, hasClientIds: false },
} as const;

/** Measures P5 and the replay rate in about a minute. */
export async function measure(): Promise<Record<string, number>> {
  const flow = generateOrderFlow({ ...dayOptions, operations });
  const spot = timeInTurn(flow, variants.spot);
  const replay = measureReplay(flow);
  const named = timeInTurn(flow, variants.named);
  const perpetual = timeInTurn(flow, variants.perpetual);
  return {
    "P5 ns per operation, spot": spot.machine,
    "P5 ratio to the book alone, spot": spot.ratio,
    "P5 book alone, ns per operation": spot.book,
    "spot with client ids, ns per operation": named.machine,
    "spot with client ids, ratio to the book alone": named.ratio,
    "perpetual, ns per operation": perpetual.machine,
    "perpetual, ratio to the book alone": perpetual.ratio,
    "replay, events per second": replay,
  };
}

/**
 * Returns medians over the slices of all rounds, in nanoseconds per operation; the ratio is the median of the slices'
 * ratios.
 */
function timeInTurn(flow: OrderFlow, options: MachineRunOptions) {
  const rounds = Array.from({ length: warmRuns + timedRuns }, () => timeRound(flow, options));
  const slices = rounds.slice(warmRuns).flat();
  return {
    book: median(slices.map(({ book }) => book)),
    machine: median(slices.map(({ machine }) => machine)),
    ratio: median(slices.map(({ book, machine }) => book / machine)),
  };
}

/**
 * Runs the whole stream through the machine and the book, alternating slice by slice. The function does not use
 * tinybench: tinybench sorts its samples, but the two times of a slice must stay together for their ratio.
 */
function timeRound(flow: OrderFlow, options: MachineRunOptions) {
  const alone = new FastRun(flow);
  const whole = new MachineRun(flow, options);
  const { prefill } = flow.options;
  alone.run(0, prefill);
  whole.run(0, prefill);
  const slices: { book: number; machine: number }[] = [];
  for (let from = prefill; from < flow.length; from += slice) {
    const book = timed(alone, from);
    slices.push({ book, machine: timed(whole, from) });
  }
  whole.check();
  return slices;
}

function timed(run: { run(from: number, to: number): void }, from: number): number {
  const started = process.hrtime.bigint();
  run.run(from, from + slice);
  return Number(process.hrtime.bigint() - started) / slice;
}

/** Folds the spot run's events into new states; the last of these must equal the live state. */
function measureReplay(flow: OrderFlow): number {
  const events: VenueEvent[] = [];
  const live = new MachineRun(flow, {
    ...variants.spot,
    onEvent: (event) => events.push({ ...event }),
  });
  live.run(0, flow.length);
  let state = new VenueState(machineMarkets);
  const fold = () => {
    for (const event of events) apply(state, event);
  };
  const aside = {
    before: () => {
      state = new VenueState(machineMarkets);
    },
    after: () => {
      assert(state.seq === live.state.seq, "replay must fold every event");
      assert(
        stateHash(state) === stateHash(live.state),
        "the replayed state must equal the live state",
      );
    },
  };
  const { p50 } = sampledAlone(fold, { samples: timedRuns, warmUp: 0 }, aside);
  return (events.length * 1000) / p50;
}
