// Where the venue writes down how far the ledger network has its epochs. Types only.

import type { EpochRecord } from "../journal/epoch-store.ts";

/** An epoch on its way to the ledger, or there. */
export interface EpochAnchor {
  readonly epoch: number;
  readonly network: string;
  /** Ledger end before the first attempt. */
  readonly dedupOffset: number;
  /** 64 hexadecimal digits: the root that was sent. */
  readonly root: string;
  /** Null until the ledger has it. */
  readonly confirmed: EpochConfirmation | null;
}

/** What the ledger said of a commitment. */
export interface EpochConfirmation {
  readonly updateId: string;
  readonly offset: number;
  /** Of the commitment's contract; null where an earlier venue did not hear of it. */
  readonly contractId: string | null;
  /** ISO 8601 UTC; null where the ledger did not say. */
  readonly recordTime: string | null;
}

/** A confirmation with what is kept apart, because it is long. */
export interface EpochCommitment extends EpochConfirmation {
  /** Base64: shows the contract to a node that does not see it; null where the ledger gave none. */
  readonly blob: string | null;
}

/** Written before an attempt is sent. */
export interface AnchorAttempt {
  readonly epoch: number;
  readonly commandId: string;
  readonly network: string;
  readonly dedupOffset: number;
  readonly root: string;
}

export interface EpochAnchorStore {
  /** The newest epoch the ledger has, or null. */
  lastConfirmed(): Promise<EpochAnchor | null>;
  /** The oldest sealed epoch after `epoch`, or the very first for null; null if there is none. */
  nextSealed(epoch: number | null): Promise<EpochRecord | null>;
  /** Anchors of these epochs, for those that were attempted. */
  anchors(epochs: readonly number[]): Promise<EpochAnchor[]>;
  /** Counts an attempt; the first one's offset stays. Answers the anchor as it is then. */
  attempt(attempt: AnchorAttempt): Promise<EpochAnchor>;
  /** The ledger has it; never changed once it is there. */
  confirm(epoch: number, commitment: EpochCommitment): Promise<void>;
  /** The blob of an epoch's commitment; null while there is none. */
  blob(epoch: number): Promise<string | null>;
}
