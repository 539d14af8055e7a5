// Stores which epochs are committed on the ledger network. Types only.

import type { EpochRecord } from "../journal/epoch-store.ts";

/** An epoch whose commitment is being sent to the ledger or is confirmed there. */
export interface EpochAnchor {
  readonly epoch: number;
  readonly network: string;
  /** Offset of the ledger's end before the first attempt. */
  readonly dedupOffset: number;
  /** The root that was sent: 64 hex digits. */
  readonly root: string;
  /** The ledger's confirmation; null until the commitment is on the ledger. */
  readonly confirmed: EpochConfirmation | null;
}

/** The ledger's confirmation of a commitment. */
export interface EpochConfirmation {
  readonly updateId: string;
  readonly offset: number;
  /** Contract id of the commitment; null if an earlier version did not record it. */
  readonly contractId: string | null;
  /** Record time of the ledger, ISO 8601 UTC; null if the ledger did not report it. */
  readonly recordTime: string | null;
}

/** A confirmation with the blob of its contract. The blob is stored separately because it is long. */
export interface EpochCommitment extends EpochConfirmation {
  /** Base64 blob that discloses the contract to a node that does not see it; null if the ledger gave none. */
  readonly blob: string | null;
}

/** An attempt to commit an epoch, which is stored before it is sent. */
export interface AnchorAttempt {
  readonly epoch: number;
  readonly commandId: string;
  readonly network: string;
  readonly dedupOffset: number;
  readonly root: string;
}

export interface EpochAnchorStore {
  /** Returns the newest epoch that the ledger confirmed, or null. */
  lastConfirmed(): Promise<EpochAnchor | null>;
  /** Returns the oldest sealed epoch after `epoch`, or the very first one if `epoch` is null; null if there is none. */
  nextSealed(epoch: number | null): Promise<EpochRecord | null>;
  /** Returns the anchors of these epochs; epochs that were never attempted have none. */
  anchors(epochs: readonly number[]): Promise<EpochAnchor[]>;
  /** Counts an attempt and returns the resulting anchor, which keeps the offset of the first attempt. */
  attempt(attempt: AnchorAttempt): Promise<EpochAnchor>;
  /** Stores the confirmation, which never changes afterwards. */
  confirm(epoch: number, commitment: EpochCommitment): Promise<void>;
  /** Returns the blob of an epoch's commitment; null if there is none yet. */
  blob(epoch: number): Promise<string | null>;
}
