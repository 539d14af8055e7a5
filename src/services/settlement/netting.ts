// What two parties owe each other for the fills of a batch, one payment an asset. Amounts are integers
// in the assets' minor units, so netting is exact and its order does not matter.

import { createHash } from "node:crypto";
import { assert } from "../../core/assert.ts";
import type { Party, PartyPair } from "./fill-parties.ts";

/** One fill as the ledger sees it: the buyer gets the base, the seller the quote. */
export interface FillTerms {
  readonly tradeId: number;
  readonly buyer: Party;
  readonly seller: Party;
  /** Asset ids. */
  readonly base: number;
  readonly quote: number;
  /** Minor units, above 0. */
  readonly baseAmount: bigint;
  readonly quoteAmount: bigint;
  /** Minor units of the asset received: the buyer's of the base, the seller's of the quote. */
  readonly buyerFee: bigint;
  readonly sellerFee: bigint;
}

/** One payment of a batch. */
export interface NetLeg {
  readonly asset: number;
  readonly sender: Party;
  readonly receiver: Party;
  /** Minor units, above 0. */
  readonly amount: bigint;
}

/**
 * The payments that settle `fills`, by asset id; none where they cancel out. The fee of a wallet whose
 * counterparty is custody is kept back from what custody sends, or added to what the wallet sends.
 * Custody's own fees stay inside custody. Two wallets pay no fees (specification, settlement fees).
 * Asserts that every fill is between the two parties of `pair`.
 */
export function netLegs(fills: readonly FillTerms[], pair: PartyPair, custody: Party): NetLeg[] {
  const owed = new Map<number, bigint>();
  // Positive: `a` owes `b`.
  const add = (asset: number, sender: Party, amount: bigint) => {
    const signed = sender === pair.a ? amount : -amount;
    owed.set(asset, (owed.get(asset) ?? 0n) + signed);
  };
  for (const fill of fills) {
    const { buyer, seller } = fill;
    assert(isBetween(fill, pair), "a fill of this pair");
    add(fill.base, seller, fill.baseAmount);
    add(fill.quote, buyer, fill.quoteAmount);
    if (seller === custody) add(fill.base, buyer, fill.buyerFee);
    else if (buyer === custody) add(fill.quote, seller, fill.sellerFee);
    else assert(fill.buyerFee === 0n && fill.sellerFee === 0n, "no fees between two wallets");
  }
  return [...owed]
    .filter(([, amount]) => amount !== 0n)
    .sort(([one], [other]) => one - other)
    .map(([asset, amount]) =>
      amount > 0n
        ? { asset, sender: pair.a, receiver: pair.b, amount }
        : { asset, sender: pair.b, receiver: pair.a, amount: -amount },
    );
}

function isBetween({ buyer, seller }: FillTerms, { a, b }: PartyPair): boolean {
  return (buyer === a && seller === b) || (buyer === b && seller === a);
}

/**
 * SHA-256, hexadecimal, over the payments and the trade ids of a batch, whatever their order: stored with
 * the batch when it is sealed, so that what is submitted later is known to be what was sealed.
 */
export function netHash(legs: readonly NetLeg[], tradeIds: readonly number[]): string {
  const lines = legs
    .map((leg) => `${leg.asset} ${leg.sender} ${leg.receiver} ${leg.amount}`)
    .sort();
  const ids = [...tradeIds].sort((one, other) => one - other);
  return createHash("sha256")
    .update(`${lines.join("\n")}\n${ids.join(" ")}`)
    .digest("hex");
}
