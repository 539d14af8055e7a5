// Reads what the venue asks for withdrawals.

import type { WithdrawalTerms } from "./movements.ts";
import { requestSigned } from "./signed-request.ts";

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
