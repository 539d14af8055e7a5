// `start`: opens the venue, waits until it answers, prints its address, and closes it on the first signal. A
// second Ctrl-C kills the process: everything acknowledged is durable either way.

import type { Server } from "node:http";
import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isRetryable } from "../../adapters/postgres/retryable.ts";
import {
  controlSocketPath,
  isAnswered,
  openControlSocket,
} from "../../adapters/runtime/control-socket.ts";
import { systemClock } from "../../adapters/runtime/system-clock.ts";
import type { Log } from "../../ports/log.ts";
import { type Config, readConfig } from "../config/config.ts";
import { dataFolderFault } from "../config/data-folder.ts";
import { createDemo, type Demo, fundInsurance } from "../demo/demo.ts";
import { keepDemoBooks, readDemoHouse } from "../demo/demo-house.ts";
import { type Companion, DevProcess, devFleet, referenceProvider } from "../demo/dev-process.ts";
import { FaultProxyCompanion } from "../demo/fault-proxy-companion.ts";
import { readForkFile } from "../fork/fork-file.ts";
import { withHistoryCalls } from "../history/history-calls.ts";
import { HistoryPlayer } from "../history/history-player.ts";
import { SteppedClient } from "../history/stepped-client.ts";
import type { FollowingVenue } from "../leadership/seat.ts";
import { StandByEnded } from "../leadership/stand-by.ts";
import { controlCalls } from "../operator/control-calls.ts";
import { Operator } from "../operator/operator.ts";
import { OperatorRefusal } from "../operator/operator-commands.ts";
import { runningSince } from "../program-version.ts";
import { Venue } from "../venue.ts";
import { complain, ExitCode, logOf, say, show, speaksJson } from "./terminal/output.ts";
import { ReplayProgress } from "./terminal/progress-bar.ts";
import { addressOf } from "./venue-address.ts";
import { getBody } from "./venue-answers.ts";
import { stateOf } from "./venue-state.ts";

/** A started venue that does not answer within this time is broken. */
const pingWaitMs = 20_000;
const pingPollMs = 10;
/** A SIGINT at least this long after the first one counts as a second Ctrl-C. */
const secondInterruptMs = 1_000;

/** Time in which the answer to a call leaves before the process ends. */
const answerMs = 50;

const demoFailedMessage =
  "the database failed while the demo was being created, so the demo is incomplete; the venue is open: " +
  "create an account and a key yourself, or start again with an empty DATA_DIR";

export interface StartOptions {
  /** True if the machine's clock is to be trusted, however far it is from the newest event. */
  readonly acceptClock?: boolean;
  /** True if market time, history and faults are to be played (REW-1). */
  readonly rewind?: boolean;
  /** The market's time at the start (REW-14). */
  readonly marketTime?: string;
  /** True if the market's time starts paused, and clients' commands are executed one at a time (REW-18). */
  readonly step?: boolean;
}

