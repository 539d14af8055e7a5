// Nets the fills of a batch to one payment per asset between two parties. Amounts are integers in minor
// units, so netting is exact and independent of order.

import { createHash } from "node:crypto";
import { SystemAccount } from "../../../core/accounts.ts";
import { assert } from "../../../core/assert.ts";
import { assetsMax } from "../../../core/limits.ts";
import type { SettledReceipt } from "../../../ports/ledger/settled-coins.ts";

/** A party id of the ledger network. */
export type Party = string;

/** Two different parties with a batch between them; `a` sorts before `b` by UTF-16 code unit. */
export interface PartyPair {
  readonly a: Party;
  readonly b: Party;
}

/**
 * The two parties that settle a fill; null if both accounts belong to the same party, so that nothing moves. A
 * wallet-funded account has a party of its own; custody is the party of all other accounts. Spec SET-5, HST-5.
 */
export function pairOf(buyer: Party, seller: Party): PartyPair | null {
  if (buyer === seller) return null;
  return buyer < seller ? { a: buyer, b: seller } : { a: seller, b: buyer };
}

/** A price taken from a fill: an amount of one asset for an amount of another, in minor units. */
interface PricedPair {
  readonly base: number;
  readonly quote: number;
  readonly baseAmount: bigint;
  readonly quoteAmount: bigint;
}

/** One payment, in minor units of its asset. */
interface Payment {
  readonly asset: number;
  readonly amount: bigint;
}

/**
 * Values the payments in minor units of the asset `unit` at the last fill of each market, each payment rounded down. If
 * no fill traded an asset against `unit`, the asset is first converted to another asset that was traded against `unit`.
 * Null if a payment cannot be valued in this way. The result only decides how soon a batch is sealed.
 */
export function exposureOf(
  legs: readonly Payment[],
  fills: readonly PricedPair[],
  unit: number,
): bigint | null {
  let sum = 0n;
  for (const { asset, amount } of legs) {
    const worth = worthOf(asset, amount, fills, unit, 2);
    if (worth === null) return null;
    sum += worth;
  }
  return sum;
}

function worthOf(
  asset: number,
  amount: bigint,
  fills: readonly PricedPair[],
  unit: number,
  steps: number,
): bigint | null {
  if (asset === unit) return amount;
  if (steps === 0) return null;
  const prices = fills.flatMap((fill) => exchanged(asset, amount, fill));
  // Prefer a direct price in `unit` over a conversion.
  prices.sort((one, other) => Number(other.asset === unit) - Number(one.asset === unit));
  for (const price of prices) {
    const worth = worthOf(price.asset, price.amount, fills, unit, steps - 1);
    if (worth !== null) return worth;
  }
  return null;
}

/** Converts `amount` at the fill's price to the fill's other asset; empty if the fill has no price for the asset. */
function exchanged(
  asset: number,
  amount: bigint,
  { base, quote, baseAmount, quoteAmount }: PricedPair,
): { asset: number; amount: bigint }[] {
  if (asset === base) return [{ asset: quote, amount: (amount * quoteAmount) / baseAmount }];
  const isPriced = asset === quote && quoteAmount > 0n;
  return isPriced ? [{ asset: base, amount: (amount * baseAmount) / quoteAmount }] : [];
}

/** One fill as the ledger sees it: the buyer receives the base, the seller the quote. */
export interface FillTerms {
  readonly tradeId: number;
  readonly market: number;
  readonly buyer: Party;
  readonly seller: Party;
  /** The venue's account numbers of buyer and seller. */
  readonly buyerAccount: number;
  readonly sellerAccount: number;
  /** Asset ids. */
  readonly base: number;
  readonly quote: number;
  /** Minor units, above 0. */
  readonly baseAmount: bigint;
  readonly quoteAmount: bigint;
  /** Minor units of the asset received: base for the buyer, quote for the seller. */
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

/** Running net of what two parties owe each other. */
export class PairNet {
  readonly #pair: PartyPair;
  readonly #custody: Party;
  /** What `a` owes `b`, by asset; negative if `b` owes `a`. */
  readonly #owed = new Map<number, bigint>();
  /** Amounts received by account and asset, not netted. */
  readonly #received = new Map<number, bigint>();
  /** The last fill of each market, which gives its price. */
  readonly #last = new Map<number, FillTerms>();
  readonly tradeIds: number[] = [];
  readonly markets = new Set<number>();

