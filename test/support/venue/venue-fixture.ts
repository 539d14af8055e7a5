// A whole venue for one test: real threads, real PostgreSQL, a free port. It runs in the test's own process; crash
// tests start a child process instead (bench/venue/venue-process.ts). Settings are the environment variables that
// operators set.

import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLog } from "../../../src/adapters/telemetry/log.ts";
import { readConfig } from "../../../src/venue/config/config.ts";
import type { RewindOptions } from "../../../src/venue/config/rewind.ts";
import { Operator } from "../../../src/venue/operator/operator.ts";
import { Venue } from "../../../src/venue/venue.ts";
import type { Json } from "../client/json.ts";
import { signedFetch } from "../client/signed-fetch.ts";
import { createTestDatabase, type TestDatabase } from "../database/postgres.ts";
import { quietLog } from "../quiet-log.ts";

/** An account with money and an API key. */
export interface Trader {
  readonly account: number;
  readonly key: string;
  readonly secret: string;
}

export interface Answer {
  readonly status: number;
  readonly json: Json;
}

type Method = "GET" | "POST" | "DELETE";
type Parameters = Readonly<Record<string, string | number>>;

const spotMoney: readonly (readonly [asset: string, amount: string])[] = [
  ["USDC", "1000000"],
  ["CC", "1000000"],
  ["CBTC", "100"],
  ["CETH", "1000"],
];

export class VenueFixture {
  readonly #database: TestDatabase;
  readonly #dataDir: string;
  #settings: Readonly<Record<string, string>>;
  #venue: Venue;

  /** Starts a venue on its own database; with options, as `rialto start --rewind` does. */
  static async open(
    settings: Readonly<Record<string, string>> = {},
    rewind: RewindOptions = {},
  ): Promise<VenueFixture> {
    const database = await createTestDatabase();
    const dataDir = await mkdtemp(join(tmpdir(), "rialto-venue-"));
    // Start without a ledger, because trading needs none; tests that need one configure it. All clients of a test count
    // as one network, so the limit of accounts per network is high.
    const quiet = { LOG_LEVEL: "error", LEDGER_PROFILE: "none", ACCOUNTS_PER_NETWORK: "100000" };
    const open = { OPENS_WITHOUT_INDEX: "1", WARM_UP: "0", LIABILITIES_EPOCHS: "0" };
    const all = { ...quiet, ...open, ...settings, DATABASE_URL: database.url, DATA_DIR: dataDir };
    const venue = await start({ PORT: "0", ...all }, rewind);
    return new VenueFixture(database, dataDir, all, venue);
  }

  private constructor(
    database: TestDatabase,
    dataDir: string,
    settings: Readonly<Record<string, string>>,
    venue: Venue,
  ) {
    this.#database = database;
    this.#dataDir = dataDir;
    this.#settings = settings;
    this.#venue = venue;
  }

  get venue(): Venue {
    return this.#venue;
  }

  get database(): TestDatabase {
    return this.#database;
  }

  get dataDir(): string {
    return this.#dataDir;
  }

  get address(): string {
    return `http://127.0.0.1:${this.#venue.port}`;
  }

  get operator(): Operator {
    const { clearing, table, keys, database, clock, marketClock } = this.#venue;
    const settle = () => this.#venue.settle();
    return new Operator({
      clearing,
      table,
      sql: database.sql,
      box: keys.box,
      clock,
      marketClock,
      log: quietLog,
      settle,
    });
  }

  /** Creates a funded account with a key that may trade. */
  async trader(type = "standard"): Promise<Trader> {
    const { operator } = this;
    const { account } = await operator.createAccount(type);
    for (const [asset, amount] of spotMoney) {
      await operator.fund({ account, wallet: "spot", asset, amount });
    }
    await operator.fund({ account, wallet: "perp", asset: "USDC", amount: "1000000" });
    const created = await operator.createKey({ account, tier: "house" });
    const { api_key: key, secret } = created as { api_key: string; secret: string };
    return { account, key, secret };
  }

  async signed(
    trader: Trader,
    method: Method,
    path: string,
    parameters: Parameters = {},
  ): Promise<Answer> {
    return signedFetch(this.address, trader, { method, path, parameters });
  }

  async get(path: string): Promise<Answer> {
    const response = await fetch(this.address + path);
    return { status: response.status, json: await response.json() };
  }

  /** Ends the venue with all its threads as a crash of the process would, and restarts it after `meanwhile`. */
  async crashAndRestart(meanwhile: () => Promise<void> = async () => undefined): Promise<void> {
    await this.#venue.abort();
    await meanwhile();
    this.#venue = await start({ PORT: "0", ...this.#settings });
  }

  /** Changes settings from the next start on. */
  change(settings: Readonly<Record<string, string>>): void {
    this.#settings = { ...this.#settings, ...settings };
  }

  /** Starts a second venue on the same folders with other settings, for starts that must be refused. */
  async startWith(settings: Readonly<Record<string, string>>): Promise<void> {
    const venue = await start({ PORT: "0", ...this.#settings, ...settings });
    await venue.close();
  }

  /** Stops the venue in order and restarts it. */
  async restart(rewind: RewindOptions = {}): Promise<void> {
    await this.#venue.close();
    this.#venue = await start({ PORT: "0", ...this.#settings }, rewind);
  }

  /** Starts another venue on a copy of the data of this one, which must be closed. */
  async copy(rewind: RewindOptions): Promise<VenueFixture> {
    const database = await this.#database.copy();
    const dataDir = await mkdtemp(join(tmpdir(), "rialto-venue-"));
    await cp(this.#dataDir, dataDir, { recursive: true });
    const settings = { ...this.#settings, DATABASE_URL: database.url, DATA_DIR: dataDir };
    const venue = await start({ PORT: "0", ...settings }, rewind);
    return new VenueFixture(database, dataDir, settings, venue);
  }

  async close(): Promise<void> {
    await this.#venue.close();
    await this.#database.drop();
    await rm(this.#dataDir, { recursive: true, force: true });
  }
}

function start(
  settings: Readonly<Record<string, string>>,
  rewind: RewindOptions = {},
): Promise<Venue> {
  const config = readConfig(settings, rewind);
  return Venue.open(config, createLog(config.logLevel, "main"));
}
