// Parameters of the routes for market makers, which are the same on spot (/api/v3) and on perpetuals (/fapi).

import * as z from "zod";
import {
  groupFillsMax,
  groupsPerAccountMax,
  groupWindowUsMax,
} from "../../src/core/maker-limits.ts";
import { anyText, decimalText, side, symbolText, truth, wholeNumber } from "./common.ts";

/** A whole number in a range. */
function between(minimum: number, maximum: number) {
  return wholeNumber
    .refine((value) => value >= minimum && value <= maximum)
    .meta({ api: { type: "integer", minimum, maximum } });
}

/** The account's own number for a group of market-maker protection. */
const group = between(1, groupsPerAccountMax);

/** Without a symbol: all markets of the surface. A band of prices needs a symbol; the route checks that. */
export const massCancel = z.object({
  symbol: symbolText.optional(),
  side: side.optional(),
  minPrice: decimalText.optional(),
  maxPrice: decimalText.optional(),
  group: group.optional(),
});

/**
 * A group of market-maker protection, with Binance's names where Binance options have one. A frozen group does not thaw
 * by itself, so `frozenTimeInMilliseconds` can only be 0.
 */
export const mmpSet = z.object({
  group: group.default(1),
  symbols: anyText,
  windowTimeInMilliseconds: between(1, groupWindowUsMax / 1000),
  frozenTimeInMilliseconds: between(0, 0).optional(),
  qtyLimit: decimalText.optional(),
  quoteLimit: decimalText.optional(),
  countLimit: between(1, groupFillsMax).default(groupFillsMax),
});
export type MmpSetParameters = z.output<typeof mmpSet>;

/** Up to 15 quotes as a JSON list; the route reads its elements. */
export const massQuote = z.object({
  symbol: symbolText,
  quotes: anyText,
  cancelOnDisconnect: truth.optional(),
});
export type MassQuoteParameters = z.output<typeof massQuote>;

export const mmpReset = z.object({ group: group.default(1) });

/** A removal names its group, so that none is removed by mistake. */
export const mmpGroup = z.object({ group });
