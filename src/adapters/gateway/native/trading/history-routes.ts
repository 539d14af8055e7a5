// What became of a user's orders, trades and funding, newest first, page by page. Rows are in SQL once
// they are acknowledged; an order that memory still knows is shown as memory has it, because its row may
// lag by a moment. Ids ascend over all markets, so the pages of several markets merge by them.

import {
  ordersQuery,
  type RowsQuery,
  rowsQuery,
} from "../../../../../schemas/http/native-trading.ts";
import { isPerpetual, type Market } from "../../../../core/markets.ts";
import { formatScaled } from "../../../../core/money/decimal.ts";
import { OrderStatus } from "../../../../core/orders.ts";
import type { SessionState } from "../../../../engine/state/tables/session-table.ts";
import type { OrderRecord, PaymentRecord } from "../../../../ports/journal/history-store.ts";
import { refuse } from "../../requests/surface-error.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { nativeFaults } from "../error-map.ts";
import { answerWith, isoOfUs, type NativeContext } from "../native-context.ts";
import { type NativeAsk, type NativeRoute, sessionRoute } from "../native-route.ts";
import { pageText } from "../page-text.ts";
import { queryReader } from "../read-body.ts";
import { fillFields, listedOrder } from "./order-record.ts";
import { marketNamed } from "./order-request.ts";

const readOrders = queryReader(ordersQuery);
const readRows = queryReader(rowsQuery);

/** Lists of the database weigh as on the other surfaces. */
const listWeight = 5;
/** Places of a funding rate. */
const rateDecimals = 8;

class HistoryRoutes {
  readonly #context: NativeContext;

  constructor(context: NativeContext) {
    this.#context = context;
  }

  orders(call: HttpCall, { parameters }: NativeAsk, { account }: SessionState): void {
    const asked = readOrders(call, parameters);
    const markets = asked && this.#markets(call, asked.symbol);
    if (asked === null || markets === null) return;
    const { limit, cursor, status } = asked;
    const before = cursor ?? Number.POSITIVE_INFINITY;
    const open = this.#openOrders(account, markets);
    const work =
      status === "open"
        ? Promise.resolve(open)
        : this.#storedOrders({ account, markets, cursor, limit: limit + open.length });
    const { state } = this.#context.model;
    const text = work.then((orders) => {
      const fit = orders.filter(
        (order) =>
          order.orderId < before && (status !== "closed" || order.status !== OrderStatus.open),
      );
      return pageText(
        fit,
        limit,
        (order) => listedOrder(order, state),
        ({ orderId }) => orderId,
      );
    });
    answerWith(this.#context, call, text);
  }

  trades(call: HttpCall, { parameters }: NativeAsk, { account }: SessionState): void {
    const asked = readRows(call, parameters);
    const markets = asked && this.#markets(call, asked.symbol);
    if (asked === null || markets === null) return;
    const { table, history } = this.#context;
    const range = { orderId: null, fromTradeId: null, startUs: null, endUs: null };
    const page = { beforeTradeId: asked.cursor ?? null, limit: asked.limit + 1 };
    const reads = markets.map(({ id: market }) =>
      history.fillsOfAccount({ account, market, ...range, ...page }),
    );
    const text = Promise.all(reads).then((lists) => {
      const fills = lists.flat().sort((a, b) => b.tradeId - a.tradeId);
      return pageText(
        fills,
        asked.limit,
        (fill) => fillFields(fill, table.market(fill.market)),
        ({ tradeId }) => tradeId,
      );
    });
    answerWith(this.#context, call, text);
  }

  funding(call: HttpCall, { parameters }: NativeAsk, { account }: SessionState): void {
    const asked = readRows(call, parameters);
    const markets = asked && this.#markets(call, asked.symbol);
    if (asked === null || markets === null) return;
    answerWith(this.#context, call, this.#funding(account, markets.filter(isPerpetual), asked));
  }

  async #funding(account: number, markets: readonly Market[], asked: RowsQuery): Promise<string> {
    const { history, table } = this.#context;
    const ids = markets.map(({ id }) => id);
    const query = { account, markets: ids, beforeUs: asked.cursor ?? null, limit: asked.limit + 1 };
    const rows = ids.length === 0 ? [] : await history.fundingPayments(query);
    const show = (row: PaymentRecord) => paymentFields(row, table.market(row.market));
    return pageText(rows, asked.limit, show, ({ tsUs }) => tsUs);
  }

  /** Open orders in the markets, newest first. */
  #openOrders(account: number, markets: readonly Market[]): OrderRecord[] {
    const { model } = this.#context;
    const { orders } = model.state;
    const ids = new Set(markets.map(({ id }) => id));
    const open: OrderRecord[] = [];
    for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
      if (ids.has(orders.market[slot] ?? -1)) open.push(model.record(slot, OrderStatus.open));
    }
    return open;
  }

  /** The newest orders before the cursor, at least one more than `limit` if there are. */
  async #storedOrders(query: {
    account: number;
    markets: readonly Market[];
    cursor: number | undefined;
    limit: number;
  }): Promise<OrderRecord[]> {
    const { history, model } = this.#context;
    const { account, markets, cursor, limit } = query;
    const range = { fromOrderId: null, startUs: null, endUs: null };
    const page = { beforeOrderId: cursor ?? null, limit: limit + 1 };
    const reads = markets.map(({ id: market }) =>
      history.ordersOfAccount({ account, market, ...range, ...page }),
    );
    const rows = (await Promise.all(reads)).flat();
    const shown = rows.map((row) => model.order(account, row.orderId) ?? row);
    return shown.sort((a, b) => b.orderId - a.orderId);
  }

  /** The market asked about, or all; null after the call was refused. */
  #markets(call: HttpCall, symbol: string | undefined): readonly Market[] | null {
    const { table } = this.#context;
    if (symbol === undefined) return table.markets;
    const market = marketNamed(table, symbol);
    if (market !== undefined) return [market];
    refuse(call, nativeFaults.unknownSymbol);
    return null;
  }
}

function paymentFields(row: PaymentRecord, market: Market) {
  return {
    symbol: market.symbol,
    rate: formatScaled(row.rate, rateDecimals),
    amount: formatScaled(row.amount, market.quote.decimals),
    position_qty: formatScaled(row.qty, market.lotDecimals),
    mark_price: row.mark === 0 ? null : formatScaled(row.mark, market.tickDecimals),
    time: isoOfUs(row.tsUs),
  };
}

/** The lists of a user's own history. */
export function historyRoutes(context: NativeContext): NativeRoute[] {
  const routes = new HistoryRoutes(context);
  const weight = { weight: listWeight };
  return [
    sessionRoute(
      "GET /v1/orders/me",
      (call, asked, session) => routes.orders(call, asked, session),
      weight,
    ),
    sessionRoute(
      "GET /v1/trades/me",
      (call, asked, session) => routes.trades(call, asked, session),
      weight,
    ),
    sessionRoute(
      "GET /v1/funding/me",
      (call, asked, session) => routes.funding(call, asked, session),
      weight,
    ),
  ];
}
