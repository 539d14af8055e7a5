// A development venue as `rialto start` creates it: a process of its own on a test database, with short cycles, its
// ledger and its reference provider.

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase, type TestDatabase } from "../database/postgres.ts";
import { DevnetControl } from "../ledger/devnet.ts";
import { CliProcess, runCli, type Settings } from "./cli-process.ts";
import { endRemains } from "./venue-remains.ts";

const quickCycles = {
  DEV_TOOLS: "1",
  PORT: "0",
  EPOCH_SECONDS: "1",
  LIABILITIES_EPOCHS: "0",
  LEDGER_COMMIT_FROM_MS: "0",
  LEDGER_COMMIT_TO_MS: "0",
  PROVIDER_HEALTH_MS: "50",
  SWAP_POLL_MS: "20",
  // A busy machine may need longer than the defaults.
  SWAP_PREPARE_MS: "60000",
  SWAP_FUNDS_MS: "30000",
  SWAP_GRACE_MS: "60000",
};

export class DevVenue {
  readonly dataDir: string;
  /** The environment of the venue, for other commands. */
  readonly settings: Settings;
  readonly address: string;
  readonly process: CliProcess;
  readonly #database: TestDatabase;

  private constructor(parts: {
    readonly dataDir: string;
    readonly settings: Settings;
    readonly address: string;
    readonly process: CliProcess;
    readonly database: TestDatabase;
  }) {
    this.dataDir = parts.dataDir;
    this.settings = parts.settings;
    this.address = parts.address;
    this.process = parts.process;
    this.#database = parts.database;
  }

  static async start(change: Settings = {}): Promise<DevVenue> {
    const database = await createTestDatabase();
    const dataDir = await mkdtemp(join(tmpdir(), "rialto-dev-"));
    const open = { OPENS_WITHOUT_INDEX: "1" };
    const own = { DATABASE_URL: database.url, DATA_DIR: dataDir, ...open };
    const settings = { ...quickCycles, ...own, ...change };
    const process = new CliProcess(["start"], settings);
    const [, address = ""] = await process.untilPrinted(/^Rialto is open at (http:\S+)$/m);
    return new DevVenue({ dataDir, settings, address, process, database });
  }

  /** Runs one command with the venue's environment. */
  run(args: readonly string[], change: Settings = {}) {
    return runCli(args, { ...this.settings, ...change }, this.dataDir);
  }

  /** Returns a client of the development ledger's admin API. */
  async control(): Promise<DevnetControl> {
    const file = async (name: string) =>
      JSON.parse(await readFile(join(this.dataDir, "ledger", name), "utf8"));
    return new DevnetControl(
      (await file("place.json")).adminUrl,
      (await file("secrets.json")).admin,
    );
  }

  /** Stops the venue, whatever its state. */
  async close(): Promise<void> {
    this.process.signal("SIGTERM");
    await this.process.ended;
    // Also end the ledger, which a killed venue leaves running.
    await endRemains(this.dataDir);
    await this.#database.drop();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}
