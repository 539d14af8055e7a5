// An auditor of the venue that sees only committed events. After every transaction it checks:
//
//   conservation of each asset         no spot balance is below the holds of its orders
//   gapless seq, order and trade ids   price-time priority of every trade
//   complete, well-formed transactions no book is crossed by two accounts
//   no client id is reused too early   fees and profits, to the last minor unit
//
// It keeps its own plain maps. It also computes what events lack (holds, figures of a live state), which
// `assertAgreement` of conservation.ts compares. It is slow on purpose.

import assert from "node:assert/strict";
import { AccountType, firstCustomerAccount, SystemAccount } from "../../src/core/accounts.ts";
import {
  type AccountOpened,
  EventKind,
  type OrderClosed,
  type OrderReduced,
  type OrderTriggered,
  type RequestKeyed,
  type SubAccountOpened,
  type Traded,
  type VenueEvent,
} from "../../src/core/generated/events.ts";
import {
  matchesPerOrderMax,
  ordersPerMarketPerAccountMax,
  quoteEventsMax,
} from "../../src/core/limits.ts";
import { type Market, MarketKind, type MarketTable } from "../../src/core/markets.ts";
import {
  CloseReason,
  isConditional,
  isQuoteClientId,
  Side,
  TimeInForce,
  tradedTimeInForce,
} from "../../src/core/orders.ts";
import type { AcceptedOrder, Amendment } from "../../src/engine/state/apply/order-posting.ts";
import { AuditedBook, type AuditedOrder, isPostOnly, mayRest } from "./audited-book.ts";
import { AuditedCoins } from "./audited-coins.ts";
import { AuditedConnections } from "./audited-connections.ts";
import { AuditedGroups } from "./audited-groups.ts";
import { AuditedHolds } from "./audited-holds.ts";
import { AuditedLedger } from "./audited-ledger.ts";
import { AuditedLists } from "./audited-lists.ts";
import { AuditedNames } from "./audited-names.ts";
import { AuditedPrevention } from "./audited-prevention.ts";
import { AuditedPrices } from "./audited-prices.ts";
import { AuditedRewards } from "./audited-rewards.ts";
import { emptyTransaction, followsLeverage, type TransactionSoFar } from "./audited-transaction.ts";
import { AuditedWithdrawals } from "./audited-withdrawals.ts";

