// Explains every liquidation of a journal, from its events alone, with its own arithmetic. A liquidation may begin only
// if it was due at the last journaled marks. Each closing order and each move of a position must fit the account's
// stage. When a liquidation ends, the account must be safe, or have neither position nor debt.

import assert from "node:assert/strict";
import { SystemAccount, Wallet } from "../../src/core/accounts.ts";
import { EventKind, type PositionMoved, type VenueEvent } from "../../src/core/generated/events.ts";
import { autoclosePrefix, LiquidationStage, MoveCause } from "../../src/core/liquidation.ts";
import { isPerpetual, type Market, type MarketTable } from "../../src/core/markets.ts";
import { ClearingAuditor } from "./clearing-auditor.ts";
import { naiveWorth } from "./naive-worth.ts";

const fund = SystemAccount.insurance;

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

export class LiquidationAudit {
  readonly auditor: ClearingAuditor;
  begun = 0;
  ended = 0;
  liquidationOrders = 0;
  takenOver = 0;
  deleveraged = 0;
  pauses = 0;
  readonly #perpetuals: readonly Market[];
  readonly #marks = new Map<number, number>();
  readonly #stages = new Map<number, LiquidationStage>();

  constructor(table: MarketTable) {
    this.auditor = new ClearingAuditor(table);
    this.#perpetuals = table.markets.filter(isPerpetual);
  }

  /** Checks and applies the next event; throws at the first event that it cannot explain. */
  take(event: VenueEvent): void {
    if (event.kind === EventKind.liquidationStaged) this.#stage(event.account, event.stage);
    else if (event.kind === EventKind.positionMoved) this.#move(event);
    else if (event.kind === EventKind.marked) this.#marks.set(event.market, event.mark);
    else if (event.kind === EventKind.tradingGateSet) this.pauses++;
    else if (event.kind === EventKind.orderAccepted) this.#accept(event.account, event.clientId);
    this.auditor.take(event);
  }

  /** Number of accounts in liquidation. */
  get open(): number {
    return this.#stages.size;
  }

  #stage(account: number, stage: LiquidationStage): void {
    const before = this.#stages.get(account) ?? LiquidationStage.none;
    if (stage === LiquidationStage.none) {
      assert(
        !this.#isDue(account),
        `account ${account} must be safe, or have neither position nor debt`,
      );
      this.#stages.delete(account);
      this.ended++;
      return;
    }
    assert(stage >= before, `account ${account} must not go back from stage ${before} to ${stage}`);
    if (before === LiquidationStage.none) {
      assert(this.#isDue(account), `account ${account} must be due for liquidation`);
      this.begun++;
    }
    this.#stages.set(account, stage);
  }

  #accept(account: number, clientId: string): void {
    if (!clientId.startsWith(autoclosePrefix)) return;
    const isOwn = account === fund || this.#stages.get(account) === LiquidationStage.reducing;
    assert(isOwn, `account ${account} must be in stage reducing`);
    this.liquidationOrders++;
  }

  #move({ account, counterparty, cause }: PositionMoved): void {
    const isTakeover = cause === MoveCause.takeover;
    const { takeover, deleveraging } = LiquidationStage;
    assert.equal(this.#stages.get(account), isTakeover ? takeover : deleveraging);
    assert.equal(counterparty === fund, isTakeover);
    if (isTakeover) this.takenOver++;
    else this.deleveraged++;
  }

  /**
   * Returns whether liquidation is due: with positions, if equity is at most the maintenance margin (exact to a few
   * minor units of rounding); without positions, if equity is negative.
   */
  #isDue(account: number): boolean {
    const { ledger } = this.auditor;
    let equity = 0n;
    let kept = 0n;
    let isOpen = false;
    for (const market of this.#perpetuals) {
      const { qty, entryValue } = ledger.position(account, market.id);
      if (qty === 0n) continue;
      isOpen = true;
      const mark = BigInt(this.#marks.get(market.id) ?? 0);
      const value = mark === 0n ? entryValue : naiveWorth(market, qty * mark);
      equity += value - entryValue;
      kept += keptFor(market, magnitude(value));
    }
    const asset = this.#perpetuals[0]?.quote.id ?? 0;
    equity += ledger.cash(account, Wallet.perp, asset);
    return isOpen ? equity <= kept : equity < 0n;
  }
}

/**
 * Returns the maintenance margin of a position of this value. To the part of the value in each tier applies the rate
 * of that tier; the sum is rounded up to a minor unit.
 */
function keptFor(market: Market, value: bigint): bigint {
  let [floor, sum] = [0n, 0n];
  for (const { notionalMax, maintenancePpm } of market.marginTiers) {
    const cap = notionalMax === null || notionalMax > value ? value : notionalMax;
    if (cap > floor) sum += (cap - floor) * BigInt(maintenancePpm);
    floor = cap;
  }
  return (sum + 999_999n) / 1_000_000n;
}
