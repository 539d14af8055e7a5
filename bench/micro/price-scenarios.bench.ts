// Five scenarios of two million messages through the venue's book and the book of plain objects: B4 and B5 of the
// performance goals. Both must end where the generator's own book did, or there is no figure. Medians of three
// rounds, in processor time.

import assert from "node:assert/strict";
import { median } from "../report/median.ts";
import type { FlowResult } from "../workload/order-flow.ts";
import { generateScenario, type ScenarioFlow, scenarioNames } from "../workload/scenario-flow.ts";
import { FastScenarioRun, MapScenarioRun } from "../workload/scenario-runs.ts";
import { nsEach } from "./processor-time.ts";

const rounds = 3;

/** Measures B4 and B5; some three minutes, most of them for making ten million messages. */
export async function measure(): Promise<Record<string, number>> {
  const figures: Record<string, number> = {};
  const fastest = { fast: 0, map: 0, slowest: Number.POSITIVE_INFINITY };
  for (const name of scenarioNames) {
    const flow = generateScenario(name);
    // The first round warms the book. The other one runs for so long that it has warmed itself.
    rateOf(new FastScenarioRun(flow), flow);
    const map = rateOf(new MapScenarioRun(flow), flow);
    const fast = Array.from({ length: rounds }, () => rateOf(new FastScenarioRun(flow), flow));
    const rate = median(fast);
    figures[`B4 ${name}, M messages/s`] = rate;
    figures[`B4 ${name}, Map-of-objects book`] = map;
    fastest.fast = Math.max(fastest.fast, rate);
    fastest.slowest = Math.min(fastest.slowest, rate);
    fastest.map = Math.max(fastest.map, map);
  }
  return {
    ...figures,
    "B4 fastest scenario by slowest": fastest.fast / fastest.slowest,
    "B5 slowest scenario by the Map-of-objects book's fastest": fastest.slowest / fastest.map,
  };
}

function rateOf(
  run: { run(from: number, to: number): void; result(): FlowResult },
  flow: ScenarioFlow,
): number {
  const ns = nsEach(1, () => run.run(0, flow.length)) / flow.length;
  assert.deepEqual(run.result(), flow.expected);
  return 1000 / ns;
}
