// Stores liquidity providers: identity, keys and conduct. Each method is one transaction. Types only.

import type { Side } from "../../core/orders.ts";
import type { SwapState } from "../../core/swaps.ts";
import type { Party } from "../ledger/ledger.ts";

/** States of a provider, with their codes in the table. Only approved providers receive quote requests. */
export const ProviderState = { pending: 1, approved: 2, suspended: 3, refused: 4 } as const;
export type ProviderState = (typeof ProviderState)[keyof typeof ProviderState];

/** Names of the states, indexed by their codes. */
export const providerStateNames = ["", "pending", "approved", "suspended", "refused"] as const;

export interface ProviderTerms {
  readonly name: string;
  /** Base URL of the provider's service, to which paths are appended. */
  readonly url: string;
  /** The ledger party that sends and receives the provider's legs. */
  readonly party: Party;
  /** Symbols of the spot markets that the provider quotes, such as `CC-USDC`. */
  readonly pairs: readonly string[];
}

/** Counts of the provider's answers and swaps since its registration. */
export interface ProviderFigures {
  /** Number of requests for quotes that the provider was sent. */
  readonly asked: number;
  /** Number of valid quotes that arrived in time. */
  readonly quoted: number;
  /** Number of answers without a quote. */
  readonly passed: number;
  /** Number of requests without an answer in time. */
  readonly late: number;
  /** Number of answers that are not a quote, or whose terms differ from the request. */
  readonly invalid: number;
  /** Number of requests for which the connection failed or the answer was an error. */
  readonly failed: number;
  /**
   * Number of settled swaps of the provider. `declined` counts quotes that the provider declined after acceptance.
   * `unlocked` counts swaps for which the provider did not lock its leg in time.
   */
  readonly settled: number;
  readonly declined: number;
  readonly unlocked: number;
  /** Total milliseconds of the answers counted in `quoted` and `passed`. */
  readonly answerMs: number;
}

export interface ProviderRecord extends ProviderTerms, ProviderFigures {
  /** A UUID. */
  readonly provider: string;
  readonly state: ProviderState;
  /** Reason for which the provider is suspended or refused. */
  readonly reason: string | null;
  readonly createdMs: number;
  readonly decidedMs: number | null;
  /** 0 … 1000. */
  readonly score: number;
  /** The last answer of the provider's `/health`; null before the first one. */
  readonly health: string | null;
  readonly healthMs: number | null;
}

export interface ProviderKey {
  /** Fingerprint of the public key, computed as the ledger network does: `1220…`. */
  readonly keyId: string;
  readonly provider: string;
  /** The public key: standard base64 of 32 bytes. */
  readonly publicKey: string;
  readonly createdMs: number;
  readonly retiredMs: number | null;
}

/** A public signing key of the venue. */
export interface VenueKey {
  readonly keyId: string;
  readonly publicKey: string;
  readonly createdMs: number;
  readonly signsFromMs: number;
  readonly retiresMs: number | null;
}

export interface NewProvider extends ProviderTerms {
  readonly keyId: string;
  readonly publicKey: string;
  readonly nowMs: number;
  /** Maximum number of registrations of all providers on which the operator has not decided yet. */
  readonly pendingMax: number;
}

/** A swap as shown to its provider. It reveals nothing about the trader except the side. */
export interface ProviderSwap {
  readonly number: number;
  readonly swapId: string;
  readonly market: number;
  readonly side: Side;
  readonly priceTicks: number;
  readonly lots: number;
  readonly state: SwapState;
  readonly updateId: string | null;
  readonly createdMs: number;
}