export async function start(
  environment: NodeJS.ProcessEnv,
  {
    acceptClock = false,
    rewind: isRewind = false,
    step: isStepped = false,
    ...times
  }: StartOptions = {},
): Promise<void> {
  const config = readConfig(environment, { isRewind, isStepped, ...times });
  const log = logOf(config, "main");
  if (await isAnswered(controlSocketPath(config.dataDir))) {
    throw new Error(`a venue is already running on ${config.dataDir}: stop it, or set DATA_DIR`);
  }
  const progress = new ReplayProgress({ log, clock: systemClock });
  const onReplay = (done: number, total: number) => progress.show(done, total);
  const ending = new AbortController();
  let control: Server | null = null;
  const onFollowing = (following: FollowingVenue) => {
    void followerSocket(config, following).then((server) => {
      control = server;
    });
    if (!speaksJson()) say("Another venue leads; this one follows and takes over when it ends.");
  };
  let companions: readonly Stoppable[] = [];
  let faults = null as FaultProxyCompanion | null;
  // The proxy loads while the venue starts. Its process ends with this one, also if the start fails.
  const onPort = (port: number) => {
    if (!config.isRewind) return;
    faults = faultProxyOf(config, addressOf(config.host, port), log);
    companions = [faults];
  };
  const opening = Venue.open(config, log, {
    onPort,
    onReplay,
    acceptsClock: acceptClock,
    signal: ending.signal,
    onFollowing,
  }).catch((error) => {
    throw startFault(error, config) ?? error;
  });
  const signals = closeOnSignals(async () => {
    ending.abort();
    // Wait for a venue that is still opening: abandoning it would leave its database running.
    const opened = await opening.catch((error: unknown) => {
      if (error instanceof StandByEnded) return null;
      throw error;
    });
    if (opened === null) return;
    control?.close();
    await Promise.all(companions.map((companion) => companion.stop()));
    await opened.close({ storesSnapshot: true });
  });
  const venue = await openedOrLeft(opening, signals, log);
  if (venue === null || signals.isClosing()) return;
  const deposed = (reason: string) => {
    log.error(
      { reason },
      "this venue no longer leads: it ends, and follows when it is started again",
    );
    void venue.abort().finally(() => process.exit(ExitCode.deposed));
  };
  void venue.lease?.lost.then(deposed);
  yieldWhenTold(venue, signals, log);
  venue.whenFaulted((fault) => {
    // Its fronts have been ended, and its sessions by the successor.
    if (venue.lease?.isHandedOver === true) return;
    if ("code" in fault && fault.code === "deposed") return deposed(fault.message);
    log.error({ err: fault }, "a thread ended: stopping the venue");
    void venue.abort().finally(() => process.exit(ExitCode.failed));
  });
  await closed(control);
  try {
    const operator = operatorOf(venue, log);
    const address = addressOf(config.host, venue.port);
    const handOver = () => handOverAndLeave(venue, signals);
    const told = venueCalls(venue, { address, runsProvider: config.devProvider, handOver, faults });
    const calls = controlCalls(operator, told, config.devTools);
    const allCalls = config.isRewind ? withHistoryCalls(historyOf(venue, config), calls) : calls;
    control = await openControlSocket(controlSocketPath(config.dataDir), allCalls);
    const demo = await demoOf({ venue, operator, config, address, log });
    await untilPing(address);
    const faultAddress = faults === null ? null : await faults.whenOpen();
    if (!signals.isClosing()) companions = [...companions, ...companionsOf(venue, config, log)];
    sayOpen({ venue, config, address, faultAddress, demo });
  } catch (error) {
    // If a signal has closed the venue, the close caused this error, and the close also ends the process.
    if (signals.isClosing()) return;
    await Promise.all(companions.map((companion) => companion.stop()));
    await venue.close();
    throw error;
  }
}

function operatorOf(venue: Venue, log: Log): Operator {
  const { clearing, table, keys, database, clock, marketClock } = venue;
  const settle = () => venue.settle();
  const times = { clock, marketClock };
  return new Operator({
    ...{ clearing, table, sql: database.sql, box: keys.box, ...times, log, settle },
  });
}

/** Lets the venue yield whenever its lease says so, once at a time. */
function yieldWhenTold(venue: Venue, signals: Signals, log: Log): void {
  let isYielding = false;
  venue.lease?.whenYielding(() => {
    if (isYielding) return;
    isYielding = true;
    void yieldLease(venue, signals, log).finally(() => {
      isYielding = false;
    });
  });
}

/** Hands over to a follower that is connected to the bus, which this venue is not. */
async function yieldLease(venue: Venue, signals: Signals, log: Log): Promise<void> {
  log.warn({}, "the bus is away here, and a follower has it: handing over");
  try {
    await handOverAndLeave(venue, signals);
  } catch (err) {
    log.warn({ err }, "the handover failed");
  }
}

