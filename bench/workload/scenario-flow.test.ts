// Tests the generator of the five scenarios: its streams give the same result in the venue's book and in the book of
// plain objects, and match their descriptions.

import assert from "node:assert/strict";
import { test } from "node:test";
import { generateScenario, MessageKind, scenarioDigest, scenarioNames } from "./scenario-flow.ts";
import { FastScenarioRun, MapScenarioRun } from "./scenario-runs.ts";

const messages = 60_000;

test("each scenario has the same result in both books and in its generator", () => {
  for (const name of scenarioNames) {
    const flow = generateScenario(name, { messages });
    for (const run of [new FastScenarioRun(flow), new MapScenarioRun(flow)]) {
      run.run(0, flow.length);
      assert.deepEqual(run.result(), flow.expected, name);
    }
    assert(flow.expected.trades > 0, name);
  }
});

test("a scenario is a function of its seed, and 15 % of its orders are IOC", () => {
  const [name] = scenarioNames;
  const flow = generateScenario(name, { messages });
  assert.equal(scenarioDigest(generateScenario(name, { messages })), scenarioDigest(flow));
  assert.notEqual(
    scenarioDigest(generateScenario(name, { messages, seed: 2 })),
    scenarioDigest(flow),
  );
  const count = (kind: number) => flow.kinds.filter((one) => one === kind).length;
  const isIoc = count(MessageKind.ioc);
  const share = isIoc / (isIoc + count(MessageKind.limit));
  assert(share > 0.14 && share < 0.16, `${share}`);
  assert(count(MessageKind.cancel) > 0 && count(MessageKind.modify) > 0);
});

test("the crash ends below half of its initial price", () => {
  const flow = generateScenario("crash 60 %", { messages });
  const median = (from: number) => flow.prices.slice(from, from + 2001).sort()[1000] ?? 0;
  assert(median(messages * 0.55) < median(0) / 2);
});
