// Signed perpetual routes about an account: collateral and positions in Binance's three versions,
// and what the account may do and pays. The figures are the read model's.

import { maybeSymbol, noParameters, oneSymbol } from "../../../../../schemas/http/common.ts";
import { AccountFlag } from "../../../../core/accounts.ts";
import { type Market, MarketKind } from "../../../../core/markets.ts";
import { limitsOf } from "../../../../services/access/rate-limiter.ts";
import type { RequestParameters } from "../../../../services/access/request-parameters.ts";
import { rateText } from "../../orders/order-words.ts";
import { marketOf, parameterReader } from "../../requests/read-parameters.ts";
import type { Caller, RouteContext, SignedRoute } from "../../requests/route.ts";
import type { SurfaceView } from "../../requests/surface-view.ts";
import { readRoute } from "../../requests/weighted-routes.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { DeleveragingQueue } from "../markets/deleveraging-queue.ts";
import { AccountFigures } from "./account-figures.ts";
import {
  type AccountStanding,
  accountV2Text,
  accountV3Text,
  balanceText,
  bracketsText,
  isInUse,
  notionalMaxText,
  positionRiskV2Text,
  positionRiskV3Text,
  standingFields,
} from "./account-text.ts";

const kind = MarketKind.perpetual;
const readMaybeSymbol = parameterReader(maybeSymbol);
const readSymbol = parameterReader(oneSymbol);
const readNothing = parameterReader(noParameters);

/** Reads the call's version-independent question: nothing. */
function asksNothing(call: HttpCall, parameters: RequestParameters): boolean {
  return readNothing(call, parameters) !== null;
}

class FapiAccountRoutes {
  readonly #context: RouteContext;
  readonly #figures: AccountFigures;
  readonly #queue: DeleveragingQueue;

  constructor(context: RouteContext) {
    this.#context = context;
    this.#figures = new AccountFigures(context.model);
    this.#queue = new DeleveragingQueue(context.model, context.clock);
  }

  balance(call: HttpCall, { account }: Caller): void {
    const face = this.#face(account, call.view);
    if (face === null) call.json("[]");
    else call.json(`[${balanceText(face.collateral, face.market, face.view)}]`);
  }

