// `rialto fleet`: runs the operator's own makers and takers through the public API of a running venue. Ends on Ctrl-C
// or after `--for`, and then cancels the makers' quotes.

import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Command, Option } from "commander";
import { controlSocketPath, isAnswered } from "../../../adapters/runtime/control-socket.ts";
import { Fleet } from "../../../tools/fleet/fleet.ts";
import { FleetDisplay, renderFleetSummary } from "../../../tools/fleet/fleet-display.ts";
import { type FleetKeys, fleetKeys } from "../../../tools/fleet/fleet-keys.ts";
import { type FleetMarket, readFleetMarkets } from "../../../tools/fleet/fleet-market.ts";
import { FleetMember, ordersPerMember } from "../../../tools/fleet/fleet-member.ts";
import { FleetWatch } from "../../../tools/fleet/fleet-watch.ts";
import { ExcitedArrivals } from "../../../tools/load/arrivals.ts";
import { SeededRandom } from "../../../tools/load/seeded-random.ts";
import { type LoadKey, virtualAddress } from "../../../tools/load/signed-requests.ts";
import { ExitCode, say, show, speaksJson } from "../terminal/output.ts";
import { ProgressBar } from "../terminal/progress-bar.ts";
import { dataDirDefault, venueAddress } from "../venue-address.ts";
import { integer, parseList, parseUrl } from "./arguments.ts";

interface FleetCommandOptions {
  readonly url?: URL;
  readonly rate: number;
  readonly for?: number;
  readonly markets: readonly string[];
  readonly seed: number;
  readonly dataDir: string;
}

const rateMax = 10_000;
/** A month. A longer run should be a service that a supervisor restarts. */
const secondsMax = 30 * 86_400;
/** Minimum number of makers per market: two, so that more than one account quotes each market. */
const makersPerMarketMin = 2;
const takersMin = 2;
/** Share of takers among the fleet's members. */
const takerShare = 0.12;
/** Requests per order: the fleet's members also send queries, cancels, and requests that arrive too late. */
const requestsPerOrder = 1.25;
const connectionsMax = 256;
/** Longest wait until the last quotes are cancelled. */
const quietMsMax = 15_000;

const examples = `
Examples:
  $ rialto fleet                                    100 orders per second over all markets, until Ctrl-C
  $ rialto fleet --rate 2000 --for 600
  $ rialto fleet --markets CC-USDC,BTCUSDT --rate 50

Makers keep ladders of quotes around a reference price; takers trade against them in bursts. Each has its own
house account and API key, stored in fleet.json of --data-dir, and sends from a virtual address. Above
300 orders per second, start the venue with TRUSTED_PROXIES=127.0.0.1, so that each address has its own
rate limit. The fleet cancels its quotes while GET /v1/traffic/mm does not answer "ok". Its takers stop
trading spot when the daily limit of house fills that settle on the ledger is used up.
The exit code is 1 if the venue refused a request that should have been accepted.
`;

export function fleetCommand(): Command {
  return new Command("fleet")
    .description(
      "make markets with house accounts: makers quote every market, takers trade against them",
    )
    .option("--url <url>", "the venue's URL (default: the running venue's)", parseUrl)
    .option("--rate <n>", "orders per second", integer(1, rateMax), 100)
    .option("--for <seconds>", "how long to run (default: until Ctrl-C)", integer(1, secondsMax))
    .addOption(
      new Option("--markets <list>", "markets, separated by commas")
        .argParser(parseList)
        .default([], "all"),
    )
    .option(
      "--seed <n>",
      "random seed; the same seed makes the same decisions",
      integer(0, 2 ** 31 - 1),
      1,
    )
    .option("--data-dir <path>", "the venue's DATA_DIR", dataDirDefault)
    .addHelpText("after", examples)
    .action(run);
}

