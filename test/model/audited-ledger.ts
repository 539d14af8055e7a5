// The auditor's money: cash, deposits, positions and fees in plain maps, computed from events alone. It shares no code
// with clearing, and computes all values in bigints.

import assert from "node:assert/strict";
import { AccountType, SystemAccount, Wallet } from "../../src/core/accounts.ts";
import {
  EventKind,
  type FundingPaid,
  type FundingStarted,
  type InsuranceSettled,
  type MovedBetweenAccounts,
  type PositionMoved,
  type Traded,
  type VenueEvent,
} from "../../src/core/generated/events.ts";
import { type Market, MarketKind, type MarketTable } from "../../src/core/markets.ts";
import { Side } from "../../src/core/orders.ts";
import { naiveWorth } from "./naive-worth.ts";

/** Lots and cost of one position, negative for a short, and the profit realised so far. */
export interface AuditedPosition {
  qty: bigint;
  entryValue: bigint;
  realised: bigint;
}

/** One side of a trade, as booked on its account. */
interface TradeSide {
  readonly account: number;
  readonly side: Side;
  readonly fee: bigint;
  readonly pnl: bigint;
  readonly feeBps: number;
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

export class AuditedLedger {
  readonly accountTypes = new Map<number, AccountType>();
  readonly leverage = new Map<string, bigint>();
  /** Owners of sub-accounts. */
  readonly #owners = new Map<number, number>();
  readonly #table: MarketTable;
  readonly #cash = new Map<string, bigint>();
  readonly #positions = new Map<string, AuditedPosition>();
  /**
   * Lots that have not yet paid or received funding in the current settlement, by market and account; negative for a
   * short.
   */
  readonly #fundings = new Map<number, Map<number, bigint>>();
  readonly #deposited = new Map<number, bigint>();
  /** Sum of all cash less all entry values, by asset; updated with each change. */
  readonly #sum = new Map<number, bigint>();

  constructor(table: MarketTable) {
    this.#table = table;
    for (const account of Object.values(SystemAccount)) {
      this.accountTypes.set(account, AccountType.system);
    }
  }

  /** Books an event about accounts and their owners; adds to `touched` the account that received money. */
  judgeFamily(event: VenueEvent, touched: Set<number>): void {
    if (event.kind === EventKind.accountOpened)
      this.accountTypes.set(event.account, event.accountType);
    else if (event.kind === EventKind.subAccountOpened) this.#adopt(event.account, event.owner);
    else if (event.kind === EventKind.movedBetweenAccounts) {
      touched.add(event.receiver);
      this.#moveWithin(event);
    }
  }

  /** Records a sub-account; its owner must be a standard account that is not one. */
  #adopt(account: number, owner: number): void {
    const isStandard = this.accountTypes.get(owner) === AccountType.standard;
    assert(isStandard && !this.#owners.has(owner), "the owner must be a standard account");
    this.accountTypes.set(account, AccountType.standard);
    this.#owners.set(account, owner);
  }

  /** Returns the owner of a sub-account; any other account is its own. */
  ownerOf(account: number): number {
    return this.#owners.get(account) ?? account;
  }

  /** Books a move between accounts of one owner. */
  #moveWithin({ account, receiver, from, to, asset, amount }: MovedBetweenAccounts): void {
    const isWithin = this.ownerOf(account) === this.ownerOf(receiver) && account !== receiver;
    assert(amount > 0n && isWithin, "a move must be positive and between accounts of one owner");
    this.move({ account, wallet: from }, { account: receiver, wallet: to }, asset, amount);
  }

  /** Returns the balance of a wallet, including holds. */
  cash(account: number, wallet: Wallet, asset: number): bigint {
    return this.#cash.get(`${account}/${wallet}/${asset}`) ?? 0n;
  }

  position(account: number, market: number): AuditedPosition {
    const none = { qty: 0n, entryValue: 0n, realised: 0n };
    return this.#positions.get(`${account}/${market}`) ?? none;
  }

  /** Returns the total of long lots in a market. */
  openInterest(market: number): bigint {
    let long = 0n;
    for (const [key, { qty }] of this.#positions) {
      if (key.endsWith(`/${market}`) && qty > 0n) long += qty;
    }
    return long;
  }

  deposited(asset: number): bigint {
    return this.#deposited.get(asset) ?? 0n;
  }

  deposit(account: number, wallet: Wallet, asset: number, amount: bigint): void {
    const isMirror =
      this.accountTypes.get(account) === AccountType.wallet && wallet === Wallet.spot;
    assert(
      amount > 0n || (amount < 0n && isMirror),
      "only a mirrored wallet may be credited with a negative amount",
    );
    this.#deposited.set(asset, this.deposited(asset) + amount);
    this.#post(account, wallet, asset, amount);
  }

  /** Books a grant from the faucet account, whose balance becomes negative by it. */
  grant(account: number, wallet: Wallet, asset: number, amount: bigint): void {
    assert(
      amount > 0n && account !== SystemAccount.faucet,
      "a grant must be positive and go to another account",
    );
    this.#post(account, wallet, asset, amount);
    this.#post(SystemAccount.faucet, Wallet.funding, asset, -amount);
  }

