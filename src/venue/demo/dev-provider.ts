// The reference liquidity provider of a development venue: `rialto provider` in a separate process, started once
// the ledger is reached and restarted when it dies. It ends with the venue, because their IPC channel closes.
//
//   waiting ──ledger reached──▶ running ──stop──▶ ended
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
const stopMsMax = 2_000;
const ownerOnly = 0o600;

export interface DevProviderOptions {
  /** The program file of the command line `rialto`. */
  readonly program: string;
  readonly dataDir: string;
  /** Whether the venue has reached the ledger, which hosts the provider's wallet. */
  readonly isReady: () => boolean;
  readonly log: Log;
}

export class DevProvider {
  readonly #options: DevProviderOptions;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #child: ChildProcess | null = null;

  constructor(options: DevProviderOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Stops the provider. Idempotent. */
  async stop(): Promise<void> {
    this.#stop.abort();
    const child = this.#child;
    child?.kill("SIGTERM");
    const late = setTimeout(() => child?.kill("SIGKILL"), stopMsMax);
    await this.#running;
    clearTimeout(late);
  }

  async #run(): Promise<void> {
    const { isReady, log } = this.#options;
    const { signal } = this.#stop;
    const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined);
    while (!signal.aborted && !isReady()) await pause(lookMs);
    for (let pauseMs = pauseMsMin; !signal.aborted; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
      try {
        const code = await this.#once();
        if (signal.aborted) return;
        log.warn({ code }, "the reference provider exited and is being restarted");
      } catch (err) {
        // A start that fails, for example because of a read-only disk or a lack of memory, must not stop the venue.
        log.warn({ err }, "the reference provider could not be started; retrying");
      }
      await pause(pauseMs);
    }
  }

  /** Starts the provider's process and returns its exit code once it has exited. */
  async #once(): Promise<number | null> {
    const { program, dataDir } = this.#options;
    const folder = join(dataDir, "provider");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const descriptor = openSync(join(folder, "provider.log"), "a", ownerOnly);
    const args = ["provider", "--approve", "--name", "reference", "--port", "0"];
    const places = ["--folder", folder, "--data-dir", dataDir];
    // The child gets its own session, so that Ctrl-C at the terminal reaches only the venue, which then stops the
    // provider.
    try {
      this.#child = spawn(process.execPath, [...process.execArgv, program, ...args, ...places], {
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
