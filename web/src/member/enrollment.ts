// Whether the account trades from its user's own party on the ledger, and how far that is.

import { signal } from "@preact/signals";
import { askOwn } from "./session.ts";

export interface Enrollment {
  readonly status: "none" | "pending" | "active" | "revoked";
  readonly party_id: string | null;
}

/** Null until asked. */
export const enrollment = signal<Enrollment | null>(null);

export async function readEnrollment(): Promise<void> {
  enrollment.value = await askOwn<Enrollment>("GET", "/v1/wallet/enrollment");
}

/** Makes the account wallet-funded, for good. */
export async function enroll(): Promise<void> {
  enrollment.value = await askOwn<Enrollment>("POST", "/v1/wallet/enroll", { body: {} });
}
