// The insurance fund: a system account that takes over positions at the bankruptcy price, sells them, and
// pauses trading while its equity is too low. It never takes more than it can hold.

import { SystemAccount } from "../../../core/accounts.ts";
import { amountAt, assert, numberAt } from "../../../core/assert.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { indexMemoryUs, insuranceThreshold, positionLotsMax } from "../../../core/limits.ts";
import { TradingGate } from "../../../core/liquidation.ts";
import type { Market } from "../../../core/markets.ts";
import { lotsWorth } from "../../../core/money/amounts.ts";
import { RiskTerm } from "../../../core/perpetuals/risk-terms.ts";
import { fundLoss, fundWorth } from "../../risk/fund-loss.ts";
import type { MarginPosition, MarginStatuses } from "../../risk/margin-status.ts";
import { startOfHour } from "../../state/tables/fund-hours.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { TransactionWriter } from "../transactions/transaction-writer.ts";

/** The fund's account number. */
export const fundAccount = SystemAccount.insurance;

export interface InsuranceFundParts {
  readonly state: VenueState;
  readonly writer: TransactionWriter;
  readonly marginStatuses: MarginStatuses;
}

export class InsuranceFund {
  readonly #parts: InsuranceFundParts;
  /** Equity below which trading pauses, in minor units of the margin asset. */
  readonly #threshold: bigint;

  constructor(parts: InsuranceFundParts) {
    this.#parts = parts;
    const decimals = parts.marginStatuses.markets[0]?.quote.decimals ?? 0;
    this.#threshold = BigInt(insuranceThreshold) * 10n ** BigInt(decimals);
  }

