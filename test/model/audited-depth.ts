// The auditor's measure of depth, computed from events alone: designated makers, current risk terms, and the cost of
// filling a value on one side of a book.

import { AccountFlag, AccountType } from "../../src/core/accounts.ts";
import { EventKind, type VenueEvent } from "../../src/core/generated/events.ts";
import type { Market } from "../../src/core/markets.ts";
import { Side } from "../../src/core/orders.ts";
import { type RiskTerm, riskTermRows } from "../../src/core/perpetuals/risk-terms.ts";
import type { AuditedOrder } from "./audited-book.ts";

const parts = 1000n;

export class AuditedDepth {
  /** Returns the orders on one side of a market's book, best first. */
  readonly #resting: (market: number, side: Side) => readonly AuditedOrder[];
  readonly #types = new Map<number, AccountType>();
  readonly #flags = new Map<number, number>();
  readonly #terms = new Map<string, number>();

  constructor(resting: (market: number, side: Side) => readonly AuditedOrder[]) {
    this.#resting = resting;
  }

  note(event: VenueEvent): void {
    if (event.kind === EventKind.accountOpened || event.kind === EventKind.accountTypeSet)
      this.#types.set(event.account, event.accountType);
    else if (event.kind === EventKind.accountFlagsSet) this.#flags.set(event.account, event.flags);
    else if (event.kind === EventKind.walletBound) {
      this.#types.set(event.account, AccountType.wallet);
      this.#flags.set(event.account, event.flags);
    } else if (event.kind === EventKind.riskTermSet)
      this.#terms.set(`${event.market}/${event.term}`, event.value);
  }

  term(market: number, term: RiskTerm): number {
    return this.#terms.get(`${market}/${term}`) ?? riskTermRows[term]?.usual ?? 0;
  }

  /**
   * Returns the average price of filling `whole` units of the quote asset, in thousandths of a tick, rounded away
   * from the middle; 0n if fewer units rest.
   */
  impactPrice(
    { id, tickDecimals, lotDecimals, quote }: Market,
    side: Side,
    { whole, isEverybodys }: { whole: number; isEverybodys: boolean },
  ): bigint {
    // `left` is the value still to fill, in ticks × lots or in minor units, whichever is finer.
    const places = quote.decimals - tickDecimals - lotDecimals;
    const unit = 10n ** BigInt(Math.max(places, 0));
    let left = BigInt(whole) * 10n ** BigInt(quote.decimals + Math.max(-places, 0));
    let [value, lots] = [0n, 0n];
    for (const { account, price, remaining } of this.#near(id, side, isEverybodys)) {
      if (!isEverybodys && !this.#isDesignated(account)) continue;
      const each = BigInt(price) * unit;
      const needed = (left + each - 1n) / each;
      const taken = needed < BigInt(remaining) ? needed : BigInt(remaining);
      left -= taken * each;
      value += taken * each;
      lots += taken;
      if (left > 0n) continue;
      const sum = lots * unit;
      return side === Side.buy ? (value * parts) / sum : (value * parts + sum - 1n) / sum;
    }
    return 0n;
  }

  /**
   * Returns the orders of a side, best first. If the orders of all accounts count, leaves out those more than 10 % away
   * from the best price.
   */
  #near(market: number, side: Side, isEverybodys: boolean): readonly AuditedOrder[] {
    const orders = this.#resting(market, side);
    const best = orders[0]?.price ?? 0;
    if (!isEverybodys) return orders;
    return orders.filter(({ price }) => Math.abs(price - best) * 10 <= best);
  }

  #isDesignated(account: number): boolean {
    if (this.#types.get(account) === AccountType.house) return true;
    return ((this.#flags.get(account) ?? 0) & AccountFlag.designatedMaker) !== 0;
  }
}
