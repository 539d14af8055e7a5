// The insurance fund: an account of the venue that takes over positions at the bankruptcy price, sells
// them again and pauses trading when it has too little. It never takes more than it can keep.

import { SystemAccount } from "../../core/accounts.ts";
import { assert } from "../../core/assert.ts";
import { numberAt } from "../../core/cells.ts";
import { EventKind } from "../../core/events.ts";
import { indexMemoryUs, insuranceThreshold, positionLotsMax } from "../../core/limits.ts";
import { TradingGate } from "../../core/liquidation.ts";
import type { Market } from "../../core/markets.ts";
import type { Standings } from "./account-standing.ts";
import type { UnitWriter } from "./unit-writer.ts";
import type { VenueState } from "./venue-state.ts";

/** The fund's account number. */
export const fundAccount = SystemAccount.insurance;

export interface InsuranceFundParts {
  readonly state: VenueState;
  readonly writer: UnitWriter;
  readonly standings: Standings;
}

export class InsuranceFund {
  readonly #parts: InsuranceFundParts;
  /** Minor units of the margin asset. */
  readonly #threshold: bigint;

  constructor(parts: InsuranceFundParts) {
    this.#parts = parts;
    const decimals = parts.standings.markets[0]?.quote.decimals ?? 0;
    this.#threshold = BigInt(insuranceThreshold) * 10n ** BigInt(decimals);
  }

  /**
   * Whether the fund may take `qty` signed lots, worth `value` at the mark, for `price`: it must have
   * what all its positions then ask it to keep. Without an index the mark is what the traders of the
   * market make it, and the fund takes nothing. Spec RSK-7, RSK-22.
   */
  canTake(market: Market, move: { qty: number; value: bigint; price: bigint }): boolean {
    const { standings } = this.#parts;
    assert(move.qty !== 0, "the fund takes something");
    if (!this.#hasIndex(market.id)) return false;
    const { equity, maintenance, positions } = standings.of(fundAccount);
    const own = positions.find((position) => position.market === market);
    const qty = (own?.qty ?? 0) + move.qty;
    if (Math.abs(qty) > positionLotsMax) return false;
    const kept = standings.maintenanceOf(market, (own?.value ?? 0n) + move.value);
    return equity + move.value - move.price >= maintenance - (own?.maintenance ?? 0n) + kept;
  }

  /** Quotes that are renewed are missing for a moment: what was sampled a short while ago still counts. */
  #hasIndex(market: number): boolean {
    const { index, funding, tsUs } = this.#parts.state;
    if (numberAt(index, market) > 0) return true;
    const { sampledUs } = funding.of(market);
    assert(sampledUs <= tsUs, "samples are of the past");
    return sampledUs > 0 && tsUs - sampledUs <= indexMemoryUs;
  }

  /** Whether the fund can pay `amount` minor units and keep what its positions ask for. Spec RSK-9. */
  canPay(amount: bigint): boolean {
    assert(amount > 0n, "the fund pays something");
    const { equity, maintenance, wallet } = this.#parts.standings.of(fundAccount);
    return equity - amount >= maintenance && wallet >= amount;
  }

  /** Pauses trading below the threshold and resumes it from there on. Spec RSK-10. */
  keepGate(atUs: number): void {
    const { state, writer, standings } = this.#parts;
    const { equity: fundEquity } = standings.of(fundAccount);
    const before = state.liquidations.gate;
    const isEnough = fundEquity >= this.#threshold;
    if (!isEnough && before === TradingGate.unarmed) return;
    const gate = isEnough ? TradingGate.open : TradingGate.paused;
    if (gate === before) return;
    const event = { kind: EventKind.tradingGateSet, gate, fundEquity };
    writer.standing({ ...event, seq: 0, tsUs: 0, account: 0, isUnitEnd: true }, atUs);
  }
}
