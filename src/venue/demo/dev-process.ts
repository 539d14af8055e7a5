// A companion of a venue: a separate process, started once the venue is ready for it and restarted when it dies. It ends
// with the venue, because their IPC channel closes. A development venue has two, both commands of `rialto`: the reference
// liquidity provider, and a small fleet that keeps books, tape and charts alive. The fleet is an ordinary client of the
// public API; its rate, its accounts and what they hold are bounded by the command. A venue that can be rewound has its
// fault proxy.
//
//   waiting ──venue ready──▶ running ──stop──▶ ended
//                                 ▲  │ dies
//                                 └──┘ after a pause

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../../ports/log.ts";

const lookMs = 200;
const pauseMsMin = 1_000;
const pauseMsMax = 60_000;
/** Longer than the 15 s in which the fleet waits until its quotes are cancelled: a killed fleet would leave quotes. */
const stopMsMax = 20_000;
const ownerOnly = 0o600;

/** What a companion runs. */
export interface Companion {
  /** The log's lines about it, which guides quote. */
  readonly exited: string;
  readonly notStarted: string;
  /** The folder of its files and its log, below the data folder. */
  readonly folder: string;
  /** Arguments of its program, for a companion with this folder and data folder. */
  args(folder: string, dataDir: string): readonly string[];
}

export const referenceProvider: Companion = {
  exited: "the reference provider exited and is being restarted",
  notStarted: "the reference provider could not be started; retrying",
  folder: "provider",
  args: (folder, dataDir) => [
    ...["provider", "--approve", "--name", "reference", "--port", "0"],
    ...["--folder", folder, "--data-dir", dataDir],
  ],
};

/**
 * Orders per second of the fleet, over all markets. A tenth of them trade, so that each market has a trade every few
 * seconds.
 */
const fleetRate = 30;

export const devFleet: Companion = {
  exited: "the fleet exited and is being restarted",
  notStarted: "the fleet could not be started; retrying",
  folder: "fleet",
  // With --json the command prints nothing until its end, so that its log stays short.
  args: (_, dataDir) => ["fleet", "--rate", `${fleetRate}`, "--data-dir", dataDir, "--json"],
};

export interface DevProcessOptions {
  readonly runs: Companion;
  /** The file of the program that it is a command of: usually the command line `rialto`. */
  readonly program: string;
  readonly dataDir: string;
  /** Whether the venue has reached the ledger, without which neither companion can work. */
  readonly isReady: () => boolean;
  readonly log: Log;
}

export class DevProcess {
  readonly #options: DevProcessOptions;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #child: ChildProcess | null = null;

  constructor(options: DevProcessOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Stops the companion. Idempotent. */
  async stop(): Promise<void> {
    this.#stop.abort();
    const child = this.#child;
    child?.kill("SIGTERM");
    const late = setTimeout(() => child?.kill("SIGKILL"), stopMsMax);
    await this.#running;
    clearTimeout(late);
  }

  async #run(): Promise<void> {
    const { isReady, log, runs } = this.#options;
    const { signal } = this.#stop;
    const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined);
    while (!signal.aborted && !isReady()) await pause(lookMs);
    for (let pauseMs = pauseMsMin; !signal.aborted; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
      try {
        const code = await this.#once();
        if (signal.aborted) return;
        log.warn({ code }, runs.exited);
      } catch (err) {
        // A start that fails, for example because of a read-only disk or a lack of memory, must not stop the venue.
        log.warn({ err }, runs.notStarted);
      }
      await pause(pauseMs);
    }
  }

  /** Starts the companion's process and returns its exit code once it has exited. */
  async #once(): Promise<number | null> {
    const { program, dataDir, runs } = this.#options;
    const folder = join(dataDir, runs.folder);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const descriptor = openSync(join(folder, `${runs.folder}.log`), "a", ownerOnly);
    const args = runs.args(folder, dataDir);
    // The child gets its own session, so that Ctrl-C at the terminal reaches only the venue, which then stops the
    // companion.
    try {
      this.#child = spawn(process.execPath, [...process.execArgv, program, ...args], {
        detached: true,
        stdio: ["ignore", descriptor, descriptor, "ipc"],
      });
    } finally {
      closeSync(descriptor);
    }
    const [code] = (await once(this.#child, "exit")) as [number | null];
    return code;
  }
}
