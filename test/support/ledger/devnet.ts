// A development ledger for tests: the real process with its own database, and the admin API that only a development
// ledger offers.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPostgres } from "../../../src/adapters/postgres/connection.ts";
import { systemClock } from "../../../src/adapters/runtime/system-clock.ts";
import { systemEntropy } from "../../../src/adapters/runtime/system-entropy.ts";
import { EmbeddedLedger, type LedgerSettings } from "../../../src/venue/ledger/embedded-ledger.ts";
import { type LedgerSecrets, ledgerSecretsOf } from "../../../src/venue/ledger/ledger-secrets.ts";
import { devnetInstruments, prepareLedgerRole } from "../../../src/venue/ledger/open-ledger.ts";
import { createTestDatabase, type TestDatabase } from "../database/postgres.ts";
import { quietLog } from "../quiet-log.ts";

export const devnetSchema = "devnet_ledger";

export interface DevnetOptions {
  readonly latency?: LedgerSettings["latency"];
  readonly manualClockMs?: number;
  readonly isTrafficLimited?: boolean;
}

/** A ledger process with its folder and its database. */
export class DevnetFixture {
  readonly database: TestDatabase;
  readonly folder: string;
  readonly secrets: LedgerSecrets;
  readonly #options: DevnetOptions;
  ledger: EmbeddedLedger;

  static async start(options: DevnetOptions = {}): Promise<DevnetFixture> {
    const database = await createTestDatabase();
    const folder = await mkdtemp(join(tmpdir(), "rialto-ledger-"));
    const secrets = await ledgerSecretsOf(folder, systemEntropy);
    const ledger = await startLedger(database, folder, secrets, options);
    return new DevnetFixture({ database, folder, secrets, ledger, options });
  }

  private constructor(parts: {
    readonly database: TestDatabase;
    readonly folder: string;
    readonly secrets: LedgerSecrets;
    readonly ledger: EmbeddedLedger;
    readonly options: DevnetOptions;
  }) {
    this.database = parts.database;
    this.folder = parts.folder;
    this.secrets = parts.secrets;
    this.ledger = parts.ledger;
    this.#options = parts.options;
  }

  get admin(): DevnetControl {
    const { adminUrl } = this.ledger.endpoint;
    return new DevnetControl(adminUrl ?? "", this.secrets.admin);
  }

  /** Adopts the running process or starts one, as a restarted venue does. */
  async startAgain(options: DevnetOptions = this.#options): Promise<void> {
    this.ledger = await startLedger(this.database, this.folder, this.secrets, options);
  }

  async close(): Promise<void> {
    await this.ledger.stop();
    await this.database.drop();
    await rm(this.folder, { recursive: true, force: true });
  }
}

async function startLedger(
  database: TestDatabase,
  folder: string,
  secrets: LedgerSecrets,
  options: DevnetOptions,
): Promise<EmbeddedLedger> {
  if ("url" in database.options)
    throw new Error("the test database must be given by host and port, not by a URL");
  const { host, port, database: name } = database.options;
  const role = `${devnetSchema}_${name}`;
  const sql = openPostgres(database.options, "queries");
  await prepareLedgerRole(sql, { role, schema: devnetSchema, password: secrets.database });
  await sql.end({ timeout: 1 });
  const store = { host, port, database: name, user: role, password: secrets.database };
  const settings: LedgerSettings = {
    store,
    instruments: devnetInstruments,
    latency: options.latency ?? { minMs: 0, maxMs: 0, seed: 1 },
    manualClockMs: options.manualClockMs ?? null,
    isTrafficLimited: options.isTrafficLimited ?? false,
    acceptDelayMs: 0,
    adminToken: secrets.admin,
  };
  const common = { venueFolder: null, clock: systemClock, log: quietLog };
  return EmbeddedLedger.start({ folder, secrets, settings, ...common });
}

/** A coin of a wallet, as the ledger's audit lists it. */
export interface HeldCoin {
  readonly owner: string;
  readonly instrument: string;
  readonly amount: string;
}

/** The parts of a ledger audit that tests read. */
export interface DevnetAudit {
  readonly isSound: boolean;
  readonly holdings: readonly HeldCoin[];
  readonly gaps: number;
}

/** A client of the admin API: faucet, wallets, faults, clock and audit. */
export class DevnetControl {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  async host(party: string): Promise<void> {
    await this.call("POST", "/devnet/v1/wallets", { party });
  }

  async tap(party: string, instrument: string, amount: string): Promise<void> {
    await this.call("POST", "/devnet/v1/tap", { party, instrument, amount });
  }

  async spend(
    from: string,
    to: string,
    instrument: string,
    amount: string,
    reference = "",
  ): Promise<void> {
    const path = `/devnet/v1/wallets/${encodeURIComponent(from)}/spend`;
    await this.call("POST", path, { to, instrument, amount, reference });
  }

  async preapproval(party: string, method: "POST" | "DELETE"): Promise<void> {
    await this.call(method, `/devnet/v1/wallets/${encodeURIComponent(party)}/preapproval`);
  }

  /**
   * Acts for the party's owner: DELETE archives the MemberAuth and refuses all proposals, POST accepts the next
   * proposal.
   */
  async authority(party: string, method: "POST" | "DELETE"): Promise<void> {
    await this.call(method, `/devnet/v1/wallets/${encodeURIComponent(party)}/authority`);
  }

  async fault(fault: object): Promise<void> {
    await this.call("POST", "/devnet/v1/faults", fault);
  }

  /** Returns the coins of every wallet and the result of the ledger's check of its log. */
  async audit(): Promise<DevnetAudit> {
    return this.call("GET", "/devnet/v1/audit");
  }

  /** Calls the admin API; the caller gives the shape of the answer. Throws if the call is refused. */
  async call<Shape = unknown>(method: string, path: string, body?: object): Promise<Shape> {
    const response = await fetch(this.#url + path, {
      method,
      headers: { authorization: `Bearer ${this.#token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Shape;
  }
}
