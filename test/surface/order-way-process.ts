// A process that places one resting spot order through a real socket and prints those of the venue's source files in
// which at least one function ran for the order. Front, clearing and matcher share one thread, so a single profiler
// sees all of them.

import assert from "node:assert/strict";
import { type Profiler, Session } from "node:inspector/promises";
import { FrontFixture } from "./front-fixture.ts";

/** Keep the front's timers from firing, because they would run files that do not belong to an order. */
const everyHour = setInterval;
globalThis.setInterval = ((..._: unknown[]) =>
  everyHour(() => undefined, 3_600_000)) as unknown as typeof setInterval;

const built = /\/dist\/((?:src|schemas)\/.+)\.js$/;

const front = await FrontFixture.open();
const key = await front.newTrader();
const order = {
  symbol: "CC-USDC",
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  quantity: "100.0",
  price: "0.1400",
};

/**
 * Places the order and waits until none of its work is pending. Then advances the clock, so that limits count the next
 * order in other windows.
 */
async function place(): Promise<void> {
  const { status, text } = await front.send("POST", "/api/v3/order", order, { key });
  assert.equal(status, 200, text);
  for (let turn = 0; turn < 3; turn++) await new Promise((done) => setImmediate(done));
  front.advance(60_000);
}

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
// Leave out what runs only for the first orders.
for (let time = 0; time < 3; time++) await place();
await session.post("Profiler.takePreciseCoverage");
await place();
const { result } = await session.post("Profiler.takePreciseCoverage");

/** Returns whether an entry is a function: a module has no name and begins at offset 0. */
function isFunction({ functionName, ranges }: Profiler.FunctionCoverage): boolean {
  return functionName !== "" || ranges[0]?.startOffset !== 0;
}

const files = result.flatMap(({ url, functions }) => {
  const file = built.exec(url)?.[1];
  const hasRun = functions.some((one) => isFunction(one) && (one.ranges[0]?.count ?? 0) > 0);
  return file !== undefined && hasRun ? [`${file}.ts`] : [];
});
process.stdout.write(JSON.stringify(files.sort()), () => process.exit(0));
