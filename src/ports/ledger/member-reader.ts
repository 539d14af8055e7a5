// Reads wallet-funded accounts for fronts. Types only.

import type { Party } from "./ledger.ts";

export interface MemberRecord {
  readonly party: Party;
  /** Whether its MemberAuth was ever seen. */
  readonly wasActive: boolean;
}

export interface MemberReader {
  /** Null for an account not bound to a party yet. */
  memberOf(account: number): Promise<MemberRecord | null>;
}
