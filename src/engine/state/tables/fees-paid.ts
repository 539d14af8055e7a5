// Total fees paid by each account since it opened, by asset: a running sum, so that years of fills need not be added
// up. No decision depends on it.

import { accountSlot } from "../../../core/accounts.ts";
import { amountAt, assert } from "../../../core/assert.ts";
import { accountNumbersMax, accountsMax, assetsMax } from "../../../core/limits.ts";
import { asAmount } from "../../../core/money/amounts.ts";
import { reservedMemory } from "../../../core/reserved-memory.ts";

/** Non-zero sums: index and amount, as stored in snapshots. */
export interface FeesPaidSums {
  index: Int32Array;
  sum: BigInt64Array;
}

export class FeesPaid {
  readonly #sums = new BigInt64Array(reservedMemory(8 * accountsMax * assetsMax));

  /** Minor units the account has paid in the asset. */
  of(account: number, asset: number): bigint {
    return amountAt(this.#sums, placeOf(account, asset));
  }

  /** Adds a fee of the account, in minor units of the asset. */
  add(account: number, asset: number, fee: bigint): void {
    const place = placeOf(account, asset);
    this.#sums[place] = asAmount(amountAt(this.#sums, place) + fee);
  }

  /** The sums of all accounts whose slots are below `next`. */
  capture(next: number): FeesPaidSums {
    const places: number[] = [];
    for (let place = 0; place < next * assetsMax; place++) {
      if (this.#sums[place] !== 0n) places.push(place);
    }
    return {
      index: Int32Array.from(places),
      sum: BigInt64Array.from(places, (place) => amountAt(this.#sums, place)),
    };
  }

  /** Loads what `capture` returned. */
  restore({ index, sum }: FeesPaidSums): void {
    for (const [at, place] of index.entries()) this.#sums[place] = amountAt(sum, at);
  }
}

function placeOf(account: number, asset: number): number {
  assert(
    account > 0 && account < accountNumbersMax,
    "the account number must be within its bounds",
  );
  assert(
    asset >= 0 && asset < assetsMax,
    "the asset id must be below the maximum number of assets",
  );
  return accountSlot(account) * assetsMax + asset;
}
