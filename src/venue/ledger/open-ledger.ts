// Opens the ledger network the venue settles on: the embedded development ledger, the operator's participant, or
// none. The venue opens without waiting for it, because trading needs no ledger.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { DevnetAdmin } from "../../adapters/ledger/devnet-admin.ts";
import { openNetwork } from "../../adapters/ledger/open-network.ts";
import type { PostgresConnectionOptions, Sql } from "../../adapters/postgres/connection.ts";
import type { Statements } from "../../adapters/postgres/sql.ts";
import { systemEntropy } from "../../adapters/runtime/system-entropy.ts";
import { type DevnetInstrument, venueUser } from "../../devnet/devnet-ledger.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Instrument, LedgerNetwork, Party } from "../../ports/ledger/ledger.ts";
import type { LedgerEndpoint, TokenSource } from "../../ports/ledger/ledger-endpoint.ts";
import type { Log } from "../../ports/log.ts";
import type { Config } from "../config/config.ts";
import type { LedgerConfig } from "../config/ledger-config.ts";
import { EmbeddedLedger } from "./embedded-ledger.ts";
import { ledgerSecretsOf } from "./ledger-secrets.ts";

/**
 * The embedded development ledger has a separate role and schema in the venue's database. The venue's role has no
 * rights in that schema, so that venue code cannot settle by SQL.
 */
interface LedgerRole {
  readonly role: string;
  readonly schema: string;
  readonly password: string;
}

/** Creates role and schema, or sets the role's password; needs the right to create roles. */
export async function prepareLedgerRole(sql: Statements, given: LedgerRole): Promise<void> {
  const { role, schema, password } = given;
  const [row] = await sql<{ statement: string }[]>`
    select format(
      case when exists (select from pg_roles where rolname = ${role})
           then 'alter role %I login password %L' else 'create role %I login password %L' end,
      ${role}::text, ${password}::text) as statement`;
  // Role statements take no parameters; the server quoted this text itself.
  await sql.unsafe(row?.statement ?? "");
  await sql`create schema if not exists ${sql.identifier(schema)}`;
  // Only a member of a role may give it a schema; the membership is revoked afterwards.
  await sql`grant ${sql.identifier(role)} to current_user`;
  await sql`alter schema ${sql.identifier(schema)} owner to ${sql.identifier(role)}`;
  await sql`revoke ${sql.identifier(role)} from current_user`;
  const [{ database } = { database: "" }] = await sql<{ database: string }[]>`
    select current_database() as database`;
  await sql`alter role ${sql.identifier(role)} in database ${sql.identifier(database)} set search_path to ${sql.identifier(schema)}`;
}

/** The instruments of the development ledger: the venue's assets, issued by three admins. */
export const devnetInstruments: readonly DevnetInstrument[] = [
  { id: "USDC", decimals: 6, admin: "usd-issuer" },
  { id: "CC", decimals: 8, admin: "coin-issuer" },
  { id: "CBTC", decimals: 8, admin: "bridge-issuer" },
  { id: "CETH", decimals: 8, admin: "bridge-issuer" },
];

const ledgerSchema = "devnet_ledger";
const registryMs = 10_000;
/** Maximum number of attempts to read the start of the ledger's log, with a pause of `lookMs` between attempts. */
const looksMax = 100;
const lookMs = 50;

/** Amount of each initial custody holding on the development ledger. The amount is enough for trading. */
const custodyCoin = "250000000";
/** Initial custody holdings per asset: several, because two batches cannot spend the same holding. */
const custodyCoins = 4;

export interface OpenLedger {
  readonly network: LedgerNetwork;
  /** The ledger's current endpoint, as plain data for the settlement thread. */
  endpoint(): LedgerEndpoint;
  /** Calls `listener` each time the ledger has restarted at another endpoint. */
  onMove(listener: () => void): void;
  /** Makes an embedded ledger adopt the machine's clock. */
  acceptClock(): void;
  close(): Promise<void>;
}

export interface LedgerOptions {
  readonly config: Config;
  readonly connection: PostgresConnectionOptions;
  readonly sql: Sql;
  readonly clock: Clock;
  readonly log: Log;
}

/** Opens the configured ledger; null for profile `none`. Throws if it cannot be opened. */
export async function openLedger(options: LedgerOptions): Promise<OpenLedger | null> {
  const { ledger } = options.config;
  if (ledger.profile === "none") return null;
  return ledger.url === null ? openEmbedded(options) : openRemote(options, ledger.url);
}

async function openRemote({ config, clock }: LedgerOptions, url: string): Promise<OpenLedger> {
  const { ledger } = config;
  const { profile, userId, operatorParty: operator, custodyParty: custody } = ledger;
  if (profile === "none") throw new Error("a ledger without a profile cannot be opened");
  const registries = [...ledger.registries];
  const tokens = tokensOf(ledger);
  const endpoint = { profile, url, registries, tokens, userId, operator, custody };
  const instruments: [string, Instrument][] = [];
  for (const [admin, registry] of registries) {
    for (const id of await instrumentsOf(registry)) instruments.push([id, { admin, id }]);
  }
  return {
    network: openNetwork(endpoint, () => clock.nowMs()),
    endpoint: () => ({ network: endpoint, instruments, admin: null }),
    onMove: () => undefined,
    acceptClock: () => undefined,
    close: async () => undefined,
  };
}

