// The crash scene of the slow tests as a benchmark: threads and database of a venue in this process, whose
// market falls by 40 % before a hundred thousand orders at distant prices.

import { CrashScene, fullCrash } from "../../test/simulation/crash/crash-scene.ts";
import { VenueFixture } from "../../test/support/venue/venue-fixture.ts";

/** Times from when an order was due until its durable answer, in milliseconds. */
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
