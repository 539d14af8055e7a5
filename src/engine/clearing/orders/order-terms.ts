// On which terms an admitted order goes to its matcher, or waits.

import { assert } from "../../../core/assert.ts";
import { amountAt } from "../../../core/cells.ts";
import { fitsInt64 } from "../../../core/money/amounts.ts";

const holdPlace = 0;
const lossPlace = 1;

/** Terms to fill in, all zero. Amounts lie in an array, because in a field each would be an object of its own. */
export class OrderTerms {
  /** Ticks; for what trades at the market the protection price, 0 with nothing to trade with. */
  price = 0;
  /** Lots to place: the order's own, those its amount could buy, or those of the position it closes. */
  qty = 0;
  marginPrice = 0;
  marginLots = 0;
  /** The most Σ ticks × lots to trade; 0 for no such bound. */
  budget = 0;
  readonly #amounts = new BigInt64Array(2);

  /** What to reserve, in minor units of the held asset; asserts that an int64 holds it. */
  get hold(): bigint {
    return amountAt(this.#amounts, holdPlace);
  }

  set hold(amount: bigint) {
    assert(fitsInt64(amount), "a hold fits an int64");
    this.#amounts[holdPlace] = amount;
  }

  /** The part of the hold that covers what the order loses at the mark; asserts as `hold` does. */
  get loss(): bigint {
    return amountAt(this.#amounts, lossPlace);
  }

  set loss(amount: bigint) {
    assert(fitsInt64(amount), "a loss fits an int64");
    this.#amounts[lossPlace] = amount;
  }
}
