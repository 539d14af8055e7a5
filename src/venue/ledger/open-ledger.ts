// Which ledger network the venue settles on: the embedded development ledger, a participant of the
// operator's, or none. Opening it never delays the venue: trading needs no ledger.

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

// The login of the embedded development ledger: a role and a schema of its own in the venue's database.
// The venue's own role has no right in that schema, so that nothing of the venue can settle by SQL.

interface LedgerRole {
  readonly role: string;
  readonly schema: string;
  readonly password: string;
}

/** Makes role and schema, or gives the role this password; needs the right to create roles. */
export async function prepareLedgerRole(sql: Statements, given: LedgerRole): Promise<void> {
  const { role, schema, password } = given;
  const [row] = await sql<{ statement: string }[]>`
    select format(
      case when exists (select from pg_roles where rolname = ${role})
           then 'alter role %I login password %L' else 'create role %I login password %L' end,
      ${role}::text, ${password}::text) as statement`;
  // No statement of this kind takes parameters; the server itself has quoted it.
  await sql.unsafe(row?.statement ?? "");
  await sql`create schema if not exists ${sql.identifier(schema)}`;
  // Only a member may give something to a role; the venue does not stay one.
  await sql`grant ${sql.identifier(role)} to current_user`;
  await sql`alter schema ${sql.identifier(schema)} owner to ${sql.identifier(role)}`;
  await sql`revoke ${sql.identifier(role)} from current_user`;
  const [{ database } = { database: "" }] = await sql<{ database: string }[]>`
    select current_database() as database`;
  await sql`alter role ${sql.identifier(role)} in database ${sql.identifier(database)} set search_path to ${sql.identifier(schema)}`;
}

/** What the development ledger issues: the venue's assets, by three admins. */
export const devnetInstruments: readonly DevnetInstrument[] = [
  { id: "USDC", decimals: 6, admin: "usd-issuer" },
  { id: "CC", decimals: 8, admin: "coin-issuer" },
  { id: "CBTC", decimals: 8, admin: "bridge-issuer" },
  { id: "CETH", decimals: 8, admin: "bridge-issuer" },
];

const ledgerSchema = "devnet_ledger";
const registryMs = 10_000;
/** So often a log that tells nothing is asked again, and after so long. */
const looksMax = 100;
const lookMs = 50;

/** What custody begins with on a development ledger that anybody can tap: enough to trade against. */
const custodyCoin = "250000000";
/** In so many coins, because two batches cannot spend the same one. */
const custodyCoins = 4;

export interface OpenLedger {
  readonly network: LedgerNetwork;
  /** The same as data, for the thread that settles: where it is now. */
  endpoint(): LedgerEndpoint;
  /** Has `listener` told each time it has come back somewhere else. */
  onMove(listener: () => void): void;
  /** An embedded ledger takes the machine's clock as it is from now on. */
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

/** The ledger of the configuration; null where there is to be none. Throws where it cannot be opened. */
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

/** How the configured participant's tokens are come by. */
export function tokensOf({ credentials, token }: LedgerConfig): TokenSource {
  if (credentials === null) return { kind: "given", token: token ?? "" };
  return { kind: "credentials", ...credentials };
}

/** Ids of what a registry issues, by the token standard's own list. */
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
  // The first time: nobody has deposited anything that custody could deliver.
  try {
    if (admin !== null && !(await hasEverHeld(network, custody))) {
      const devnetAdmin = new DevnetAdmin(admin, admin.token);
      const coins = instruments.flatMap(([id]) => Array<string>(custodyCoins).fill(id));
      await Promise.all(coins.map((id) => devnetAdmin.tap(custody, id, custodyCoin)));
    }
  } catch (error) {
    // It is opened anew by another supervisor; two would each start the ledger again when it dies.
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

/** By the beginning of the log: what a party holds now may be more than the ledger lists at once. */
async function hasEverHeld(network: LedgerNetwork, party: Party): Promise<boolean> {
  const end = await network.ledgerEnd();
  for (let looks = 1; looks <= looksMax; looks++) {
    const { updates, through } = await network.updates(0, [party]);
    // A stream that stalls says nothing, not even how far it came: nothing follows from that.
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
    // A socket's folder stands percent-encoded where the host stands.
    host: decodeURIComponent(url.hostname),
    port: Number(url.port || 5432),
    database: decodeURIComponent(url.pathname.slice(1)),
  };
}