export class ClearingAuditor {
  readonly ledger: AuditedLedger;
  readonly prices: AuditedPrices;
  readonly coins: AuditedCoins;
  readonly books: readonly AuditedBook[];
  readonly holds: AuditedHolds;
  readonly #lists = new AuditedLists((orderId) => {
    for (const book of this.books) {
      const order = book.order(orderId);
      if (order !== undefined) return order;
    }
    return undefined;
  });
  readonly #table: MarketTable;
  readonly #rewards: AuditedRewards;
  readonly #withdrawals: AuditedWithdrawals;
  readonly #prevention: AuditedPrevention;
  readonly #connections = new AuditedConnections();
  readonly #names = new AuditedNames();
  readonly #groups: AuditedGroups;
  #seq = 0;
  #tsUs = 0;
  #transferSeq = 0;
  #orderId = 0;
  #tradeId = 0;
  #account = firstCustomerAccount - 1;
  #transactions = 0;
  #current: TransactionSoFar = emptyTransaction();
  /** Accounts whose balances the current transaction may have changed. */
  readonly #touched = new Set<number>();

  /** `slackUs` is how much later than its command an event's time may be, in microseconds. */
  constructor(table: MarketTable, slackUs?: number) {
    this.#table = table;
    this.ledger = new AuditedLedger(table);
    this.#groups = new AuditedGroups(table);
    const bestPrice = (market: number, side: Side) => this.bestPrice(market, side);
    const resting = (market: number, side: Side) => this.#book(market).resting(side);
    this.prices = new AuditedPrices(table, { bestPrice, resting }, slackUs);
    this.#rewards = new AuditedRewards(this.ledger);
    this.#withdrawals = new AuditedWithdrawals(this.ledger);
    this.coins = new AuditedCoins(this.ledger);
    const ownerOf = (account: number) => this.ledger.ownerOf(account);
    this.books = table.markets.map(() => new AuditedBook(ownerOf));
    this.#prevention = new AuditedPrevention(ownerOf);
    const { ledger, coins } = this;
    const bookOf = (market: number) => this.#book(market);
    this.holds = new AuditedHolds({ table, ledger, coins, lists: this.#lists, bookOf });
  }

  /** Seq of the last event that the auditor took. */
  get seq(): number {
    return this.#seq;
  }

  get transactions(): number {
    return this.#transactions;
  }

  /** Checks and applies the next event; throws at the first violation. */
  take(event: VenueEvent): void {
    assert.equal(event.seq, this.#seq + 1, "seq must be gapless");
    assert(event.tsUs > this.#tsUs, "event times must increase");
    this.#seq = event.seq;
    this.#tsUs = event.tsUs;
    if (this.#current.isClosed) assert.equal(event.kind, EventKind.commandDone, "a close ends it");
    this.#current.events++;
    this.#touched.add(event.account);
    // A reward is paid from the account that holds the venue's fees.
    if (event.kind === EventKind.rewarded) this.#touched.add(SystemAccount.fees);
    this.prices.note(event);
    this.#groups.note(event);
    this.#judge(event);
    if (event.isTransactionEnd) this.#endTransaction(event);
  }

  /** Asserts that the last transaction is complete, as it must be at the end of a commit. */
  checkWhole(): void {
    assert.equal(this.#current.events, 0, "the last transaction must be whole");
  }

  /** Returns the account's open orders, by market and then oldest first. */
  ordersOf(account: number): AuditedOrder[] {
    return this.books.flatMap((book) => book.ordersOf(account));
  }

  /** Best price of a side in ticks; 0n if it is empty. */
  bestPrice(market: number, side: Side): bigint {
    return BigInt(this.#book(market).bestPrice(side));
  }

  #market(id: number): Market {
    const market = this.#table.markets[id];
    assert(market !== undefined, "the market must exist");
    return market;
  }

  #book(market: number): AuditedBook {
    const book = this.books[market];
    assert(book !== undefined, "the market must exist");
    return book;
  }

  #judge(event: VenueEvent): void {
    switch (event.kind) {
      case EventKind.orderAccepted:
      case EventKind.specialAccepted:
      case EventKind.icebergAccepted:
        this.#accept(event);
        break;
      case EventKind.orderListAccepted:
        assert.equal(this.#current.events, 1, "a list must begin its transaction");
        this.#lists.open(event);
        break;
      case EventKind.orderReleased:
        assert.equal(this.#current.events, this.#current.released + 1, "releases come first");
        this.#current.released++;
        this.#lists.release(event);
        break;
      case EventKind.orderPegged:
      case EventKind.orderPeggedBehind:
        assert.equal(event.orderId, this.#orderId, "a peg must follow its order's acceptance");
        this.#book(event.market).peg(event);
        break;
      case EventKind.orderTriggered:
      case EventKind.orderAmended:
      case EventKind.quoteAmended:
        this.#change(event);
        break;
      case EventKind.matchPrevented:
        this.#prevention.note(
          event,
          this.#current.order,
          this.#book(event.market).order(event.makerOrderId),
        );
        break;
      case EventKind.orderReduced:
        this.#reduce(event);
        break;
      case EventKind.traded:
        this.#trade(event);
        break;
      case EventKind.orderClosed:
        this.#close(event);
        break;
      case EventKind.leverageSet:
        assert.equal(this.#current.events, 1, "a leverage change must begin its transaction");
        this.#judgeAccount(event);
        break;
      case EventKind.transferred:
      case EventKind.movedBetweenAccounts:
      case EventKind.withdrawalRequested:
      case EventKind.credited:
      case EventKind.granted:
        assert.equal(this.#current.events, 1, "a money movement must begin its transaction");
        this.#transferSeq = event.seq;
        this.#judgeAccount(event);
        break;
      case EventKind.commandDone:
        break;
      case EventKind.connectionOpened:
      case EventKind.connectionEnded:
      case EventKind.orderBound:
        this.#connections.take(event, this.#current, this.#orderId);
        break;
      case EventKind.requestKeyed:
        this.#useKey(event);
        break;
      default:
        assert.equal(this.#current.events, 1, "the event must be alone");
        this.#current.isClosed = true;
        this.#judgeAccount(event);
        break;
    }
  }

  #reduce({ orderId, market, qty }: OrderReduced): void {
    assert(this.#current.order !== null, "only an incoming order may reduce another order");
    this.#prevention.judge(orderId, qty);
    this.#book(market).reduce(orderId, qty);
  }

  /** An order triggers, or is amended: it enters its book on new terms. */
  #change(event: OrderTriggered | Amendment): void {
    const { events, released, isQuotes } = this.#current;
    const isFirst = events === released + 1 || isQuotes;
    assert(isFirst, "an amendment or trigger must begin its transaction");
    this.#lists.activate(event.orderId, event.qty);
    const book = this.#book(event.market);
    const isTriggered = event.kind === EventKind.orderTriggered;
    const order = isTriggered ? book.trigger(event) : book.amend(event);
    assert.equal(order.account, event.account, "a changed order must keep its account");
    this.#noteLoss(order);
    this.#begin(order);
  }

  #judgeAccount(event: VenueEvent): void {
    const { account } = event;
    if (event.kind === EventKind.accountOpened || event.kind === EventKind.subAccountOpened) {
      this.#open(event);
    } else if (event.kind === EventKind.accountTypeSet) {
      const type = this.ledger.accountTypes.get(account);
      assert(
        type === AccountType.standard || type === AccountType.house,
        "only a standard or house account may change its type",
      );
      this.ledger.accountTypes.set(account, event.accountType);
    } else if (event.kind === EventKind.granted) {
      this.ledger.grant(account, event.wallet, event.asset, event.amount);
    } else if (event.kind === EventKind.credited) {
      this.ledger.deposit(account, event.wallet, event.asset, event.amount);
    } else if (event.kind === EventKind.coinsSettled) {
      this.coins.settle(event);
    } else if (event.kind === EventKind.marked) {
      this.prices.mark(event);
    } else if (event.kind === EventKind.fundingStarted) {
      this.ledger.startFunding(event);
    } else if (event.kind === EventKind.fundingPaid) {
      this.ledger.payFunding(event, this.#market(event.market));
    } else if (event.kind === EventKind.insuranceSettled) {
      this.ledger.settleInsurance(event, this.#market(event.market));
    } else if (event.kind === EventKind.positionMoved) {
      this.ledger.movePosition(event, this.#market(event.market));
    } else if (event.kind === EventKind.transferred) {
      this.ledger.transfer(account, event.from, event.to, event.asset, event.amount);
    } else if (event.kind === EventKind.leverageSet) {
      this.#current.leverage = `${account}/${event.market}`;
      this.ledger.leverage.set(`${account}/${event.market}`, BigInt(event.leverage));
    } else {
      this.ledger.judgeFamily(event, this.#touched);
      this.prices.judge(event);
      this.#rewards.judge(event);
      this.#withdrawals.judge(event);
    }
  }

  #open(event: AccountOpened | SubAccountOpened): void {
    assert.equal(event.account, this.#account + 1, "account numbers must be gapless");
    this.#account = event.account;
    this.ledger.judgeFamily(event, this.#touched);
  }

  #accept(event: AcceptedOrder): void {
    const { events, isQuotes } = this.#current;
    const isFirst = events === 1 || isQuotes || followsLeverage(this.#current, event);
    const isPlaced = isFirst || this.#lists.isComing(event.orderId);
    assert(isPlaced, "an acceptance must begin its transaction, or follow what belongs to it");
    assert.equal(event.orderId, this.#orderId + 1, "order ids must be gapless");
    this.#orderId = event.orderId;
    const type = this.ledger.accountTypes.get(event.account);
    const isFund = event.account === SystemAccount.insurance && event.isReduceOnly;
    const isOwned = type !== undefined && type !== AccountType.system;
    assert(isOwned || isFund, "only customers may place orders, or the fund to close a position");
    this.#names.use(event);
    const isPending = this.#lists.isPending(event.orderId);
    const order = this.#book(event.market).accept(event, isPending);
    if (!isPending && !isConditional(event.type)) {
      this.#noteLoss(order);
      this.#begin(order);
    }
    const own = this.ordersOf(event.account).filter(({ market }) => market === event.market);
    assert(own.length <= ordersPerMarketPerAccountMax, "the market has a limit of open orders");
  }

  /** Notes the order whose fills follow. The orders of a mass quote have none, and may follow each other. */
  #begin(order: AuditedOrder): void {
    const isQuote = isQuoteClientId(order.clientId);
    assert(isQuote || !this.#current.isQuotes, "a mass quote must have only quotes");
    if (!isQuote) this.#current.order = order;
    else assert(isPostOnly(order), "a quote must be post-only");
    this.#current.isQuotes = isQuote;
    assert(!isQuote || this.#current.events < quoteEventsMax, "a mass quote has so many sides");
  }

  /** Returns by how many ticks a perpetual order's price is worse than the mark; 0 for other orders. */
  #ticksWorse({ market, side, price }: AuditedOrder, mark = this.prices.markOf(market)): number {
    const from = Number(mark) || price;
    const worse = side === Side.buy ? price - from : from - price;
    const isPerpetual = this.#market(market).kind === MarketKind.perpetual;
    return isPerpetual && worse > 0 ? worse : 0;
  }

  /**
   * Returns whether the order may expire because of the mark: whether its price, at any time since it got its terms,
   * was worse than the mark by more ticks than when it got them.
   */
  #wasLeftBehind(order: AuditedOrder): boolean {
    const marks = this.prices.marksSince(order.market, order.termsSeq);
    return marks.some((mark) => this.#ticksWorse(order, mark) > order.lossTicks);
  }

  /**
   * Records the loss per lot of an order at the mark, and the lots that lose: all open lots, or for a reduce-only order
   * those that close its position.
   */
  #noteLoss(order: AuditedOrder): void {
    order.termsSeq = this.#seq;
    order.lossTicks = this.#ticksWorse(order);
    const { qty } = this.ledger.position(order.account, order.market);
    const closable = Number(order.side === Side.buy ? -qty : qty);
    order.lossLots = order.isReduceOnly
      ? Math.min(order.remaining, Math.max(closable, 0))
      : order.remaining;
  }

  #useKey(event: RequestKeyed): void {
    const isTransfer = this.#current.order === null && event.subject === this.#transferSeq;
    assert(isTransfer || event.subject === this.#orderId, "a key must belong to the event before");
    assert.equal(this.#current.trades, 0, "a key must come before trades");
    this.#names.useKey(event);
  }

  #trade(event: Traded): void {
    assert.equal(event.tradeId, this.#tradeId + 1, "trade ids must be gapless");
    this.#tradeId = event.tradeId;
    const takerId = this.#current.order?.orderId;
    assert.equal(event.takerOrderId, takerId, "trades must belong to the transaction's order");
    this.#current.trades++;
    assert(this.#current.trades <= matchesPerOrderMax, "an order must not have too many matches");
    this.#touched.add(event.makerAccount);
    this.#judgeReducing(event);
    const orders = [event.takerOrderId, event.makerOrderId];
    this.#groups.trade(
      event,
      orders.map((id) => this.#book(event.market).order(id)),
    );
    for (const order of this.#book(event.market).trade(event)) this.#names.leave(order, this.#tsUs);
    const market = this.#market(event.market);
    const usable = this.coins.usableOf(event, market);
    this.#lists.trade(event, { ...market, usable });
    this.prices.trade(event);
    this.ledger.trade(event, market);
    this.coins.trade(event, market);
    this.#rewards.trade(event, market);
  }

  /** Asserts that no reduce-only order trades more than the position it closes. */
  #judgeReducing(event: Traded): void {
    for (const orderId of [event.takerOrderId, event.makerOrderId]) {
      const order = this.#book(event.market).order(orderId);
      if (order?.isReduceOnly !== true) continue;
      const { qty } = this.ledger.position(order.account, event.market);
      const closable = order.side === Side.buy ? -qty : qty;
      assert(BigInt(event.qty) <= closable, "a reduce-only order must not turn a position");
    }
  }

  #close(event: OrderClosed): void {
    this.#connections.close(event);
    const order = this.#book(event.market).close(event.orderId);
    if (event.reason === CloseReason.selfTrade)
      this.#prevention.judge(event.orderId, order.remaining);
    assert.equal(order.account, event.account, "a closed order must belong to the event's account");
    this.#names.leave(order, this.#tsUs);
    if (this.#lists.close(event)) return;
    const { order: incoming } = this.#current;
    const { cancelled, marketClosed, goodTillDate, countdown } = CloseReason;
    const { triggerRefused, liquidation, disconnected } = CloseReason;
    if (incoming === null) {
      const reasons: number[] = [
        ...[cancelled, marketClosed, goodTillDate, countdown],
        ...[triggerRefused, liquidation, disconnected],
      ];
      this.#current.isQuotes ||= isQuoteClientId(order.clientId);
      if (event.reason === CloseReason.makerGroup) this.#groups.judgeClose(order);
      reasons.push(CloseReason.makerGroup);
      if (this.#wasLeftBehind(order)) reasons.push(CloseReason.uncovered);
      if (order.isReduceOnly) reasons.push(CloseReason.reduceOnly, CloseReason.linked);
      assert(reasons.includes(event.reason), "an order must close on request or by its terms");
      return;
    }
    if (incoming.orderId !== event.orderId) {
      const reasons: number[] = [CloseReason.selfTrade, CloseReason.reduceOnly];
      assert(reasons.includes(event.reason), "a resting order must close by a known rule");
      return;
    }
    this.#current.isClosed = true;
    assert(event.reason !== CloseReason.cancelled, "an incoming order must not be cancelled");
  }

  #endTransaction(event: VenueEvent): void {
    const { order, trades, isClosed } = this.#current;
    if (order !== null) this.#judgeOrder(order, trades, isClosed);
    const hasBook = "market" in event && event.market < this.#table.markets.length;
    const mayCross = hasBook && event.kind !== EventKind.leverageSet;
    if (mayCross) this.#book(event.market).checkUncrossed();
    this.ledger.checkConservation();
    for (const account of this.#touched) this.holds.checkCovered(account);
    this.#touched.clear();
    this.#prevention.endTransaction();
    this.#lists.endTransaction();
    this.#current = emptyTransaction();
    this.#transactions++;
  }

  /** Asserts that the result of an incoming order fits its type and time in force. */
  #judgeOrder(order: AuditedOrder, trades: number, isClosed: boolean): void {
    const isOpen = this.#book(order.market).order(order.orderId) !== undefined;
    const hasLotsLeft = !isClosed && order.remaining > 0;
    assert.equal(isOpen, hasLotsLeft, "an order must be open exactly while it has lots left");
    if (isOpen) assert(mayRest(order), "an open order must be of a kind that may rest");
    if (isOpen && isPostOnly(order)) assert.equal(trades, 0, "a post-only order must rest whole");
    if (tradedTimeInForce(order.type, order.timeInForce) === TimeInForce.fok) {
      assert(trades === 0 || order.remaining === 0, "a FOK order must fill whole or not at all");
    }
  }
}
