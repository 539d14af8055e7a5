// Public perpetual routes about prices: last, best, mark and funding. One symbol answers an object,
// none a list of all. Everything comes from the read model.

import { maybeSymbol, noParameters } from "../../../../../schemas/http/common.ts";
import { fapiFundingRate } from "../../../../../schemas/http/fapi.ts";
import { type Market, MarketKind, type MarketTable } from "../../../../core/markets.ts";
import { formatScaled } from "../../../../core/money/decimal.ts";
import { Side } from "../../../../core/orders.ts";
import type { FundingRecord } from "../../../../ports/journal/history-store.ts";
import { isListed } from "../../market-data/market-status.ts";
import { answerPrices, lastPriceOf, type PriceRow } from "../../market-data/stand-in-price.ts";
import { msOf } from "../../orders/order-words.ts";
import { answerLater } from "../../requests/answer-later.ts";
import { marketOf, parameterReader } from "../../requests/read-parameters.ts";
import type { PublicRoute, RouteContext } from "../../requests/route.ts";
import { publicRoute } from "../../requests/weighted-routes.ts";
import type { HttpCall } from "../../server/http-call.ts";
import {
  comingRateText,
  fundingHours,
  fundingRates,
  nextFundingMs,
  rateText,
} from "./funding-terms.ts";

const kind = MarketKind.perpetual;
const readMaybeSymbol = parameterReader(maybeSymbol);
const readFundingRate = parameterReader(fapiFundingRate);
const readNothing = parameterReader(noParameters);

type MarketRow = (context: RouteContext, market: Market, call: HttpCall) => PriceRow;

function lastPriceRow({ model, clock }: RouteContext, market: Market, call: HttpCall): PriceRow {
  const last = lastPriceOf(model, market, call);
  const traded = model.view(market).tape.newest();
  const timeMs = traded === undefined ? clock.nowMs() : msOf(traded.tsUs);
  const price = formatScaled(last, market.tickDecimals);
  const text = `{"symbol":"${market.alias}","price":"${price}","time":${timeMs}}`;
  return { text, hasPrice: last > 0 };
}

/** An empty side is zeros, as at Binance. */
function bookTickerRow({ model }: RouteContext, market: Market): PriceRow {
  const view = model.view(market);
  const touch = (side: Side) => {
    let best = { price: 0, qty: 0 };
    view.depth.visit(side, 1, (price, qty) => {
      best = { price, qty };
    });
    return best;
  };
  const [bid, ask] = [touch(Side.buy), touch(Side.sell)];
  const price = (ticks: number) => formatScaled(ticks, market.tickDecimals);
  const qty = (lots: number) => formatScaled(lots, market.lotDecimals);
  const text =
    `{"lastUpdateId":${view.depthSeq},"symbol":"${market.alias}"` +
    `,"bidPrice":"${price(bid.price)}","bidQty":"${qty(bid.qty)}"` +
    `,"askPrice":"${price(ask.price)}","askQty":"${qty(ask.qty)}","time":${msOf(view.depthUs)}}`;
  return { text, hasPrice: true };
}

/** Without settlement dates the estimate of a settlement price is the index. */
function premiumRow({ model, clock }: RouteContext, market: Market, call: HttpCall): PriceRow {
  const nowMs = clock.nowMs();
  const mark = model.mark(market);
  const known = model.index(market);
  // Without an index clients of compat read the mark, not a zero.
  const index = formatScaled(
    known === 0 && call.view === "compat" ? mark : known,
    market.tickDecimals,
  );
  const text =
    `{"symbol":"${market.alias}","markPrice":"${formatScaled(mark, market.tickDecimals)}"` +
    `,"indexPrice":"${index}","estimatedSettlePrice":"${index}"` +
    `,"lastFundingRate":"${comingRateText(model, market)}","interestRate":"${fundingRates.interest}"` +
    `,"nextFundingTime":${nextFundingMs(model, nowMs)},"time":${nowMs}}`;
  return { text, hasPrice: mark > 0 };
}

function fundingInfoText({ model }: RouteContext, market: Market): string {
  return (
    `{"symbol":"${market.alias}","adjustedFundingRateCap":"${fundingRates.cap}"` +
    `,"adjustedFundingRateFloor":"${fundingRates.floor}"` +
    `,"fundingIntervalHours":${fundingHours(model)},"disclaimer":false}`
  );
}

/** Rates settled so far, oldest first: from `startTime` on, else the newest. */
function answerFundingRate(context: RouteContext): PublicRoute["answer"] {
  const { table, history } = context;
  return (call, parameters) => {
    const asked = readFundingRate(call, parameters);
    if (asked === null) return;
    const { symbol, startTime, endTime, limit } = asked;
    const one = symbol === undefined ? null : marketOf(call, table, { symbol, kind });
    if (symbol !== undefined && one === null) return;
    const markets = one === null ? table.markets.filter((market) => market.kind === kind) : [one];
    const query = {
      markets: markets.map(({ id }) => id),
      startUs: startTime === undefined ? null : startTime * 1000,
      endUs: endTime === undefined ? null : (endTime + 1) * 1000,
      limit,
    };
    answerLater(context, call, history.fundings(query), (rows) => {
      call.json(`[${rows.map((row) => fundingText(row, table)).join(",")}]`);
    });
  };
}

function fundingText({ market: id, tsUs, rate, mark }: FundingRecord, table: MarketTable): string {
  const market = table.market(id);
  return (
    `{"symbol":"${market.alias}","fundingTime":${msOf(tsUs)},"fundingRate":"${rateText(rate)}"` +
    `,"markPrice":"${formatScaled(mark, market.tickDecimals)}"}`
  );
}

/** The public routes about prices. */
export function fapiPriceRoutes(context: RouteContext): PublicRoute[] {
  const perpetuals = context.table.markets.filter((market) => market.kind === kind);
  const listed = () => perpetuals.filter((market) => isListed(context, market));
  const answerWith = (row: MarketRow): PublicRoute["answer"] => {
    return (call, parameters) => {
      const asked = readMaybeSymbol(call, parameters);
      if (asked === null) return;
      const { symbol } = asked;
      const one = symbol === undefined ? null : marketOf(call, context.table, { symbol, kind });
      if (symbol !== undefined && one === null) return;
      const markets = one === null ? listed() : [one];
      const rows = markets.map((market) => row(context, market, call));
      answerPrices(call, rows, { isOne: one !== null, isAll: one === null });
    };
  };
  return [
    publicRoute("GET /fapi/v1/ticker/price", answerWith(lastPriceRow)),
    publicRoute("GET /fapi/v2/ticker/price", answerWith(lastPriceRow)),
    publicRoute("GET /fapi/v1/ticker/bookTicker", answerWith(bookTickerRow)),
    publicRoute("GET /fapi/v1/premiumIndex", answerWith(premiumRow)),
    publicRoute("GET /fapi/v1/fundingRate", answerFundingRate(context)),
    publicRoute("GET /fapi/v1/fundingInfo", (call, parameters) => {
      if (readNothing(call, parameters) === null) return;
      call.json(
        `[${listed()
          .map((market) => fundingInfoText(context, market))
          .join(",")}]`,
      );
    }),
  ];
}
