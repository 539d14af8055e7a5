// Row P23: start time of a venue with a million resting orders. The row measures the real process with its PostgreSQL,
// from its first moment until the public API and the control socket answer. Half of the orders have a client order id,
// and the orders rest at about eighty thousand prices. Filling takes a minute, so the row runs only if named.

import { loadavg } from "node:os";
import { callControl, controlSocketPath } from "../../src/adapters/runtime/control-socket.ts";
import { median } from "../report/median.ts";
import { atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { fillVenue } from "../venue/filled-venue.ts";

const target = {
  events: 1,
  restingOrders: 1_000_000,
  accounts: 20_000,
  depthTicks: 20_000,
  namedShare: 0.5,
};
const starts = 5;
const secondsMax = 10;

interface Start {
  readonly seconds: number;
  /**
   * Processor time of the venue's process until the public API and the control socket answer: all threads, but not
   * PostgreSQL.
   */
  readonly cpuSeconds: number;
  /** The part of `seconds` from the start of reading the snapshot until the state is ready for all threads. */
  readonly recoverySeconds: number;
  readonly load: number;
}

async function startOnce({ stage }: Bench, dataDir: string): Promise<Start> {
  const [load = 0] = loadavg();
  const venue = await stage.startVenue(dataDir);
  const cpuSeconds = (await venue.cpuMs()) / 1000;
  const status = await callControl(controlSocketPath(dataDir), "status");
  const { recovered_in_ms: recoveryMs } = status.result as { recovered_in_ms: number };
  await venue.stop();
  return { seconds: venue.startMs / 1000, cpuSeconds, recoverySeconds: recoveryMs / 1000, load };
}

async function startWhenFull(bench: Bench): Promise<Reading> {
  const { dataDir } = await fillVenue(bench, 1, target);
  const taken: Start[] = [];
  for (let turn = 0; turn < starts; turn++) {
    const start = await startOnce(bench, dataDir);
    taken.push(start);
    bench.say(`start ${turn + 1}: ${shortNumber(start.seconds)} s`);
  }
  const seconds = median(taken.map((start) => start.seconds));
  const cpuSeconds = median(taken.map((start) => start.cpuSeconds));
  return {
    measured: `${shortNumber(seconds)} s, ${shortNumber(cpuSeconds)} s of processor time`,
    baseline: "",
    ...atMost(seconds, secondsMax),
    figures: {
      "start s": seconds,
      "processor s": cpuSeconds,
      "recovery s": median(taken.map((start) => start.recoverySeconds)),
      "longest start s": Math.max(...taken.map((start) => start.seconds)),
      "resting orders": target.restingOrders,
    },
    notes: [
      `median of ${starts} starts, each after a clean stop and including the start of PostgreSQL: ` +
        taken.map((start) => `${shortNumber(start.seconds)} s`).join(", "),
      `load before each: ${taken.map(({ load }) => load.toFixed(1)).join(", ")}`,
    ],
  };
}

export const startRows: readonly BenchRow[] = [
  {
    id: "P23",
    measure: "start with 1 M resting orders",
    goal: `≤ ${secondsMax} s`,
    isSlow: true,
    run: startWhenFull,
  },
];
