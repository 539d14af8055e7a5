// Mass quotes for tests of the engine.

import { CommandKind } from "../../../src/core/generated/commands.ts";
import { quoteSidesMax } from "../../../src/core/limits.ts";
import { marketId } from "./test-markets.ts";

/** Price and open lots of a side; null removes it, undefined leaves it. */
export type SideTerms = readonly [price: number, qty: number] | null | undefined;

/** A mass quote of these pairs, numbered from 1. */
export function quoteCommand(
  account: number,
  pairs: readonly (readonly [bid: SideTerms, ask: SideTerms])[],
  market: number = marketId.btcPerp,
) {
  const quotes = new Uint32Array(2 * quoteSidesMax);
  let sides = 0;
  for (const [at, terms] of pairs.flat().entries()) {
    if (terms === undefined) continue;
    sides |= 1 << at;
    const [price, qty] = terms ?? [0, 0];
    quotes[2 * at] = price;
    quotes[2 * at + 1] = qty;
  }
  return { kind: CommandKind.massQuote, account, market, sides, quotes } as const;
}
