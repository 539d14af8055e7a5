// What open orders must hold, as the auditor computes it from the orders, the lists and the positions.

import assert from "node:assert/strict";
import { Wallet } from "../../src/core/accounts.ts";
import { type Market, MarketKind, type MarketTable } from "../../src/core/markets.ts";
import { Side } from "../../src/core/orders.ts";
import type { AuditedBook, AuditedOrder } from "./audited-book.ts";
import type { AuditedCoins } from "./audited-coins.ts";
import type { AuditedLedger } from "./audited-ledger.ts";
import type { AuditedLists } from "./audited-lists.ts";
import { naiveMargin, naiveWorth } from "./naive-worth.ts";

interface AuditedHoldsParts {
  readonly table: MarketTable;
  readonly ledger: AuditedLedger;
  readonly coins: AuditedCoins;
  readonly lists: AuditedLists;
  readonly bookOf: (market: number) => AuditedBook;
}

export class AuditedHolds {
  readonly #parts: AuditedHoldsParts;

  constructor(parts: AuditedHoldsParts) {
    this.#parts = parts;
  }

  /** Returns the hold of an open order, in minor units of the asset it pays with. */
  of(order: AuditedOrder): bigint {
    return this.#parts.lists.holdOf(order, (one) => this.#costOf(one));
  }

  /** Returns the hold that an open perpetual order needs at a leverage. */
  at(order: AuditedOrder, leverage: bigint): bigint {
    const loss = this.lossOf(order);
    return order.isReduceOnly ? loss : loss + this.#marginOf(order, leverage);
  }

  /** Returns the part of the hold that covers the loss between the order's price and the mark. */
  lossOf(order: AuditedOrder): bigint {
    const losing = BigInt(Math.min(order.lossLots, order.remaining));
    return naiveWorth(this.#market(order.market), BigInt(order.lossTicks) * losing);
  }

  /** Returns the sum of the account's order holds of an asset in a wallet. */
  heldBy(account: number, wallet: Wallet, asset: number): bigint {
    let held = 0n;
    for (const market of this.#parts.table.markets) {
      const isSpot = market.kind === MarketKind.spot;
      if (wallet !== (isSpot ? Wallet.spot : Wallet.perp)) continue;
      for (const order of this.#parts.bookOf(market.id).ordersOf(account)) {
        if (paidIn(market, order) === asset) held += this.of(order);
      }
    }
    return held;
  }

  /** Asserts that each settled spot balance covers the holds of the account's spot orders. */
  checkCovered(account: number): void {
    const { table, ledger, coins } = this.#parts;
    for (const { id } of table.assets) {
      const cash = ledger.cash(account, Wallet.spot, id) - coins.of(account, id);
      const held = this.heldBy(account, Wallet.spot, id);
      assert(cash >= held, "settled balances must cover spot orders");
    }
  }

  /** Returns what an open order by itself must hold. */
  #costOf(order: AuditedOrder): bigint {
    const market = this.#market(order.market);
    const lots = BigInt(order.remaining);
    if (market.kind === MarketKind.perpetual) return this.at(order, this.#leverageOf(order));
    if (order.side === Side.sell) return lots * market.baseUnitsPerLot;
    // A stop order that becomes a market order has a hold for 105 % of its trigger price.
    const price = order.price || Math.floor((order.triggerPrice * 10_500) / 10_000);
    return naiveWorth(market, BigInt(price) * lots);
  }

  #leverageOf({ account, market }: AuditedOrder): bigint {
    return this.#parts.ledger.leverage.get(`${account}/${market}`) ?? 10n;
  }

  #market(id: number): Market {
    return this.#parts.table.market(id);
  }

  /**
   * Returns the margin of one order. Only lots that do not close the position need margin; the account's oldest orders
   * count as closing it first.
   */
  #marginOf(order: AuditedOrder, leverage: bigint): bigint {
    const market = this.#market(order.market);
    const position = this.#parts.ledger.position(order.account, market.id).qty;
    const closable = order.side === Side.buy ? -position : position;
    const orders = this.#parts.bookOf(market.id).margined(order);
    return naiveMargin(order, orders, { market, closable, leverage });
  }
}

/** The asset that an order pays with. */
function paidIn({ kind, base, quote }: Market, { side }: AuditedOrder): number {
  const paysBase = kind === MarketKind.spot && side === Side.sell;
  return paysBase ? (base?.id ?? quote.id) : quote.id;
}
