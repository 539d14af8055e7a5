// What is on its way between the venue's books and custody's coins: already in the one, not yet in the
// other. Pure.
//
//   books + in flight = coins, but for what was there before anybody traded

import { present } from "../../core/assert.ts";
import type { MarketTable } from "../../core/markets.ts";
import type { CrossingFills, LedgerMoment } from "../../ports/solvency.ts";

/** Minor units by asset id, positive toward custody. Spec SLV-3. */
export function inFlightOf(
  table: MarketTable,
  { fills, payments }: Pick<LedgerMoment, "fills" | "payments">,
): bigint[] {
  const flying = table.assets.map(() => 0n);
  const add = (asset: number, amount: bigint) => {
    flying[asset] = present(flying[asset], "an asset of the venue") + amount;
  };
  for (const group of fills) {
    const { base, quote } = custodyChange(table, group);
    const market = table.market(group.market);
    add(present(market.base, "a spot market has a base").id, base * BigInt(group.sign));
    add(market.quote.id, quote * BigInt(group.sign));
  }
  for (const { asset, amount } of payments) add(asset, amount);
  return flying;
}

/** What custody gets by fills with members: their fee is kept back from what it sends. */
function custodyChange(table: MarketTable, group: CrossingFills): { base: bigint; quote: bigint } {
  const { isMemberBuyer, lots, quote, memberFee } = group;
  const base = lots * table.market(group.market).baseUnitsPerLot;
  return isMemberBuyer ? { base: memberFee - base, quote } : { base, quote: memberFee - quote };
}
