// Liquidations, decided on ticks: which accounts are due, and the next step of each liquidation in progress.
// The stage of a liquidation is in the state, so the liquidation continues after a restart.
//
//   scan (each interval of marks) ─▶ cancelling ─▶ reducing: liquidation orders ─▶ takeover, deleveraging:
//                                                                              in a pause of matching
//
// A cascade is limited: in accounts whose liquidation starts and in value closed per interval, in steps per tick, and
// in position moves per pause of matching. What exceeds a limit follows on later ticks.

import { assert } from "../../../core/assert.ts";
import { EventKind } from "../../../core/generated/events.ts";
import {
  clearanceFeeBps,
  dryTriesMax,
  liquidationBandBps,
  liquidationsBegunMax,
  movesPerPauseMax,
  ownStepsMax,
} from "../../../core/limits.ts";
import { InsuranceCause, LiquidationStage } from "../../../core/liquidation.ts";
import type { Market } from "../../../core/markets.ts";
import type { MatchOutcome } from "../../../core/match-messages.ts";
import { CloseReason, Side } from "../../../core/orders.ts";
import { RiskTerm } from "../../../core/perpetuals/risk-terms.ts";
import { fundPrice, liquidationOrderPrice, lotsToClose } from "../../risk/liquidation-terms.ts";
import {
  isDue,
  type MarginPosition,
  type MarginStatus,
  type MarginStatuses,
} from "../../risk/margin-status.ts";
import { OrderFlag } from "../../state/orders/order-table.ts";
import type { Liquidation } from "../../state/tables/liquidation-state.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { MatcherLanes } from "../matchers/matcher-lanes.ts";
import type { FillBuffer, PendingRequest } from "../matchers/request-lane.ts";
import type { MassCancels } from "../orders/mass-cancels.ts";
import type { OrderTransaction } from "../orders/order-transaction.ts";
import type { OrphanedReduceOnlyOrders } from "../orders/orphaned-orders.ts";
import type { PendingOrders } from "../orders/pending-orders.ts";
import type { TransactionWriter } from "../transactions/transaction-writer.ts";
import { fundAccount, InsuranceFund } from "./insurance-fund.ts";
import { LiquidationOrders } from "./liquidation-orders.ts";
import { PositionMoves } from "./position-moves.ts";
import type { RiskScan } from "./risk-scan.ts";

export interface LiquidationsParts {
  readonly state: VenueState;
  readonly writer: TransactionWriter;
  readonly orderTransaction: OrderTransaction;
  readonly lanes: MatcherLanes;
  readonly pending: PendingOrders;
  readonly massCancels: MassCancels;
  readonly marginStatuses: MarginStatuses;
  readonly scan: RiskScan;
  /** Microseconds between two liquidation steps of one account. */
  readonly intervalUs: number;
  readonly orphaned: OrphanedReduceOnlyOrders;
}

type Progress = Pick<Liquidation, "stage" | "dryTries" | "nextUs">;

export class Liquidations {
  readonly #parts: LiquidationsParts;
  readonly #fund: InsuranceFund;
  readonly #orders: LiquidationOrders;
  readonly #moves: PositionMoves;
  /** Accounts whose positions move in the next matching pause. */
  readonly #toMove = new Set<number>();

  constructor(parts: LiquidationsParts) {
    this.#parts = parts;
    this.#fund = new InsuranceFund(parts);
    this.#orders = new LiquidationOrders(parts);
    this.#moves = new PositionMoves({ ...parts, fund: this.#fund });
  }

  /**
   * True while positions wait to be moved. Clearing then takes no command until every request in flight has been
   * answered.
   */
  get needsPause(): boolean {
    return this.#toMove.size > 0;
  }

