// Signed spot routes about what was: orders and fills, from SQL. Both are stored in the commit that
// acknowledged them, so a client always finds what it was told; an order that memory still knows is
// shown as memory has it, because its projection may lag the events by a moment.

import { oneSymbol } from "../../../../schemas/http/common.ts";
import {
  type SpotMyTradesParameters,
  spotAllOrders,
  spotMyTrades,
} from "../../../../schemas/http/spot.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import type { FillRecord } from "../../../ports/journal/history-store.ts";
import { statusOf } from "../../../ports/ledger/batch-states.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import { shownIn } from "../orders/order-words.ts";
import { answerLater } from "../requests/answer-later.ts";
import { marketOf, parameterReader } from "../requests/read-parameters.ts";
import type { Caller, RouteContext, SignedRoute } from "../requests/route.ts";
import {
  badCombination,
  refuse,
  type SurfaceError,
  spanTooLong,
} from "../requests/surface-error.ts";
import { readRoute } from "../requests/weighted-routes.ts";
import type { HttpCall } from "../server/http-call.ts";
import { fillText, listText, orderText } from "./render.ts";

const kind = MarketKind.spot;
const readAllOrders = parameterReader(spotAllOrders);
const readMyTrades = parameterReader(spotMyTrades);
const readSymbol = parameterReader(oneSymbol);

/** The longest span between two times (Binance: 24 hours). */
const spanMaxMs = 86_400_000;

interface Times {
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
}

function spanFault({ startTime, endTime }: Times): SurfaceError | undefined {
  if (startTime === undefined || endTime === undefined) return undefined;
  if (endTime < startTime) return badCombination;
  return endTime - startTime > spanMaxMs ? spanTooLong(24) : undefined;
}

/** The bounds in microseconds. The last millisecond counts whole: the bound itself is outside. */
function boundsOf({ startTime, endTime }: Times) {
  return {
    startUs: startTime === undefined ? null : startTime * 1000,
    endUs: endTime === undefined ? null : (endTime + 1) * 1000,
  };
}

/** What Binance refuses of the optional parameters of myTrades beside each other. */
function combinationFault(asked: SpotMyTradesParameters): SurfaceError | undefined {
  const hasTimes = asked.startTime !== undefined || asked.endTime !== undefined;
  const isNamed = asked.orderId !== undefined || asked.fromId !== undefined;
  return hasTimes && isNamed ? badCombination : undefined;
}

/** Fills between two accounts of the custody party never reach the ledger (decided.md 11). */
function settlementOf({ model }: RouteContext, account: number, fill: FillRecord): string {
  if (fill.batchState !== null) return statusOf(fill.batchState);
  const { accounts } = model.state;
  // A fill that no batch has taken yet is as pending as one in an open batch.
  const isOnLedger =
    !fill.isTaken && (accounts.isWallet(account) || accounts.isWallet(fill.counterparty));
  return isOnLedger ? "pending" : statusOf(null);
}

class SpotHistoryRoutes {
  readonly #context: RouteContext;

  constructor(context: RouteContext) {
    this.#context = context;
  }

  orders(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const asked = readAllOrders(call, parameters);
    const market = this.#market(call, asked, asked && spanFault(asked));
    if (asked === null || market === null) return;
    const { history, model } = this.#context;
    const { orderId = null, limit } = asked;
    const range = { fromOrderId: orderId, ...boundsOf(asked), limit };
    const reading = history.ordersOfAccount({ account, market: market.id, ...range });
    answerLater(this.#context, call, reading, (orders) => {
      const shown = shownIn(call.view, market);
      const texts = orders.map((order) =>
        orderText(model.order(account, order.orderId) ?? order, shown),
      );
      call.json(listText(texts));
    });
  }

  trades(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const asked = readMyTrades(call, parameters);
    const fault = asked && (combinationFault(asked) ?? spanFault(asked));
    const market = this.#market(call, asked, fault);
    if (asked === null || market === null) return;
    const { orderId = null, fromId = null, limit } = asked;
    const range = { orderId, fromTradeId: fromId, ...boundsOf(asked), limit };
    const reading = this.#context.history.fillsOfAccount({ account, market: market.id, ...range });
    answerLater(this.#context, call, reading, (fills) => {
      const shown = shownIn(call.view, market);
      const texts = fills.map((fill) =>
        fillText(fill, shown, settlementOf(this.#context, account, fill)),
      );
      call.json(listText(texts));
    });
  }

  /** What smart order routing allocated: nothing, since every order trades in its own book. */
  allocations(call: HttpCall, parameters: RequestParameters): void {
    if (this.#market(call, readSymbol(call, parameters), undefined) !== null) call.json("[]");
  }

  /** The market asked about, null after the call was refused: for it or for `fault`. */
  #market(
    call: HttpCall,
    asked: { symbol: string } | null,
    fault: SurfaceError | undefined | null,
  ): Market | null {
    const { table } = this.#context;
    const market = asked && marketOf(call, table, { symbol: asked.symbol, kind });
    if (market === null || fault === undefined || fault === null) return market;
    refuse(call, fault);
    return null;
  }
}

/** The signed history routes of the spot surface. There are no order lists: both lists are empty. */
export function spotHistoryRoutes(context: RouteContext): SignedRoute[] {
  const routes = new SpotHistoryRoutes(context);
  return [
    readRoute("GET /api/v3/allOrders", (call, parameters, caller) =>
      routes.orders(call, parameters, caller),
    ),
    readRoute("GET /api/v3/myTrades", (call, parameters, caller) =>
      routes.trades(call, parameters, caller),
    ),
    readRoute("GET /api/v3/openOrderList", (call) => call.json("[]")),
    readRoute("GET /api/v3/allOrderList", (call) => call.json("[]")),
    {
      ...readRoute("GET /api/v3/myAllocations", (call, parameters) =>
        routes.allocations(call, parameters),
      ),
      onlyIn: "compat",
    },
  ];
}
