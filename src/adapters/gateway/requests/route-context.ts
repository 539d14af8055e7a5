// The parts that all routes of a front share: the read model, clearing, stores, settings.

import type { RateTier } from "../../../core/accounts.ts";
import type { MarketTable } from "../../../core/markets.ts";
import type { SwapTimes } from "../../../engine/swaps/swap-machine.ts";
import type { KeyStore } from "../../../ports/access/key-store.ts";
import type { SessionStore } from "../../../ports/access/session-store.ts";
import type { BuildInfo, VenueRoleName } from "../../../ports/build-info.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Entropy } from "../../../ports/entropy.ts";
import type { EpochReader } from "../../../ports/journal/epoch-store.ts";
import type { HistoryStore } from "../../../ports/journal/history-store.ts";
import type { LiabilityReader } from "../../../ports/journal/liability-store.ts";
import type { MarketSampleReader } from "../../../ports/journal/market-samples.ts";
import type { CustodyRepository, PayeeCheck } from "../../../ports/ledger/custody.ts";
import type { EpochAnchorStore } from "../../../ports/ledger/epoch-anchors.ts";
import type { LedgerFaucet } from "../../../ports/ledger/ledger-faucet.ts";
import type { MemberReader } from "../../../ports/ledger/member-reader.ts";
import type { SolvencyReader } from "../../../ports/ledger/solvency.ts";
import type { TrafficReader } from "../../../ports/ledger/traffic.ts";
import type { Log } from "../../../ports/log.ts";
import type { ProviderRegistry } from "../../../ports/swaps/provider-registry.ts";
import type { SwapRepository } from "../../../ports/swaps/swap-store.ts";
import type { KeyMintingPorts } from "../../../services/access/key-minting.ts";
import type { PublicAuthority } from "../../../services/access/public-authority.ts";
import type { RateLimiter } from "../../../services/access/rate-limiter.ts";
import type { SessionDirectory } from "../../../services/access/session-directory.ts";
import type { CommandBridge } from "../orders/command-bridge.ts";
import type { ReadModel } from "../read-model.ts";
import type { HttpCall } from "../server/http-call.ts";
import type { ListenKeys } from "../streams/user/listen-keys.ts";
import type { StoreWait } from "./store-wait.ts";
import { type SurfaceError, storeAway, transportErrors, unexpected } from "./surface-error.ts";

/** Settings and stores of the native surface. */
export interface NativeOptions {
  readonly sessions: SessionStore;
  readonly entropy: Entropy;
  readonly epochs: EpochReader;
  readonly anchors: EpochAnchorStore;
  readonly liabilities: LiabilityReader;
  readonly members: MemberReader;
  readonly custody: CustodyRepository;
  readonly faucet: LedgerFaucet;
  readonly payees: PayeeCheck;
  readonly solvency: SolvencyReader;
  readonly providers: ProviderRegistry;
  readonly traffic: TrafficReader;
  /** Maximum age in milliseconds of the last comparison of the wallets with the ledger. */
  readonly mirrorStaleMs: number;
  /** Maximum number of fills of the operator's own traders that may settle on the ledger per day. */
  readonly houseFillsPerDay: number;
  /** Time limit of a withdrawal request in milliseconds (15 s). */
  readonly withdrawalTimeoutMs: number;
  /** Maximum age in milliseconds of the ledger's last answer; a fee quote based on an older answer is invalid. */
  readonly quoteMaxAgeMs: number;
  /** True if there is a ledger network in which accounts can enroll. */
  readonly hasLedger: boolean;
  /** The swap store, the deadlines of swaps, and how long a request waits for a transaction to sign and for a trader's coins. */
  readonly swaps: {
    readonly store: SwapRepository;
    readonly times: SwapTimes;
    readonly prepareMs: number;
    readonly fundsMs: number;
  };
  /** The host for which providers sign their requests. */
  readonly authority: PublicAuthority;
  /** The key from which the nonces that hide leaf bodies are derived. */
  readonly nonceKey: Uint8Array;
  readonly challengeMs: number;
  readonly sessionMs: number;
  /** Number of accounts that the wallets of one IP network may open per hour. */
  readonly accountsPerNetwork: number;
  /** True to mount the routes of development venues. */
  readonly devTools: boolean;
  /** Returns whether 32 bytes are a curve point that is safe as a public key. */
  isSoundPoint(publicKey: Uint8Array): boolean;
}

/** The parts and settings that routes use. */
export interface RouteContext extends NativeOptions {
  readonly table: MarketTable;
  readonly model: ReadModel;
  readonly bridge: CommandBridge;
  readonly history: HistoryStore;
  readonly samples: MarketSampleReader;
  /** The time of requests: timestamps, sessions, limits. */
  readonly clock: Clock;
  /** The time of events, candles, funding and expiries: `clock`, except in a venue that can be rewound. */
  readonly marketClock: Clock;
  readonly log: Log;
  /** Limits how many accounts the wallets of one IP network may open. */
  readonly limiter: RateLimiter;
  /** The open sessions in memory, with the origin of each. */
  readonly openSessions: SessionDirectory;
  readonly keys: KeyStore;
  readonly minting: KeyMintingPorts;
  readonly listenKeys: ListenKeys;
  /** False if other fronts may send commands of the same account. */
  readonly isSoleFront: boolean;
  /** Returns whether the venue lacks a current view of the wallets' holdings on the ledger. */
  readonly isLedgerStale: () => boolean;
  /** Withdrawals that were refused because the ledger did not answer, since the start. */
  readonly ledgerRefusals: { count: number };
  /** Returns whether an error from a store means that the store is unreachable. */
  readonly isStoreAway: (fault: unknown) => boolean;
  /** Lets requests wait while the store is unreachable. */
  readonly storeWait: StoreWait;
  /** True if the compat view refuses requests that Binance has retired (COMPAT_STRICT). */
  readonly isStrict: boolean;
  readonly build: BuildInfo;
  /** What this process is among those of the venue. */
  role(): VenueRoleName;
  /** The rate tier of the key in a public request's header; the standard tier if the request has no key. */
  tierOf(call: HttpCall): RateTier;
}

/**
 * The error to return when a store fails, for a read after it has waited. A read can be retried if the store is
 * unreachable. The outcome of a write is then unknown, because its connection may have been lost after the commit. Spec
 * ERR-41, ERR-48, ERR-49.
 */
export function storeFault(
  { isStoreAway }: Pick<RouteContext, "isStoreAway">,
  { method }: Pick<HttpCall, "method">,
  fault: unknown,
): SurfaceError {
  const isRead = method === "GET" || method === "HEAD";
  if (!isStoreAway(fault)) return unexpected;
  return isRead ? storeAway : transportErrors.deadline;
}
