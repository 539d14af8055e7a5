// What is on its way between the venue's books and custody's coins: already in the one, not yet in the
// other. Pure.
//
//   books + in flight + claims = coins, but for what was there before anybody traded

import { present } from "../../../core/assert.ts";
import type { MarketTable } from "../../../core/markets.ts";
import type { CrossingFills, LedgerMoment } from "../../../ports/ledger/solvency.ts";

/** Minor units by asset id. */
export interface Crossings {
  /** Positive toward custody. */
  readonly inFlight: readonly bigint[];
  /** What is owed to custody and may never come: none below 0. */
  readonly claims: readonly bigint[];
}

/**
 * What is on its way. Fills that may never be settled are netted by themselves: what custody owes for them
 * is in flight as ever, what it is owed is a claim, so that no surplus counts on it. Spec SLV-3, SLV-5.
 */
export function crossingsOf(
  table: MarketTable,
  { fills, payments }: Pick<LedgerMoment, "fills" | "payments">,
): Crossings {
  const inFlight = table.assets.map(() => 0n);
  const claims = table.assets.map(() => 0n);
  const doubtful = new Map<string, bigint[]>();
  for (const group of fills) {
    const nets = group.doubtful === null ? inFlight : netsOf(doubtful, group.doubtful, table);
    const { base, quote } = custodyChange(table, group);
    const market = table.market(group.market);
    addTo(nets, present(market.base, "a spot market has a base").id, base * BigInt(group.sign));
    addTo(nets, market.quote.id, quote * BigInt(group.sign));
  }
  for (const nets of doubtful.values()) {
    for (const [asset, amount] of nets.entries())
      addTo(amount > 0n ? claims : inFlight, asset, amount);
  }
  for (const { asset, amount } of payments) addTo(inFlight, asset, amount);
  return { inFlight, claims };
}

function netsOf(all: Map<string, bigint[]>, name: string, table: MarketTable): bigint[] {
  const known = all.get(name);
  if (known !== undefined) return known;
  const nets = table.assets.map(() => 0n);
  all.set(name, nets);
  return nets;
}

function addTo(amounts: bigint[], asset: number, amount: bigint): void {
  amounts[asset] = present(amounts[asset], "an asset of the venue") + amount;
}

/** What custody gets by fills with members: their fee is kept back from what it sends. */
function custodyChange(table: MarketTable, group: CrossingFills): { base: bigint; quote: bigint } {
  const { isMemberBuyer, lots, quote, memberFee } = group;
  const base = lots * table.market(group.market).baseUnitsPerLot;
  return isMemberBuyer ? { base: memberFee - base, quote } : { base, quote: memberFee - quote };
}
