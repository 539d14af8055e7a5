// The load generator's process: gets one plan from its parent, runs it, sends the report back and ends. It is a
// separate process so that its garbage collection, event loop and threads do not affect the venue's.

import { present } from "../../src/core/assert.ts";
import { IndependentArrivals } from "../../src/tools/load/arrivals.ts";
import type { ConnectionListener, Endpoint } from "../../src/tools/load/http-connection.ts";
import {
  type FlowCounts,
  type LoadResult,
  type LoadRunOptions,
  runLoad,
} from "../../src/tools/load/load-run.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { SpotFlow, type SpotFlowOptions } from "../../src/tools/load/spot-flow.ts";
import { BatchFlow, type BatchFlowOptions } from "./batch-flow.ts";
import { FirstRequests } from "./first-requests.ts";
import { QuoteFlow, type QuoteFlowOptions } from "./quote-flow.ts";
import { ReadFlow, type ReadFlowOptions } from "./read-flow.ts";
import { SessionConnection } from "./session-connection.ts";
import { SessionWriter } from "./session-writer.ts";

export interface LoadPlan {
  readonly run: Pick<LoadRunOptions, "endpoint" | "connections" | "warmUpMs" | "durationMs"> & {
    /** Requests a second of an open loop; null for a closed loop. */
    readonly rate: number | null;
    readonly seed: number;
    /** How many requests are sent at most, in all; without it, as many as the time allows. */
    readonly requestsMax?: number;
  };
  /** The load to send: exactly one of `spot`, `batch`, `quote` and `read` is set. */
  readonly spot?: SpotFlowOptions;
  /** Whether spot orders go over order sessions, one for each key. */
  readonly isOverSessions?: boolean;
  readonly batch?: BatchFlowOptions;
  readonly quote?: QuoteFlowOptions;
  readonly read?: ReadFlowOptions;
}

export interface LoadReport extends LoadResult {
  /** Counts of an order flow, including its warm-up; null for reads. */
  readonly counts: FlowCounts | null;
  readonly lastRefusal: string;
}

process.once("message", (plan: LoadPlan) => {
  void report(plan).then(
    (value) => process.send?.({ report: value }, () => process.disconnect()),
    (error: unknown) => process.send?.({ failure: String(error) }, () => process.disconnect()),
  );
});

async function report({
  run: plan,
  spot,
  isOverSessions = false,
  batch,
  quote,
  read,
}: LoadPlan): Promise<LoadReport> {
  const { rate, seed } = plan;
  const arrivals = rate === null ? null : new IndependentArrivals(rate, new SeededRandom(seed));
  const { keys = [] } = spot ?? {};
  const sessions = {
    open: (endpoint: Endpoint, index: number, listener: ConnectionListener) =>
      SessionConnection.open(endpoint, index, listener, present(keys[index], "a key for each")),
  };
  const run = { ...plan, arrivals, ...(isOverSessions ? sessions : {}) };
  const writer = isOverSessions ? new SessionWriter() : undefined;
  const flow =
    (spot && new SpotFlow(spot, writer)) ??
    (batch && new BatchFlow(batch)) ??
    (quote && new QuoteFlow(quote));
  if (flow !== undefined) {
    const { requestsMax } = plan;
    const source = requestsMax === undefined ? flow : new FirstRequests(flow, requestsMax);
    const result = await runLoad(source, run);
    return { ...result, counts: flow.counts, lastRefusal: flow.lastRefusal };
  }
  if (read === undefined) throw new Error("the load plan must have a flow");
  const result = await runLoad(new ReadFlow(read), run);
  return { ...result, counts: null, lastRefusal: "" };
}
