// Selects the coins that pay an amount.

import type { ContractId } from "../../../ports/ledger/ledger.ts";
import type { Coin } from "../../../ports/ledger/settlement-store.ts";

/** Coins one payment may consume. The network's limit. */
export const inputsMax = 100;

/**
 * Coins that pay `units`: the smallest first, which merges them, else the largest. Null if they do not
 * suffice.
 */
export function chooseCoins(
  ascending: readonly Pick<Coin, "contractId" | "amount">[],
  units: bigint,
): ContractId[] | null {
  for (const order of [ascending, [...ascending].reverse()]) {
    const chosen: ContractId[] = [];
    let sum = 0n;
    for (const coin of order.slice(0, inputsMax)) {
      if (sum >= units) break;
      chosen.push(coin.contractId);
      sum += coin.amount;
    }
    if (sum >= units) return chosen;
  }
  return null;
}
