// `start`: opens the venue, waits until it answers, tells where, and closes it on the first signal.
// A second Ctrl-C ends the process at once: what was acknowledged is durable either way.

import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { isRetryable } from "../../adapters/postgres/retryable.ts";
import {
  controlSocketPath,
  isAnswered,
  openControlSocket,
} from "../../adapters/runtime/control-socket.ts";
import { systemClock } from "../../adapters/runtime/system-clock.ts";
import { createLog } from "../../adapters/telemetry/log.ts";
import type { Log } from "../../ports/log.ts";
import { type Config, readConfig } from "../config/config.ts";
import { dataFolderFault } from "../config/data-folder.ts";
import { createDemo, type Demo } from "../demo/demo.ts";
import { DevProvider } from "../demo/dev-provider.ts";
import { controlCalls } from "../operator/control-calls.ts";
import { Operator } from "../operator/operator.ts";
import { OperatorRefusal } from "../operator/operator-commands.ts";
import { Venue } from "../venue.ts";
import { complain, ExitCode, say, show, speaksJson } from "./terminal/output.ts";
import { ReplayProgress } from "./terminal/progress-bar.ts";
import { addressOf } from "./venue-address.ts";

/** A venue that has started but does not answer within this long is broken. */
const pingWaitMs = 20_000;
const pingPollMs = 10;
/** A SIGINT this long after the first one was meant as a second. */
const secondInterruptMs = 1_000;

const demoFailedMessage =
  "the demo is not complete, because the database failed while it was made; the venue is open: " +
  "make an account and a key yourself, or begin again with an empty DATA_DIR";

export interface StartOptions {
  /** The machine's clock is right, however far it is from the newest event. */
  readonly acceptClock?: boolean;
}

export async function start(
  environment: NodeJS.ProcessEnv,
  { acceptClock = false }: StartOptions = {},
): Promise<void> {
  const config = readConfig(environment);
  const log = createLog(config.logLevel, "main");
  if (await isAnswered(controlSocketPath(config.dataDir))) {
    throw new Error(`a venue runs on ${config.dataDir} already: stop it, or set DATA_DIR`);
  }
  const progress = new ReplayProgress({ log, clock: systemClock });
  const onReplay = (done: number, total: number) => progress.show(done, total);
  const opening = Venue.open(config, log, { onReplay, acceptsClock: acceptClock }).catch(
    (error) => {
      throw startFault(error, config) ?? error;
    },
  );
  let control: Server | null = null;
  let provider: DevProvider | null = null;
  const signals = closeOnSignals(async () => {
    // Also while it opens: a venue that is let go half open would leave its database behind.
    const opened = await opening;
    control?.close();
    await provider?.stop();
    await opened.close({ storesSnapshot: true });
  });
  const venue = await opening;
  if (signals.isClosing()) return;
  venue.whenFaulted((fault) => {
    log.error({ err: fault }, "a thread ended; the venue stops");
    void venue.abort().finally(() => process.exit(ExitCode.failed));
  });
  try {
    const { clearing, table, keys, database, clock } = venue;
    const settle = () => venue.settle();
    const operator = new Operator({
      clearing,
      table,
      sql: database.sql,
      box: keys.box,
      clock,
      settle,
    });
    const address = addressOf(config.host, venue.port);
    const told = venueCalls(venue, address, config.devProvider);
    const calls = controlCalls(operator, told, config.devTools);
    control = await openControlSocket(controlSocketPath(config.dataDir), calls);
    const demo = await demoOf({ venue, operator, config, address, log });
    await untilPing(address);
    if (config.devProvider && !signals.isClosing()) provider = devProviderOf(venue, config, log);
    sayOpen({ venue, config, address, demo, runsProvider: provider !== null });
  } catch (error) {
    // What failed was interrupted by the close then, which ends the process.
    if (signals.isClosing()) return;
    await venue.close();
    throw error;
  }
}

interface OpenVenue {
  readonly venue: Venue;
  readonly config: Config;
  readonly address: string;
  readonly demo: Demo | null;
  readonly runsProvider: boolean;
}

function sayOpen({ venue, config, address, demo, runsProvider }: OpenVenue): void {
  const { serverVersion: postgresql, isEmbedded } = venue.database;
  if (speaksJson()) {
    show({ address, postgresql, journal_seq: venue.committedSeq, demo });
    return;
  }
  say(`Rialto is open at ${address}`);
  const home = isEmbedded ? `embedded in ${config.dataDir}` : "your own";
  say(`PostgreSQL ${postgresql} (${home}), journal at seq ${venue.committedSeq}`);
  if (demo !== null) sayDemo(demo);
  if (!runsProvider) return;
  say("A reference provider quotes swaps, in a few seconds. Try one, in a second terminal:");
  say("  npm run -s cli -- swap CC-USDC BUY 100");
}