  constructor(pair: PartyPair, custody: Party) {
    this.#pair = pair;
    this.#custody = custody;
  }

  /**
   * Adds a fill. If the counterparty of a wallet is custody, the wallet's fee reduces what custody sends or
   * increases what the wallet sends. Custody's own fees stay within custody. A fill between two wallets has no
   * fees. Asserts that the fill is between the two parties.
   */
  add(fill: FillTerms): void {
    const { buyer, seller } = fill;
    assert(isBetween(fill, this.#pair), "the fill must be between the two parties of the pair");
    this.#owe(fill.base, seller, fill.baseAmount);
    this.#owe(fill.quote, buyer, fill.quoteAmount);
    if (seller === this.#custody) this.#owe(fill.base, buyer, fill.buyerFee);
    else if (buyer === this.#custody) this.#owe(fill.quote, seller, fill.sellerFee);
    else
      assert(
        fill.buyerFee === 0n && fill.sellerFee === 0n,
        "a fill between two wallet-funded accounts must have no fees",
      );
    this.#bring(fill.buyerAccount, fill.base, fill.baseAmount - fill.buyerFee);
    this.#bring(fill.sellerAccount, fill.quote, fill.quoteAmount - fill.sellerFee);
    this.#bring(SystemAccount.fees, fill.base, fill.buyerFee);
    this.#bring(SystemAccount.fees, fill.quote, fill.sellerFee);
    this.#last.set(fill.market, fill);
    this.tradeIds.push(fill.tradeId);
    this.markets.add(fill.market);
  }

  /** The payments that settle the fills, by asset id; empty if they cancel out. */
  legs(): NetLeg[] {
    const { a, b } = this.#pair;
    return [...this.#owed]
      .filter(([, amount]) => amount !== 0n)
      .sort(([one], [other]) => one - other)
      .map(([asset, amount]) =>
        amount > 0n
          ? { asset, sender: a, receiver: b, amount }
          : { asset, sender: b, receiver: a, amount: -amount },
      );
  }

  /**
   * The amounts that the accounts of buyers and sellers received by the fills, after fees, and those that the fee
   * account received; one row per account and asset. Spec SET-12.
   */
  receipts(): SettledReceipt[] {
    return [...this.#received].map(([key, amount]) => {
      return { account: Math.floor(key / assetsMax), asset: key % assetsMax, amount };
    });
  }

  /** The exposure in minor units of the asset `unit`; null if a payment cannot be valued. Spec SET-20. */
  exposure(unit: number): bigint | null {
    return exposureOf(this.legs(), [...this.#last.values()], unit);
  }

  #bring(account: number, asset: number, amount: bigint): void {
    if (amount === 0n) return;
    const key = account * assetsMax + asset;
    this.#received.set(key, (this.#received.get(key) ?? 0n) + amount);
  }

  #owe(asset: number, sender: Party, amount: bigint): void {
    const signed = sender === this.#pair.a ? amount : -amount;
    this.#owed.set(asset, (this.#owed.get(asset) ?? 0n) + signed);
  }
}

/** The payments that settle `fills`. */
export function netLegs(fills: readonly FillTerms[], pair: PartyPair, custody: Party): NetLeg[] {
  const net = new PairNet(pair, custody);
  for (const fill of fills) net.add(fill);
  return net.legs();
}

function isBetween({ buyer, seller }: FillTerms, { a, b }: PartyPair): boolean {
  return (buyer === a && seller === b) || (buyer === b && seller === a);
}

/**
 * SHA-256 in hex over the payments and trade ids of a batch, independent of their order. Stored when the batch is
 * sealed, as a record of exactly what was sealed.
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