/**
 * Hands over, and ends the process soon after, also if the handover fails on the way: requests are refused by then, and
 * nobody knows whether the lease names the follower. After an OperatorRefusal nothing has begun, and the venue goes on.
 */
async function handOverAndLeave(
  venue: Venue,
  signals: Signals,
): Promise<{ readonly tookMs: number }> {
  const leave = () => {
    if (!signals.isClosing()) void venue.abort().finally(() => process.exit(ExitCode.deposed));
  };
  try {
    const handed = await venue.handOver();
    void venue.stay().then(leave);
    return handed;
  } catch (error) {
    // Nobody may know a successor, so the lease is given up as soon as the answer has left.
    if (!(error instanceof OperatorRefusal)) setTimeout(leave, answerMs);
    throw error;
  }
}

/** Opens the control socket of a venue that follows: it tells its status and refuses everything else. */
function followerSocket({ dataDir }: Config, following: FollowingVenue): Promise<Server> {
  return openControlSocket(controlSocketPath(dataDir), async (call) => {
    if (call === "ping") return {};
    if (call === "status") return following.status();
    throw new Error("this venue follows another one: run the command where the leader runs");
  });
}

async function closed(server: Server | null): Promise<void> {
  if (server === null) return;
  const ended = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await ended;
}

/** Returns null if the process ends instead: it was stopped while it followed, or a new start is needed. */
async function openedOrLeft(
  opening: Promise<Venue>,
  signals: Signals,
  log: Log,
): Promise<Venue | null> {
  try {
    return await opening;
  } catch (error) {
    if (signals.isClosing() && error instanceof StandByEnded) return null;
    if (!(error instanceof StandByEnded)) throw error;
    log.error({ reason: error.message }, "this venue ends, and follows when it is started again");
    process.exit(ExitCode.deposed);
  }
}

interface OpenVenue {
  readonly venue: Venue;
  readonly config: Config;
  readonly address: string;
  /** Where faults happen to clients; null if the venue cannot be rewound, or its fault proxy does not answer. */
  readonly faultAddress: string | null;
  readonly demo: Demo | null;
}

function sayOpen({ venue, config, address, faultAddress, demo }: OpenVenue): void {
  const { serverVersion: postgresql, isEmbedded } = venue.database;
  if (speaksJson()) {
    const faults = config.isRewind ? { fault_address: faultAddress } : {};
    show({ address, ...faults, postgresql, journal_seq: venue.committedSeq, demo });
    return;
  }
  say(`Rialto is open at ${address}`);
  for (const [name, path] of pages) say(`  ${name.padEnd(14)} ${address}${path}`);
  if (config.isRewind)
    say(`  ${"with faults".padEnd(14)} ${faultAddress ?? "not open: see faults/faults.log"}`);
  const home = isEmbedded ? `embedded in ${config.dataDir}` : "external";
  say(`PostgreSQL ${postgresql} (${home}), journal at event ${venue.committedSeq}`);
  const fork = readForkFile(config.dataDir);
  if (fork !== null)
    say(
      `A fork of ${fork.parent.venue}, made after its event ${fork.seq}; its name is ${fork.venue}.`,
    );
  if (config.isRewind) {
    const { time, state } = venue.marketControl.show();
    say(`The market's time is ${time}, ${state}; \`rialto clock --help\` says how it is moved.`);
  }
  if (demo !== null) sayDemo(demo);
  if (config.devFleet)
    say("A small fleet of house accounts trades in every market (DEV_FLEET=0: no fleet).");
  if (!config.devProvider) return;
  say(
    "A reference liquidity provider starts quoting swaps in a few seconds. Try a swap in a second terminal:",
  );
  say(`  ${folderWords(config.dataDir)}npm run -s cli -- swap CC-USDC BUY 100`);
}

