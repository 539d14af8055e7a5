// Selects the coins that pay an amount.

import type { ContractId } from "../../../ports/ledger/ledger.ts";
import type { Coin } from "../../../ports/ledger/settlement-store.ts";

/** Maximum number of coins that one payment may consume; a limit of the network. */
export const inputsMax = 100;

/**
 * Chooses at most `inputsMax` coins that pay `units`: the smallest coins, so that small coins are merged, or, if that
 * many of the smallest do not suffice, the largest. Null if the largest do not suffice either.
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
