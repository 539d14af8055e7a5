// What closing a position, or a part of it, is expected to do: the price at which the book would fill it, the profit and
// the fee. Independent of the page.

import { trimmed } from "../../decimal-text.ts";
import { cutTo, exact, exactPlaces, roundedTo, times, whole } from "../exact.ts";
import { fillOfQuantity, type Reach } from "../ticket/book-fill.ts";

interface ClosedPosition {
  readonly side: "LONG" | "SHORT";
  readonly entry_price: string;
}

/** Amounts are in the quote asset. */
interface ClosingEstimate {
  /** The average price, rounded to the decimal places of the market. */
  readonly price: string;
  /** Before the fee. */
  readonly profit: string;
  readonly fee: string;
  /** What the book can fill now; all of it for an order at a limit. */
  readonly quantity: string;
  readonly isWhole: boolean;
}

interface ClosingTerms {
  readonly quantity: string;
  /** The limit price; null to close at the market. */
  readonly limit: string | null;
  /** The side of the book that would fill it. */
  readonly reach: Reach;
  /** As a part of the value; undefined until it is read. */
  readonly feeRate: string | undefined;
  readonly pricePlaces: number;
}

const moneyPlaces = 6;

/** Returns the estimate; null for an incomplete price or quantity, and from an empty book. */
export function closingEstimate(
  { side, entry_price: entry }: ClosedPosition,
  { quantity, limit, reach, feeRate, pricePlaces }: ClosingTerms,
): ClosingEstimate | null {
  const wanted = exact(quantity);
  const price = limit === null ? 0n : exact(limit);
  if (wanted === null || wanted <= 0n || price === null) return null;
  const atLimit = { quantity: wanted, value: times(wanted, price) };
  const fill = limit === null ? fillOfQuantity(reach, wanted) : atLimit;
  if (fill === null || fill.quantity === 0n || fill.value === 0n) return null;
  const { quantity: filled, value } = fill;
  const gain = value - times(filled, exact(entry) ?? 0n);
  return {
    price: roundedTo((value * whole) / filled, pricePlaces),
    profit: roundedTo(side === "LONG" ? gain : -gain, moneyPlaces),
    fee: roundedTo(times(value, exact(feeRate) ?? 0n), moneyPlaces),
    quantity: trimmed(cutTo(filled, exactPlaces)),
    isWhole: filled === wanted,
  };
}
