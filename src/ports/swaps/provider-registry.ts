// Stores liquidity providers: identity, keys and conduct. Each method is one transaction. Types only.

import type { Side } from "../../core/orders.ts";
import type { SwapState } from "../../core/swaps.ts";
import type { Party } from "../ledger/ledger.ts";

/** Codes as in the table. Only approved providers receive quote requests. */
export const ProviderState = { pending: 1, approved: 2, suspended: 3, refused: 4 } as const;
export type ProviderState = (typeof ProviderState)[keyof typeof ProviderState];

/** Indexed by state. */
export const providerStateNames = ["", "pending", "approved", "suspended", "refused"] as const;

export interface ProviderTerms {
  readonly name: string;
  /** Base URL of its service; paths are appended. */
  readonly url: string;
  /** The ledger party that sends and receives the provider's legs. */
  readonly party: Party;
  /** Spot markets, as `CC-USDC`. */
  readonly pairs: readonly string[];
}

/** Counts since the registration. */
export interface ProviderFigures {
  readonly asked: number;
  /** Valid quotes in time. */
  readonly quoted: number;
  /** Answers without a quote. */
  readonly passed: number;
  /** No answer in time. */
  readonly late: number;
  /** Answers that are not a quote, or whose terms differ from the request. */
  readonly invalid: number;
  /** The connection failed, or the answer was an error. */
  readonly failed: number;
  /** Swaps for which it was chosen, by their end. */
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
  /** Why it is suspended or rejected. */
  readonly reason: string | null;
  readonly createdMs: number;
  readonly decidedMs: number | null;
  /** 0 … 1000. */
  readonly score: number;
  /** The last answer of its `/health`; null before the first. */
  readonly health: string | null;
  readonly healthMs: number | null;
}

export interface ProviderKey {
  /** The fingerprint of the public key by the ledger network's rule: `1220…`. */
  readonly keyId: string;
  readonly provider: string;
  /** Standard base64 of 32 bytes. */
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
  /** Limit of undecided registrations in total. */
  readonly pendingMax: number;
}

/** A swap as shown to its provider: nothing about the trader except its side. */
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

/** Used by fronts. */
export interface ProviderRegistry {
  /** The record; an existing one if the key registered the same terms before. */
  register(provider: NewProvider): Promise<ProviderRecord | "otherTerms" | "full">;
  /** The provider whose key this is, if it may sign now. */
  byKey(keyId: string): Promise<{ record: ProviderRecord; publicKey: string } | null>;
  keysOf(provider: string): Promise<ProviderKey[]>;
  /** Adds a second key; returns `known` if the key exists already. */
  addKey(key: Omit<ProviderKey, "retiredMs">): Promise<"added" | "known" | "taken" | "full">;
  /** Retires a key at once. The provider's last key cannot be retired. */
  retireKey(
    provider: string,
    keyId: string,
    nowMs: number,
  ): Promise<"retired" | "unknown" | "last">;
  /** Remembers a nonce for `memoryMs`; false if it was used. */
  takeNonce(keyId: string, nonce: string, nowMs: number, memoryMs: number): Promise<boolean>;
  /** Keys published at `nowMs`, newest first. */
  venueKeys(nowMs: number): Promise<VenueKey[]>;
  /** Newest first. */
  swapsOf(query: {
    readonly provider: string;
    readonly before: number | null;
    readonly limit: number;
  }): Promise<ProviderSwap[]>;
}

/** Conduct since the last save. */
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

/** Used by the thread that calls providers. */
export interface ProviderRepository {
  approved(): Promise<ProviderRecord[]>;
  /** Adds counts and stores score and health. */
  saveFigures(changes: readonly FigureChange[]): Promise<void>;
  suspend(provider: string, reason: string, nowMs: number): Promise<void>;
  /** The oldest notice of each swap and provider that is due, at most `limit`. */
  dueNotices(nowMs: number, limit: number): Promise<DueNotice[]>;
  /** The address of a provider in any state. */
  urlOf(provider: string): Promise<string | null>;
  delivered(noticeId: number, nowMs: number): Promise<void>;
  postpone(noticeId: number, dueMs: number, reason: string): Promise<void>;
  giveUp(noticeId: number, nowMs: number, reason: string): Promise<void>;
}

/** Used by the operator. */
export interface ProviderOffice {
  list(): Promise<ProviderRecord[]>;
  /** Changes its state from one of `from` to `to`; null if it is in none of them. */
  decide(decision: {
    readonly provider: string;
    readonly from: readonly ProviderState[];
    readonly to: ProviderState;
    readonly reason: string | null;
    readonly nowMs: number;
  }): Promise<ProviderRecord | null | "partyTaken">;
}

/** The venue's signing keys with their sealed private keys. */
export interface SigningKeyStore {
  /** Keys not retired at `nowMs`. */
  sealedKeys(nowMs: number): Promise<readonly (VenueKey & SealedKey)[]>;
  /** Adds a key; null if two are published already. */
  addKey(key: NewSigningKey): Promise<VenueKey | null>;
}

export interface SealedKey {
  /** Name of the secret. */
  readonly owner: string;
  readonly sealed: Uint8Array;
  readonly sealVersion: number;
}

export interface NewSigningKey {
  readonly keyId: string;
  readonly publicKey: string;
  readonly sealVersion: number;
  readonly nowMs: number;
  /** Whether the new key retires all other keys and signs immediately. */
  readonly isAtOnce: boolean;
  /** When the new key starts to sign if another key is active; without one it signs at once. */
  readonly signsFromMs: number;
  /** When the previous key is no longer published. */
  readonly retirePreviousMs: number;
  /** Seals the private key as the secret with that name. */
  seal(owner: string): Uint8Array;
}
