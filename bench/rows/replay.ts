// Row V1: how long a replayed day takes at full speed, measured on a slice of a made recording with 20 levels each 100 ms
// and as many trades as a busy day has. The replay is the command that users run, in a process of its own beside the venue.

import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  sampleMarket,
  tardisSnapshotsText,
  tardisTradesText,
} from "../../test/support/replay/sample-recording.ts";
import { runCli } from "../../test/support/venue/cli-process.ts";
import { atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { VenueProcess } from "../venue/venue-process.ts";

/** Two minutes of history. */
const moments = 1_200;
const momentsOfDay = 864_000;
const minutesMax = 10;

interface Outcome {
  readonly trades: number;
  readonly orders: number;
  readonly depth_moments: number;
  readonly quote_sides: number;
  readonly elapsed_ms: number;
  readonly checked: number;
  readonly equal: number;
  readonly refused: number;
}

async function replayedDay(bench: Bench): Promise<Reading> {
  const dataDir = await mkdtemp(join(tmpdir(), "rialto-replay-"));
  const venue = await VenueProcess.start({ dataDir, flags: ["--rewind"] });
  try {
    const events = sampleMarket(1, moments);
    const [trades, book] = [join(dataDir, "trades.csv"), join(dataDir, "book.csv")];
    await writeFile(trades, tardisTradesText(events));
    await writeFile(book, tardisSnapshotsText(events));
    bench.say(`replaying ${events.length} events`);
    const sources = ["--source", trades, "--source", book];
    const terms = ["--market", "BTCUSDT", "--speed", "max", "--as-now", "--depth-ms", "0"];
    const args = ["--json", "replay-market", ...sources, ...terms];
    const { printed, complained } = await runCli([...args, "--check", "100"], {
      DATA_DIR: dataDir,
    });
    if (printed === "") throw new Error(complained);
    return readingOf(JSON.parse(printed) as Outcome);
  } finally {
    await venue.stop();
  }
}

function readingOf(outcome: Outcome): Reading {
  const seconds = outcome.elapsed_ms / 1000;
  const share = moments / momentsOfDay;
  const minutes = seconds / share / 60;
  const entries = outcome.quote_sides + outcome.orders;
  const score = atMost(minutes, minutesMax);
  return {
    measured: `${shortNumber(minutes)} min a day`,
    baseline: "",
    ...score,
    passed: score.passed && outcome.refused === 0 && outcome.equal === outcome.checked,
    figures: {
      "min/day": minutes,
      "orders and quote sides/s": entries / seconds,
      "depth moments/s": outcome.depth_moments / seconds,
      "trades of a day": outcome.trades / share,
    },
    notes: [
      `${outcome.depth_moments} moments of depth, ${outcome.trades} trades, ${outcome.quote_sides} sides of quotes ` +
        `in ${shortNumber(seconds)} s`,
      `the public book was the recording's at ${outcome.equal} of ${outcome.checked} moments`,
    ],
  };
}

export const replayRows: readonly BenchRow[] = [
  {
    id: "V1",
    measure: "a replayed day at full speed: 20 levels each 100 ms, more than a million trades",
    goal: `≤ ${minutesMax} min`,
    run: replayedDay,
  },
];
