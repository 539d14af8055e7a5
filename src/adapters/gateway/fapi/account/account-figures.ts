// An account's perpetual figures: its positions at the mark, the margin of positions and open orders, and the
// collateral. The margins are the ones that clearing enforces (ACC-8, ACC-9). Therefore the available balance shown
// here, the wallet less these margins and less unrealised losses, is the amount that a new order may use. Unrealised
// profit cannot be used as margin.

import { Wallet } from "../../../../core/accounts.ts";
import { type Market, MarketKind, orderValue } from "../../../../core/markets.ts";
import { asPriceTicks, asQtyLots } from "../../../../core/money/amounts.ts";
import { Side } from "../../../../core/orders.ts";
import { liquidationPrice } from "../../../../engine/risk/liquidation-price.ts";
import {
  type MarginBracket,
  maintenanceMargin,
  marginBrackets,
} from "../../../../engine/risk/maintenance.ts";
import { available, positionMargin } from "../../../../engine/risk/margin.ts";
import { SlotState } from "../../../../engine/state/orders/order-table.ts";
import type { Liquidation } from "../../../../engine/state/tables/liquidation-state.ts";
import type { ReadModel } from "../../read-model.ts";

/** One position and its open orders; money in minor units of the margin asset. */
export interface PositionFigures {
  readonly market: Market;
  /** Signed lots. */
  readonly qty: number;
  /** Value at which the position was opened, in minor units; negative for a short position. */
  readonly entryValue: bigint;
  /** Mark in ticks; 0 if the market has no mark. */
  readonly mark: number;
  readonly leverage: number;
  /** Signed value at the mark, or at the entry price if the market has no mark. */
  readonly value: bigint;
  readonly unrealised: bigint;
  readonly positionMargin: bigint;
  readonly orderMargin: bigint;
  readonly maintenance: bigint;
  /** Mark in ticks at which this position causes the account's liquidation; 0 if no mark does. */
  readonly liquidationPrice: number;
  /** Value of the open buy orders at their limit prices. */
  readonly bidValue: bigint;
  readonly askValue: bigint;
  readonly hasOrders: boolean;
  /** The account's liquidation in progress; undefined if there is none. */
  readonly liquidation: Liquidation | undefined;
  readonly updateMs: number;
}

/** The collateral of an account and the sums over its positions. */
export interface CollateralFigures {
  readonly account: number;
  readonly wallet: bigint;
  readonly unrealised: bigint;
  readonly positionMargin: bigint;
  readonly orderMargin: bigint;
  readonly maintenance: bigint;
  /** Amount available to new orders; never negative. */
  readonly available: bigint;
  readonly updateMs: number;
}

interface OpenOrderSums {
  margin: bigint;
  bids: bigint;
  asks: bigint;
}

export class AccountFigures {
  readonly markets: readonly Market[];
  readonly #model: ReadModel;
  readonly #brackets = new Map<Market, readonly MarginBracket[]>();

  constructor(model: ReadModel) {
    this.#model = model;
    this.markets = model.state.table.markets.filter(
      (market) => market.kind === MarketKind.perpetual,
    );
    for (const market of this.markets) this.#brackets.set(market, marginBrackets(market));
  }

  /** Maintenance brackets of a perpetual market. */
  brackets(market: Market): readonly MarginBracket[] {
    return this.#brackets.get(market) ?? [];
  }

  /** The account's position in each of `markets`, including flat ones. */
  positions(account: number, markets: readonly Market[]): PositionFigures[] {
    const sums = this.#openOrders(account);
    const behind = this.#behind(account);
    return markets.map((market) => this.#position(account, market, sums.get(market.id), behind));
  }

  /**
   * The account's collateral figures. `positions` must be its positions in all perpetual markets, because their margins
   * and unrealised profits are summed.
   */
  collateral(
    account: number,
    positions: readonly PositionFigures[],
    asset: Market["quote"],
  ): CollateralFigures {
    const { state } = this.#model;
    const sum = (pick: (position: PositionFigures) => bigint) =>
      positions.reduce((total, position) => total + pick(position), 0n);
    const free = available(state, account);
    return {
      account,
      wallet: state.balances.total(account, Wallet.perp, asset.id),
      unrealised: sum(({ unrealised }) => unrealised),
      positionMargin: sum((position) => position.positionMargin),
      orderMargin: sum(({ orderMargin }) => orderMargin),
      maintenance: sum(({ maintenance }) => maintenance),
      available: free > 0n ? free : 0n,
      updateMs: this.#model.balanceMs(account),
    };
  }

  /** The account's equity less the maintenance margin of all its positions. */
  #behind(account: number): bigint {
    const { balances } = this.#model.state;
    const asset = this.markets[0]?.quote.id ?? 0;
    return this.markets.reduce(
      (sum, market) => {
        const { unrealised, maintenance } = this.#valuation(account, market);
        return sum + unrealised - maintenance;
      },
      balances.total(account, Wallet.perp, asset),
    );
  }

  #valuation(account: number, market: Market) {
    const { state } = this.#model;
    const qty = state.positions.qty(account, market.id);
    const entryValue = state.positions.entryValue(account, market.id);
    const mark = this.#model.mark(market);
    const value = mark === 0 ? entryValue : orderValue(market, asPriceTicks(mark), asQtyLots(qty));
    const size = value < 0n ? -value : value;
    const maintenance = maintenanceMargin(this.brackets(market), size);
    return { market, qty, entryValue, mark, value, unrealised: value - entryValue, maintenance };
  }

  #position(
    account: number,
    market: Market,
    orders: OpenOrderSums | undefined,
    behindAll: bigint,
  ): PositionFigures {
    const { state } = this.#model;
    const valuation = this.#valuation(account, market);
    const { qty, entryValue, unrealised, maintenance } = valuation;
    const { tickLot } = market;
    const brackets = this.brackets(market);
    const behind = behindAll - unrealised + maintenance;
    return {
      ...valuation,
      leverage: state.positions.leverage(account, market.id),
      positionMargin: positionMargin(state, account, market.id),
      orderMargin: orders?.margin ?? 0n,
      liquidationPrice:
        qty === 0 ? 0 : liquidationPrice({ qty, entryValue, tickLot, brackets, behind }),
      bidValue: orders?.bids ?? 0n,
      askValue: orders?.asks ?? 0n,
      hasOrders: orders !== undefined,
      liquidation: state.liquidations.of(account),
      updateMs: this.#model.positionMs(account, market),
    };
  }

  /** Sums over the account's open orders, by market. */
  #openOrders(account: number): Map<number, OpenOrderSums> {
    const { orders, table } = this.#model.state;
    const sums = new Map<number, OpenOrderSums>();
    for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
      const market = table.market(orders.market[slot] ?? 0);
      if (market.kind !== MarketKind.perpetual) continue;
      const sum = sums.get(market.id) ?? { margin: 0n, bids: 0n, asks: 0n };
      // A conditional order that has not triggered is not in the book, so it adds nothing to the value of bids or asks.
      const isOnBook = orders.state[slot] === SlotState.open;
      const price = asPriceTicks(isOnBook ? (orders.price[slot] ?? 0) : 0);
      const value = orderValue(market, price, asQtyLots(orders.remaining(slot)));
      sum.margin += orders.reserved[slot] ?? 0n;
      if (orders.side[slot] === Side.buy) sum.bids += value;
      else sum.asks += value;
      sums.set(market.id, sum);
    }
    return sums;
  }
}
