// Between which parties of the ledger a fill is settled, if at all (specification item 3, decided.md 11).
// A wallet-funded account is a party of its own; every other account's money lies with custody.

/** A party id of the ledger network. */
export type Party = string;

/** Two different parties with a batch between them; `a` sorts before `b` by UTF-16 code unit. */
export interface PartyPair {
  readonly a: Party;
  readonly b: Party;
}

/** Who settles a fill of `buyer` and `seller`; null: both are the same party, so nothing moves. */
export function pairOf(buyer: Party, seller: Party): PartyPair | null {
  if (buyer === seller) return null;
  return buyer < seller ? { a: buyer, b: seller } : { a: seller, b: buyer };
}
