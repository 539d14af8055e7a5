// Tests that arrivals keep their rate, and that excited arrivals come in bursts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Arrivals, ExcitedArrivals, IndependentArrivals } from "./arrivals.ts";
import { SeededRandom } from "./seeded-random.ts";

const rate = 200;
const seconds = 2_000;

/** Returns the number of arrivals in each of `seconds` seconds. */
function counts(arrivals: Arrivals): number[] {
  const counted = new Array<number>(seconds).fill(0);
  for (let ms = arrivals.gapMs(); ms < seconds * 1000; ms += arrivals.gapMs()) {
    const second = Math.floor(ms / 1000);
    counted[second] = (counted[second] ?? 0) + 1;
  }
  return counted;
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns the variance divided by the mean, which is 1 for independent arrivals. */
function dispersionOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return meanOf(values.map((value) => (value - mean) ** 2)) / mean;
}

test("both kinds of arrivals keep the rate, and only one of them comes in bursts", () => {
  const independent = counts(new IndependentArrivals(rate, new SeededRandom(1)));
  const excited = counts(new ExcitedArrivals(rate, new SeededRandom(1)));
  for (const counted of [independent, excited]) {
    assert(Math.abs(meanOf(counted) / rate - 1) < 0.03, `${meanOf(counted)} a second`);
  }
  assert(Math.abs(dispersionOf(independent) - 1) < 0.2);
  // Half of the arrivals are triggered by others; for this share, theory predicts a dispersion of 4 over long windows.
  assert(dispersionOf(excited) > 2.5, `${dispersionOf(excited)}`);
});

test("the same seed gives the same arrivals", () => {
  const [one, other] = [1, 1].map((seed) => new ExcitedArrivals(rate, new SeededRandom(seed)));
  for (let count = 0; count < 1_000; count++) assert.equal(one?.gapMs(), other?.gapMs());
});
