// Enrolment of the account to trade from the user's own party on the ledger, and the test funds sent to such
// parties since the page was opened.

import { signal } from "@preact/signals";
import { requestOwn } from "./session.ts";

interface Enrollment {
  readonly status: "none" | "pending" | "active" | "revoked";
  readonly party_id: string | null;
}

/** Null until loaded. */
export const enrollment = signal<Enrollment | null>(null);

export async function readEnrollment(): Promise<void> {
  enrollment.value = await requestOwn<Enrollment>("GET", "/v1/wallet/enrollment");
}

/** Makes the account wallet-funded. This cannot be undone. */
export async function enroll(): Promise<void> {
  enrollment.value = await requestOwn<Enrollment>("POST", "/v1/wallet/enroll", { body: {} });
}

interface LedgerGift {
  readonly partyId: string;
  /** Amount and asset, such as "10000 USDC". */
  readonly message: string;
}

/**
 * Test funds that were sent to the user's parties, oldest first. The venue does not read holdings of a party that is
 * not enrolled, so the page records them.
 */
export const ledgerGifts = signal<readonly LedgerGift[]>([]);