/** The part of the store that fronts use. */
export interface ProviderRegistry {
  /**
   * Registers a provider and returns its record. If the key registered the same terms before, returns the existing
   * record.
   */
  register(provider: NewProvider): Promise<ProviderRecord | "otherTerms" | "full">;
  /** Returns the provider to which a key belongs, if that key may sign now; otherwise null. */
  byKey(keyId: string): Promise<{ record: ProviderRecord; publicKey: string } | null>;
  keysOf(provider: string): Promise<ProviderKey[]>;
  /**
   * Adds a second key to a provider. Returns `known` if the key is already active for this provider, `taken` if it
   * belongs to another provider or was retired, and `full` if two keys are active.
   */
  addKey(key: Omit<ProviderKey, "retiredMs">): Promise<"added" | "known" | "taken" | "full">;
  /** Retires a key immediately. The last key of a provider cannot be retired. */
  retireKey(
    provider: string,
    keyId: string,
    nowMs: number,
  ): Promise<"retired" | "unknown" | "last">;
  /** Stores a nonce for `memoryMs`; returns false if the nonce was used before. */
  takeNonce(keyId: string, nonce: string, nowMs: number, memoryMs: number): Promise<boolean>;
  /** Returns the venue's keys that are published at `nowMs`, newest first. */
  venueKeys(nowMs: number): Promise<VenueKey[]>;
  /** Returns swaps of a provider, newest first. */
  swapsOf(query: {
    readonly provider: string;
    readonly before: number | null;
    readonly limit: number;
  }): Promise<ProviderSwap[]>;
}

/** Changes of a provider's figures since the last save. */
export type FigureChange = ProviderFigures & {
  readonly provider: string;
  readonly score: number;
  readonly health: string | null;
  readonly healthMs: number | null;
};

/** A due notice to a provider, ready to send. */
export interface DueNotice {
  readonly noticeId: number;
  readonly provider: string;
  readonly swapId: string;
  readonly kind: "result" | "cancel";
  readonly body: string;
  readonly createdMs: number;
  readonly attempts: number;
}

/** The part of the store used by the thread that calls providers. */
export interface ProviderRepository {
  approved(): Promise<ProviderRecord[]>;
  /** Adds the counts to the stored counts, and stores score and health. */
  saveFigures(changes: readonly FigureChange[]): Promise<void>;
  suspend(provider: string, reason: string, nowMs: number): Promise<void>;
  /** Returns at most `limit` due notices: for each swap and provider only the oldest one. */
  dueNotices(nowMs: number, limit: number): Promise<DueNotice[]>;
  /** Returns the URL of a provider, whatever the provider's state. */
  urlOf(provider: string): Promise<string | null>;
  delivered(noticeId: number, nowMs: number): Promise<void>;
  postpone(noticeId: number, dueMs: number, reason: string): Promise<void>;
  giveUp(noticeId: number, nowMs: number, reason: string): Promise<void>;
}

/** The part of the store that the operator uses. */
export interface ProviderOffice {
  list(): Promise<ProviderRecord[]>;
  /**
   * Changes the state of a provider from one of `from` to `to`. Returns null if the provider is in none of the states
   * `from`, and `partyTaken` if an approved or suspended provider has the same party or URL.
   */
  decide(decision: {
    readonly provider: string;
    readonly from: readonly ProviderState[];
    readonly to: ProviderState;
    readonly reason: string | null;
    readonly nowMs: number;
  }): Promise<ProviderRecord | null | "partyTaken">;
}

/** Stores the venue's signing keys, with their private keys encrypted. */
export interface SigningKeyStore {
  /** Returns the keys that are not retired at `nowMs`. */
  sealedKeys(nowMs: number): Promise<readonly (VenueKey & SealedKey)[]>;
  /** Adds a key; returns null if two keys are already published. */
  addKey(key: NewSigningKey): Promise<VenueKey | null>;
}

export interface SealedKey {
  /** Name of the encrypted secret. */
  readonly owner: string;
  readonly sealed: Uint8Array;
  readonly sealVersion: number;
}

export interface NewSigningKey {
  readonly keyId: string;
  readonly publicKey: string;
  readonly sealVersion: number;
  readonly nowMs: number;
  /** True if the new key retires all other keys and signs immediately. */
  readonly isAtOnce: boolean;
  /**
   * Time in milliseconds at which the new key starts to sign, if another key is active. If no other key is active, the
   * new key signs immediately.
   */
  readonly signsFromMs: number;
  /** Time at which the previous key stops being published, in milliseconds. */
  readonly retirePreviousMs: number;
  /** Encrypts the private key as the secret with the name `owner`. */
  seal(owner: string): Uint8Array;
}
