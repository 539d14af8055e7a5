// Runs five scenarios of two million messages through the venue's book and the book of plain objects (performance goals
// B4 and B5). The benchmark fails if a book ends in another state than the generator's reference book. Figures are
// processor times: medians of three runs of the venue's book, and one run of the book of plain objects, which is
// slower.

import assert from "node:assert/strict";
import { generateScenario, type ScenarioFlow, scenarioNames } from "../workload/scenario-flow.ts";
import { FastScenarioRun, MapScenarioRun } from "../workload/scenario-runs.ts";
import { processorTime, sampledAlone } from "./sampling.ts";

/** Measures B4 and B5 in about three minutes; most of this time goes into generating ten million messages. */
export async function measure(): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  const fastest = { fast: 0, map: 0, slowest: Number.POSITIVE_INFINITY };
  for (const name of scenarioNames) {
    const flow = generateScenario(name);
    // One run warms up the venue's book. The book of plain objects is so slow that its one run warms up its code too.
    const map = rateOf(MapScenarioRun, flow, { samples: 1, warmUp: 0 });
    const fast = rateOf(FastScenarioRun, flow, { samples: 3, warmUp: 1 });
    figures[`B4 ${name}, M messages/s`] = fast;
    figures[`B4 ${name}, Map-of-objects book`] = map;
    fastest.fast = Math.max(fastest.fast, fast);
    fastest.slowest = Math.min(fastest.slowest, fast);
    fastest.map = Math.max(fastest.map, map);
  }
  return {
    ...figures,
    "B4 fastest scenario by slowest": fastest.fast / fastest.slowest,
    "B5 slowest scenario by the Map-of-objects book's fastest": fastest.slowest / fastest.map,
  };
}

/** Returns millions of messages a second; each sample uses a new book. */
function rateOf(
  Run: typeof FastScenarioRun | typeof MapScenarioRun,
  flow: ScenarioFlow,
  counts: { readonly samples: number; readonly warmUp: number },
): number {
  let run = new Run(flow);
  const aside = {
    before: () => {
      run = new Run(flow);
    },
    after: () => assert.deepEqual(run.result(), flow.expected),
  };
  const sampling = { ...counts, clock: processorTime };
  const { p50 } = sampledAlone(() => run.run(0, flow.length), sampling, aside);
  return flow.length / p50 / 1000;
}
