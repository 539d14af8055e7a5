// What closing a position, or a part of it, is expected to do: the price at which the book would fill it, the profit and
// the fee. Independent of the page.

import { cutTo, exact, roundedTo, times, whole } from "../exact.ts";
import { fillOfQuantity, marketReach } from "../ticket/book-fill.ts";

export interface Level {
  readonly price: string;
  readonly quantity: string;
}

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
  /** Levels of the side that would fill it, best first. */
  readonly levels: readonly Level[];
  /** Basis points of the value. */
  readonly feeRate: number;
  readonly pricePlaces: number;
}

const moneyPlaces = 6;

/** What the book fills of a quantity within the venue's own limit of a market order, and its value. */
function filledFrom(levels: readonly Level[], wanted: bigint): { filled: bigint; value: bigint } {
  const fill = fillOfQuantity({ levels, percent: marketReach, isOwn: false }, wanted);
  return { filled: fill?.quantity ?? 0n, value: fill?.value ?? 0n };
}

/** Returns the estimate; null for an incomplete price or quantity, and from an empty book. */
export function closingEstimate(
  { side, entry_price: entry }: ClosedPosition,
  { quantity, limit, levels, feeRate, pricePlaces }: ClosingTerms,
): ClosingEstimate | null {
  const wanted = exact(quantity);
  const price = limit === null ? 0n : exact(limit);
  if (wanted === null || wanted <= 0n || price === null) return null;
  const { filled, value } =
    limit === null ? filledFrom(levels, wanted) : { filled: wanted, value: times(wanted, price) };
  if (filled === 0n || value === 0n) return null;
  const gain = value - times(filled, exact(entry) ?? 0n);
  return {
    price: roundedTo((value * whole) / filled, pricePlaces),
    profit: roundedTo(side === "LONG" ? gain : -gain, moneyPlaces),
    fee: roundedTo((value * BigInt(Math.round(feeRate * 100))) / 1_000_000n, moneyPlaces),
    quantity: cutTo(filled, 18).replace(/\.?0+$/, ""),
    isWhole: filled === wanted,
  };
}
