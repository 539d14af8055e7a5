// A venue process for campaigns that kill it: started by its command line in its own folder, with an operator, a
// database and a development ledger. Ledger and database outlive the process.

import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { VenueProcess } from "../../../bench/venue/venue-process.ts";
import {
  openPostgres,
  type PostgresConnectionOptions,
  type Sql,
} from "../../../src/adapters/postgres/connection.ts";
import { isAlive } from "../../../src/adapters/process-life.ts";
import { callControl, controlSocketPath } from "../../../src/adapters/runtime/control-socket.ts";
import { DevnetControl } from "../ledger/devnet.ts";
import { endRemains } from "./venue-remains.ts";

const patienceMs = 240_000;

/** Retries `step` until it succeeds and returns the result; after a timeout throws the last error. */
export async function untilDone<T>(what: string, step: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    try {
      return await step();
    } catch (error) {
      if (Date.now() > deadline)
        throw new Error(`This did not happen in time: ${what}`, { cause: error });
    }
    await sleep(20);
  }
}

export interface LedgerProcess {
  readonly pid: number;
  readonly url: string;
  readonly adminUrl: string;
  readonly operator: string;
  readonly custody: string;
}

export class CampaignVenue {
  readonly #dataDir: string;
  readonly #settings: Readonly<Record<string, string>>;
  #venue: VenueProcess | null = null;
  #sql: Sql | null = null;
  #isClosed = false;

  constructor(dataDir: string, settings: Readonly<Record<string, string>>) {
    this.#dataDir = dataDir;
    this.#settings = settings;
  }

  /** Starts or restarts the venue; resolves when the venue is connected to its ledger. */
  async start(): Promise<void> {
    if (this.#isClosed) return;
    const [dataDir, settings] = [this.#dataDir, this.#settings];
    this.#venue = await VenueProcess.start({ dataDir, settings });
    await untilDone("the ledger is there", () => this.call("settle/status"));
  }

  get address(): string {
    const { host, port } = this.#venue?.endpoint ?? { host: "", port: 0 };
    return `http://${host}:${port}`;
  }

  async kill(): Promise<void> {
    await this.#venue?.kill();
  }

  /** Kills the ledger process unless it is dead; resolves when the venue has restarted the ledger. */
  async killLedger(pid: number): Promise<void> {
    if (isAlive(pid)) process.kill(pid, "SIGKILL");
    await untilDone("the ledger is back", async () => {
      const { pid: next, url } = await this.ledger();
      const { ok } = await fetch(`${url}/readyz`);
      if (next === pid || !ok) throw new Error("not yet");
    });
  }

  async call<Shape = unknown>(call: string, parameters: object = {}): Promise<Shape> {
    const answer = await callControl(controlSocketPath(this.#dataDir), call, parameters);
    if (!answer.isOk) throw new Error(answer.error);
    return answer.result as Shape;
  }

  async database(): Promise<PostgresConnectionOptions> {
    return (await this.#venue?.database()) ?? { url: "" };
  }

  async sql(): Promise<Sql> {
    this.#sql ??= openPostgres(await this.database(), "queries");
    return this.#sql;
  }

  async ledger(): Promise<LedgerProcess> {
    return JSON.parse(await this.#file("place.json")) as LedgerProcess;
  }

  async secrets(): Promise<{ readonly api: string; readonly admin: string }> {
    return JSON.parse(await this.#file("secrets.json")) as { api: string; admin: string };
  }

  async control(): Promise<DevnetControl> {
    const [{ adminUrl }, { admin }] = await Promise.all([this.ledger(), this.secrets()]);
    return new DevnetControl(adminUrl, admin);
  }

  /** Ends everything that was started and removes the folder. May be called again. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#sql?.end({ timeout: 1 });
    await this.#venue?.stop();
    // Also end the ledger and the database, which a killed venue leaves running.
    await endRemains(this.#dataDir);
    await rm(this.#dataDir, { recursive: true, force: true });
  }

  #file(name: string): Promise<string> {
    return readFile(join(this.#dataDir, "ledger", name), "utf8");
  }
}
