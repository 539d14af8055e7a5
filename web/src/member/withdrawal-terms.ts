// What a withdrawal costs and what arrives, before it is sent. Amounts are decimal texts of the asset.

import { grouped, placesOf, textOf, unitsOf } from "../decimal-text.ts";
import { requestSigned } from "./signed-request.ts";

/** The venue's terms of withdrawals of an asset. */
export interface WithdrawalTerms {
  readonly withdrawFee: string;
  readonly withdrawMin: string;
  /** False while the venue has no terms of the ledger. */
  readonly withdrawEnable: boolean;
}

interface Coin {
  readonly coin: string;
  readonly networkList: readonly WithdrawalTerms[];
}

/** Reads the terms of all assets. */
export async function readTerms(): Promise<Readonly<Record<string, WithdrawalTerms>>> {
  const coins = await requestSigned<Coin[]>("GET", "/sapi/v1/capital/config/getall");
  return Object.fromEntries(
    coins.flatMap(({ coin, networkList: [terms] }) => (terms === undefined ? [] : [[coin, terms]])),
  );
}

/** Either what arrives at the destination, or why the amount cannot be withdrawn. */
export type WithdrawalPreview =
  | { readonly arrives: string; readonly fault?: never }
  | { readonly fault: string; readonly arrives?: never };

/** What becomes of a withdrawal of `amount` when `free` is available; null for an amount that is no positive number. */
export function withdrawalPreview(
  { withdrawFee, withdrawMin }: WithdrawalTerms,
  amount: string,
  free: string,
): WithdrawalPreview | null {
  const places = (withdrawMin.split(".")[1] ?? "").length;
  const given = amount.trim();
  const [sent, fee, least, had] = [given, withdrawFee, withdrawMin, free].map((text) =>
    unitsOf(text, places),
  );
  if (sent == null || fee == null || least == null || had == null || sent <= 0n) return null;
  if (placesOf(given) > places) return { fault: `At most ${places} decimal places.` };
  if (sent < least) return { fault: `The minimum is ${grouped(withdrawMin)}.` };
  if (sent > had) return { fault: `Only ${grouped(free)} available in your spot wallet.` };
  return { arrives: textOf(sent - fee, places) };
}
