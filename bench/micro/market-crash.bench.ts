// Runs the crash scenario of the slow tests as a benchmark: all of a venue's threads and its database in this process,
// and a market that falls by 40 % through a hundred thousand resting orders at distant prices.

import { CrashScene, fullCrash } from "../../test/simulation/crash/crash-scene.ts";
import { VenueFixture } from "../../test/support/venue/venue-fixture.ts";

/** Returns latencies in milliseconds, from the moment an order was due to its durable answer. */
export async function measure(): Promise<Record<string, number>> {
  const fixture = await VenueFixture.open();
  try {
    const { still, falling } = await new CrashScene(fixture.venue, fullCrash).run();
    return {
      "B6 p50 ms before": still.p50Ms,
      "B6 p99 ms before": still.p99Ms,
      "B6 p50 ms falling": falling.p50Ms,
      "B6 p99 ms falling": falling.p99Ms,
      "B6 longest ms falling": falling.maxMs,
      "B6 orders timed": still.count + falling.count,
    };
  } finally {
    await fixture.close();
  }
}
