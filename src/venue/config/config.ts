// Reads the settings from the environment and validates them. No other part of the venue reads the environment. An
// invalid variable stops the start with its name, its value and what was expected; all invalid ones are reported at
// once. An empty variable counts as unset.

import { resolve } from "node:path";
import { type ConfigVariables, configSchema } from "../../../schemas/config.ts";
import type { FixSettings } from "../../adapters/gateway/fix/fix-listeners.ts";
import type { NatsSettings } from "../../adapters/nats/nats-bus.ts";
import { rangesHold } from "../../adapters/network/address-ranges.ts";
import type { LogFormat } from "../../adapters/telemetry/log.ts";
import type { SettlementSettings } from "../../services/settlement/settlement-parts.ts";
import type { SwapSettings } from "../../services/swaps/swap-loop.ts";
import { busConfigOf, busFaults } from "./bus-config.ts";
import { fixConfigOf, fixFaults } from "./fix-config.ts";
import {
  type ConfigFault,
  hasEmbeddedLedger,
  type LedgerConfig,
  ledgerConfigOf,
  ledgerFaults,
  settlementSettingsOf,
  swapSettingsOf,
} from "./ledger-config.ts";
import {
  faultProxyAddresses,
  type MarketTimeStart,
  marketTimeFaults,
  marketTimeOf,
  type RewindOptions,
  rewindFaults,
} from "./rewind.ts";
import { withoutPasswords } from "./url-text.ts";

export interface Config {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** Where faults happen to clients, on a venue that can be rewound; 0 picks a free port. */
  readonly faultPort: number;
  /** The URL clients use; null for the listening address. */
  readonly publicUrl: string | null;
  /** Absolute path. */
  readonly dataDir: string;
  /** null: the embedded PostgreSQL in the data folder. */
  readonly databaseUrl: string | null;
  /**
   * null: commits count once the server has them. Otherwise a commit counts only once a synchronous standby has it, and
   * this is the longest wait for the standby.
   */
  readonly synchronousWaitMs: number | null;
  /** null: this venue is alone on its database. */
  readonly lease: LeaseSettings | null;
  readonly devTools: boolean;
  /** Whether market time, history and faults are played on this venue, which never holds money (REW-1). */
  readonly isRewind: boolean;
  /** How the market's time of a venue that can be rewound starts. */
  readonly marketTime: MarketTimeStart;
  readonly matchers: number;
  readonly fronts: number;
  /** The bus to gateways; null for a venue without gateways. */
  readonly bus: NatsSettings | null;
  /** Number of gateway threads that this venue can serve as the leader; 0 without a bus. */
  readonly gatewaySlots: number;
  readonly trustedProxies: readonly string[];
  readonly corsOrigins: readonly string[];
  readonly streamsPerIpMax: number;
  readonly streamPingMs: number;
  readonly streamPongTimeoutMs: number;
  readonly listenKeyMs: number;
  readonly challengeMs: number;
  readonly sessionMs: number;
  /** New accounts per hour that wallets may open from one IP network. */
  readonly accountsPerNetwork: number;
  /** Age at which an account that never held a balance is closed; 0 for never. */
  readonly idleAccountMs: number;
  /** 64 hexadecimal digits; null: the key stored in the data folder. */
  readonly masterKey: string | null;
  /** Earlier keys, for secrets that are not re-encrypted yet. */
  readonly masterKeysEarlier: readonly string[];
  readonly logLevel: string;
  readonly logFormat: LogFormat;
  readonly spinUs: number;
  /** Whether matchers handle synthetic orders before they open, so that the first orders are as quick as later ones. */
  readonly warmUp: boolean;
  readonly frontAhead: number;
  readonly gatewayTimeoutMs: number;
  readonly tickMs: number;
  readonly markIntervalMs: number;
  /** Whether perpetuals accept new positions before their first index. */
  readonly opensWithoutIndex: boolean;
  readonly fundingIntervalMs: number;
  readonly rewardIntervalMs: number;
  readonly projectionIntervalMs: number;
  readonly snapshotIntervalMs: number;
  readonly snapshotEvents: number;
  /** How long market samples are kept. */
  readonly marketSampleDays: number;
  /** Number of newest sealed entries that a start compares with their epochs. */
  readonly epochCheckEntries: number;
  /** Every how many epochs liabilities are stated; 0 for never. */
  readonly liabilitiesEpochs: number;
  readonly venueName: string;
  /** Largest difference between wall clock and venue time that the venue corrects gradually. */
  readonly clockStepMs: number;
  /** Longest downtime after which a start still trusts the machine's clock without the operator. */
  readonly clockDowntimeMs: number;
  readonly epochMs: number;
  readonly heartbeatTimeoutMs: number;
  readonly stopTimeoutMs: number;
  readonly inputLog: string | null;
  readonly prices: PriceSettings;
  readonly withdrawalTimeoutMs: number;
  readonly quoteMaxAgeMs: number;
  readonly providerHealthMs: number;
  /** Whether `rialto start` also runs a reference liquidity provider. */
  readonly devProvider: boolean;
  /** Whether `rialto start` also runs a small fleet: never with an outside ledger or database. */
  readonly devFleet: boolean;
  readonly houseFillsPerDay: number;
  /** Whether `/compat` refuses requests that Binance has retired. */
  readonly compatStrict: boolean;
  /** Commit of the sources, for display; null if unknown. */
  readonly buildCommit: string | null;
  /** The FIX listener; null for none. */
  readonly fix: FixSettings | null;
  readonly ledger: LedgerConfig;
  readonly settlement: SettlementSettings;
  readonly swaps: SwapSettings;
  /** Maximum wait for the transaction that the trader must sign. */
  readonly swapPrepareMs: number;
  /** Maximum wait for what the ledger says of a trader's coins before a quote is accepted. */
  readonly swapFundsMs: number;
}

