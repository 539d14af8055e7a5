// A coin of the ledger as the venue's tables have it. Pure.

import type { Holding, Instrument } from "../../../ports/ledger/ledger.ts";
import type { Coin } from "../../../ports/ledger/settlement-store.ts";

/** The coin, by the venue's number of its asset; none where it is of something the venue does not list. */
export function listedCoin(
  instruments: ReadonlyMap<number, Instrument>,
  { contractId, owner, instrument, amount, isLocked }: Holding,
): Coin[] {
  for (const [asset, { admin, id }] of instruments) {
    if (admin !== instrument.admin || id !== instrument.id) continue;
    return [{ contractId, party: owner, asset, amount, isLocked }];
  }
  return [];
}
