// Signed account routes of the perpetual surface: collateral and positions in Binance's three versions,
// account rights and fees. The figures come from the read model.

import { maybeSymbol, oneSymbol } from "../../../../../schemas/http/common.ts";
import { AccountFlag } from "../../../../core/accounts.ts";
import { MarketKind } from "../../../../core/markets.ts";
import { limitsOf } from "../../../../services/access/rate-limiter.ts";
import { bySymbol } from "../../../../services/access/request-weight.ts";
import { rateText } from "../../orders/order-format.ts";
import { marketOf, marketsOf } from "../../requests/read-request.ts";
import { type Caller, readRoute, routeGroup } from "../../requests/route.ts";
import type { RouteContext } from "../../requests/route-context.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { DeleveragingQueue } from "../markets/deleveraging-queue.ts";
import { AccountFigures } from "./account-figures.ts";
import {
  type AccountRights,
  accountV2Text,
  accountV3Text,
  balanceText,
  bracketsText,
  isInUse,
  notionalMaxText,
  positionRiskV2Text,
  positionRiskV3Text,
  rightsFields,
} from "./account-text.ts";

const kind = MarketKind.perpetual;

interface AccountParts extends RouteContext {
  readonly figures: AccountFigures;
  readonly queue: DeleveragingQueue;
}

interface MaybeSymbol {
  readonly symbol?: string | undefined;
}

/** The account's figures that all versions of the answer share; null in a venue without perpetual markets. */
function faceOf({ figures }: AccountParts, account: number, { view }: HttpCall) {
  const market = figures.markets[0];
  if (market === undefined) return null;
  const positions = figures.positions(account, figures.markets);
  const collateral = figures.collateral(account, positions, market.quote);
  return { collateral, market, view, positions };
}

function rightsOf({ model }: AccountParts, account: number): AccountRights {
  const { accounts } = model.state;
  return {
    canTrade: !accounts.isFrozen(account),
    canWithdraw: accounts.has(account, AccountFlag.canWithdraw),
  };
}

function balances(parts: AccountParts, call: HttpCall, _: unknown, { account }: Caller): string {
  const face = faceOf(parts, account, call);
  return face === null ? "[]" : `[${balanceText(face.collateral, face.market, face.view)}]`;
}

/** Positions in the form of versions 1 and 2. */
function positions(
  { table, figures }: AccountParts,
  { view }: HttpCall,
  { symbol }: MaybeSymbol,
  { account }: Caller,
): string {
  const rows = figures.positions(account, marketsOf(table, kind, symbol));
  return `[${rows.map((row) => positionRiskV2Text(row, view)).join(",")}]`;
}

function orderLimitsText({ tier }: Caller): string {
  const { ordersPer10s, ordersPerMinute } = limitsOf(tier);
  const kind = '"rateLimitType":"ORDERS"';
  return (
    `[{${kind},"interval":"SECOND","intervalNum":10,"limit":${ordersPer10s}}` +
    `,{${kind},"interval":"MINUTE","intervalNum":1,"limit":${ordersPerMinute}}]`
  );
}

