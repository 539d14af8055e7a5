// Whether the account trades from its user's own party on the ledger, how far that is, and what the faucet gave to
// parties there since the page was opened.

import { signal } from "@preact/signals";
import { requestOwn } from "./session.ts";

interface Enrollment {
  readonly status: "none" | "pending" | "active" | "revoked";
  readonly party_id: string | null;
}

/** Null until asked. */
export const enrollment = signal<Enrollment | null>(null);

export async function readEnrollment(): Promise<void> {
  enrollment.value = await requestOwn<Enrollment>("GET", "/v1/wallet/enrollment");
}

/** Makes the account wallet-funded, for good. */
export async function enroll(): Promise<void> {
  enrollment.value = await requestOwn<Enrollment>("POST", "/v1/wallet/enroll", { body: {} });
}

interface LedgerGift {
  readonly partyId: string;
  /** "10000 USDC". */
  readonly message: string;
}

/** Oldest first. Of a party that is not enrolled the venue reads nothing on the ledger: nothing else tells of them. */
export const ledgerGifts = signal<readonly LedgerGift[]>([]);
