// `rialto synthetic-market`: makes a market from a script and a seed in a venue that was started with --rewind. Ends with the
// script, after --for, or on Ctrl-C, and then removes the house's quotes.

import { Command, InvalidArgumentError, Option } from "commander";
import { type MarketScript, scriptSecondsMax } from "../../../../schemas/market-script.ts";
import { formatScaled } from "../../../core/money/amounts.ts";
import { FileFault } from "../../../tools/json-file/json-file.ts";
import { secondsOf } from "../../../tools/synthetic/made-market.ts";
import { readScript, readyScripts, scriptWith } from "../../../tools/synthetic/ready-scripts.ts";
import { durationExpected, durationMs } from "../../config/utc-time.ts";
import { show } from "../terminal/output.ts";
import { ProgressBar } from "../terminal/progress-bar.ts";
import { dataDirDefault } from "../venue-address.ts";
import { integer } from "./arguments.ts";
import { rewindVenue, speed, summaryOf, untilEnded } from "./played-market.ts";

type Settings = Readonly<Record<string, number>>;

interface SyntheticOptions {
  readonly script?: string;
  readonly market?: string;
  readonly seed: number;
  readonly for?: number;
  readonly speed: number;
  readonly set: Settings;
  readonly price?: number;
  readonly impact: "absorb" | "persist";
  readonly requoteMs: number;
  readonly levels: number;
  readonly list?: boolean;
  readonly dataDir: string;
}

const examples = `
Examples:
  $ rialto synthetic-market --list
  $ rialto synthetic-market --script calm --market BTCUSDT --for 1h --speed 10x
  $ rialto synthetic-market --script flash-crash --market BTCUSDT --seed 7 --set fall_percent=25 --set fall_s=10
  $ rialto synthetic-market --script volatile --market ETHUSDT --speed max

The venue must run with 'rialto start --rewind'. The same script, seed, parameters and first price make the same
orders; with 'start --rewind --step' and --speed max also the same journal. docs/guides/make-a-market.md describes
the scripts, their agents and how to write one.
The exit code is 1 if the venue refused a step, 2 for a wrong option, script or parameter.
`;

export function syntheticMarketCommand(): Command {
  return new Command("synthetic-market")
    .description("make a market from a script and a seed in a venue started with --rewind")
    .addOption(
      new Option("--script <name>", "a ready script, or the path of a file").argParser(readable),
    )
    .option("--market <symbol>", "the market, such as BTCUSDT or CBTC-USDC")
    .option("--seed <n>", "another seed makes another market", integer(1, 2 ** 31 - 1), 1)
    .option("--for <duration>", "how long (default: as long as the script)", seconds)
    .option("--speed <n>", "1x, 10x, or max for as fast as possible", speed, 1)
    .addOption(
      new Option("--set <parameter=value>", "a parameter of the script; may be repeated")
        .argParser(setting)
        .default({}, "as the script has them"),
    )
    .option("--price <n>", "the first price (default: a usual one of the coin)", positive)
    .addOption(
      new Option("--impact <mode>", "what happens to quotes that members changed")
        .choices(["absorb", "persist"])
        .default("absorb"),
    )
    .option("--requote-ms <n>", "absorb: time until they are renewed", integer(0, 86_400_000), 500)
    .option("--levels <n>", "levels a side", integer(1, 50), 20)
    .option("--list", "list the ready scripts with their parameters")
    .option("--data-dir <path>", "the venue's DATA_DIR", dataDirDefault)
    .addHelpText("after", examples)
    .action(run);
}

/** Turns the faults of files and parameters into usage errors. */
function asUsage<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw error instanceof FileFault ? new InvalidArgumentError(error.message) : error;
  }
}

function readable(nameOrPath: string): string {
  asUsage(() => readScript(nameOrPath));
  return nameOrPath;
}

function seconds(text: string): number {
  const count = (durationMs(text) ?? 0) / 1000;
  if (!Number.isInteger(count) || count < 1 || count > scriptSecondsMax)
    throw new InvalidArgumentError(`expected ${durationExpected}, in whole seconds, at most 7d`);
  return count;
}

function setting(text: string, before: Settings): Settings {
  const [, name = "", value = ""] =
    /^([a-z][a-z0-9_]*)=(-?\d{1,9}(?:\.\d{1,6})?)$/.exec(text) ?? [];
  if (name === "") throw new InvalidArgumentError("expected parameter=number");
  return { ...before, [name]: Number(value) };
}

function positive(text: string): number {
  const value = Number(/^\d{1,9}(?:\.\d{1,9})?$/.exec(text)?.[0]);
  if (!(value > 0)) throw new InvalidArgumentError("expected a price such as 60000 or 0.15");
  return value;
}

function listed(): readonly object[] {
  return readyScripts.map((file) => ({
    script: file.name,
    lasts: `${secondsOf(scriptWith(file, {}))}s`,
    parameters: Object.entries(file.parameters)
      .map(([name, value]) => `${name}=${value}`)
      .join(" "),
    description: file.description,
  }));
}

async function run(options: SyntheticOptions): Promise<void> {
  if (options.list === true) {
    show(listed());
    return;
  }
  const { script: named, market: symbol, impact } = options;
  if (named === undefined || symbol === undefined)
    throw new InvalidArgumentError("expected --script and --market, or --list");
  const script: MarketScript = asUsage(() => scriptWith(readScript(named), options.set));
  const total = options.for ?? secondsOf(script);
  const { dataDir, call } = await rewindVenue(options.dataDir);
  const bar = new ProgressBar("seconds of market time");
  // Imported only here, because loading its histograms would slow down every other command.
  const { playSynthetic } = await import("../../../tools/synthetic/synthetic-market.ts");
  let firstUs = 0;
  const terms = {
    ...{ script, symbol, dataDir, seed: options.seed, seconds: total },
    ...{ speed: options.speed, levels: options.levels, price: options.price ?? null },
    requoteUs: impact === "absorb" ? options.requoteMs * 1000 : Number.POSITIVE_INFINITY,
    checkEvery: 0,
  };
  const outcome = await untilEnded(bar, (signal) =>
    playSynthetic(terms, {
      ...{ call, signal },
      onProgress: (_, lastUs) => {
        if (firstUs === 0) firstUs = lastUs;
        bar.show(Math.min(total, Math.ceil((lastUs - firstUs) / 1_000_000)), total);
      },
    }),
  );
  const { checked: _, equal: __, ...summary } = summaryOf(outcome, options.speed);
  const { liquidated, liquidatedLots, market } = outcome;
  const liquidated_quantity = formatScaled(liquidatedLots, market.lotDecimals);
  const of = { script: script.name, seed: options.seed };
  show({ ...of, ...summary, liquidated, liquidated_quantity });
  if (outcome.refused > 0) process.exitCode = 1;
}
