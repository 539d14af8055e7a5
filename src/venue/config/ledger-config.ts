// The settings of the ledger network, validated together: a participant needs parties and a source of tokens, and a
// setting that would have no effect is an error.

import type { ConfigVariables } from "../../../schemas/config.ts";
import type { ClientCredentials } from "../../adapters/ledger/access-token.ts";
import type { SettlementSettings } from "../../services/settlement/settlement-parts.ts";
import type { SwapSettings } from "../../services/swaps/swap-loop.ts";

export interface LedgerConfig {
  /** With `none`, nothing settles and no wallet is enrolled. */
  readonly profile: "devnet" | "canton-v1" | "none";
  /** null for the embedded development ledger. */
  readonly url: string | null;
  readonly userId: string;
  /** Empty for the embedded ledger, which reports its parties itself. */
  readonly operatorParty: string;
  readonly custodyParty: string;
  /** URL of each registry, by the party that issues its instruments. */
  readonly registries: ReadonlyMap<string, string>;
  readonly token: string | null;
  readonly credentials: ClientCredentials | null;
  /** Simulated commit time of the embedded ledger. */
  readonly latency: { readonly minMs: number; readonly maxMs: number };
  readonly acceptDelayMs: number;
}

/** Whether the venue starts the development ledger itself. */
export function hasEmbeddedLedger({ profile, url }: LedgerConfig): boolean {
  return profile === "devnet" && url === null;
}

export type ConfigFault = (name: string, expected: string) => string;

/** The faults of the ledger's variables, one line each. */
export function ledgerFaults(read: ConfigVariables, fault: ConfigFault): string[] {
  const faults: string[] = [];
  const { LEDGER_URL: url, LEDGER_PROFILE: profile } = read;
  if (read.LEDGER_COMMIT_FROM_MS > read.LEDGER_COMMIT_TO_MS)
    faults.push(fault("LEDGER_COMMIT_FROM_MS", "at most LEDGER_COMMIT_TO_MS"));
  if (read.SETTLEMENT_WINDOW_MS > read.SETTLEMENT_LONG_WINDOW_MS)
    faults.push(fault("SETTLEMENT_WINDOW_MS", "at most SETTLEMENT_LONG_WINDOW_MS"));
  if (url === null) {
    if (profile === "canton-v1")
      faults.push(fault("LEDGER_URL", "a URL with LEDGER_PROFILE=canton-v1"));
    return faults;
  }
  if (!URL.canParse(url)) faults.push(fault("LEDGER_URL", "a URL"));
  for (const name of ["LEDGER_OPERATOR_PARTY", "LEDGER_CUSTODY_PARTY"] as const) {
    if (read[name] === null) faults.push(fault(name, "a party id with LEDGER_URL"));
  }
  const parts = ["LEDGER_TOKEN_URL", "LEDGER_CLIENT_ID", "LEDGER_CLIENT_SECRET"] as const;
  const given = parts.filter((name) => read[name] !== null);
  if (read.LEDGER_TOKEN === null && given.length < parts.length)
    faults.push(fault("LEDGER_TOKEN", `a token with LEDGER_URL, or ${parts.join(", ")}`));
  if (read.LEDGER_TOKEN !== null && given.length > 0)
    faults.push(fault("LEDGER_TOKEN", "no value, because LEDGER_TOKEN_URL gives tokens"));
  return faults;
}

export function ledgerConfigOf(read: ConfigVariables): LedgerConfig {
  const { LEDGER_URL: url, LEDGER_TOKEN_URL: tokenUrl } = read;
  const { LEDGER_CLIENT_ID: clientId, LEDGER_CLIENT_SECRET: clientSecret } = read;
  const hasCredentials = tokenUrl !== null && clientId !== null && clientSecret !== null;
  const registries = read.LEDGER_REGISTRIES.map(
    ([admin = "", ...rest]) => [admin, rest.join("=").replace(/\/+$/, "")] as const,
  );
  return {
    profile: read.LEDGER_PROFILE ?? defaultProfile(read),
    url,
    userId: read.LEDGER_USER_ID,
    operatorParty: read.LEDGER_OPERATOR_PARTY ?? "",
    custodyParty: read.LEDGER_CUSTODY_PARTY ?? "",
    registries: new Map(registries),
    token: read.LEDGER_TOKEN,
    credentials: hasCredentials
      ? { tokenUrl, clientId, clientSecret, audience: read.LEDGER_AUDIENCE }
      : null,
    latency: { minMs: read.LEDGER_COMMIT_FROM_MS, maxMs: read.LEDGER_COMMIT_TO_MS },
    acceptDelayMs: read.LEDGER_ACCEPT_DELAY_MS,
  };
}

export function settlementSettingsOf(read: ConfigVariables): SettlementSettings {
  return {
    workers: read.SPOT_CHAIN_WORKERS,
    pollMs: read.SETTLEMENT_POLL_MS,
    windowMs: read.SETTLEMENT_WINDOW_MS,
    longWindowMs: read.SETTLEMENT_LONG_WINDOW_MS,
    roundMs: read.SETTLEMENT_ROUND_MS,
    lapseMs: read.SETTLEMENT_LAPSE_MS,
    staleMs: read.LEDGER_STALE_MS,
    auditMs: read.LEDGER_AUDIT_MS,
    reconcileMs: read.RECONCILE_INTERVAL_MS,
  };
}

export function swapSettingsOf(read: ConfigVariables): SwapSettings {
  return {
    pollMs: read.SWAP_POLL_MS,
    quoteWindowMs: read.SWAP_QUOTE_WINDOW_MS,
    traderMs: read.SWAP_TRADER_MS,
    walletMs: read.SWAP_WALLET_MS,
    providerMs: read.SWAP_PROVIDER_MS,
    allocateMs: read.SWAP_ALLOCATE_MS,
    settleMs: read.SWAP_SETTLE_MS,
    marginMs: read.SWAP_MARGIN_MS,
    lapseMs: read.SWAP_LAPSE_MS,
    graceMs: read.SWAP_GRACE_MS,
    unkeptMax: read.SWAP_UNKEPT_MAX,
    unkeptMs: read.SWAP_UNKEPT_MS,
  };
}

/**
 * Returns the profile to use if none is set. Never the development ledger in production, because its faucet is open to
 * all.
 */
function defaultProfile(read: ConfigVariables): LedgerConfig["profile"] {
  if (read.LEDGER_URL !== null) return "canton-v1";
  return read.NODE_ENV === "production" ? "none" : "devnet";
}