/** What a browser finds at a venue's address. */
const pages = [
  ["terminal", "/"],
  ["documentation", "/docs"],
  ["operations", "/ops"],
] as const;

/** What a command needs before it to find the venue of `dataDir`; nothing for the usual folder. */
function folderWords(dataDir: string): string {
  if (dataDir === resolve("data")) return "";
  const isPlain = /^[\w./-]+$/.test(dataDir);
  return `DATA_DIR=${isPlain ? dataDir : `'${dataDir.replaceAll("'", "'\\''")}'`} `;
}

interface Stoppable {
  stop(): Promise<void>;
}

/** Starts what a development venue runs beside itself. */
function companionsOf(venue: Venue, config: Config, log: Log): Stoppable[] {
  const [, program = ""] = process.argv;
  const { dataDir, ledger, devFleet: hasFleet } = config;
  const runs: Companion[] = [
    ...(config.devProvider ? [referenceProvider] : []),
    ...(config.devFleet ? [devFleet] : []),
  ];
  const isReady = () => ledger.profile === "none" || venue.ledger.isSettling;
  // On a venue for tests nobody quotes but those whom the test brings (REW-100).
  const hasBooks = config.devTools && !config.isRewind;
  const books = hasBooks ? [keepDemoBooks({ venue, dataDir, hasFleet, log })] : [];
  const made = runs.map((one) => new DevProcess({ runs: one, program, dataDir, isReady, log }));
  return [...books, ...made];
}

/** Starts the second address of a venue that can be rewound. */
function faultProxyOf(config: Config, venue: string, log: Log): FaultProxyCompanion {
  const { dataDir, host, faultPort: port } = config;
  return new FaultProxyCompanion({ dataDir, host, port, venue, log, addressOf });
}

interface CallParts {
  readonly address: string;
  readonly runsProvider: boolean;
  readonly handOver: () => Promise<{ readonly tookMs: number }>;
  /** Null for a venue that cannot be rewound. */
  readonly faults: FaultProxyCompanion | null;
}

function historyOf(venue: Venue, { dataDir, marketTime }: Config): HistoryPlayer {
  const { table, database } = venue;
  const demoHouse = () => readDemoHouse(dataDir);
  const clearing = marketTime.isStepped
    ? new SteppedClient(venue.clearing, () => venue.issuedSeq)
    : venue.clearing;
  return new HistoryPlayer({ clearing, table, sql: database.sql, demoHouse });
}

function venueCalls(venue: Venue, { address, runsProvider, handOver, faults }: CallParts) {
  return {
    status: async () => ({
      is_running: true,
      ...runningSince(),
      role: venue.lease === null ? "single" : "leader",
      ...(venue.lease !== null && { writer_epoch: Number(venue.lease.epoch) }),
      address,
      ...(faults !== null && { fault_address: await faults.address() }),
      runs_provider: runsProvider,
      committed_seq: venue.committedSeq,
      issued_seq: venue.issuedSeq,
      snapshot_seq: venue.snapshots.lastSeq,
      recovered_in_ms: venue.seed.tookMs,
      replayed_events: venue.seed.replayed,
      clock: venue.clock.isHeld() ? "held" : "trusted",
      pid: process.pid,
      ...(await stateOf(address)),
    }),
    snapshot: () => venue.snapshots.fold(),
    handOver,
    ledger: () => venue.ledger.status(),
    get settlement() {
      return venue.ledger.settlement;
    },
    masterKeys: venue.masterKeys,
    clockControl: () => venue.clockControl,
    marketControl: () => venue.marketControl,
    faults: () => {
      if (faults === null)
        throw new OperatorRefusal("faults need a venue started with 'rialto start --rewind'");
      return faults;
    },
  };
}

interface DemoParts extends Omit<OpenVenue, "demo" | "faultAddress"> {
  readonly operator: Operator;
  readonly log: Log;
}