  /** Minor units that the fund may still lose in the market in this clock hour; null without a limit. Spec RSK-38. */
  #room(market: Market, atUs: number): bigint | null {
    const { state } = this.#parts;
    const limit = BigInt(state.riskTerms.of(market.id, RiskTerm.fundLossPerHour));
    if (limit === 0n) return null;
    if (state.fundHours.isPaused(market.id)) return 0n;
    const left = limit * 10n ** BigInt(market.quote.decimals) - fundLoss(state, market.id, atUs);
    return left > 0n ? left : 0n;
  }

  /** Called before the fund acts in a market: starts the loss count of the current clock hour if it has not started. */
  beginHour({ id }: Market, atUs: number): void {
    const { state } = this.#parts;
    if (!state.fundHours.isCurrent(id, atUs)) this.#setHour(id, atUs, fundWorth(state, id), false);
  }

  /**
   * Checks the fund's losses in each market against the hourly limit. A loss that reaches the limit pauses the market
   * until the clock hour ends; each clock hour starts from zero. Spec RSK-38.
   */
  keepHours(atUs: number): void {
    const { state, marginStatuses } = this.#parts;
    for (const market of marginStatuses.markets) {
      const { id } = market;
      const isPaused = state.fundHours.isPaused(id);
      if (!state.fundHours.isCurrent(id, atUs)) {
        const holds = state.positions.qty(fundAccount, id) !== 0;
        if (holds || isPaused) this.beginHour(market, atUs);
      } else if (!isPaused && this.#room(market, atUs) === 0n) {
        this.#setHour(id, atUs, amountAt(state.fundHours.worth, id), true);
      }
    }
  }

  #setHour(market: number, atUs: number, worth: bigint, isPaused: boolean): void {
    const hour = { market, sinceUs: startOfHour(atUs), worth, isPaused };
    const event = { kind: EventKind.fundHourSet, ...hour, seq: 0, tsUs: 0, account: 0 };
    this.#parts.writer.nonOrder({ ...event, isTransactionEnd: true }, atUs);
  }

  /**
   * Limits a fund order to the lots whose cost relative to the mark stays within the hour's limit. If the limit allows
   * no cost at all, the order has all lots, priced at the mark. Spec RSK-38.
   */
  affordable(
    { market, qty, mark }: MarginPosition,
    order: { lots: number; price: number },
    atUs: number,
  ): { lots: number; price: number } {
    const room = this.#room(market, atUs);
    const worse = qty > 0 ? mark - order.price : order.price - mark;
    assert(
      order.lots > 0 && order.price > 0,
      "an order of the fund must have a positive quantity and price",
    );
    if (room === null || worse <= 0) return order;
    const most = lotsWorth(room, worse, market.tickLot);
    if (most === 0n) return { lots: order.lots, price: mark };
    return { lots: most < BigInt(order.lots) ? Number(most) : order.lots, price: order.price };
  }

  /**
   * The part of a debt that the fund may pay now: at most what it may still lose in the market; 0 if it cannot afford
   * that.
   */
  payable(market: Market, owed: bigint, atUs: number): bigint {
    assert(owed > 0n, "the debt must be positive");
    const room = this.#room(market, atUs);
    const amount = room !== null && room < owed ? room : owed;
    return amount > 0n && this.#canPay(amount) ? amount : 0n;
  }

  /**
   * Whether the fund may take `qty` signed lots, worth `value` at the mark, at the bankruptcy value `price`. After the
   * takeover its equity must cover the maintenance of all its positions. Without an index the mark depends on the
   * market's own traders, so the fund takes nothing. Spec RSK-7, RSK-22.
   */
  canTake(
    market: Market,
    move: { qty: number; value: bigint; price: bigint },
    atUs: number,
  ): boolean {
    const { marginStatuses } = this.#parts;
    assert(move.qty !== 0, "the quantity of a takeover must not be 0");
    if (!this.#hasIndex(market.id)) return false;
    const room = this.#room(market, atUs);
    if (room !== null && (room === 0n || move.price - move.value > room)) return false;
    const { equity, maintenance, positions } = marginStatuses.of(fundAccount);
    const own = positions.find((position) => position.market === market);
    const qty = (own?.qty ?? 0) + move.qty;
    if (Math.abs(qty) > positionLotsMax) return false;
    const kept = marginStatuses.maintenanceOf(market, (own?.value ?? 0n) + move.value);
    return equity + move.value - move.price >= maintenance - (own?.maintenance ?? 0n) + kept;
  }

  /**
   * Whether there is an index, or was one recently, as a premium sample proves. The index is briefly missing while
   * makers renew their quotes.
   */
  #hasIndex(market: number): boolean {
    const { index, funding, tsUs } = this.#parts.state;
    if (numberAt(index, market) > 0) return true;
    const { sampledUs } = funding.of(market);
    assert(sampledUs <= tsUs, "the last premium sample must not be later than the last event");
    return sampledUs > 0 && tsUs - sampledUs <= indexMemoryUs;
  }

  /** Whether the fund can pay `amount` minor units and still cover its positions. Spec RSK-9. */
  #canPay(amount: bigint): boolean {
    assert(amount > 0n, "the amount that the fund pays must be positive");
    const { equity, maintenance, wallet } = this.#parts.marginStatuses.of(fundAccount);
    return equity - amount >= maintenance && wallet >= amount;
  }

  /**
   * Pauses trading while the fund is below the threshold, but only if it has ever reached the threshold. Spec RSK-10.
   */
  keepGate(atUs: number): void {
    const { state, writer, marginStatuses } = this.#parts;
    const { equity: fundEquity } = marginStatuses.of(fundAccount);
    const before = state.liquidations.gate;
    const isEnough = fundEquity >= this.#threshold;
    if (!isEnough && before === TradingGate.unarmed) return;
    const gate = isEnough ? TradingGate.open : TradingGate.paused;
    if (gate === before) return;
    const event = { kind: EventKind.tradingGateSet, gate, fundEquity };
    writer.nonOrder({ ...event, seq: 0, tsUs: 0, account: 0, isTransactionEnd: true }, atUs);
  }
}
