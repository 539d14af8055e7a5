// Stores which epochs are on the ledger network. Types only.

import type { EpochRecord } from "../journal/epoch-store.ts";

/** An epoch being committed to the ledger, or committed. */
export interface EpochAnchor {
  readonly epoch: number;
  readonly network: string;
  /** Ledger end before the first attempt. */
  readonly dedupOffset: number;
  /** 64 hex digits: the root that was sent. */
  readonly root: string;
  /** Null until the ledger has it. */
  readonly confirmed: EpochConfirmation | null;
}

/** The ledger's confirmation of a commitment. */
export interface EpochConfirmation {
  readonly updateId: string;
  readonly offset: number;
  /** Contract id of the commitment; null if an earlier version did not record it. */
  readonly contractId: string | null;
  /** ISO 8601 UTC; null if the ledger did not report it. */
  readonly recordTime: string | null;
}

/** A confirmation with the blob, which is stored separately because it is long. */
export interface EpochCommitment extends EpochConfirmation {
  /** Base64: discloses the contract to a node that does not see it; null if the ledger gave none. */
  readonly blob: string | null;
}

/** Stored before an attempt is sent. */
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
  /** Anchors of these epochs, as far as they were attempted. */
  anchors(epochs: readonly number[]): Promise<EpochAnchor[]>;
  /** Counts an attempt; the first one's offset is retained. Returns the resulting anchor. */
  attempt(attempt: AnchorAttempt): Promise<EpochAnchor>;
  /** Stores the confirmation; never changed afterwards. */
  confirm(epoch: number, commitment: EpochCommitment): Promise<void>;
  /** The blob of an epoch's commitment; null while there is none. */
  blob(epoch: number): Promise<string | null>;
}