/**
 * Creates the demo. Returns null without development tools, with --rewind (REW-100), and if the journal is not empty,
 * because a venue in use must not get demo accounts. Also returns null if the database fails or the venue refuses a step while the demo is
 * created: the venue already serves clients, and a missing demo must not stop it.
 */
async function demoOf({ venue, operator, config, address, log }: DemoParts): Promise<Demo | null> {
  if (!config.devTools || venue.seed.seq > 0) return null;
  try {
    if (config.isRewind) {
      await fundInsurance(operator);
      return null;
    }
    return await createDemo(venue, operator, {
      address,
      dataDir: config.dataDir,
      hasFleet: config.devFleet,
    });
  } catch (error) {
    if (!isRetryable(error) && !(error instanceof OperatorRefusal)) throw error;
    log.warn({ err: error }, demoFailedMessage);
    return null;
  }
}

function sayDemo({ account, apiKey, secret, line, fund }: Demo): void {
  say("");
  say(`The insurance fund holds ${fund} USDC from the faucet.`);
  say(`Demo account ${account} with an API key, shown only once:`);
  say(`  key     ${apiKey}`);
  say(`  secret  ${secret}`);
  say("Place an order that fills immediately:");
  say("");
  say(line);
  say("");
}

export async function untilPing(address: string): Promise<void> {
  const untilMs = performance.now() + pingWaitMs;
  while (performance.now() < untilMs) {
    if ((await getBody(`${address}/api/v3/ping`)) !== null) return;
    await sleep(pingPollMs);
  }
  throw new Error(`the venue does not answer at ${address}/api/v3/ping`);
}

/** A message for the common start faults of the listening address and the data folder; null for other faults. */
export function startFault(error: unknown, { host, port, dataDir }: Config): Error | null {
  if (!(error instanceof Error && "code" in error && "syscall" in error)) return null;
  if ("path" in error && String(error.path).startsWith(dataDir)) {
    return dataFolderFault(dataDir, error);
  }
  if (error.syscall !== "listen" && error.syscall !== "getaddrinfo") return null;
  const message: Record<string, string> = {
    EADDRINUSE: `another program is listening on ${host}:${port}: stop it, or set PORT to a free port`,
    EACCES: `this user has no right to listen on ${host}:${port}: set PORT to a port above 1023`,
    EADDRNOTAVAIL: `${host} is not an address of this machine: set HOST to one of its addresses`,
    ENOTFOUND: `cannot resolve the host name ${host}: set HOST to an address of this machine`,
  };
  return new Error(message[String(error.code)] ?? `${host}:${port}: ${error.message}`);
}

export interface Signals {
  isClosing(): boolean;
}

/**
 * The first SIGINT, SIGTERM or SIGHUP (a closed terminal) closes the venue. Only a second SIGINT, some time after
 * the first, kills the process: under make or npm one Ctrl-C reaches the venue more than once, and service
 * managers repeat SIGTERM.
 */
export function closeOnSignals(close: () => Promise<void>): Signals {
  let isClosing = false;
  let interruptedMs = Number.POSITIVE_INFINITY;
  const stop = () => {
    if (isClosing) return;
    isClosing = true;
    // Print the message one turn later, when requests are already being refused.
    setImmediate(() => {
      if (speaksJson()) return;
      say("\nStopping: finishing what was accepted. Press Ctrl-C again to end at once.");
    });
    close().then(
      () => process.exit(ExitCode.done),
      (error) => {
        complain(`The venue did not stop cleanly: ${error}`);
        process.exit(ExitCode.failed);
      },
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGHUP", stop);
  process.on("SIGINT", () => {
    const nowMs = performance.now();
    // Kill the process, because exit() would wait for the threads.
    if (nowMs - interruptedMs >= secondInterruptMs) process.kill(process.pid, "SIGKILL");
    interruptedMs = Math.min(interruptedMs, nowMs);
    stop();
  });
  return { isClosing: () => isClosing };
}
