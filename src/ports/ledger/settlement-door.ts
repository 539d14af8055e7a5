// What the operator may ask of settlement, wherever it runs. Each refusal is an error whose words are
// for the operator. Types only.

import type { Party } from "./ledger.ts";

export interface SettlementDoor {
  /** Binds an open wallet account to a party; refused for any other account, and for a party in use. */
  enroll(account: number, party: Party): Promise<object>;
  /** The newest batches, the members, and how far fills and ledger have been read. */
  status(): Promise<object>;
  /** Seals every open batch, with all fills that are committed by now. */
  flush(): Promise<object>;
  /** What a batch pays and brings, and what it would mean to skip it. */
  batch(batchId: string): Promise<object>;
  /** Gives a batch up; refused while an attempt may still commit. */
  skip(batchId: string): Promise<object>;
  /** Queues the fills of a failed or skipped batch again in a new one. */
  requeue(batchId: string): Promise<object>;
}

/** The same of swaps. */
export interface SwapsDoor {
  /** Those that are not over. */
  swaps(): Promise<object>;
  /** Calls one off; refused where it is over or being settled. */
  abortSwap(swapId: string): Promise<object>;
}
