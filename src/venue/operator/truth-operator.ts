// What the venue knows about an account: balances, positions, orders with their outcome, fills. Tests of trading programs
// compare it with what the program believes. It is read from the rows of the journal, not through the account's own API,
// so no fault between a client and the venue changes it. Spec REW-106.

import { meanPriceText, typeNames } from "../../adapters/gateway/fapi/orders/order-text.ts";
import { isoOfUs } from "../../adapters/gateway/native/native-context.ts";
import { endReasons, feeAssetOf } from "../../adapters/gateway/native/trading/order-record.ts";
import {
  sideNames,
  statusName,
  timeInForceName,
} from "../../adapters/gateway/orders/order-format.ts";
import { readAccount } from "../../adapters/postgres/queries/access/accounts.ts";
import { PostgresHistory } from "../../adapters/postgres/queries/history/history.ts";
import { readPositions } from "../../adapters/postgres/queries/journal/risk.ts";
import { accountTypeNames, walletNames } from "../../core/accounts.ts";
import { isPerpetual, type Market } from "../../core/markets.ts";
import { formatScaled } from "../../core/money/amounts.ts";
import { type CloseReason, OrderStatus, OrderType, tradedType } from "../../core/orders.ts";
import type { FillRecord, OrderRecord } from "../../ports/journal/history-store.ts";
import { accountFlagNames } from "./access-operator.ts";
import { type OperatorContext, OperatorRefusal } from "./operator-commands.ts";

/** A page of an account's orders or fills in a market, oldest first. */
export interface TruthPage {
  readonly account: number;
  readonly market: string;
  /** Only rows with an id above this one. */
  readonly after: number;
  /** At most `truthRowsMax`. */
  readonly limit: number;
}

export class TruthOperator {
  readonly #parts: OperatorContext;
  readonly #history: PostgresHistory;

  constructor(parts: OperatorContext) {
    this.#parts = parts;
    this.#history = new PostgresHistory(parts.sql);
  }

  /** Returns the account's balances and positions, and the markets in which it may have orders and fills. */
  async account(account: number): Promise<object> {
    const { table, sql, settle } = this.#parts;
    await settle();
    const [row, positions] = await Promise.all([
      readAccount(sql, account),
      readPositions(sql, account),
    ]);
    if (row === null) throw new OperatorRefusal(`no account ${account}`);
    return {
      account,
      type: accountTypeNames[row.type] ?? String(row.type),
      standing: accountFlagNames(row.flags),
      balances: row.balances.map(({ wallet, asset, total, reserved }) => {
        const { code, decimals } = table.asset(asset);
        const text = (amount: bigint) => formatScaled(amount, decimals);
        const amounts = {
          total: text(total),
          locked: text(reserved),
          free: text(total - reserved),
        };
        return { wallet: walletNames[wallet], asset: code, ...amounts };
      }),
      positions: positions.map(({ market: id, qty, entryValue }) => {
        const market = table.market(id);
        return {
          ...namesOf(market),
          qty: formatScaled(qty, market.lotDecimals),
          entry_price: meanPriceText(entryValue, Number(qty), market),
        };
      }),
      markets: table.markets.map(namesOf),
    };
  }

  async orders({ account, market: symbol, after, limit }: TruthPage): Promise<object[]> {
    const market = this.#market(symbol);
    await this.#parts.settle();
    const span = { fromOrderId: after + 1, startUs: null, endUs: null };
    const orders = await this.#history.ordersOfAccount({
      account,
      market: market.id,
      ...span,
      limit,
    });
    const ended = orders.filter(({ status }) => {
      return status !== OrderStatus.open && status !== OrderStatus.filled;
    });
    const closes = await this.#history.closeReasons(ended);
    return orders.map((order) => shownOrder(order, market, closes.get(order.orderId)));
  }

  async fills({ account, market: symbol, after, limit }: TruthPage): Promise<object[]> {
    const market = this.#market(symbol);
    await this.#parts.settle();
    const span = { orderId: null, fromTradeId: after + 1, startUs: null, endUs: null };
    const fills = await this.#history.fillsOfAccount({
      account,
      market: market.id,
      ...span,
      limit,
    });
    return fills.map((fill) => shownFill(fill, market));
  }

  #market(symbol: string): Market {
    const market = this.#parts.table.find(symbol.toUpperCase());
    if (market === undefined) throw new OperatorRefusal(`no market ${symbol}`);
    return market;
  }
}

function namesOf({ symbol, alias }: Market) {
  return { market: symbol, alias };
}

function shownOrder(order: OrderRecord, market: Market, close: CloseReason | undefined): object {
  const price = (ticks: number) => (ticks === 0 ? null : formatScaled(ticks, market.tickDecimals));
  const hasPrice = tradedType(order.type) !== OrderType.market;
  return {
    order_id: order.orderId,
    client_order_id: order.clientId,
    ...namesOf(market),
    side: sideNames[order.side],
    type: typeNames[order.type],
    time_in_force: timeInForceName(order),
    status: statusName(order),
    reason: close === undefined ? null : (endReasons[close] ?? null),
    price: hasPrice ? price(order.price) : null,
    trigger_price: price(order.triggerPrice),
    qty: formatScaled(order.qty, market.lotDecimals),
    filled_qty: formatScaled(order.filledQty, market.lotDecimals),
    avg_price:
      order.filledQty > 0 ? meanPriceText(order.filledQuote, order.filledQty, market) : null,
    accepted_at: isoOfUs(order.acceptedUs),
    updated_at: isoOfUs(order.updatedUs),
  };
}

function shownFill(fill: FillRecord, market: Market): object {
  const feeAsset = feeAssetOf(market, fill.side);
  return {
    trade_id: fill.tradeId,
    order_id: fill.orderId,
    ...namesOf(market),
    side: sideNames[fill.side],
    is_maker: fill.isMaker,
    price: formatScaled(fill.price, market.tickDecimals),
    qty: formatScaled(fill.qty, market.lotDecimals),
    fee: formatScaled(fill.fee, feeAsset.decimals),
    fee_asset: feeAsset.code,
    realized_pnl: isPerpetual(market) ? formatScaled(fill.pnl, market.quote.decimals) : null,
    at: isoOfUs(fill.tsUs),
  };
}
