// Positions that change owner without orders: takeovers by the insurance fund and deleveraging. Done only while no
// request is in flight: clearing and the matchers then agree about positions, and the matchers learn of the change
// before any later order.

import { assert } from "../../../core/assert.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { deleveragingLooksMax, movesPerPauseMax } from "../../../core/limits.ts";
import { MoveCause } from "../../../core/liquidation.ts";
import { bankruptcyValue, priceOf, shareOf } from "../../risk/liquidation-terms.ts";
import type { MarginPosition, MarginStatus, MarginStatuses } from "../../risk/margin-status.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { MatcherLanes } from "../matchers/matcher-lanes.ts";
import type { OrphanedReduceOnlyOrders } from "../orders/orphaned-orders.ts";
import type { TransactionWriter } from "../transactions/transaction-writer.ts";
import { backedLots } from "./fund-backing.ts";
import { fundAccount, type InsuranceFund } from "./insurance-fund.ts";
import type { RiskScan } from "./risk-scan.ts";

export interface PositionMovesParts {
  readonly state: VenueState;
  readonly writer: TransactionWriter;
  readonly lanes: MatcherLanes;
  readonly marginStatuses: MarginStatuses;
  readonly scan: RiskScan;
  readonly fund: InsuranceFund;
  readonly orphaned: OrphanedReduceOnlyOrders;
}

/** Lots of a position that move to another account, and the signed value at which they move. */
interface Part {
  readonly lots: number;
  readonly value: bigint;
}

export class PositionMoves {
  readonly #parts: PositionMovesParts;

  constructor(parts: PositionMovesParts) {
    this.#parts = parts;
  }

  /**
   * Moves to the insurance fund the part of the position that the fund could immediately sell or buy back (see
   * `backedLots`). False if there is no such part, or if the fund cannot take it. Spec RSK-7, RSK-27.
   */
  takeOver(status: MarginStatus, position: MarginPosition, atUs: number): boolean {
    const { fund, lanes, state } = this.#parts;
    assert(
      lanes.inFlight <= 2 * movesPerPauseMax,
      "positions must move only while matching is paused",
    );
    const { qty, value, market } = position;
    const whole = bankruptcyValue(status, position);
    const lots = backedLots(state, market, { qty, value: whole });
    if (lots === 0) return false;
    const price = shareOf(whole, lots, qty);
    const moved = { qty: qty > 0 ? lots : -lots, value: shareOf(value, lots, qty), price };
    if (!fund.canTake(market, moved, atUs)) return false;
    fund.beginHour(market, atUs);
    const target = { to: fundAccount, cause: MoveCause.takeover };
    this.#move(status, position, { lots, value: price }, target, atUs);
    return true;
  }

  /**
   * Moves as much of the position as possible to the first account of the deleveraging queue that can take a part of
   * it; false if none of the accounts examined can. No counterparty ends up in debt. Spec RSK-11, RSK-12.
   */
  deleverage(status: MarginStatus, position: MarginPosition, atUs: number): boolean {
    assert(position.qty !== 0, "a position to be deleveraged must be open");
    const skip = new Set([status.account, fundAccount]);
    for (let look = 0; look < deleveragingLooksMax; look++) {
      const isLong = position.qty < 0;
      const best = this.#parts.scan.bestOpposite(position.market.id, isLong, skip);
      if (best === null) return false;
      const part = this.#partFor(status, position, best.account);
      if (part.lots > 0) {
        const target = { to: best.account, cause: MoveCause.deleveraging };
        this.#move(status, position, part, target, atUs);
        return true;
      }
      skip.add(best.account);
    }
    return false;
  }

  /**
   * The part of the position that the counterparty can take: at most its own position, and as much as its equity
   * covers.
   */
  #partFor(status: MarginStatus, position: MarginPosition, to: number): Part {
    const { state, marginStatuses } = this.#parts;
    const { market, qty } = position;
    const size = Math.abs(qty);
    // While the fund has equity, its position moves at the value at the mark instead of the bankruptcy price, so that
    // the fund loses no more than necessary.
    const isWorth = status.account === fundAccount && status.equity > 0n;
    const whole = isWorth ? position.value : bankruptcyValue(status, position);
    const most = Math.min(size, Math.abs(state.positions.qty(to, market.id)));
    const loss = whole - position.value;
    if (loss <= 0n) return { lots: most, value: shareOf(whole, most, qty) };
    const { equity } = marginStatuses.of(to);
    const bearable = equity > 0n ? (equity * BigInt(size)) / loss : 0n;
    const lots = bearable < BigInt(most) ? Number(bearable) : most;
    return { lots, value: shareOf(whole, lots, qty) };
  }

  #move(
    status: MarginStatus,
    { market, qty }: MarginPosition,
    { lots, value }: Part,
    { to, cause }: { to: number; cause: MoveCause },
    atUs: number,
  ): void {
    const { state, writer, lanes, orphaned } = this.#parts;
    const { account } = status;
    const moved = qty > 0 ? lots : -lots;
    assert(lots > 0, "the moved quantity must be positive");
    const size = value < 0n ? -value : value;
    writer.nonOrder(
      {
        kind: EventKind.positionMoved,
        seq: 0,
        tsUs: 0,
        isTransactionEnd: true,
        account,
        counterparty: to,
        market: market.id,
        qty: moved,
        value,
        price: Math.min(priceOf(value, lots, market.tickLot), market.priceTicksMax),
        pnl: state.positions.profitOf(account, market.id, -moved, size),
        counterpartyPnl: state.positions.profitOf(to, market.id, moved, size),
        cause,
      },
      atUs,
    );
    orphaned.changed(account, market.id, -moved);
    orphaned.changed(to, market.id, moved);
    lanes.sendAdjust(account, market.id, -moved, atUs);
    lanes.sendAdjust(to, market.id, moved, atUs);
  }
}