async function run(options: FleetCommandOptions): Promise<void> {
  const { rate, seed } = options;
  const dataDir = resolve(options.dataDir);
  if (!(await isAnswered(controlSocketPath(dataDir)))) {
    const hint = "start one, or pass its folder with --data-dir";
    throw new Error(`no venue is running on ${dataDir}: ${hint}`);
  }
  const url = options.url ?? new URL(await venueAddress(undefined, dataDir));
  const markets = await readFleetMarkets(url.origin, options.markets);
  const keys = await keysOf(dataDir, rate, markets);
  const random = new SeededRandom(seed);
  const members = membersOf(keys, url.host);
  const fleet = new Fleet({ ...members, markets, random, nowMs: () => performance.now() });
  const watch = new FleetWatch(url.origin, fleet);
  if (!speaksJson()) say(`${markets.map(({ symbol }) => symbol).join(", ")} at ${url.origin}`);
  const elapsedMs = await trade({ ...options, url }, fleet, watch);
  const { outcomes, orders, trades, cancels, unmeant, lastRefusal } = fleet.figures;
  if (speaksJson()) {
    const gained = fleet.gains();
    show({ elapsedMs, orders, trades, cancels, outcomes, gained, lastRefusal });
  } else process.stdout.write(renderFleetSummary(fleet, watch, elapsedMs / 1000));
  if (unmeant > 0) process.exitCode = ExitCode.failed;
}

/** Trades until the end, cancels all quotes, and returns how long it traded in ms. */
async function trade(
  { url, rate, seed, for: seconds }: FleetCommandOptions & { readonly url: URL },
  fleet: Fleet,
  watch: FleetWatch,
): Promise<number> {
  // Imported only here, because loading its histograms would slow down every other command.
  const { runLoad } = await import("../../../tools/load/load-run.ts");
  const isTerminal = process.stdout.isTTY;
  const write = (text: string) => void process.stdout.write(text);
  const display = new FleetDisplay({ fleet, watch, isTerminal, write });
  const ending = new AbortController();
  const over = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => ending.abort());
  // A fleet started by a venue ends with the venue, even if the venue is killed.
  const end = () => ending.abort();
  process.once("disconnect", end);
  await watch.start();
  const startedMs = performance.now();
  const load = runLoad(fleet, {
    endpoint: { host: url.hostname, port: Number(url.port || "80") },
    connections: Math.min(connectionsMax, 8 + Math.ceil(rate / 8)),
    arrivals: new ExcitedArrivals(rate * requestsPerOrder, new SeededRandom(seed)),
    // A member's decision is soon out of date, so requests that cannot be sent within a second are dropped.
    waitingMax: rate,
    warmUpMs: 0,
    durationMs: Number.POSITIVE_INFINITY,
    signal: over.signal,
    onSecond: (second) => {
      if (!speaksJson()) display.second(second);
    },
  });
  await waitFor(seconds === undefined ? Number.POSITIVE_INFINITY : seconds * 1000, ending.signal);
  const elapsedMs = performance.now() - startedMs;
  watch.stop();
  fleet.hold();
  const untilMs = performance.now() + quietMsMax;
  while (!fleet.isQuiet && performance.now() < untilMs) await sleep(20);
  over.abort();
  await load;
  // As long as somebody listens for its end, the channel to the venue keeps this process running.
  process.off("disconnect", end);
  if (!fleet.isQuiet) throw new Error("the venue did not confirm that every quote was cancelled");
  return elapsedMs;
}

/** Waits in steps of at most a day, because a timer cannot run for more than about 24 days. */
async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  const untilMs = performance.now() + ms;
  while (!signal.aborted && performance.now() < untilMs) {
    const leftMs = Math.min(untilMs - performance.now(), 86_400_000);
    await sleep(leftMs, undefined, { signal }).catch(() => undefined);
  }
}

async function keysOf(
  dataDir: string,
  rate: number,
  markets: readonly FleetMarket[],
): Promise<FleetKeys> {
  const members = Math.ceil(rate / ordersPerMember);
  const taker = Math.max(takersMin, Math.ceil(members * takerShare));
  const mm = Math.max(makersPerMarketMin * markets.length, members - taker);
  const bar = new ProgressBar("house accounts");
  const keys = await fleetKeys(dataDir, { mm, taker }, (ready, all) => bar.show(ready, all));
  bar.end();
  return keys;
}

function membersOf({ mm, taker }: FleetKeys, host: string) {
  const memberOf = (from: number) => (key: LoadKey, index: number) =>
    new FleetMember(key, host, virtualAddress(from + index));
  return { makers: mm.map(memberOf(0)), takers: taker.map(memberOf(mm.length)) };
}
