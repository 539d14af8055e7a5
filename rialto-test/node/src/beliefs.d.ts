// Types of what the command line uses of the package: `rialto report --believed` compares with the same code.

import type { Difference, Truth } from "./venue.js";

/** Whether the row is of this market: by symbol or alias, with or without the hyphen. */
export function sameMarket(
  row: { readonly market: string; readonly alias: string },
  symbol: string,
): boolean;

/** `belief` has the fields of a Belief, of which those that are undefined are not compared. */
export function differencesOf(belief: object, truth: Truth): Difference[];
