// Enrolment of the account to trade from the user's own party on the ledger.

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