  withdraw(account: number, wallet: Wallet, asset: number, amount: bigint): void {
    assert(amount > 0n, "a withdrawal must be positive");
    this.#deposited.set(asset, this.deposited(asset) - amount);
    this.#post(account, wallet, asset, -amount);
  }

  transfer(account: number, from: Wallet, to: Wallet, asset: number, amount: bigint): void {
    assert(amount > 0n && from !== to, "a transfer must be positive and between two wallets");
    this.#post(account, from, asset, -amount);
    this.#post(account, to, asset, amount);
  }

  move(
    from: { account: number; wallet: Wallet },
    to: { account: number; wallet: Wallet },
    asset: number,
    amount: bigint,
  ): void {
    this.#post(from.account, from.wallet, asset, -amount);
    this.#post(to.account, to.wallet, asset, amount);
  }

  /** Records the positions at the start of a funding settlement. */
  startFunding({ market, rate, mark }: FundingStarted): void {
    assert.equal(
      this.#fundings.get(market)?.size ?? 0,
      0,
      "only one funding settlement may run at a time",
    );
    assert(magnitude(rate) <= 750_000n, "the funding rate must be within its limits");
    const own = [...this.#positions].filter(([key, { qty }]) => {
      return qty !== 0n && key.endsWith(`/${market}`);
    });
    const due = own.map(([key, { qty }]) => [Number(key.split("/")[0]), qty] as const);
    this.#fundings.set(market, new Map(rate === 0n || mark === 0 ? [] : due));
  }

  /** Books a funding payment and checks its amount: payers round up, receivers down. */
  payFunding(event: FundingPaid, market: Market): void {
    const due = this.#fundings.get(event.market);
    assert.equal(
      due?.get(event.account),
      BigInt(event.qty),
      "each position must pay once, with its lots at the start",
    );
    due?.delete(event.account);
    const lots = magnitude(BigInt(event.qty));
    const exact = naiveWorth(market, lots * BigInt(event.mark)) * magnitude(event.rate);
    const pays = event.qty > 0 === event.rate > 0n;
    const whole = exact / 100_000_000n;
    const isWhole = whole * 100_000_000n === exact;
    assert.equal(
      event.amount,
      pays ? -(isWhole ? whole : whole + 1n) : whole,
      "a funding payment must be value times rate, rounded in favour of the pool",
    );
    this.#post(event.account, Wallet.perp, market.quote.id, event.amount);
    this.#post(SystemAccount.fundingPool, Wallet.perp, market.quote.id, -event.amount);
    if (due?.size === 0) this.#judgePool(market);
  }

  /**
   * Asserts, unless a funding settlement is still running in some market, that the pool is not negative. After a
   * settlement only the rests from rounding stay in the pool.
   */
  #judgePool(market: Market): void {
    if ([...this.#fundings.values()].some((due) => due.size > 0)) return;
    const pool = this.cash(SystemAccount.fundingPool, Wallet.perp, market.quote.id);
    assert(pool >= 0n, "the funding pool must not become negative");
  }

  /** Books both sides of a trade and checks fees and profits. */
  trade(event: Traded, market: Market): void {
    const takerSide = event.takerSide;
    this.#book(event, market, {
      account: event.account,
      side: takerSide,
      fee: event.takerFee,
      pnl: event.takerPnl,
      feeBps: market.takerFeeBps,
    });
    this.#book(event, market, {
      account: event.makerAccount,
      side: takerSide === Side.buy ? Side.sell : Side.buy,
      fee: event.makerFee,
      pnl: event.makerPnl,
      feeBps: market.makerFeeBps,
    });
  }

  /**
   * Books money between an account and the insurance fund. Asserts that after a payment by the fund the account's
   * balance is exactly zero and the fund's not negative.
   */
  settleInsurance({ account, amount, market }: InsuranceSettled, { quote }: Market): void {
    assert(
      market >= 0 && account !== SystemAccount.insurance,
      "a settlement must be between another account and the fund",
    );
    this.#post(account, Wallet.perp, quote.id, amount);
    this.#post(SystemAccount.insurance, Wallet.perp, quote.id, -amount);
    if (amount > 0n) {
      assert.equal(
        this.cash(account, Wallet.perp, quote.id),
        0n,
        "the fund must pay exactly the shortfall",
      );
      assert(
        this.cash(SystemAccount.insurance, Wallet.perp, quote.id) >= 0n,
        "the fund must be able to pay",
      );
    }
  }

  /**
   * Books lots that move from one account to another. Asserts that they close all or part of both positions; only the
   * fund may open or enlarge its position.
   */
  movePosition(event: PositionMoved, market: Market): void {
    const { account, counterparty, value } = event;
    const lots = BigInt(event.qty);
    const held = this.position(account, market.id).qty;
    assert(
      held * lots > 0n && magnitude(lots) <= magnitude(held),
      "the account must have the lots that move",
    );
    const isFund = counterparty === SystemAccount.insurance;
    const other = this.position(counterparty, market.id).qty;
    assert(
      isFund || (other * lots < 0n && magnitude(lots) <= magnitude(other)),
      "the lots must close the counterparty's position",
    );
    this.#shift(account, market, { lots: -lots, value: -value, pnl: event.pnl });
    this.#shift(counterparty, market, { lots, value, pnl: event.counterpartyPnl });
  }

  #shift(
    account: number,
    { id, quote }: Market,
    { lots, value, pnl }: { lots: bigint; value: bigint; pnl: bigint },
  ): void {
    const before = this.position(account, id);
    const isClosing = before.qty * lots < 0n;
    const size = magnitude(before.qty);
    const moved = magnitude(lots);
    let closed = isClosing ? moved : 0n;
    if (closed > size) closed = size;
    const closedEntry = closed === 0n ? 0n : (before.entryValue * closed) / size;
    const closedValue = closed === 0n ? 0n : (value * closed) / moved;
    assert.equal(
      pnl,
      closed === 0n ? 0n : -closedValue - closedEntry,
      "the profit of a moved position must follow from its entry value",
    );
    const entryValue = before.entryValue - closedEntry + value - closedValue;
    const realised = before.realised + pnl;
    this.#positions.set(`${account}/${id}`, { qty: before.qty + lots, entryValue, realised });
    this.#count(quote.id, before.entryValue - entryValue);
    this.#post(account, Wallet.perp, quote.id, pnl);
  }

  /** Asserts for each asset that cash less entry values equals deposits. */
  checkConservation(): void {
    for (const { id, code } of this.#table.assets) {
      assert.equal(
        this.#sum.get(id) ?? 0n,
        this.deposited(id),
        `conservation of ${code} must hold`,
      );
    }
  }

  #book(event: Traded, market: Market, one: TradeSide): void {
    const lots = BigInt(event.qty);
    const value = naiveWorth(market, BigInt(event.price) * lots);
    const isBuy = one.side === Side.buy;
    const isSpot = market.kind === MarketKind.spot;
    const received = isSpot && isBuy ? lots * market.baseUnitsPerLot : value;
    const type = this.accountTypes.get(one.account);
    const isOwn = type === AccountType.house || type === AccountType.system;
    const areWallets = [event.account, event.makerAccount].every(
      (account) => this.accountTypes.get(account) === AccountType.wallet,
    );
    const isFree = isOwn || (isSpot && areWallets);
    const fee = isFree ? 0n : (received * BigInt(one.feeBps)) / 10_000n;
    assert.equal(one.fee, fee, "the fee of a trade must follow from the market's rate");
    if (isSpot) this.#bookSpot(market, one, lots, value);
    else this.#bookPerpetual(event, market, one, value);
  }

  #bookSpot(market: Market, { account, side, fee }: TradeSide, lots: bigint, value: bigint): void {
    assert(market.base !== null, "a spot trade must have a base asset");
    const base = market.base.id;
    const quote = market.quote.id;
    const isBuy = side === Side.buy;
    const amount = lots * market.baseUnitsPerLot;
    this.#post(account, Wallet.spot, base, isBuy ? amount - fee : -amount);
    this.#post(account, Wallet.spot, quote, isBuy ? -value : value - fee);
    this.#post(SystemAccount.fees, Wallet.spot, isBuy ? base : quote, fee);
  }

  #bookPerpetual(event: Traded, market: Market, one: TradeSide, value: bigint): void {
    const { account, side, fee, pnl } = one;
    const direction = side === Side.buy ? 1n : -1n;
    const before = this.position(account, market.id);
    const lots = BigInt(event.qty);
    const isClosing = before.qty * direction < 0n;
    const size = magnitude(before.qty);
    const closed = isClosing ? (lots < size ? lots : size) : 0n;
    // The lots that close the position get a share of the trade's value, in proportion to all lots of the trade.
    const closedValue = closed === lots ? value : (value * closed) / lots;
    const closedEntry = closed === 0n ? 0n : (before.entryValue * closed) / size;
    const realised = -closedValue * direction - closedEntry;
    assert.equal(pnl, realised, "the profit of a trade must follow from the entry value");
    const entryValue = before.entryValue - closedEntry + (value - closedValue) * direction;
    this.#positions.set(`${account}/${market.id}`, {
      qty: before.qty + lots * direction,
      entryValue,
      realised: before.realised + realised,
    });
    const quote = market.quote.id;
    this.#count(quote, before.entryValue - entryValue);
    this.#post(account, Wallet.perp, quote, pnl - fee);
    this.#post(SystemAccount.fees, Wallet.perp, quote, fee);
  }

  #post(account: number, wallet: Wallet, asset: number, amount: bigint): void {
    this.#cash.set(`${account}/${wallet}/${asset}`, this.cash(account, wallet, asset) + amount);
    this.#count(asset, amount);
  }

  #count(asset: number, amount: bigint): void {
    this.#sum.set(asset, (this.#sum.get(asset) ?? 0n) + amount);
  }
}