function devProviderOf(venue: Venue, { dataDir }: Config, log: Log): DevProvider {
  const [, program = ""] = process.argv;
  return new DevProvider({ program, dataDir, isReady: () => venue.ledger.isSettling, log });
}

function venueCalls(venue: Venue, address: string, runsProvider: boolean) {
  return {
    status: async () => ({
      is_running: true,
      address,
      runs_provider: runsProvider,
      committed_seq: venue.committedSeq,
      issued_seq: venue.issuedSeq,
      snapshot_seq: venue.snapshots.lastSeq,
      recovered_in_ms: venue.seed.tookMs,
      replayed_events: venue.seed.replayed,
      clock: venue.clock.isHeld() ? "held" : "trusted",
      pid: process.pid,
    }),
    snapshot: () => venue.snapshots.fold(),
    ledger: () => venue.ledger.status(),
    get settlement() {
      return venue.ledger.settlement;
    },
    masterKeys: venue.masterKeys,
    clockControl: () => venue.clockControl,
  };
}

interface DemoParts extends Omit<OpenVenue, "demo" | "runsProvider"> {
  readonly operator: Operator;
  readonly log: Log;
}

/**
 * Only where nothing has happened yet: a venue that is somebody's is not given strangers. Null also where the
 * database failed meanwhile: the venue serves already, and a demo is no reason to end it.
 */
async function demoOf({ venue, operator, config, address, log }: DemoParts): Promise<Demo | null> {
  if (!config.devTools || venue.seed.seq > 0) return null;
  try {
    return await createDemo(venue, operator, address);
  } catch (error) {
    if (!isRetryable(error) && !(error instanceof OperatorRefusal)) throw error;
    log.warn({ err: error }, demoFailedMessage);
    return null;
  }
}

function sayDemo({ account, apiKey, secret, line, fund }: Demo): void {
  say("");
  say(`The insurance fund has ${fund} USDC from the faucet.`);
  say(`Demo account ${account}. Its key is shown this once:`);
  say(`  key     ${apiKey}`);
  say(`  secret  ${secret}`);
  say("Place an order that trades at once:");
  say("");
  say(line);
  say("");
}

async function untilPing(address: string): Promise<void> {
  const untilMs = performance.now() + pingWaitMs;
  while (performance.now() < untilMs) {
    const isUp = await fetch(`${address}/api/v3/ping`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await sleep(pingPollMs);
  }
  throw new Error(`nothing answers at ${address}/api/v3/ping`);
}

/** The commonest reasons why a venue does not start, in words; null if it is neither door nor folder. */
function startFault(error: unknown, { host, port, dataDir }: Config): Error | null {
  if (!(error instanceof Error && "code" in error && "syscall" in error)) return null;
  if ("path" in error && String(error.path).startsWith(dataDir)) {
    return dataFolderFault(dataDir, error);
  }
  if (error.syscall !== "listen" && error.syscall !== "getaddrinfo") return null;
  const message: Record<string, string> = {
    EADDRINUSE: `another program listens on ${host}:${port}: end it, or set PORT to a free one`,
    EACCES: `this user may not listen on ${host}:${port}: set PORT to one above 1023`,
    EADDRNOTAVAIL: `${host} is no address of this machine: set HOST to one that is`,
    ENOTFOUND: `the name ${host} is not known: set HOST to an address of this machine`,
  };
  return new Error(message[String(error.code)] ?? `${host}:${port}: ${error.message}`);
}

interface Signals {
  isClosing(): boolean;
}

/**
 * The first SIGINT or SIGTERM closes, and so does SIGHUP, which a terminal sends that closes. Only a second SIGINT, some time after the first, ends the process at
 * once: one Ctrl-C, or one signal to a whole group, reaches a venue under make or npm more than once, and
 * service managers repeat SIGTERM.
 */
function closeOnSignals(close: () => Promise<void>): Signals {
  let isClosing = false;
  let interruptedMs = Number.POSITIVE_INFINITY;
  const stop = () => {
    if (isClosing) return;
    isClosing = true;
    // Said when requests are refused already.
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
    // Not exit(): it would wait for threads, and this signal asks for the opposite.
    if (nowMs - interruptedMs >= secondInterruptMs) process.kill(process.pid, "SIGKILL");
    interruptedMs = Math.min(interruptedMs, nowMs);
    stop();
  });
  return { isClosing: () => isClosing };
}
