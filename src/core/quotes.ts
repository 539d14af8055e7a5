// The outcomes of a mass quote's sides, packed into the one number of a reply. The number is also what a gateway's command
// records, so a command that is sent again gets the same outcomes.

import { assert } from "./assert.ts";
import { quoteSidesMax } from "./limits.ts";
import { RejectReason } from "./reject-reason.ts";

/** Reasons other than `wouldTake` for which a side can be refused, by their number in the packed outcomes. */
const reasons: readonly RejectReason[] = [
  RejectReason.none,
  RejectReason.unsupportedCombination,
  RejectReason.insufficientBalance,
  RejectReason.unknownOrder,
  RejectReason.notAmendable,
  RejectReason.marketNotTrading,
  RejectReason.accountFrozen,
  RejectReason.notEnrolled,
  RejectReason.groupTriggered,
  RejectReason.priceNotPositive,
  RejectReason.priceOffTick,
  RejectReason.priceTooHigh,
  RejectReason.priceOutsideBand,
  RejectReason.qtyNotPositive,
  RejectReason.qtyOffLot,
  RejectReason.qtyTooLarge,
  RejectReason.notionalTooSmall,
  RejectReason.tooManyOpenOrders,
  RejectReason.positionBeyondLeverage,
  RejectReason.accountInLiquidation,
  RejectReason.duplicateClientId,
  RejectReason.venueFull,
  RejectReason.tradingPaused,
  RejectReason.marketReduceOnly,
  RejectReason.marketWithoutIndex,
  RejectReason.marketPaused,
  RejectReason.openInterestFull,
  RejectReason.depthTooThin,
];

/** Outcomes of one side: done (or not named), it would have taken, or refused for another reason. */
const digits = 3;
const [wouldTake, refused] = [1, 2];
const reasonAt = digits ** quoteSidesMax;
assert(
  reasonAt * reasons.length < Number.MAX_SAFE_INTEGER,
  "the outcomes of all sides and a reason must fit a safe integer",
);

/**
 * The outcomes of a mass quote: one base-3 digit for each side, and above them the reason of the first side that was
 * refused for another reason than that it would take. Later ones are reported with the same reason.
 */
export class QuoteOutcomes {
  #digits = 0;
  #reason = 0;

  /** Notes that a side was refused; at most once for each side. */
  refuse(side: number, reason: RejectReason): void {
    assert(side >= 0 && side < quoteSidesMax, "a side must be one of the quotes'");
    assert(reason !== RejectReason.none, "a side that is refused must have a reason");
    const isTaker = reason === RejectReason.wouldTake;
    this.#digits += (isTaker ? wouldTake : refused) * digits ** side;
    if (isTaker || this.#reason > 0) return;
    const found = reasons.indexOf(reason);
    this.#reason = found > 0 ? found : 1;
  }

  /** All outcomes in one safe integer; 0 if every side was done. */
  get packed(): number {
    return this.#digits + this.#reason * reasonAt;
  }
}

/** The reason for which a side was refused, from packed outcomes; `none` if it was done. */
export function quoteRefusal(packed: number, side: number): RejectReason {
  // Of most mass quotes every side was done, and powers and remainders of large numbers are slow.
  if (packed === 0) return RejectReason.none;
  const digit = Math.floor((packed % reasonAt) / digits ** side) % digits;
  if (digit === 0) return RejectReason.none;
  if (digit === wouldTake) return RejectReason.wouldTake;
  return reasons[Math.floor(packed / reasonAt)] ?? RejectReason.unsupportedCombination;
}
