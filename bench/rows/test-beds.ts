// Row V3: how long a test waits for a venue of its own. A test bed opens venues from its prepared image, one after another,
// each with settings that no spare has, so that each is started from the beginning.

import { setTimeout as sleep } from "node:timers/promises";
import { TestBedFixture } from "../../test/support/venue/test-bed.ts";
import { median } from "../report/median.ts";
import { atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";

const starts = 9;
const secondsMax = 1.5;
/** The test bed starts a spare after each venue; meanwhile nothing is measured. */
const spareMs = 4_000;

async function venueOfTestBed(bench: Bench): Promise<Reading> {
  const bed = await TestBedFixture.open();
  try {
    bench.say("making the image of a test bed");
    await bed.start();
    const seconds: number[] = [];
    const opened = async (settings: Readonly<Record<string, string>>) => {
      await sleep(spareMs);
      const startMs = performance.now();
      const { id } = await bed.openVenue({ settings });
      const took = (performance.now() - startMs) / 1000;
      await bed.call("venues/close", { id });
      return took;
    };
    for (let turn = 0; turn < starts; turn++) {
      // A limit that no other venue has makes it one for which there is no spare.
      seconds.push(await opened({ RATE_LIMIT_WS_CONNS_PER_IP: String(100 + turn) }));
      bench.say(`venue ${turn + 1}: ${shortNumber(seconds.at(-1) ?? Number.NaN)} s`);
    }
    const spare = await opened({ RATE_LIMIT_WS_CONNS_PER_IP: String(100 + starts - 1) });
    return {
      measured: `${shortNumber(median(seconds))} s`,
      baseline: "",
      ...atMost(median(seconds), secondsMax),
      figures: { "start s": median(seconds), "longest s": Math.max(...seconds), "spare s": spare },
      notes: [
        `median of ${starts} venues from a prepared image: ${seconds.map(shortNumber).join(", ")} s`,
        `a venue that is the spare: ${shortNumber(spare)} s`,
      ],
    };
  } finally {
    await bed.close();
  }
}

export const testBedRows: readonly BenchRow[] = [
  {
    id: "V3",
    measure: "a venue of a test bed, from the call until it answers, without a spare",
    goal: `≤ ${secondsMax} s`,
    run: venueOfTestBed,
  },
];
