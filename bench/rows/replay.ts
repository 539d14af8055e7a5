// Row V1: how long a replayed day takes at full speed, measured on a slice of a made recording with 20 levels each 100 ms
// and as many trades as a busy day has. Row V2: whether twenty small bots notice a replay at the speed of history. The
// replay is the command that users run, in its own process beside the venue.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  sampleMarket,
  tardisSnapshotsText,
  tardisTradesText,
} from "../../test/support/replay/sample-recording.ts";
import { CliProcess, runCli } from "../../test/support/venue/cli-process.ts";
import { botKeys, runBots } from "../load/small-bots.ts";
import { median } from "../report/median.ts";
import { atMost, type Bench, type BenchRow, type Reading } from "../report/row.ts";
import { shortNumber } from "../report/table.ts";
import { VenueProcess } from "../venue/venue-process.ts";

/** An hour of history: what is compiled in the first ten seconds counts for as little as in a day. */
const moments = 36_000;
const momentsOfDay = 864_000;
const minutesMax = 10;
/** Windows with and without a replay are measured in turn, each after the venue has had time to take up the change. */
const [bots, rounds, windowMs, settleMs] = [20, 7, 6_000, 2_000];
const ratioMax = 1.2;
/** Below the prices of the sample, so that no bot's order trades. */
const botMarket = { symbol: "BTCUSDT", price: "91000", quantity: "0.001" };

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

/** Writes a recording with this number of moments; returns the options that name its files. */
async function recording(folder: string, count: number): Promise<string[]> {
  const events = sampleMarket(1, count);
  const [trades, book] = [join(folder, "trades.csv"), join(folder, "book.csv")];
  await writeFile(trades, tardisTradesText(events));
  await writeFile(book, tardisSnapshotsText(events));
  return ["--source", trades, "--source", book, "--depth-ms", "0"];
}

async function withVenue(bench: Bench, work: (venue: VenueProcess) => Promise<Reading>) {
  const dataDir = await bench.stage.folder();
  const venue = await VenueProcess.start({ dataDir, flags: ["--rewind"] });
  try {
    return await work(venue);
  } finally {
    await venue.stop();
  }
}

const terms = ["--json", "replay-market", "--market", "BTCUSDT", "--as-now"];

function replayedDay(bench: Bench): Promise<Reading> {
  return withVenue(bench, async ({ dataDir }) => {
    const sources = await recording(dataDir, moments);
    bench.say(`replaying ${moments} moments of depth`);
    // Reading the public book takes time as well, so it is read rarely here, and at each moment in the tests.
    const args = [...terms, ...sources, "--speed", "max", "--check", "1000"];
    const { printed, complained } = await runCli(args, { DATA_DIR: dataDir });
    if (printed === "") throw new Error(complained);
    return readingOf(JSON.parse(printed) as Outcome);
  });
}

function botsBesideReplay(bench: Bench): Promise<Reading> {
  return withVenue(bench, async ({ dataDir, endpoint }) => {
    const sources = await recording(dataDir, 2 * (settleMs + windowMs));
    const keys = await botKeys(dataDir, bots);
    const market = { ...botMarket, address: `http://${endpoint.host}:${endpoint.port}` };
    const window = async () => {
      await sleep(settleMs);
      const sorted = (await runBots(keys, market, windowMs)).sort((one, other) => one - other);
      return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
    };
    const beside = async () => {
      const replay = new CliProcess([...terms, ...sources, "--speed", "1x"], { DATA_DIR: dataDir });
      const p50 = await window();
      replay.signal("SIGINT");
      await replay.ended;
      const { depth_moments: played = 0 } = JSON.parse(replay.printed || "{}") as Partial<Outcome>;
      if (played < windowMs / 100) throw new Error(`only ${played} moments were replayed`);
      return p50;
    };
    // The first replay sets the reference price, and compiles what both windows run.
    await beside();
    const pairs: { quiet: number; replayed: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      bench.say(`${bots} bots, round ${round + 1} of ${rounds}`);
      pairs.push({ quiet: await window(), replayed: await beside() });
    }
    return botReading(pairs);
  });
}

function botReading(
  pairs: readonly { readonly quiet: number; readonly replayed: number }[],
): Reading {
  const ratio = median(pairs.map(({ quiet, replayed }) => replayed / quiet));
  const quiet = median(pairs.map((pair) => pair.quiet));
  const replayed = median(pairs.map((pair) => pair.replayed));
  return {
    measured: `${shortNumber(replayed)} ms`,
    baseline: `${shortNumber(quiet)} ms without a replay`,
    ...atMost(ratio, ratioMax),
    figures: { "p50 ms": replayed, "quiet p50 ms": quiet, ratio },
    notes: [
      `${bots} bots over plain HTTP, three orders a second each, in windows of ${windowMs / 1000} s in turn`,
      `ratios: ${pairs.map((pair) => shortNumber(pair.replayed / pair.quiet)).join(", ")}`,
    ],
  };
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
  {
    id: "V2",
    measure: `order to ack p50 of ${bots} bots while a market is replayed at 1x`,
    goal: `≤ ${ratioMax}× of a quiet venue`,
    run: botsBesideReplay,
  },
];
