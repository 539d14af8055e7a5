// Measures the order book alone (performance goals P1 to P4), on one thread, with the workload of
// bench/workload/order-flow.ts and its deep variant. The fast book checks at every fill that the two orders belong to
// different accounts, keeps 53-bit quantities and writes a 64-byte record per fill and per operation. Its runs
// alternate with those of the Map-of-objects book, so that a busy machine slows both; figures are medians. The package
// nodejs-order-book is a hundred times slower, so it runs only 20,000 operations. A run fails unless it ends with the
// stream's expected trades, volume, notional, hash and resting orders.

import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  calibrateTimerOverhead,
  mToNs,
  performanceNowTimestampProvider,
  type Statistics,
} from "tinybench";
import { emptyMatchRequest } from "../../src/core/generated/messages.ts";
import { ownSkipsMax } from "../../src/core/limits.ts";
import { Side, TimeInForce } from "../../src/core/orders.ts";
import { FastBook } from "../../src/engine/matching/fast-book.ts";
import { OrderPool } from "../../src/engine/matching/order-pool.ts";
import { median } from "../report/median.ts";
import { FastRun, MapRun, NpmRun } from "../workload/book-drivers.ts";
import {
  dayOptions,
  deepOptions,
  type FlowResult,
  generateOrderFlow,
  type OrderFlow,
  orderFlowDigest,
} from "../workload/order-flow.ts";
import { sampled, sampledAlone } from "./sampling.ts";

/** Digest and published results of the stream. If the generator produces another stream, the benchmark fails. */
const dayDigest = "d8ab18320a130ab120ba954504a5010fd5451cb071db295f0fb077b6fdbd3dc7";
const dayResult: FlowResult = {
  trades: 293_408,
  volume: 7_776_132,
  notional: 778_120_527_870,
  hash: -601_125_219,
  resting: 19_439,
};

const warmRuns = 3;
const timedRuns = 15;
const npmPrefix = 20_000;

/** A run of a book that can be timed over a part of the stream. */
interface Run {
  run(from: number, to: number): void;
  result?(): FlowResult;
}

/** Measures P1 to P4 in about 40 seconds; half of this time goes into generating the two streams. */
export async function measure(): Promise<Record<string, number>> {
  const day = generateOrderFlow(dayOptions);
  assert.equal(orderFlowDigest(day), dayDigest, "the stream must be the published one");
  assert.deepEqual(day.expected, dayResult);
  const { fast, map, ratio } = timeInTurn(day);
  const npm = timeOnce(new NpmRun(day), day, npmPrefix);
  const heap = measureHeap(day);
  const latency = measureLatency(day);
  const deep = generateOrderFlow(deepOptions);
  const rounds = Array.from({ length: timedRuns }, () => ({
    deep: timeOnce(new FastRun(deep), deep),
    day: timeOnce(new FastRun(day), day),
  }));
  const deepNs = median(rounds.map((round) => round.deep));
  return {
    "P1 fast book ns per operation": fast,
    "P1 Map-of-objects book ns per operation": map,
    "P1 nodejs-order-book ns per operation (first 20,000)": npm,
    "P1 ratio to Map-of-objects book": ratio,
    "P1 ratio to nodejs-order-book": npm / fast,
    "P2 p50 ns": mToNs(latency.p50),
    "P2 p99 ns": mToNs(latency.p99),
    "P2 p99.9 ns": mToNs(latency.p999),
    "P2 clock ns (included)": mToNs(calibrateTimerOverhead(performanceNowTimestampProvider)),
    "P3 deep book resting orders": deep.expected.resting,
    "P3 deep book ns per operation": deepNs,
    "P3 ratio to P1": median(rounds.map((round) => round.deep / round.day)),
    "P4 heap growth bytes over 1,000,000 operations": heap,
    "own run of ownSkipsMax stepped over, ns per order": await measureOwnRun(),
  };
}

/**
 * Returns median times of the fast book and the Map-of-objects book. The ratio is the median of the rounds' ratios,
 * because a busy period slows both books of a round. The function does not use tinybench: tinybench sorts its samples,
 * so the two times of a round could no longer be matched.
 */
function timeInTurn(flow: OrderFlow): { fast: number; map: number; ratio: number } {
  const fast: number[] = [];
  const map: number[] = [];
  for (let run = 0; run < warmRuns + timedRuns; run++) {
    const fastNs = timeOnce(new FastRun(flow), flow);
    const mapNs = timeOnce(new MapRun(flow), flow);
    if (run < warmRuns) continue;
    fast.push(fastNs);
    map.push(mapNs);
  }
  const ratios = map.map((ns, round) => ns / (fast[round] ?? 0));
  return { fast: median(fast), map: median(map), ratio: median(ratios) };
}

/** Returns nanoseconds per operation after the prefill. If the run covers the whole stream, its results are checked. */
function timeOnce(run: Run, flow: OrderFlow, operations = flow.options.operations): number {
  const { prefill } = flow.options;
  run.run(0, prefill);
  const started = process.hrtime.bigint();
  run.run(prefill, prefill + operations);
  const took = Number(process.hrtime.bigint() - started);
  if (prefill + operations === flow.length) assert.deepEqual(run.result?.(), flow.expected);
  return took / operations;
}

/**
 * Measures the latency of single operations. The clock is read before and after each, so every figure includes one
 * clock reading.
 */
function measureLatency(flow: OrderFlow): Statistics {
  const { prefill, operations } = flow.options;
  const book = new FastRun(flow);
  book.run(0, prefill);
  let at = prefill;
  const step = () => {
    book.run(at, at + 1);
    at++;
  };
  return sampledAlone(step, { samples: operations, warmUp: 0 });
}

/** Returns the growth of the used heap over the timed operations in bytes, including garbage. */
function measureHeap(flow: OrderFlow): number {
  const book = new FastRun(flow);
  book.run(0, flow.options.prefill);
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  book.run(flow.options.prefill, flow.length);
  return process.memoryUsage().heapUsed - before;
}

function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  assert(typeof collect === "function");
  collect();
}

/**
 * Measures an IOC order that trades nothing, because it meets only orders of its own account: as many as an order may
 * skip, and one more. The order leaves the book unchanged, so it can be repeated.
 */
async function measureOwnRun(): Promise<number> {
  const pool = new OrderPool(ownSkipsMax + 2);
  const listener = { filled: () => {}, reduced: () => {}, removed: () => {}, met: () => {} };
  const book = new FastBook({ market: 0, pool, listener });
  const order = {
    ...emptyMatchRequest(),
    generation: 1,
    account: 1,
    side: Side.sell as Side,
    price: 100,
    qty: 1,
  };
  for (order.slot = 0; order.slot <= ownSkipsMax; order.slot++) book.place(order);
  order.side = Side.buy;
  order.timeInForce = TimeInForce.ioc;
  const subject = { call: () => book.place(order), batch: 10_000 };
  const { own } = await sampled({ own: subject }, { samples: 5, warmUp: 2 });
  return mToNs(own.p50);
}