  /** Does the work of a tick; `isMarked` is true if marks were just computed. */
  tick(atUs: number, isMarked: boolean): void {
    this.#fund.keepGate(atUs);
    if (isMarked) {
      this.#fund.keepHours(atUs);
      this.#orders.beginInterval();
      this.#begin(atUs);
      this.#sellTaken(atUs);
    }
    let steps = 0;
    for (const one of this.#parts.state.liquidations.all()) {
      if (one.nextUs > atUs || this.#orders.isSent(one.account)) continue;
      if (steps === ownStepsMax || this.#parts.massCancels.waiting > 0) break;
      steps++;
      this.#step(one, atUs);
    }
  }

  /** Moves positions if no request is in flight. */
  pump(atUs: number): void {
    if (this.#toMove.size === 0 || this.#parts.lanes.inFlight > 0) return;
    const accounts = [...this.#toMove];
    this.#toMove.clear();
    let moves = 0;
    for (const account of accounts) {
      // Moves beyond the limit follow after the next tick.
      while (moves < movesPerPauseMax && this.#moveOne(account, atUs)) moves++;
    }
    this.#fund.keepGate(atUs);
  }

  /**
   * Writes the transaction of a liquidation order after its matcher has answered. Then takes the clearance fee for what
   * was traded, or counts a try without trades. An order of the fund pays no fee, and its tries are not counted.
   */
  finish(
    request: PendingRequest,
    fills: FillBuffer,
    outcome: MatchOutcome,
    remaining: number,
  ): void {
    const { account, market, atUs } = request.order;
    const traded = this.#orders.finish(request, fills, outcome, remaining);
    if (account === fundAccount) return;
    if (traded > 0n) {
      this.#takeFee(account, market, traded, atUs);
      return;
    }
    const one = this.#parts.state.liquidations.of(account);
    if (one === undefined) return;
    this.#stage(account, { ...one, dryTries: one.dryTries + 1 }, atUs);
  }

  /** Starts liquidating a bounded number of due accounts. Spec RSK-1, RSK-2. */
  #begin(atUs: number): void {
    const { scan, marginStatuses, state } = this.#parts;
    let begun = 0;
    scan.scan((account) => {
      if (begun === liquidationsBegunMax || state.liquidations.of(account) !== undefined) return;
      if (!isDue(marginStatuses.of(account))) return;
      begun++;
      const isFund = account === fundAccount;
      const stage = isFund ? LiquidationStage.deleveraging : LiquidationStage.cancelling;
      this.#stage(account, { stage, dryTries: 0, nextUs: atUs }, atUs);
    });
  }

  /** Closes the positions that the fund took over, a part in each interval. Spec RSK-8. */
  #sellTaken(atUs: number): void {
    const { marginStatuses, state } = this.#parts;
    if (this.#orders.isSent(fundAccount) || state.liquidations.of(fundAccount)) return;
    for (const position of marginStatuses.of(fundAccount).positions) {
      const lots = Math.min(Math.abs(position.qty), this.#orders.allowance(position));
      if (lots === 0) continue;
      const price = this.#fundPrice(position);
      if (price === 0) continue;
      const order = this.#fund.affordable(position, { lots, price }, atUs);
      this.#orders.send({ account: fundAccount, position, ...order }, atUs);
      return;
    }
  }

  /**
   * The limit price of a fund order: within the fund's band around a fresh index; 0 (no price) if the index is stale.
   * If the term of the band is 0, the order is priced like other liquidation orders. Spec RSK-8.
   */
  #fundPrice(position: MarginPosition): number {
    const { indexes, riskTerms } = this.#parts.state;
    const { id } = position.market;
    const band = riskTerms.of(id, RiskTerm.fundBandBps);
    if (band === 0) return fundPrice(position, position.mark, liquidationBandBps);
    const { isFresh } = indexes.of(id);
    return isFresh ? fundPrice(position, indexes.ticks(id), band) : 0;
  }

  #step(one: Liquidation, atUs: number): void {
    const { account } = one;
    const status = this.#parts.marginStatuses.of(account);
    if (status.positions.length === 0) this.#settleFlat(one, status, atUs);
    else if (!isDue(status)) this.#end(account, atUs);
    else if (one.stage >= LiquidationStage.takeover) this.#toMove.add(account);
    else if (!this.#cancelOrders(account, atUs)) this.#reduce(one, status, atUs);
  }

  /**
   * In each market where an order of the account could open a position, cancels all of the account's orders except
   * those that wait for a trigger. Returns false if there is no such market: orders that only reduce do not interfere
   * with liquidation orders. Spec RSK-3.
   */
  #cancelOrders(account: number, atUs: number): boolean {
    const { massCancels, marginStatuses } = this.#parts;
    const terms = { account, atUs, reason: CloseReason.liquidation, keepsWaiting: true };
    let cancels = false;
    for (const { id: market } of marginStatuses.markets) {
      if (!this.#mayOpen(account, market)) continue;
      cancels = true;
      massCancels.cancelAll({ ...terms, markets: 1 << market, done: () => {} });
    }
    return cancels;
  }

  /** Whether an order of the account, resting or in flight, could open a position. */
  #mayOpen(account: number, market: number): boolean {
    const { pending, state } = this.#parts;
    const { orders } = state;
    if (orders.countOf(account, market) === 0) return false;
    const isPending = [Side.buy, Side.sell].some((side) => pending.lots(account, market, side) > 0);
    if (isPending) return true;
    for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
      if (orders.market[slot] !== market || !orders.isOnBook(slot)) continue;
      if (!orders.has(slot, OrderFlag.reduceOnly)) return true;
    }
    return false;
  }

  /**
   * Sends an order that closes a part of one position: of those that can be closed now, the one with the largest
   * maintenance. Goes on to the takeover if the account has no equity or several orders did not trade. RSK-4, RSK-5.
   */
  #reduce(one: Liquidation, status: MarginStatus, atUs: number): void {
    const { account, dryTries } = one;
    if (status.equity <= 0n || dryTries >= dryTriesMax) {
      this.#stage(account, { stage: LiquidationStage.takeover, dryTries, nextUs: atUs }, atUs);
      this.#toMove.add(account);
      return;
    }
    const next = {
      stage: LiquidationStage.reducing,
      dryTries,
      nextUs: atUs + this.#parts.intervalUs,
    };
    for (const position of status.positions) {
      const allowed = this.#orders.allowance(position);
      const price = allowed === 0 ? 0 : liquidationOrderPrice(status, position);
      if (price === 0) continue;
      const lots = Math.min(lotsToClose(status, position), allowed);
      this.#stage(account, next, atUs);
      this.#orders.send({ account, position, lots, price }, atUs);
      return;
    }
    this.#stage(account, next, atUs);
  }

  /** Moves one position, or a part of it, off the account; false if no further move is possible now. */
  #moveOne(account: number, atUs: number): boolean {
    const { state, marginStatuses, intervalUs } = this.#parts;
    const one = state.liquidations.of(account);
    const status = marginStatuses.of(account);
    const [position] = status.positions;
    if (one === undefined || position === undefined || !isDue(status)) return false;
    const isTakeover = one.stage === LiquidationStage.takeover;
    if (isTakeover && this.#moves.takeOver(status, position, atUs)) return true;
    if (isTakeover) {
      const stage = LiquidationStage.deleveraging;
      this.#stage(account, { ...one, stage, nextUs: atUs }, atUs);
    }
    if (this.#deleverage(status, atUs)) return true;
    const nextUs = atUs + intervalUs;
    const stage = LiquidationStage.deleveraging;
    this.#stage(account, { stage, dryTries: one.dryTries, nextUs }, atUs);
    return false;
  }

  /** Deleverages one of the account's positions; false if none can be deleveraged now. Spec RSK-11. */
  #deleverage(status: MarginStatus, atUs: number): boolean {
    const deleverage = (position: MarginPosition) => this.#moves.deleverage(status, position, atUs);
    return status.positions.some(deleverage);
  }

  /** Ends the liquidation of an account without positions; the fund pays its debt, if any. Spec RSK-9. */
  #settleFlat(
    { account, stage, dryTries }: Liquidation,
    { wallet }: MarginStatus,
    atUs: number,
  ): void {
    if (wallet < 0n) {
      const paid = account === fundAccount ? 0n : this.#payFor(account, -wallet, atUs);
      if (paid < -wallet) {
        const nextUs = atUs + this.#parts.intervalUs;
        this.#stage(account, { stage, dryTries, nextUs }, atUs);
        return;
      }
    }
    this.#end(account, atUs);
  }