/** The signed account routes of the perpetual surface. */
export const fapiAccountRoutes = routeGroup(
  (context): AccountParts => ({
    ...context,
    figures: new AccountFigures(context.model),
    queue: new DeleveragingQueue(context.model, context.clock),
  }),
)([
  readRoute("GET /fapi/v2/balance", {
    summary: "Collateral balance of the account.",
    weight: 5,
    session: "account.balance",
    answer: balances,
  }),
  readRoute("GET /fapi/v3/balance", {
    summary: "Collateral balance of the account.",
    weight: 5,
    session: "v2/account.balance",
    answer: balances,
  }),
  readRoute("GET /fapi/v2/account", {
    summary: "Collateral, margin and positions of the account.",
    weight: 5,
    session: "account.status",
    answer: (parts, call, _, { account }) => {
      const face = faceOf(parts, account, call);
      return face === null ? "{}" : accountV2Text(face, rightsOf(parts, account), face.positions);
    },
  }),
  readRoute("GET /fapi/v3/account", {
    summary: "Collateral, margin and positions of the account.",
    weight: 5,
    session: "v2/account.status",
    answer: (parts, call, _, { account }) => {
      const face = faceOf(parts, account, call);
      return face === null ? "{}" : accountV3Text(face, face.positions);
    },
  }),
  readRoute("GET /fapi/v1/accountConfig", {
    summary: "Rights of the account.",
    weight: 5,
    answer: (parts, _, __, { account }) => {
      const rights = rightsFields(rightsOf(parts, account));
      return `{${rights},"dualSidePosition":false,"updateTime":${parts.model.balanceMs(account)}}`;
    },
  }),
  readRoute("GET /fapi/v1/rateLimit/order", {
    summary: "Order rate limits of the key.",
    answer: (_, __, ___, caller) => orderLimitsText(caller),
  }),
  readRoute("GET /fapi/v1/positionRisk", {
    summary: "Positions and their risk.",
    weight: 5,
    reads: maybeSymbol,
    answer: positions,
  }),
  readRoute("GET /fapi/v2/positionRisk", {
    summary: "Positions and their risk.",
    weight: 5,
    reads: maybeSymbol,
    session: "account.position",
    answer: positions,
  }),
  readRoute("GET /fapi/v3/positionRisk", {
    summary: "Positions and their risk.",
    weight: 5,
    reads: maybeSymbol,
    session: "v2/account.position",
    answer: ({ table, figures, queue }, { view }, { symbol }, { account }) => {
      const rows = figures.positions(account, marketsOf(table, kind, symbol)).filter(isInUse);
      const texts = rows.map((row) =>
        positionRiskV3Text(row, queue.quantile(account, row.market.id), view),
      );
      return `[${texts.join(",")}]`;
    },
  }),
  readRoute("GET /fapi/v1/leverageBracket", {
    summary: "Maintenance margin tiers of the markets.",
    reads: maybeSymbol,
    answer: ({ table, figures }, _, { symbol }) => {
      const markets = marketsOf(table, kind, symbol);
      return `[${markets.map((market) => bracketsText(market, figures.brackets(market))).join(",")}]`;
    },
  }),
  readRoute("GET /fapi/v1/commissionRate", {
    summary: "Commission rates of the account.",
    weight: 20,
    reads: oneSymbol,
    example: "symbol=BTCUSDT",
    answer: ({ table, model }, _, { symbol }, { account }) => {
      const market = marketOf(table, kind, symbol);
      const isFree = model.state.accounts.isHouse(account);
      const maker = rateText(isFree ? 0 : market.makerFeeBps);
      const taker = rateText(isFree ? 0 : market.takerFeeBps);
      return `{"symbol":"${market.alias}","makerCommissionRate":"${maker}","takerCommissionRate":"${taker}"}`;
    },
  }),
  readRoute("GET /fapi/v1/symbolConfig", {
    summary: "Leverage by market.",
    weight: 5,
    reads: maybeSymbol,
    answer: ({ table, model }, _, { symbol }, { account }) => {
      const rows = marketsOf(table, kind, symbol).map((market) => {
        const leverage = model.state.positions.leverage(account, market.id);
        return (
          `{"symbol":"${market.alias}","marginType":"CROSSED","isAutoAddMargin":false` +
          `,"leverage":${leverage},"maxNotionalValue":"${notionalMaxText(market, leverage)}"}`
        );
      });
      return `[${rows.join(",")}]`;
    },
  }),
  // Rank of each open position in the deleveraging queue. Positions are one-way, so the rank is in the field BOTH.
  readRoute("GET /fapi/v1/adlQuantile", {
    summary: "Positions in the auto-deleveraging queue.",
    weight: 5,
    reads: maybeSymbol,
    answer: ({ table, model, queue }, _, { symbol }, { account }) => {
      const { positions } = model.state;
      const markets = marketsOf(table, kind, symbol);
      const held = markets.filter((market) => positions.qty(account, market.id) !== 0);
      const rows = held.map(({ alias, id }) => {
        const quantile = queue.quantile(account, id);
        return `{"symbol":"${alias}","adlQuantile":{"LONG":0,"SHORT":0,"BOTH":${quantile}}}`;
      });
      return `[${rows.join(",")}]`;
    },
  }),
  // This venue never restricts an account because of its order behaviour, so the answer never has an indicator.
  readRoute("GET /fapi/v1/apiTradingStatus", {
    summary: "Trading restrictions of the account.",
    weight: bySymbol(1, 10),
    reads: maybeSymbol,
    answer: ({ table, marketClock }, _, { symbol }) => {
      marketsOf(table, kind, symbol);
      return `{"indicators":{},"updateTime":${marketClock.nowMs()}}`;
    },
  }),
]);