/** For a venue that leads or follows, as the lease in the database says. */
export interface LeaseSettings {
  /** How long a lease lasts after its renewal. */
  readonly leaseMs: number;
  readonly renewMs: number;
  /** How long only cancels are accepted after a take-over that was not planned; 0 for not at all. */
  readonly cancelOnlyMs: number;
}

/** External price feeds. */
export interface PriceSettings {
  readonly feeds: readonly string[];
  readonly intervalMs: number;
  readonly timeoutMs: number;
  /** Non-public networks whose addresses feeds may use. */
  readonly networks: readonly string[];
  readonly staleMs: number;
}

/** Thrown if the environment is invalid; `faults` has one line per variable. */
export class ConfigError extends Error {
  override name = "ConfigError";
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join("\n"));
    this.faults = faults;
  }
}

/**
 * Returns the settings in `environment`; throws a ConfigError that lists every invalid variable. The options say whether
 * the venue is to be started with `--rewind`, and what goes with it.
 */
export function readConfig(
  environment: Readonly<Record<string, string | undefined>>,
  { isRewind = false, ...start }: RewindOptions = {},
): Config {
  const given: Record<string, string> = {};
  for (const name of Object.keys(configSchema.shape)) {
    const value = environment[name];
    if (value !== undefined && value !== "") given[name] = value;
  }
  const parsed = configSchema.safeParse(given);
  const fault = (name: string, expected: string) =>
    `${name}=${shown(name, given[name] ?? "")}: expected ${expected}`;
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => fault(String(path[0]), message));
    throw new ConfigError([...new Set(faults)]);
  }
  const { DATABASE_URL, PUBLIC_URL, TRUSTED_PROXIES } = parsed.data;
  const faults: string[] = [];
  if (DATABASE_URL !== null) {
    const expected = expectedOfDatabase(DATABASE_URL);
    if (expected !== null) faults.push(fault("DATABASE_URL", expected));
  }
  if (DATABASE_URL === null && parsed.data.SYNCHRONOUS_STANDBY === "required") {
    faults.push(
      fault(
        "SYNCHRONOUS_STANDBY",
        "off without DATABASE_URL: the embedded database has no standby",
      ),
    );
  }
  if (PUBLIC_URL !== null && !URL.canParse(PUBLIC_URL)) {
    faults.push(fault("PUBLIC_URL", "a URL with a valid host and port"));
  }
  if (!areRanges(TRUSTED_PROXIES)) {
    faults.push(fault("TRUSTED_PROXIES", "valid IP addresses or networks"));
  }
  faults.push(...leaseFaults(parsed.data, fault));
  faults.push(...busFaults(parsed.data, fault));
  faults.push(...fixFaults(parsed.data, fault));
  faults.push(...priceFaults(parsed.data, fault));
  faults.push(...ledgerFaults(parsed.data, fault));
  const marketTime = marketTimeOf(start);
  const read = toConfig(parsed.data);
  const trusted = faultProxyAddresses(read.host, isRewind);
  const trustedProxies = [...read.trustedProxies, ...trusted];
  const liabilitiesEpochs = liabilitiesEpochsOf(parsed.data, isRewind);
  const config = { ...read, trustedProxies, isRewind, marketTime, liabilitiesEpochs };
  if (isRewind) faults.push(...rewindFaults(parsed.data, config));
  faults.push(...marketTimeFaults(start, { ...config, isRewind }));
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/**
 * Returns what is expected instead of this URL, or null if it is fine. TLS without a check of the server's certificate
 * is refused, because it protects against nobody who can answer in the server's place; so are the parameters by which
 * the database client would skip the check.
 */