  accountV2(call: HttpCall, { account }: Caller): void {
    const face = this.#face(account, call.view);
    if (face === null) call.json("{}");
    else call.json(accountV2Text(face, this.#standing(account), face.positions));
  }

  accountV3(call: HttpCall, { account }: Caller): void {
    const face = this.#face(account, call.view);
    if (face === null) call.json("{}");
    else call.json(accountV3Text(face, face.positions));
  }

  positionsV2(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const markets = this.#askedMarkets(call, parameters);
    if (markets === null) return;
    const positions = this.#figures.positions(account, markets);
    const rows = positions.map((row) => positionRiskV2Text(row, call.view));
    call.json(`[${rows.join(",")}]`);
  }

  positionsV3(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const markets = this.#askedMarkets(call, parameters);
    if (markets === null) return;
    const positions = this.#figures.positions(account, markets).filter(isInUse);
    const rows = positions.map((row) => {
      const quantile = this.#queue.quantile(account, row.market.id);
      return positionRiskV3Text(row, quantile, call.view);
    });
    call.json(`[${rows.join(",")}]`);
  }

  brackets(call: HttpCall, parameters: RequestParameters): void {
    const markets = this.#askedMarkets(call, parameters);
    if (markets === null) return;
    const rows = markets.map((market) => bracketsText(market, this.#figures.brackets(market)));
    call.json(`[${rows.join(",")}]`);
  }

  commission(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const { table, model } = this.#context;
    const asked = readSymbol(call, parameters);
    const market = asked && marketOf(call, table, { symbol: asked.symbol, kind });
    if (market === null) return;
    const isFree = model.state.accounts.isHouse(account);
    const maker = rateText(isFree ? 0 : market.makerFeeBps);
    const taker = rateText(isFree ? 0 : market.takerFeeBps);
    call.json(
      `{"symbol":"${market.alias}","makerCommissionRate":"${maker}","takerCommissionRate":"${taker}"}`,
    );
  }

  config(call: HttpCall, { account }: Caller): void {
    const updateMs = this.#context.model.balanceMs(account);
    const standing = standingFields(this.#standing(account));
    call.json(`{${standing},"dualSidePosition":false,"updateTime":${updateMs}}`);
  }

  symbolConfig(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const markets = this.#askedMarkets(call, parameters);
    if (markets === null) return;
    const { positions } = this.#context.model.state;
    const rows = markets.map((market) => {
      const leverage = positions.leverage(account, market.id);
      return (
        `{"symbol":"${market.alias}","marginType":"CROSSED","isAutoAddMargin":false` +
        `,"leverage":${leverage},"maxNotionalValue":"${notionalMaxText(market, leverage)}"}`
      );
    });
    call.json(`[${rows.join(",")}]`);
  }

  /** How soon each open position would be deleveraged. Positions are one-way: BOTH has the figure. */
  deleveraging(call: HttpCall, parameters: RequestParameters, { account }: Caller): void {
    const markets = this.#askedMarkets(call, parameters);
    if (markets === null) return;
    const { positions } = this.#context.model.state;
    const held = markets.filter((market) => positions.qty(account, market.id) !== 0);
    const rows = held.map(({ alias, id }) => {
      const quantile = this.#queue.quantile(account, id);
      return `{"symbol":"${alias}","adlQuantile":{"LONG":0,"SHORT":0,"BOTH":${quantile}}}`;
    });
    call.json(`[${rows.join(",")}]`);
  }

  /** No behaviour of an order locks an account here, so no indicator is ever raised. */
  tradingStatus(call: HttpCall, parameters: RequestParameters): void {
    if (this.#askedMarkets(call, parameters) === null) return;
    call.json(`{"indicators":{},"updateTime":${this.#context.clock.nowMs()}}`);
  }

  /** The markets a call names: one, or all; null after it has refused the call. */
  #askedMarkets(call: HttpCall, parameters: RequestParameters): readonly Market[] | null {
    const asked = readMaybeSymbol(call, parameters);
    if (asked === null) return null;
    if (asked.symbol === undefined) return this.#figures.markets;
    const market = marketOf(call, this.#context.table, { symbol: asked.symbol, kind });
    return market === null ? null : [market];
  }

  /** Null in a venue without perpetual markets. */
  #face(account: number, view: SurfaceView) {
    const market = this.#figures.markets[0];
    if (market === undefined) return null;
    const positions = this.#figures.positions(account, this.#figures.markets);
    const collateral = this.#figures.collateral(account, positions, market.quote);
    return { collateral, market, view, positions };
  }

  #standing(account: number): AccountStanding {
    const { accounts } = this.#context.model.state;
    return {
      canTrade: !accounts.isFrozen(account),
      canWithdraw: accounts.has(account, AccountFlag.canWithdraw),
    };
  }
}

function answerOrderLimits(call: HttpCall, { tier }: Caller): void {
  const { ordersPer10s, ordersPerMinute } = limitsOf(tier);
  const kind = '"rateLimitType":"ORDERS"';
  call.json(
    `[{${kind},"interval":"SECOND","intervalNum":10,"limit":${ordersPer10s}}` +
      `,{${kind},"interval":"MINUTE","intervalNum":1,"limit":${ordersPerMinute}}]`,
  );
}

/** The signed account routes of the perpetual surface. */
export function fapiAccountRoutes(context: RouteContext): SignedRoute[] {
  const routes = new FapiAccountRoutes(context);
  const plain = (
    name: Parameters<typeof readRoute>[0],
    answer: (call: HttpCall, caller: Caller) => void,
  ) =>
    readRoute(name, (call, parameters, caller) => {
      if (asksNothing(call, parameters)) answer(call, caller);
    });
  return [
    plain("GET /fapi/v2/balance", (call, caller) => routes.balance(call, caller)),
    plain("GET /fapi/v3/balance", (call, caller) => routes.balance(call, caller)),
    plain("GET /fapi/v2/account", (call, caller) => routes.accountV2(call, caller)),
    plain("GET /fapi/v3/account", (call, caller) => routes.accountV3(call, caller)),
    plain("GET /fapi/v1/accountConfig", (call, caller) => routes.config(call, caller)),
    plain("GET /fapi/v1/rateLimit/order", answerOrderLimits),
    ...(["GET /fapi/v1/positionRisk", "GET /fapi/v2/positionRisk"] as const).map((name) =>
      readRoute(name, (call, parameters, caller) => routes.positionsV2(call, parameters, caller)),
    ),
    readRoute("GET /fapi/v3/positionRisk", (call, parameters, caller) =>
      routes.positionsV3(call, parameters, caller),
    ),
    readRoute("GET /fapi/v1/leverageBracket", (call, parameters) =>
      routes.brackets(call, parameters),
    ),
    readRoute("GET /fapi/v1/commissionRate", (call, parameters, caller) =>
      routes.commission(call, parameters, caller),
    ),
    readRoute("GET /fapi/v1/symbolConfig", (call, parameters, caller) =>
      routes.symbolConfig(call, parameters, caller),
    ),
    readRoute("GET /fapi/v1/adlQuantile", (call, parameters, caller) =>
      routes.deleveraging(call, parameters, caller),
    ),
    readRoute("GET /fapi/v1/apiTradingStatus", (call, parameters) =>
      routes.tradingStatus(call, parameters),
    ),
  ];
}
