// The auditor's unsettled coins, computed from events alone. A fill with a wallet-funded account adds what the buyer
// gets, what the seller gets, and the fees for the venue. A report of settled coins subtracts them.

import assert from "node:assert/strict";
import { AccountType, SystemAccount } from "../../src/core/accounts.ts";
import type { CoinsSettled, Traded } from "../../src/core/generated/events.ts";
import type { Market } from "../../src/core/markets.ts";
import { Side } from "../../src/core/orders.ts";
import type { AuditedLedger } from "./audited-ledger.ts";
import { naiveWorth } from "./naive-worth.ts";

export class AuditedCoins {
  readonly #ledger: AuditedLedger;
  readonly #left = new Map<string, bigint>();

  constructor(ledger: AuditedLedger) {
    this.#ledger = ledger;
  }

  of(account: number, asset: number): bigint {
    return this.#left.get(`${account}/${asset}`) ?? 0n;
  }

  trade(event: Traded, market: Market): void {
    const { base, quote, baseUnitsPerLot } = market;
    if (base === null) return;
    const lots = BigInt(event.qty) * baseUnitsPerLot;
    const value = naiveWorth(market, BigInt(event.price) * BigInt(event.qty));
    const isTakerBuyer = event.takerSide === Side.buy;
    const taker = { account: event.account, fee: event.takerFee };
    const maker = { account: event.makerAccount, fee: event.makerFee };
    if (![taker, maker].some(({ account }) => this.#isWallet(account))) return;
    const [buyer, seller] = isTakerBuyer ? [taker, maker] : [maker, taker];
    this.#bring(buyer.account, base.id, lots - buyer.fee);
    this.#bring(seller.account, quote.id, value - seller.fee);
    this.#bring(SystemAccount.fees, base.id, buyer.fee);
    this.#bring(SystemAccount.fees, quote.id, seller.fee);
  }

  /** What the buyer of a trade may use at once, in minor units of the base asset. */
  usableOf(event: Traded, { baseUnitsPerLot }: Market): bigint {
    const { account, makerAccount, takerSide, takerFee, makerFee } = event;
    if (this.#isWallet(account) || this.#isWallet(makerAccount)) return 0n;
    return BigInt(event.qty) * baseUnitsPerLot - (takerSide === Side.buy ? takerFee : makerFee);
  }

  settle({ account, asset, amount }: CoinsSettled): void {
    assert(
      amount > 0n && amount <= this.of(account, asset),
      "a settled amount must be positive and at most the unsettled amount",
    );
    this.#left.set(`${account}/${asset}`, this.of(account, asset) - amount);
  }

  #isWallet(account: number): boolean {
    return this.#ledger.accountTypes.get(account) === AccountType.wallet;
  }

  #bring(account: number, asset: number, amount: bigint): void {
    this.#left.set(`${account}/${asset}`, this.of(account, asset) + amount);
  }
}