function expectedOfDatabase(text: string): string | null {
  if (!URL.canParse(text)) return "a URL; percent-encode special characters in its password";
  const { searchParams } = new URL(text);
  const mode = searchParams.get("sslmode") ?? "verify-full";
  const isChecked = mode === "verify-full" || mode === "disable";
  if (isChecked && !searchParams.has("ssl") && !searchParams.has("uselibpqcompat")) return null;
  return "sslmode=verify-full, with sslrootcert=FILE for an authority of your own, or sslmode=disable";
}

/** Returns whether all ranges are valid. The schema's pattern accepts 10.0.0.999; only the parser rejects it. */
function areRanges(ranges: readonly string[]): boolean {
  try {
    rangesHold(ranges);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

function leaseFaults(read: ConfigVariables, fault: ConfigFault): string[] {
  if (read.ROLE === "single") return [];
  const faults: string[] = [];
  const { DATABASE_URL, MASTER_KEY, LEASE_MS, LEASE_RENEW_MS } = read;
  const shared = { DATABASE_URL, MASTER_KEY };
  const missing = Object.entries(shared).flatMap(([name, value]) => (value === null ? name : []));
  if (missing.length > 0)
    faults.push(fault("ROLE", `${missing.join(" and ")} with it, the same for all venues`));
  if (hasEmbeddedLedger(ledgerConfigOf(read)))
    faults.push(
      fault(
        "ROLE",
        "LEDGER_URL, or LEDGER_PROFILE=none, with it: the embedded ledger is for one machine",
      ),
    );
  if (2 * LEASE_RENEW_MS > LEASE_MS)
    faults.push(fault("LEASE_MS", "at least twice LEASE_RENEW_MS"));
  return faults;
}

function priceFaults(read: ConfigVariables, fault: ConfigFault): string[] {
  const faults: string[] = [];
  if (!areRanges(read.PRICE_FEED_NETWORKS))
    faults.push(fault("PRICE_FEED_NETWORKS", "valid IP addresses or networks"));
  if (!read.PRICE_FEEDS.every(isFeed))
    faults.push(fault("PRICE_FEEDS", "URLs without a user and a password"));
  if (read.PRICE_STALE_MS <= read.PRICE_FEED_INTERVAL_MS)
    faults.push(fault("PRICE_STALE_MS", "more than PRICE_FEED_INTERVAL_MS"));
  return faults;
}

function isFeed(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === "" && password === "";
}

const secretNames = new Set([
  "MASTER_KEY",
  "MASTER_KEY_EARLIER",
  "DATABASE_URL",
  "NATS_URL",
  "PRICE_FEEDS",
  "LEDGER_TOKEN",
  "LEDGER_CLIENT_ID",
  "LEDGER_CLIENT_SECRET",
]);

/** Returns the value as shown in an error message; of a secret only the length. */
function shown(name: string, value: string): string {
  if (secretNames.has(name)) return `(${value.length} characters, not shown)`;
  return JSON.stringify(withoutPasswords(value).slice(0, 100));
}

/** Whether database and ledger are the venue's own: nobody else's data and money are in them. */
function hasOwnServers({ DATABASE_URL }: ConfigVariables, ledger: LedgerConfig): boolean {
  return DATABASE_URL === null && (hasEmbeddedLedger(ledger) || ledger.profile === "none");
}

const hourMs = 3_600_000;

function leaseConfigOf(read: ConfigVariables): Config["lease"] {
  if (read.ROLE === "single") return null;
  return {
    leaseMs: read.LEASE_MS,
    renewMs: read.LEASE_RENEW_MS,
    cancelOnlyMs: read.CANCEL_ONLY_MS,
  };
}

function priceSettingsOf(read: ConfigVariables): PriceSettings {
  return {
    feeds: read.PRICE_FEEDS,
    intervalMs: read.PRICE_FEED_INTERVAL_MS,
    timeoutMs: read.PRICE_FEED_TIMEOUT_MS,
    networks: read.PRICE_FEED_NETWORKS,
    staleMs: read.PRICE_STALE_MS,
  };
}

/** Nobody has a claim on a venue that can be rewound, and its journal is compared with others. */
function liabilitiesEpochsOf(read: ConfigVariables, isRewind: boolean): number {
  return read.LIABILITIES_EPOCHS ?? (isRewind ? 0 : 1);
}

type LaterConfig = "isRewind" | "marketTime" | "liabilitiesEpochs";

function toConfig(read: ConfigVariables): Omit<Config, LaterConfig> {
  const devTools = read.DEV_TOOLS ?? (read.DATABASE_URL === null && read.NODE_ENV !== "production");
  const ledger = ledgerConfigOf(read);
  return {
    host: read.HOST,
    port: read.PORT,
    faultPort: read.FAULT_PORT,
    publicUrl: read.PUBLIC_URL,
    dataDir: resolve(read.DATA_DIR),
    databaseUrl: read.DATABASE_URL,
    lease: leaseConfigOf(read),
    synchronousWaitMs: read.SYNCHRONOUS_STANDBY === "required" ? read.SYNCHRONOUS_WAIT_MS : null,
    devTools,
    matchers: read.MATCHERS,
    fronts: read.FRONT_THREADS,
    bus: busConfigOf(read),
    gatewaySlots: read.NATS_URL.length === 0 ? 0 : read.GATEWAY_SLOTS,
    trustedProxies: read.TRUSTED_PROXIES,
    corsOrigins: read.CORS_ORIGINS,
    streamsPerIpMax: read.RATE_LIMIT_WS_CONNS_PER_IP,
    streamPingMs: read.STREAM_PING_MS,
    streamPongTimeoutMs: read.STREAM_PONG_TIMEOUT_MS,
    listenKeyMs: read.LISTEN_KEY_MS,
    challengeMs: read.WALLET_CHALLENGE_MS,
    sessionMs: read.SESSION_MS,
    accountsPerNetwork: read.ACCOUNTS_PER_NETWORK,
    idleAccountMs: read.IDLE_ACCOUNT_DAYS * 86_400_000,
    masterKey: read.MASTER_KEY,
    masterKeysEarlier: read.MASTER_KEY_EARLIER,
    logLevel: read.LOG_LEVEL,
    logFormat: read.LOG_FORMAT,
    spinUs: read.SPIN_US,
    warmUp: read.WARM_UP ?? true,
    frontAhead: read.FRONT_AHEAD,
    gatewayTimeoutMs: read.GATEWAY_TIMEOUT_MS,
    tickMs: read.TICK_MS,
    markIntervalMs: read.MARK_INTERVAL_MS,
    opensWithoutIndex: read.OPENS_WITHOUT_INDEX ?? false,
    fundingIntervalMs: read.FUNDING_INTERVAL_MS,
    rewardIntervalMs: read.REWARD_INTERVAL_MS,
    projectionIntervalMs: read.PROJECTION_INTERVAL_MS,
    snapshotIntervalMs: read.SNAPSHOT_INTERVAL_MS,
    snapshotEvents: read.SNAPSHOT_EVENTS,
    marketSampleDays: read.MARKET_SAMPLE_DAYS,
    epochCheckEntries: read.EPOCH_CHECK_ENTRIES,
    venueName: read.VENUE_NAME,
    clockStepMs: read.CLOCK_STEP_MS,
    // A development venue may be restarted after weeks without an operator who accepts the clock.
    clockDowntimeMs: devTools ? Number.POSITIVE_INFINITY : read.CLOCK_DOWNTIME_HOURS * hourMs,
    epochMs: read.EPOCH_SECONDS * 1000,
    heartbeatTimeoutMs: read.HEARTBEAT_TIMEOUT_MS,
    stopTimeoutMs: read.STOP_TIMEOUT_MS,
    withdrawalTimeoutMs: read.WITHDRAWAL_TIMEOUT_MS,
    quoteMaxAgeMs: read.WITHDRAWAL_QUOTE_MS,
    providerHealthMs: read.PROVIDER_HEALTH_MS,
    devProvider: devTools && hasEmbeddedLedger(ledger) && (read.DEV_PROVIDER ?? true),
    devFleet: devTools && hasOwnServers(read, ledger) && (read.DEV_FLEET ?? false),
    houseFillsPerDay: read.HOUSE_FILLS_PER_DAY,
    compatStrict: read.COMPAT_STRICT ?? false,
    buildCommit: read.BUILD_COMMIT,
    fix: fixConfigOf(read),
    inputLog: read.INPUT_LOG === null ? null : resolve(read.INPUT_LOG),
    prices: priceSettingsOf(read),
    ledger,
    settlement: settlementSettingsOf(read),
    swaps: swapSettingsOf(read),
    swapPrepareMs: read.SWAP_PREPARE_MS,
    swapFundsMs: read.SWAP_FUNDS_MS,
  };
}
