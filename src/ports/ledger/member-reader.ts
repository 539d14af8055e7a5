// Reads wallet-funded accounts for fronts. Types only.

import type { Party } from "./ledger.ts";

export interface MemberRecord {
  readonly party: Party;
  /** True if the member's MemberAuth contract was ever seen. */
  readonly wasActive: boolean;
}

export interface MemberReader {
  /** Returns the member of an account; null for an account that is not bound to a party yet. */
  memberOf(account: number): Promise<MemberRecord | null>;
}
