// `rialto replay-market`: plays a recorded market in a venue that was started with --rewind. Ends with the recording, with
// the window, or on Ctrl-C, and then removes the house's quotes.

import { resolve } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { controlSocketPath, isAnswered } from "../../../adapters/runtime/control-socket.ts";
import { formatScaled } from "../../../core/money/amounts.ts";
import type { ReplayOutcome, ReplayTerms } from "../../../tools/replay/replay-market.ts";
import { formatNames, sourceOf } from "../../../tools/replay/source-events.ts";
import { say, show, speaksJson } from "../terminal/output.ts";
import { ProgressBar } from "../terminal/progress-bar.ts";
import { dataDirDefault, venueAddress } from "../venue-address.ts";
import { requestAt } from "../venue-call.ts";
import { integer } from "./arguments.ts";

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

function speed(text: string): number {
  if (text === "max") return Number.POSITIVE_INFINITY;
  const times = Number(/^(\d{1,4}(?:\.\d{1,3})?)x$/.exec(text)?.[1]);
  if (!(times >= 0.1 && times <= 1000))
    throw new InvalidArgumentError("expected a speed from 0.1x to 1000x, or max");
  return times;
}

function timeUs(text: string): number {
  const isShaped = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|\+00:00)?)?$/.test(text);
  const ms = isShaped
    ? Date.parse(/[Z+]/.test(text) || !text.includes("T") ? text : `${text}Z`)
    : Number.NaN;
  if (Number.isNaN(ms))
    throw new InvalidArgumentError("expected a time in UTC such as 2025-06-03T12:00:00Z");
  return ms * 1000;
}

async function run(options: ReplayOptions): Promise<void> {
  const dataDir = resolve(options.dataDir);
  const socket = controlSocketPath(dataDir);
  if (!(await isAnswered(socket)))
    throw new Error(`no venue is running on ${dataDir}: start one with rialto start --rewind`);
  await checkRewind(dataDir);
  const sources = await Promise.all(options.source.map((path) => sourceOf(path, options.format)));
  const terms: ReplayTerms = {
    ...{ sources, dataDir, symbol: options.market },
    ...{ speed: options.speed, levels: options.levels, seed: options.seed },
    ...{ skipsBad: options.skipBad, roundsLots: options.roundLots },
    checkEvery: options.check,
    isAsNow: options.asNow,
    fromUs: options.from ?? 0,
    toUs: options.to ?? Number.POSITIVE_INFINITY,
    depthUs: options.depthMs * 1000,
    requoteUs: options.impact === "absorb" ? options.requoteMs * 1000 : Number.POSITIVE_INFINITY,
  };
  const ending = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => ending.abort());
  const bar = new ProgressBar("trades played");
  // Imported only here, because loading its histograms would slow down every other command.
  const { replayMarket } = await import("../../../tools/replay/replay-market.ts");
  const outcome = await replayMarket(terms, {
    call: (name, parameters) => requestAt(socket, name, parameters),
    signal: ending.signal,
    onProgress: (trades) => bar.show(trades, 0),
  });
  bar.end();
  tell(outcome, terms);
  if (outcome.refused > 0) process.exitCode = 1;
}

/** Refuses a venue that was not started with --rewind. Spec REW-51. */
async function checkRewind(dataDir: string): Promise<void> {
  const version = await fetch(`${await venueAddress(undefined, dataDir)}/v1/version`);
  const { rewind = false } = (await version.json()) as { readonly rewind?: boolean };
  if (!rewind) throw new Error("the venue cannot be rewound: start it with rialto start --rewind");
}

function tell(outcome: ReplayOutcome, { speed: times }: ReplayTerms): void {
  const { market, lag, lastUs, memberLots, ...figures } = outcome;
  const isPaced = times !== Number.POSITIVE_INFINITY;
  const result = {
    market: market.symbol,
    trades: figures.trades,
    orders: figures.orders,
    depth: figures.depth,
    depth_moments: figures.depthMoments,
    quote_sides: figures.quoteSides,
    played_until: new Date(lastUs / 1000).toISOString(),
    elapsed_ms: Math.round(figures.elapsedMs),
    lag_p50_ms: isPaced ? lag.p50Ms : null,
    lag_p99_ms: isPaced ? lag.p99Ms : null,
    member_fills: figures.memberFills,
    member_quantity: formatScaled(memberLots, market.lotDecimals),
    too_small: figures.tooSmall,
    checked: figures.checked,
    equal: figures.equal,
    bad_rows: figures.badRows,
    first_bad: figures.firstBad,
    refused: figures.refused,
    last_refusal: figures.lastRefusal,
  };
  show(result);
  if (!speaksJson()) say(`Go on later with --from ${result.played_until}`);
}
