// What fronts read of wallet-funded accounts. Types only.

import type { Party } from "./ledger.ts";

export interface MemberRecord {
  readonly party: Party;
  /** Whether its MemberAuth was ever seen. */
  readonly wasActive: boolean;
}

export interface MemberReader {
  /** Null for an account that is bound to no party yet. */
  memberOf(account: number): Promise<MemberRecord | null>;
}
