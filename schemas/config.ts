// The settings of a venue as environment variables. Each has a description of its valid values, so that the error for
// a bad value names the variable, the value and the expectation. Durations from the specification are settings whose
// defaults are the specified values, so that tests can shorten them. No setting turns a limit off.

import * as z from "zod";
import { gatewaySlotsMax } from "../src/core/bus-limits.ts";
import { priceFeedsMax } from "../src/core/limits.ts";

/** A whole number between `min` and `max` written in digits; `fallback` if the variable is unset. */
function integer(min: number, max: number, fallback: number) {
  return wholeNumber(min, max).default(fallback);
}

function wholeNumber(min: number, max: number) {
  const expectation = `an integer from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,12}$/, expectation)
    .transform(Number)
    .refine((value) => value >= min && value <= max, expectation);
}

const portExpectation = "a port from 1 to 65535";

/** A port to listen on; null if the variable is unset. */
const maybePort = z
  .string()
  .regex(/^\d{1,5}$/, portExpectation)
  .transform(Number)
  .refine((port) => port >= 1 && port <= 65_535, portExpectation)
  .nullable()
  .default(null);

const flag = z
  .enum(["0", "1"], "0 or 1")
  .transform((text) => text === "1")
  .nullable()
  .default(null);

const path = z
  .string()
  .min(1, "a path of 1 to 4096 characters")
  .max(4096, "a path of 1 to 4096 characters");

const cidr =
  /^(?:\d{1,3}(?:\.\d{1,3}){3}(?:\/(?:\d|[12]\d|3[0-2]))?|[0-9a-fA-F:]{2,39}(?:\/\d{1,3})?)$/;

const cidrs = z
  .string()
  .transform((text) => text.split(",").map((part) => part.trim()))
  .transform((parts) => parts.filter((part) => part !== ""))
  .refine(
    (parts) => parts.every((part) => cidr.test(part)),
    "IP addresses or networks such as 10.0.0.0/8, separated by commas",
  )
  .default([]);

/**
 * The origin of a page as browsers write it: scheme and host in lower case, and the port if it is not the scheme's
 * default.
 */
function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

const origins = z
  .string()
  .transform((text) => text.split(",").map((part) => part.trim()))
  .transform((parts) => parts.filter((part) => part !== ""))
  .refine(
    (parts) => parts.every((part) => part === "*" || isOrigin(part)),
    "* or origins such as https://desk.example, separated by commas, without a path",
  )
  .default([]);

const masterKey = z
  .string()
  .regex(/^[0-9a-fA-F]{64}$/, "64 hexadecimal digits (32 bytes)")
  .nullable()
  .default(null);

const masterKeys = z
  .string()
  .transform((text) => text.split(",").map((part) => part.trim().toLowerCase()))
  .transform((parts) => parts.filter((part) => part !== ""))
  .refine(
    (parts) => parts.every((part) => /^[0-9a-f]{64}$/.test(part)),
    "keys of 64 hexadecimal digits, separated by commas",
  )
  .default([]);

const publicUrl = z
  .string()
  .regex(
    /^https?:\/\/(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::\d{1,5})?$/,
    "an http or https URL without a path, such as https://venue.example",
  )
  .nullable()
  .default(null);

const databaseUrl = z
  .string()
  .regex(/^postgres(?:ql)?:\/\/.+/, "a URL such as postgres://user:password@host:5432/database")
  .nullable()
  .default(null);

const natsUrls = z
  .string()
  .transform((text) => text.split(",").map((part) => part.trim()))
  .refine((parts) => parts.every((part) => /^(?:nats|tls):\/\//.test(part)), {
    error: "tls:// or nats:// before each address, such as tls://bus.internal:4222",
    abort: true,
  })
  .refine(
    (parts) => parts.every((part) => /^\w+:\/\/[A-Za-z0-9.:[\]-]{1,255}$/.test(part)),
    "addresses of NATS servers without a user, such as tls://bus.internal:4222, separated by commas",
  )
  .default([]);

const httpUrl = z
  .string()
  .regex(/^https?:\/\/[^\s]+$/, "a URL such as https://participant.example:7575")
  .transform((url) => url.replace(/\/+$/, ""))
  .nullable()
  .default(null);

const party = z
  .string()
  .regex(/^[^\s:]{1,120}::1220[0-9a-f]{64}$/, "a party id such as venue::1220…")
  .nullable()
  .default(null);

const secretText = z
  .string()
  .min(1)
  .max(10_000, "a text of at most 10000 characters")
  .nullable()
  .default(null);

const registries = z
  .string()
  .transform((text) => text.split(",").map((part) => part.trim()))
  .refine(
    (parts) =>
      parts.every((part) => /^[^\s:=]{1,120}::1220[0-9a-f]{64}=https?:\/\/\S+$/.test(part)),
    "party ids with their registry's URL, as admin::1220…=https://…, separated by commas",
  )
  .transform((parts) => parts.map((part) => part.split("=")))
  .default([]);

const feeds = z
  .string()
  .transform((text) => text.split(/\s+/).filter((part) => part !== ""))
  .refine(
    (parts) =>
      parts.length <= priceFeedsMax && parts.every((part) => /^https?:\/\/\S+$/.test(part)),
    `at most ${priceFeedsMax} URLs, separated by spaces`,
  )
  .default([]);

/** Every variable the venue reads. Operators use these names; values are parsed to their types. */
export const configSchema = z.object({
  HOST: z.string().min(1, "a host name or an IP address").default("127.0.0.1"),
  PORT: integer(0, 65_535, 8080),
  FAULT_PORT: integer(0, 65_535, 0),
  PUBLIC_URL: publicUrl,
  DATA_DIR: path.default("./data"),
  DATABASE_URL: databaseUrl,
  SYNCHRONOUS_STANDBY: z.enum(["off", "required"], "off or required").default("off"),
  ROLE: z.enum(["single", "auto"], "single or auto").default("single"),
  LEASE_MS: integer(100, 60_000, 500),
  LEASE_RENEW_MS: integer(10, 10_000, 100),
  CANCEL_ONLY_MS: integer(0, 3_600_000, 0),
  SYNCHRONOUS_WAIT_MS: integer(100, 600_000, 10_000),
  NODE_ENV: z.string().default(""),
  DEV_TOOLS: flag,
  // At most 16: with more matchers, passing messages over rings would take more time than matching.
  MATCHERS: integer(1, 16, 1),
  FRONT_THREADS: integer(1, 32, 1),
  NATS_URL: natsUrls,
  NATS_CA_FILE: path.nullable().default(null),
  NATS_CREDENTIALS_FILE: path.nullable().default(null),
  NATS_NKEY_FILE: path.nullable().default(null),
  GATEWAY_SLOTS: integer(1, gatewaySlotsMax, 8),
  TRUSTED_PROXIES: cidrs,
  CORS_ORIGINS: origins,
  RATE_LIMIT_WS_CONNS_PER_IP: integer(1, 100_000, 16),
  ACCOUNTS_PER_NETWORK: integer(1, 262_144, 100),
  IDLE_ACCOUNT_DAYS: integer(0, 3_650, 7),
  STREAM_PING_MS: integer(20, 600_000, 20_000),
  STREAM_PONG_TIMEOUT_MS: integer(50, 3_600_000, 60_000),
  LISTEN_KEY_MS: integer(1_000, 86_400_000, 3_600_000),
  WALLET_CHALLENGE_MS: integer(100, 3_600_000, 300_000),
  SESSION_MS: integer(1_000, 86_400_000, 86_400_000),
  MASTER_KEY: masterKey,
  MASTER_KEY_EARLIER: masterKeys,
  LOG_LEVEL: z
    .enum(
      ["fatal", "error", "warn", "info", "debug", "trace", "silent"],
      "fatal, error, warn, info, debug, trace or silent",
    )
    .default("info"),
  LOG_FORMAT: z.enum(["auto", "json", "pretty"], "auto, json or pretty").default("auto"),
  LEDGER_URL: httpUrl,
  LEDGER_PROFILE: z
    .enum(["devnet", "canton-v1", "none"], "devnet, canton-v1 or none")
    .nullable()
    .default(null),
  LEDGER_USER_ID: z
    .string()
    .regex(/^[\w.@-]{1,100}$/, "a user id")
    .default("venue"),
  LEDGER_OPERATOR_PARTY: party,
  LEDGER_CUSTODY_PARTY: party,
  LEDGER_REGISTRIES: registries,
  LEDGER_TOKEN: secretText,
  LEDGER_TOKEN_URL: httpUrl,
  LEDGER_CLIENT_ID: secretText,
  LEDGER_CLIENT_SECRET: secretText,
  LEDGER_AUDIENCE: secretText,
  LEDGER_COMMIT_FROM_MS: integer(0, 60_000, 400),
  LEDGER_COMMIT_TO_MS: integer(0, 60_000, 1_200),
  LEDGER_ACCEPT_DELAY_MS: integer(0, 600_000, 1_000),
  SPOT_CHAIN_WORKERS: integer(1, 64, 2),
  SETTLEMENT_POLL_MS: integer(10, 600_000, 2_000),
  SETTLEMENT_WINDOW_MS: integer(0, 86_400_000, 60_000),
  SETTLEMENT_LONG_WINDOW_MS: integer(0, 86_400_000, 900_000),
  SETTLEMENT_ROUND_MS: integer(1_000, 3_600_000, 600_000),
  SETTLEMENT_LAPSE_MS: integer(0, 3_600_000, 120_000),
  LEDGER_STALE_MS: integer(1_000, 3_600_000, 90_000),
  LEDGER_AUDIT_MS: integer(100, 86_400_000, 600_000),
  SWAP_PREPARE_MS: integer(100, 600_000, 15_000),
  SWAP_FUNDS_MS: integer(100, 30_000, 3_000),
  SWAP_POLL_MS: integer(10, 60_000, 250),
  SWAP_QUOTE_WINDOW_MS: integer(50, 60_000, 1_500),
  SWAP_TRADER_MS: integer(100, 3_600_000, 60_000),
  SWAP_WALLET_MS: integer(100, 3_600_000, 120_000),
  SWAP_PROVIDER_MS: integer(100, 3_600_000, 30_000),
  SWAP_ALLOCATE_MS: integer(500, 86_400_000, 150_000),
  SWAP_SETTLE_MS: integer(500, 86_400_000, 60_000),
  SWAP_MARGIN_MS: integer(0, 600_000, 5_000),
  SWAP_GRACE_MS: integer(0, 3_600_000, 2_000),
  SWAP_UNKEPT_MAX: integer(1, 1_000, 3),
  SWAP_UNKEPT_MS: integer(1_000, 86_400_000, 600_000),
  SWAP_LAPSE_MS: integer(0, 3_600_000, 120_000),
  WITHDRAWAL_TIMEOUT_MS: integer(100, 600_000, 15_000),
  WITHDRAWAL_QUOTE_MS: integer(100, 3_600_000, 60_000),
  DEV_PROVIDER: flag,
  DEV_FLEET: flag,
  COMPAT_STRICT: flag,
  BUILD_COMMIT: z
    .string()
    .regex(/^[0-9a-f]{7,40}$/, "a commit, 7 to 40 hexadecimal digits")
    .nullable()
    .default(null),
  FIX_PORT: maybePort,
  FIX_MARKET_DATA_PORT: maybePort,
  FIX_TLS_CERT: path.nullable().default(null),
  FIX_TLS_KEY: path.nullable().default(null),
  FIX_PLAIN: flag,
  PROVIDER_HEALTH_MS: integer(20, 600_000, 10_000),
  RECONCILE_INTERVAL_MS: integer(10, 3_600_000, 30_000),
  HOUSE_FILLS_PER_DAY: integer(0, 1_000_000_000, 20_000),
  SPIN_US: integer(0, 10_000, 0),
  WARM_UP: flag,
  FRONT_AHEAD: integer(0, 20, 5),
  GATEWAY_TIMEOUT_MS: integer(1_500, 600_000, 30_000),
  TICK_MS: integer(1, 10_000, 50),
  MARK_INTERVAL_MS: integer(10, 60_000, 1_000),
  OPENS_WITHOUT_INDEX: flag,
  FUNDING_INTERVAL_MS: integer(500, 86_400_000, 28_800_000),
  PRICE_FEEDS: feeds,
  PRICE_FEED_INTERVAL_MS: integer(50, 60_000, 1_000),
  PRICE_FEED_TIMEOUT_MS: integer(50, 60_000, 2_000),
  PRICE_FEED_NETWORKS: cidrs,
  PRICE_STALE_MS: integer(200, 3_600_000, 10_000),
  REWARD_INTERVAL_MS: integer(100, 3_600_000, 5000),
  PROJECTION_INTERVAL_MS: integer(1, 60_000, 250),
  SNAPSHOT_INTERVAL_MS: integer(100, 86_400_000, 300_000),
  SNAPSHOT_EVENTS: integer(1, 1_000_000_000, 1_000_000),
  MARKET_SAMPLE_DAYS: integer(1, 365, 30),
  EPOCH_CHECK_ENTRIES: integer(0, 100_000_000, 100_000),
  LIABILITIES_EPOCHS: wholeNumber(0, 1_000_000).optional(),
  VENUE_NAME: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, "1 to 64 letters, digits or hyphens")
    .default("rialto"),
  CLOCK_STEP_MS: integer(1_000, 60_000, 5_000),
  CLOCK_DOWNTIME_HOURS: integer(1, 87_600, 24),
  EPOCH_SECONDS: integer(1, 86_400, 60),
  HEARTBEAT_TIMEOUT_MS: integer(500, 600_000, 20_000),
  STOP_TIMEOUT_MS: integer(100, 600_000, 20_000),
  /** For tests only: path of the file to which clearing appends its input, in order. */
  INPUT_LOG: path.nullable().default(null),
});

export type ConfigVariables = z.output<typeof configSchema>;
