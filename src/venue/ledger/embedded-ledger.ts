// The embedded development ledger: started as a separate process, adopted again after the venue was killed, restarted
// when it dies, and stopped with the venue.
//
//   none ──spawn──▶ opening ──ready file──▶ open ──stop──▶ none
//                      ▲                     │ dies
//                      └──────── pause ◀─────┘
//
// A pid is never trusted alone. A process is adopted only if it answers at its recorded endpoint with this folder's
// secret, and signalled only if it was started for this folder.

import { execFile, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { mintToken } from "../../adapters/ledger/access-token.ts";
import { isAlive } from "../../adapters/process-life.ts";
import { alignedInterval } from "../../adapters/runtime/aligned-interval.ts";
import { monotonicMs } from "../../adapters/runtime/system-clock.ts";
import { adminUser } from "../../devnet/devnet-ledger.ts";
import type { DevnetEndpoint, DevnetProcessSettings } from "../../devnet/devnet-process.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import { devnetLedgerEntry } from "../entry-points.ts";
import type { LedgerSecrets } from "./ledger-secrets.ts";

const run = promisify(execFile);
const entryPoint = fileURLToPath(devnetLedgerEntry);

const readyMsMax = 60_000;
const stopMsMax = 10_000;
const pollMs = 20;
const lookMs = 200;
const pauseMsMax = 5_000;
const tokenMs = 60_000;
const ownerOnly = 0o600;

export type LedgerSettings = Omit<DevnetProcessSettings, "readyFile" | "secret">;

export interface EmbeddedLedgerOptions {
  /** The ledger's folder within the data folder; it exists. */
  readonly folder: string;
  /**
   * The venue's data folder: the ledger ends by itself once no process holds the lock of this folder. null for a ledger
   * that ends only when it is stopped.
   */
  readonly venueFolder: string | null;
  readonly secrets: LedgerSecrets;
  readonly settings: LedgerSettings;
  /** The venue's clock. A ledger starts with the time of this clock. */
  readonly clock: Clock;
  readonly log: Log;
  /** Called each time the ledger has restarted at another endpoint. */
  readonly onMove?: () => void;
}

export class EmbeddedLedger {
  readonly #options: EmbeddedLedgerOptions;
  readonly #readyFile: string;
  readonly #settingsFile: string;
  #endpoint: DevnetEndpoint | null = null;
  #stopWatch: () => void = () => undefined;
  #isStopping = false;
  #restarting: Promise<void> | null = null;

  private constructor(options: EmbeddedLedgerOptions) {
    this.#options = options;
    this.#readyFile = join(options.folder, "place.json");
    this.#settingsFile = join(options.folder, "settings.json");
  }

  /** Adopts a running ledger with the same settings, otherwise starts one; resolves when it answers. */
  static async start(options: EmbeddedLedgerOptions): Promise<EmbeddedLedger> {
    const ledger = new EmbeddedLedger(options);
    await ledger.#open();
    return ledger;
  }

  /** The ledger's endpoint, which can change with each restart. */
  get endpoint(): DevnetEndpoint {
    if (this.#endpoint === null) throw new Error("the embedded ledger is not open");
    return this.#endpoint;
  }

  /** Stops the ledger and stops watching it. Idempotent. */
  async stop(): Promise<void> {
    this.leave();
    await this.#restarting?.catch(() => undefined);
    if (this.#endpoint !== null) await this.#end(this.#endpoint.pid, "SIGTERM");
    this.#endpoint = null;
  }

  /** Makes the ledger adopt the machine's clock. */
  acceptClock(): void {
    const { pid } = this.endpoint;
    void this.#isOurs(pid).then((isOurs) => {
      if (isOurs) tell(pid, "SIGHUP");
    });
  }

  /** Leaves the ledger running and stops watching it. */
  leave(): void {
    this.#isStopping = true;
    this.#stopWatch();
  }

  async #open(): Promise<void> {
    const { folder, log } = this.#options;
    const text = await this.#settingsText();
    const found = await this.#found();
    if (found !== null && (await readFile(this.#settingsFile, "utf8").catch(() => "")) === text) {
      log.info({ pid: found.pid }, "adopted the running development ledger");
      this.#endpoint = found;
    } else {
      if (found !== null) await this.#end(found.pid, "SIGTERM");
      await writeFile(this.#settingsFile, text, { mode: ownerOnly });
      this.#endpoint = await this.#spawn(join(folder, "ledger.log"));
    }
    this.#watchFor(this.#endpoint.pid);
  }

  /**
   * The settings as text, with which the settings of a running ledger are compared. Includes the program's build time,
   * so that a ledger of an older program is not adopted.
   */
  async #settingsText(): Promise<string> {
    const { settings, secrets } = this.#options;
    const program = (await stat(entryPoint)).mtimeMs;
    const readyFile = this.#readyFile;
    return JSON.stringify({ ...settings, secret: secrets.api, readyFile, program });
  }

  /**
   * Returns the endpoint of a running ledger of this folder that answers, or null. Kills a ledger that does not answer.
   */
  async #found(): Promise<DevnetEndpoint | null> {
    const endpoint = await this.#written();
    if (endpoint === null || !(await this.#isOurs(endpoint.pid))) return null;
    if (await this.#answers(endpoint)) return endpoint;
    await this.#end(endpoint.pid, "SIGKILL");
    return null;
  }

  async #written(): Promise<DevnetEndpoint | null> {
    try {
      return JSON.parse(await readFile(this.#readyFile, "utf8")) as DevnetEndpoint;
    } catch {
      return null;
    }
  }

  async #answers({ url }: DevnetEndpoint): Promise<boolean> {
    const token = mintToken(
      this.#options.secrets.api,
      adminUser,
      this.#options.clock.nowMs() + tokenMs,
    );
    const headers = { authorization: `Bearer ${token}` };
    const signal = AbortSignal.timeout(stopMsMax);
    return fetch(`${url}/v2/state/ledger-end`, { headers, signal }).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  async #spawn(logFile: string): Promise<DevnetEndpoint> {
    const descriptor = openSync(logFile, "a", ownerOnly);
    // The ledger gets its own session, so that Ctrl-C at the terminal reaches only the venue.
    const { venueFolder, clock } = this.#options;
    // All processes of a machine share the monotonic clock, so the offset of the venue's time from that clock is enough
    // to give the ledger the venue's time.
    const offset = String(clock.nowMs() - monotonicMs());
    const folder = venueFolder === null ? [] : [venueFolder];
    const args = [entryPoint, this.#settingsFile, offset, ...folder];
    const child = spawn(process.execPath, args, {
      detached: true,
      stdio: ["ignore", descriptor, descriptor],
    });
    closeSync(descriptor);
    child.unref();
    let why = `see ${logFile}`;
    // The process could not be created, for example for lack of memory.
    child.on("error", ({ message }) => {
      why = message;
    });
    const deadline = performance.now() + readyMsMax;
    while (performance.now() < deadline && child.exitCode === null && child.signalCode === null) {
      const endpoint = await this.#written();
      if (endpoint !== null && endpoint.pid === child.pid) return endpoint;
      await sleep(pollMs);
    }
    child.kill("SIGKILL");
    throw new Error(`the embedded ledger did not start: ${why}`);
  }

  #watchFor(pid: number): void {
    if (this.#isStopping) return;
    this.#stopWatch = alignedInterval(() => {
      if (isAlive(pid) || this.#isStopping) return;
      this.#stopWatch();
      this.#restarting = this.#restart();
    }, lookMs);
  }

  /** Retries until the ledger runs: its database may be unavailable too. */
  async #restart(): Promise<void> {
    const { log, onMove } = this.#options;
    const { url, adminUrl } = this.endpoint;
    log.warn({}, "the development ledger died and is being restarted");
    for (let pauseMs = lookMs; !this.#isStopping; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
      try {
        await this.#open();
        const { endpoint } = this;
        log.info({ url: endpoint.url }, "the development ledger is back");
        if (endpoint.url !== url || endpoint.adminUrl !== adminUrl) onMove?.();
        return;
      } catch (error) {
        log.warn({ err: error }, "the development ledger could not be restarted");
        await sleep(pauseMs);
      }
    }
  }

  async #end(pid: number, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    if (!(await this.#isOurs(pid))) return;
    tell(pid, signal);
    const deadline = performance.now() + stopMsMax;
    while (await this.#isOurs(pid)) {
      if (performance.now() > deadline) tell(pid, "SIGKILL");
      await sleep(pollMs);
    }
  }

  /** Whether `pid` is a ledger started with this folder's settings. */
  async #isOurs(pid: number): Promise<boolean> {
    if (!isAlive(pid)) return false;
    if (process.platform === "linux") {
      const args = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
      return args.split("\0").includes(this.#settingsFile);
    }
    const { stdout } = await run("ps", ["-o", "args=", "-p", String(pid)]).catch(() => ({
      stdout: "",
    }));
    return stdout.includes(this.#settingsFile);
  }
}

function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (isAlive(pid)) throw error;
  }
}
