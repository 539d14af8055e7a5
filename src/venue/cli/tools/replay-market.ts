// `rialto replay-market`: plays a recorded market in a venue that was started with --rewind. Ends with the recording, with
// the window, or on Ctrl-C, and then removes the house's quotes.

import { Command, InvalidArgumentError, Option } from "commander";
import type { ReplayTerms } from "../../../tools/replay/replay-market.ts";
import { formatNames, sourceOf } from "../../../tools/replay/source-events.ts";
import { utcExpected, utcMs } from "../../config/utc-time.ts";
import { say, show, speaksJson } from "../terminal/output.ts";
import { ProgressBar } from "../terminal/progress-bar.ts";
import { dataDirDefault } from "../venue-address.ts";
import { integer } from "./arguments.ts";
import { rewindVenue, speed, summaryOf, untilEnded } from "./played-market.ts";

interface ReplayOptions {
  readonly source: readonly string[];
  readonly format?: string;
  readonly market: string;
  readonly speed: number;
  readonly from?: number;
  readonly to?: number;
  readonly impact: "absorb" | "persist";
  readonly requoteMs: number;
  readonly levels: number;
  readonly depthMs: number;
  readonly seed: number;
  readonly skipBad: boolean;
  readonly roundLots: boolean;
  readonly check: number;
  readonly asNow: boolean;
  readonly dataDir: string;
}

const examples = `
Examples:
  $ rialto replay-market --source BTCUSDT-aggTrades-2025-06-03.zip --market BTCUSDT --speed 10x --as-now
  $ rialto replay-market --source trades.csv.gz --source book_snapshot_25.csv.gz --market BTCUSDT
  $ rialto replay-market --source AAPL_2012-06-21_34200000_57600000_message_10.csv --market AAPLUSDT --speed max

The venue must run with 'rialto start --rewind'. Sources are Binance's public dumps of trades and aggTrades,
CSV files of Tardis (trades, book_snapshot_5 and _25, incremental_book_L2), and LOBSTER's message files with
their order book files beside them; plain, .gz or .zip. Without recorded depth, depth is generated around the
trades. docs/guides/replay-a-market.md says what a replay does and what it does not.
The exit code is 1 if a source cannot be read or the venue refused a step that history has.
`;

export function replayMarketCommand(): Command {
  return new Command("replay-market")
    .description("play a recorded market in a venue started with --rewind, order by order")
    .addOption(
      new Option("--source <file>", "a recorded file; once for each file (required)")
        .argParser((path: string, before: readonly string[] = []) => [...before, path])
        .makeOptionMandatory(),
    )
    .addOption(
      new Option("--format <name>", "format of the files (default: recognised)").choices(
        formatNames,
      ),
    )
    .requiredOption("--market <symbol>", "the market, such as BTCUSDT or CBTC-USDC (required)")
    .option("--speed <n>", "1x, 10x, or max for as fast as possible", speed, 1)
    .option("--from <time>", "play from this time on (ISO 8601, UTC)", timeUs)
    .option("--to <time>", "play up to this time (ISO 8601, UTC)", timeUs)
    .option("--as-now", "let events happen now instead of at their recorded time", false)
    .addOption(
      new Option("--impact <mode>", "what happens to history's quotes that members changed")
        .choices(["absorb", "persist"])
        .default("absorb"),
    )
    .option("--requote-ms <n>", "absorb: time until they are renewed", integer(0, 86_400_000), 500)
    .option("--levels <n>", "levels a side", integer(1, 50), 20)
    .option("--depth-ms <n>", "least time between two moments of depth", integer(0, 60_000), 100)
    .option("--seed <n>", "seed of generated depth", integer(1, 2 ** 31 - 1), 1)
    .option("--skip-bad", "count rows that cannot be read instead of ending", false)
    .option("--round-lots", "round quantities finer than the market's lot", false)
    .option("--check <n>", "compare the public book every n moments of depth", integer(0, 1e6), 0)
    .option("--data-dir <path>", "the venue's DATA_DIR", dataDirDefault)
    .addHelpText("after", examples)
    .action(run);
}

/** Parses a time in UTC, whose zone or time of day may be left out. */
function timeUs(text: string): number {
  const [, date = "", time = "T00:00"] = /^([\d-]{10})(T[\d:.]+)?(?:Z|\+00:00)?$/.exec(text) ?? [];
  const ms = utcMs(`${date}${time}Z`);
  if (ms === null) throw new InvalidArgumentError(`expected ${utcExpected}`);
  return ms * 1000;
}

async function run(options: ReplayOptions): Promise<void> {
  const { from = 0, to = Number.POSITIVE_INFINITY } = options;
  if (from > to) throw new InvalidArgumentError("--from is after --to");
  const { dataDir, call } = await rewindVenue(options.dataDir);
  const sources = await Promise.all(options.source.map((path) => sourceOf(path, options.format)));
  const terms: ReplayTerms = {
    ...{ sources, dataDir, symbol: options.market },
    ...{ speed: options.speed, levels: options.levels, seed: options.seed },
    ...{ skipsBad: options.skipBad, roundsLots: options.roundLots },
    checkEvery: options.check,
    isAsNow: options.asNow,
    ...{ fromUs: from, toUs: to },
    depthUs: options.depthMs * 1000,
    requoteUs: options.impact === "absorb" ? options.requoteMs * 1000 : Number.POSITIVE_INFINITY,
  };
  const bar = new ProgressBar("trades played");
  // Imported only here, because loading its histograms would slow down every other command.
  const { replayMarket } = await import("../../../tools/replay/replay-market.ts");
  const onProgress = (trades: number) => bar.show(trades, 0);
  const outcome = await untilEnded(bar, (signal) =>
    replayMarket(terms, { call, signal, onProgress }),
  );
  const { depth, badRows: bad_rows, firstBad: first_bad } = outcome;
  const result = { ...summaryOf(outcome, options.speed), depth, bad_rows, first_bad };
  show(result);
  if (!speaksJson()) say(`Go on later with --from ${result.played_until}`);
  if (outcome.refused > 0) process.exitCode = 1;
}