  /**
   * Pays as much of an account's debt from the fund as is allowed, and returns the amount paid. The payment counts as
   * a loss of the fund in the market in which the account lost most.
   */
  #payFor(account: number, owed: bigint, atUs: number): bigint {
    const { state, marginStatuses } = this.#parts;
    const lost = (market: Market) => state.positions.realisedPnl(account, market.id);
    const [first, ...others] = marginStatuses.markets;
    if (first === undefined) return 0n;
    let worst = first;
    for (const market of others) if (lost(market) < lost(worst)) worst = market;
    const amount = this.#fund.payable(worst, owed, atUs);
    if (amount === 0n) return 0n;
    this.#fund.beginHour(worst, atUs);
    const { shortfall: cause } = InsuranceCause;
    this.#settle(account, { market: worst.id, amount, cause }, atUs);
    return amount;
  }

  /** Takes the clearance fee on the value closed, at most the account's equity. Spec RSK-6. */
  #takeFee(account: number, market: number, traded: bigint, atUs: number): void {
    const { equity } = this.#parts.marginStatuses.of(account);
    const fee = (traded * BigInt(clearanceFeeBps)) / 10_000n;
    const amount = fee < equity ? fee : equity;
    if (amount <= 0n) return;
    this.#settle(account, { market, amount: -amount, cause: InsuranceCause.clearanceFee }, atUs);
  }

  #settle(
    account: number,
    what: { market: number; amount: bigint; cause: InsuranceCause },
    atUs: number,
  ): void {
    const event = { kind: EventKind.insuranceSettled, account, ...what };
    assert(account !== fundAccount, "the fund must not settle with itself");
    this.#parts.writer.nonOrder({ ...event, seq: 0, tsUs: 0, isTransactionEnd: true }, atUs);
  }

  #end(account: number, atUs: number): void {
    this.#stage(account, { stage: LiquidationStage.none, dryTries: 0, nextUs: 0 }, atUs);
  }

  #stage(account: number, { stage, dryTries, nextUs }: Progress, atUs: number): void {
    const event = { kind: EventKind.liquidationStaged, account, stage, dryTries, nextUs };
    this.#parts.writer.nonOrder({ ...event, seq: 0, tsUs: 0, isTransactionEnd: true }, atUs);
  }
}
