// `rialto load`: sends signed orders to a running venue, at a steady rate or as fast as it answers. Refuses any target
// but this machine without --i-own-this-host, and always ends by itself.

import { resolve } from "node:path";
import { Command } from "commander";
import { controlSocketPath, isAnswered } from "../../../adapters/runtime/control-socket.ts";
import { IndependentArrivals } from "../../../tools/load/arrivals.ts";
import { readFlowMarkets } from "../../../tools/load/flow-markets.ts";
import { createLoadKeys, keysFor } from "../../../tools/load/load-accounts.ts";
import type { LoadResult } from "../../../tools/load/load-run.ts";
import { SeededRandom } from "../../../tools/load/seeded-random.ts";
import { SpotFlow } from "../../../tools/load/spot-flow.ts";
import { ExitCode, show, speaksJson } from "../terminal/output.ts";
import { dataDirDefault, venueAddress } from "../venue-address.ts";
import { integer, parseList, parseUrl } from "./arguments.ts";

interface LoadOptions {
  readonly url?: URL;
  readonly rate: number;
  readonly max?: true;
  readonly duration: number;
  readonly connections: number;
  readonly accounts?: number;
  readonly symbols?: readonly string[];
  readonly crossing: number;
  readonly cancels: number;
  readonly seed: number;
  readonly dataDir: string;
  readonly iOwnThisHost?: true;
}

/** An hour. For a longer test, run the command in a loop. */
const durationSecondsMax = 3600;
const rateMax = 100_000;
const connectionsMax = 1024;
/** With `--max` the rate is unknown. The test then uses enough keys for this many orders per second. */
const keysForMax = 20_000;
const warmUpMs = 1000;

const examples = `
Examples:
  $ rialto load                                     300 requests per second for 10 seconds
  $ rialto load --rate 5000 --duration 60 --crossing 50
  $ rialto load --max --connections 256 --json      as fast as 256 connections get answers

The venue needs DEV_TOOLS=1 to create the accounts. Each account sends from its own virtual address: above
400 requests per second, start the venue with TRUSTED_PROXIES=127.0.0.1, so that each address has its own
rate limit. Latency is measured from the scheduled send time of a request.
`;

export function loadCommand(): Command {
  return new Command("load")
    .description("send signed spot orders to a running venue and report throughput and latency")
    .option("--url <url>", "the venue's URL (default: the running venue's)", parseUrl)
    .option("--rate <n>", "requests per second, open loop", integer(1, rateMax), 300)
    .option("--max", "closed loop: each connection sends again as soon as it is answered")
    .option("--duration <seconds>", "measured time", integer(1, durationSecondsMax), 10)
    .option("--connections <n>", "keep-alive connections", integer(1, connectionsMax), 64)
    .option(
      "--accounts <n>",
      "accounts, one key each (default: as many as the rate needs)",
      integer(1, 8192),
    )
    .option("--symbols <list>", "spot markets, separated by commas (default: all)", parseList)
    .option(
      "--crossing <percent>",
      "percentage of orders priced to fill immediately",
      integer(0, 100),
      30,
    )
    .option(
      "--cancels <percent>",
      "percentage of requests that cancel an earlier order",
      integer(0, 90),
      25,
    )
    .option(
      "--seed <n>",
      "random seed; the same seed sends the same orders",
      integer(0, 2 ** 31 - 1),
      1,
    )
    .option("--data-dir <path>", "the venue's DATA_DIR", dataDirDefault)
    .option("--i-own-this-host", "allow a target that is not this machine")
    .addHelpText("after", examples)
    .action(run);
}

async function run(options: LoadOptions): Promise<void> {
  const dataDir = resolve(options.dataDir);
  const url = options.url ?? new URL(await venueAddress(undefined, dataDir));
  if (!isLoopback(url.hostname) && options.iOwnThisHost !== true) {
    throw new Error(`${url.hostname} is not this machine; pass --i-own-this-host to allow it`);
  }
  const rate = options.max === true ? null : options.rate;
  const count = options.accounts ?? keysFor(rate ?? keysForMax);
  const say = (message: string): void => {
    if (!speaksJson()) process.stdout.write(message);
  };
  if (!(await isAnswered(controlSocketPath(dataDir)))) {
    const hint = "start one, or pass its folder with --data-dir";
    throw new Error(`no venue is running on ${options.dataDir}: ${hint}`);
  }
  const markets = await readFlowMarkets(url.origin, options.symbols ?? []);
  say(`creating ${count} accounts\n`);
  const keys = await createLoadKeys(dataDir, count);
  const flow = new SpotFlow({
    keys,
    markets,
    host: url.host,
    crossingShare: options.crossing / 100,
    cancelShare: options.cancels / 100,
    seed: options.seed,
  });
  // Imported only here, because loading its histograms would slow down every other command.
  const { progressHead, progressLine, renderSummary, runLoad } = await import(
    "../../../tools/load/load-run.ts"
  );
  say(`${markets.map(({ symbol }) => symbol).join(", ")} at ${url.origin}\n${progressHead}`);
  let second = 0;
  const result = await runLoad(flow, {
    endpoint: { host: url.hostname, port: Number(url.port || "80") },
    connections: options.connections,
    arrivals: rate === null ? null : new IndependentArrivals(rate, new SeededRandom(options.seed)),
    warmUpMs,
    durationMs: options.duration * 1000,
    onSecond: (measured) => say(progressLine(++second, measured)),
  });
  if (speaksJson()) show({ rate, ...result, counts: flow.counts });
  else say(renderSummary(result, flow.counts, rate) + hintOf(result, flow));
  if (result.lost > 0) process.exitCode = ExitCode.failed;
}

function hintOf(result: LoadResult, { counts, lastRefusal }: SpotFlow): string {
  if (counts.limited > 0) {
    return "rate limits were exceeded: use more --accounts, and start the venue with TRUSTED_PROXIES=127.0.0.1\n";
  }
  if (counts.refused > 0) return `last refusal: ${lastRefusal}\n`;
  return result.lost > 0 ? `${result.lost} connections were lost\n` : "";
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}
