// Providers of liquidity at rest: who they are, what they sign with, and how they behaved. Each method is
// one transaction. Types only.

import type { Side } from "../../core/orders.ts";
import type { SwapState } from "../../core/swaps.ts";
import type { Party } from "../ledger/ledger.ts";

/** Codes are those of the table. Only approved ones are asked for quotes. */
export const ProviderState = { pending: 1, approved: 2, suspended: 3, refused: 4 } as const;
export type ProviderState = (typeof ProviderState)[keyof typeof ProviderState];

/** Indexed by state. */
export const providerStateNames = ["", "pending", "approved", "suspended", "refused"] as const;

export interface ProviderTerms {
  readonly name: string;
  /** Where its service answers; paths are appended to it. */
  readonly url: string;
  /** That its legs are sent from and to. */
  readonly party: Party;
  /** Spot markets, as `CC-USDC`. */
  readonly pairs: readonly string[];
}

/** Counts since the registration. */
export interface ProviderFigures {
  readonly asked: number;
  /** Valid quotes in time. */
  readonly quoted: number;
  /** Answered that there is no quote. */
  readonly passed: number;
  /** No answer in time. */
  readonly late: number;
  /** An answer that is no quote, or one of other terms than were asked for. */
  readonly invalid: number;
  /** The connection failed, or the answer was an error. */
  readonly failed: number;
  /** Swaps in which it was chosen, by how they ended for it. */
  readonly settled: number;
  readonly declined: number;
  readonly unlocked: number;
  /** Milliseconds of all answers counted in `quoted` and `passed`. */
  readonly answerMs: number;
}

export interface ProviderRecord extends ProviderTerms, ProviderFigures {
  /** A UUID. */
  readonly provider: string;
  readonly state: ProviderState;
  /** Why it is suspended or refused. */
  readonly reason: string | null;
  readonly createdMs: number;
  readonly decidedMs: number | null;
  /** 0 … 1000. */
  readonly score: number;
  /** What its `/health` said last; null before the first answer. */
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

/** A public key that the venue signs with. */
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
  /** Registrations nobody has decided on, in all. */
  readonly pendingMax: number;
}

/** A swap as its provider may see it: nothing of the trader but its side. */
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

/** What fronts read and add. */
export interface ProviderRegistry {
  /** The record, which exists already where the key registered the same before. */
  register(provider: NewProvider): Promise<ProviderRecord | "otherTerms" | "full">;
  /** The provider that may sign with the key now. */
  byKey(keyId: string): Promise<{ record: ProviderRecord; publicKey: string } | null>;
  keysOf(provider: string): Promise<ProviderKey[]>;
  /** Adds a second key; `known` where it is there already. */
  addKey(key: Omit<ProviderKey, "retiredMs">): Promise<"added" | "known" | "taken" | "full">;
  /** Ends a key at once; the last one stays. */
  retireKey(
    provider: string,
    keyId: string,
    nowMs: number,
  ): Promise<"retired" | "unknown" | "last">;
  /** Keeps a nonce for `memoryMs`; false where it was seen. */
  takeNonce(keyId: string, nonce: string, nowMs: number, memoryMs: number): Promise<boolean>;
  /** Those that are published at `nowMs`, newest first. */
  venueKeys(nowMs: number): Promise<VenueKey[]>;
  /** Newest first. */
  swapsOf(query: {
    readonly provider: string;
    readonly before: number | null;
    readonly limit: number;
  }): Promise<ProviderSwap[]>;
}

/** How a provider behaved since it was last written down. */
export type FigureChange = ProviderFigures & {
  readonly provider: string;
  readonly score: number;
  readonly health: string | null;
  readonly healthMs: number | null;
};

/** A notice to a provider that is due, as it is to be sent. */
export interface DueNotice {
  readonly noticeId: number;
  readonly provider: string;
  readonly swapId: string;
  readonly kind: "result" | "cancel";
  readonly body: string;
  readonly createdMs: number;
  readonly attempts: number;
}

/** What the thread that asks providers works on. */
export interface ProviderRepository {
  approved(): Promise<ProviderRecord[]>;
  /** Adds counts and writes score and health. */
  saveFigures(changes: readonly FigureChange[]): Promise<void>;
  suspend(provider: string, reason: string, nowMs: number): Promise<void>;
  /** The oldest notice of each swap and provider that is due, at most `limit`. */
  dueNotices(nowMs: number, limit: number): Promise<DueNotice[]>;
  /** The address of a provider, whatever its state. */
  urlOf(provider: string): Promise<string | null>;
  delivered(noticeId: number, nowMs: number): Promise<void>;
  postpone(noticeId: number, dueMs: number, reason: string): Promise<void>;
  giveUp(noticeId: number, nowMs: number, reason: string): Promise<void>;
}

/** What the operator does with providers. */
export interface ProviderOffice {
  list(): Promise<ProviderRecord[]>;
  /** Moves it from one of `from` to `to`; null where it is not in one of them. */
  decide(decision: {
    readonly provider: string;
    readonly from: readonly ProviderState[];
    readonly to: ProviderState;
    readonly reason: string | null;
    readonly nowMs: number;
  }): Promise<ProviderRecord | null | "partyTaken">;
}

/** The venue's signing keys with their private halves, sealed. */
export interface SigningKeyStore {
  /** Those that are not retired at `nowMs`. */
  sealedKeys(nowMs: number): Promise<readonly (VenueKey & SealedKey)[]>;
  /** Adds a key; null where two are published already. */
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
  /** Ends all others now and signs from now on. */
  readonly isAtOnce: boolean;
  /** From when it signs where another one does already; at once where none does. */
  readonly signsFromMs: number;
  /** When the one before is no longer published. */
  readonly retirePreviousMs: number;
  /** Seals the private half as the secret of that name. */
  seal(owner: string): Uint8Array;
}