/** Returns the source of the configured participant's tokens. */
export function tokensOf({ credentials, token }: LedgerConfig): TokenSource {
  if (credentials === null) return { kind: "given", token: token ?? "" };
  return { kind: "credentials", ...credentials };
}

/** Returns the ids of a registry's instruments, from the metadata route of the token standard. */
async function instrumentsOf(registry: string): Promise<string[]> {
  const signal = AbortSignal.timeout(registryMs);
  const response = await fetch(`${registry}/registry/metadata/v1/instruments`, { signal });
  if (!response.ok) throw new Error(`the registry at ${registry} answered ${response.status}`);
  const { instruments } = (await response.json()) as { instruments: { id: string }[] };
  return instruments.map(({ id }) => id);
}

async function openEmbedded({
  config,
  connection,
  sql,
  clock,
  log,
}: LedgerOptions): Promise<OpenLedger> {
  const folder = join(config.dataDir, "ledger");
  const secrets = await ledgerSecretsOf(folder, systemEntropy);
  const { host, port, database } = databaseOf(connection);
  const role = `${ledgerSchema}_${database}`;
  await prepareLedgerRole(sql, { role, schema: ledgerSchema, password: secrets.database });
  const { minMs, maxMs } = config.ledger.latency;
  let tell: () => void = () => undefined;
  const embedded = await EmbeddedLedger.start({
    folder,
    venueFolder: config.dataDir,
    secrets,
    settings: {
      store: { host, port, database, user: role, password: secrets.database },
      instruments: devnetInstruments,
      latency: { minMs, maxMs, seed: 1 },
      manualClockMs: null,
      isTrafficLimited: true,
      acceptDelayMs: config.ledger.acceptDelayMs,
      adminToken: config.devTools ? secrets.admin : null,
    },
    clock,
    log,
    onMove: () => tell(),
  });
  const { operator, custody } = embedded.endpoint;
  const adminAt = () => {
    const { adminUrl } = embedded.endpoint;
    return adminUrl === null ? null : { url: adminUrl, token: secrets.admin };
  };
  const namespace = operator.slice(operator.indexOf("::"));
  const instruments = devnetInstruments.map(
    ({ id, admin: issuer }) => [id, { admin: `${issuer}${namespace}`, id }] as const,
  );
  const tokens = { kind: "minted", secret: secrets.api } as const;
  const parties = { userId: venueUser, operator, custody };
  const endpointNow = () => {
    const { url } = embedded.endpoint;
    return { profile: "devnet", url, registries: [], tokens, ...parties } as const;
  };
  const network = openNetwork(endpointNow(), () => clock.nowMs(), {
    get url() {
      return embedded.endpoint.url;
    },
  });
  const admin = adminAt();
  // A custody party that never had a holding means that this is the first start: nothing has been deposited yet, so
  // create holdings that custody can deliver.
  try {
    if (admin !== null && !(await hasEverHeld(network, custody))) {
      const devnetAdmin = new DevnetAdmin(admin, admin.token);
      const coins = instruments.flatMap(([id]) => Array<string>(custodyCoins).fill(id));
      await Promise.all(coins.map((id) => devnetAdmin.tap(custody, id, custodyCoin)));
    }
  } catch (error) {
    // The caller retries with a new supervisor. Without this stop, the old one would go on, and both would restart a
    // dead ledger.
    await embedded.stop();
    throw error;
  }
  return {
    network,
    endpoint: () => ({ network: endpointNow(), instruments, admin: adminAt() }),
    onMove: (listener) => {
      tell = listener;
    },
    acceptClock: () => embedded.acceptClock(),
    close: () => embedded.stop(),
  };
}

/**
 * Returns true if the party has ever had a holding. Reads the start of the ledger's log, because a party may have more
 * current holdings than the ledger lists at once.
 */
async function hasEverHeld(network: LedgerNetwork, party: Party): Promise<boolean> {
  const end = await network.ledgerEnd();
  for (let looks = 1; looks <= looksMax; looks++) {
    const { updates, through } = await network.updates(0, [party]);
    // A stalled stream reports neither updates nor an offset. Such an answer does not prove that the party never had a
    // holding.
    if (through > 0 || end === 0) {
      return updates.some(({ holdings }) => holdings.some(({ owner }) => owner === party));
    }
    await sleep(lookMs);
  }
  throw new Error("the start of the ledger's log cannot be read");
}

function databaseOf(connection: PostgresConnectionOptions) {
  if (!("url" in connection)) return connection;
  const url = new URL(connection.url);
  return {
    // In the URL, the folder of a Unix socket is given in place of the host, percent-encoded.
    host: decodeURIComponent(url.hostname),
    port: Number(url.port || 5432),
    database: decodeURIComponent(url.pathname.slice(1)),
  };
}
