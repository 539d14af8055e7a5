// Deposits and withdrawals, and the stages that they pass. Independent of page and network.

import { signal } from "@preact/signals";
import { partyForm } from "../../../src/core/ids/party-form.ts";
import { grouped, placesIn, placesOf, textOf, unitsOf } from "../decimal-text.ts";
import { amountFault } from "../entered-number.ts";

export interface Movement {
  readonly deposit_id?: string;
  readonly withdrawal_id?: string;
  readonly asset: string;
  readonly amount: string;
  /** Only of withdrawals. */
  readonly fee?: string;
  readonly destination?: string;
  readonly status: string;
  readonly created_at: string;
  /** Transaction of the ledger; null until there is one. */
  readonly update_id: string | null;
}

/** The user's newest deposits and withdrawals, newest first; empty until read. */
export const movements = signal<readonly Movement[]>([]);

/** What each movement has reached, as a text that differs once one appears or moves on; the order does not matter. */
export function statesOf(all: readonly Movement[]): string {
  const one = ({ deposit_id: deposit, withdrawal_id: withdrawal, status }: Movement) =>
    `${deposit ?? withdrawal} ${status}`;
  return all.map(one).sort().join();
}

export interface Stage {
  readonly name: string;
  readonly state: "done" | "now" | "pending" | "failed";
}

const withdrawalStages = ["Requested", "Sent to the ledger", "Paid"] as const;
const withdrawalSteps: Readonly<Record<string, number>> = {
  requested: 0,
  processing: 1,
  completed: 2,
};

const depositEnds: Readonly<Record<string, Stage>> = {
  pending: { name: "Credited", state: "pending" },
  credited: { name: "Credited to your funding wallet", state: "done" },
  below_minimum: {
    name: "Below the minimum, not credited: the venue decides whether to credit or return it",
    state: "failed",
  },
  unclaimed: { name: "Unclaimed", state: "failed" },
  returning: { name: "Being returned to its sender", state: "now" },
  returned: { name: "Returned to its sender", state: "done" },
};

/** Returns the stages of a deposit or withdrawal, in order. */
export function stagesOf({ deposit_id: deposit, status }: Movement): Stage[] {
  if (deposit !== undefined) {
    const end = depositEnds[status] ?? { name: status.replace(/_/g, " "), state: "now" };
    return [{ name: "Seen on the ledger", state: "done" }, end];
  }
  if (status === "failed") {
    return [
      { name: "Requested", state: "done" },
      { name: "Not paid: the amount is back in your spot wallet", state: "failed" },
    ];
  }
  const reached = withdrawalSteps[status] ?? 0;
  const isOver = reached === withdrawalStages.length - 1;
  return withdrawalStages.map((name, at) => {
    if (at < reached || isOver) return { name, state: "done" };
    return { name, state: at === reached ? "now" : "pending" };
  });
}

/** Returns what withdrawals have paid to a party, newest first. */
export function paymentsTo(
  party: string,
  all: readonly Movement[],
): { readonly amount: string; readonly asset: string }[] {
  return all
    .filter(({ destination, status }) => destination === party && status === "completed")
    .map(({ amount, fee = "0", asset }) => {
      const places = placesIn(amount);
      const paid = (unitsOf(amount, places) ?? 0n) - (unitsOf(fee, places) ?? 0n);
      return { amount: textOf(paid, places), asset };
    });
}

/** The payments as texts, such as "24.5 USDC". */
export function paidTo(party: string, all: readonly Movement[]): string[] {
  return paymentsTo(party, all).map(({ amount, asset }) => `${grouped(amount)} ${asset}`);
}

/** Refusals of the venue before it has sent anything: WDR-7. The page begins each with a capital letter. */
const ledgerAway =
  /^(withdrawal fee quote unavailable|withdrawal eligibility check unavailable|withdrawal request timed out)$/i;

/**
 * What the user is told of the venue's refusal of a withdrawal: whether money may leave, and who can preapprove, because
 * the page cannot, not even for the user's own party. Spec OPS-125.
 */
export function withdrawalRefusal(message: string, isOwnParty: boolean): string {
  if (ledgerAway.test(message))
    return "The ledger does not answer. Nothing was sent, and nothing left your wallet. Try again later.";
  if (/^withdrawal not confirmed in time/i.test(message))
    return "The venue has not confirmed the withdrawal in time. It may still be made: see the history below before you try again.";
  if (!/has not preapproved/i.test(message)) return message;
  return isOwnParty
    ? `${message}. It is your own party: turn on preapproval of incoming transfers in the wallet application that holds its key on the ledger. On a development venue, get test funds with the wallet "ledger" once: that sets up such a wallet.`
    : `${message}. Only its owner can preapprove them.`;
}

/** Why a text is no id of a party; null for one that is, and for an empty one. */
export function partyFault(text: string): string | null {
  if (text === "" || partyForm.test(text)) return null;
  return "This is no party id, such as alice::1220… with 64 hexadecimal digits after 1220.";
}

/** The venue's terms of withdrawals of an asset. */
export interface WithdrawalTerms {
  readonly withdrawFee: string;
  readonly withdrawMin: string;
  /** False while the venue has no terms of the ledger. */
  readonly withdrawEnable: boolean;
}

/** Either what arrives at the destination, or why the amount cannot be withdrawn. */
export type WithdrawalPreview =
  | { readonly arrives: string; readonly fault?: never }
  | { readonly fault: string; readonly arrives?: never };

/** What becomes of a withdrawal of `amount` when `free` is available; null for an empty amount. */
export function withdrawalPreview(
  { withdrawFee, withdrawMin }: WithdrawalTerms,
  amount: string,
  free: string,
): WithdrawalPreview | null {
  const places = placesIn(withdrawMin);
  const given = amount.trim();
  const [sent, fee, least, had] = [given, withdrawFee, withdrawMin, free].map((text) =>
    unitsOf(text, places),
  );
  if (given === "" || fee == null || least == null || had == null) return null;
  const fault = amountFault(given);
  if (fault !== null || sent == null) return { fault: fault ?? "" };
  if (placesOf(given) > places) return { fault: `At most ${places} decimal places.` };
  if (sent < least) return { fault: `The minimum is ${grouped(withdrawMin)}.` };
  if (sent > had) return { fault: `Only ${grouped(free)} available in your spot wallet.` };
  return { arrives: textOf(sent - fee, places) };
}
