// GET /fapi/v1/forceOrders: what the venue closed for an account. LIQUIDATION are its closing orders and the
// positions that were taken from it, ADL those it had to take from others by deleveraging. Spec FAP-29.

import { fapiForceOrders } from "../../../../../schemas/http/fapi.ts";
import { type Market, MarketKind } from "../../../../core/markets.ts";
import { formatScaled } from "../../../../core/money/decimal.ts";
import type { OrderRecord } from "../../../../ports/journal/history-store.ts";
import type { RequestParameters } from "../../../../services/access/request-parameters.ts";
import { orderOfMove } from "../../orders/moved-position.ts";
import { msOf, sideWords, statusWord } from "../../orders/order-words.ts";
import { answerLater } from "../../requests/answer-later.ts";
import { marketOf, parameterReader } from "../../requests/read-parameters.ts";
import type { Caller, RouteContext } from "../../requests/route.ts";
import { refuse } from "../../requests/surface-error.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { historyRange } from "../history-range.ts";
import { meanPriceText } from "./order-text.ts";

const kind = MarketKind.perpetual;
const readForceOrders = parameterReader(fapiForceOrders);

/** One row. Both kinds are limits: the venue's own, or the price at which a position moved. */
function forceOrderText(order: OrderRecord, market: Market): string {
  const { tickDecimals, lotDecimals, quote } = market;
  return (
    `{"orderId":${order.orderId},"symbol":"${market.alias}","status":"${statusWord(order)}"` +
    `,"clientOrderId":"${order.clientId}","price":"${formatScaled(order.price, tickDecimals)}"` +
    `,"avgPrice":"${meanPriceText(order.filledQuote, order.filledQty, market)}"` +
    `,"origQty":"${formatScaled(order.qty, lotDecimals)}"` +
    `,"executedQty":"${formatScaled(order.filledQty, lotDecimals)}"` +
    `,"cumQuote":"${formatScaled(order.filledQuote, quote.decimals)}","timeInForce":"IOC"` +
    `,"type":"LIMIT","reduceOnly":true,"closePosition":false,"side":"${sideWords[order.side]}"` +
    `,"positionSide":"BOTH","stopPrice":"0","workingType":"CONTRACT_PRICE","origType":"LIMIT"` +
    `,"time":${msOf(order.acceptedUs)},"updateTime":${msOf(order.updatedUs)}}`
  );
}

/** Asks the journal's tables and answers; a range is at most seven days, by default the last. */
export function answerForceOrders(
  context: RouteContext,
  call: HttpCall,
  parameters: RequestParameters,
  { account }: Caller,
): void {
  const { table, history, clock } = context;
  const asked = readForceOrders(call, parameters);
  if (asked === null) return;
  const { symbol, autoCloseType, limit } = asked;
  const one = symbol === undefined ? null : marketOf(call, table, { symbol, kind });
  if (symbol !== undefined && one === null) return;
  const range = historyRange(asked, clock.nowMs());
  if ("code" in range) {
    refuse(call, range);
    return;
  }
  const { startUs, endUs, floorUs } = range;
  const all = table.markets.filter((market) => market.kind === kind);
  const markets = (one === null ? all : [one]).map(({ id }) => id);
  const query = { account, markets, startUs, endUs, limit };
  const moved = async (isTaken: boolean) =>
    (await history.positionMoves({ ...query, isTaken })).map(orderOfMove);
  const wanted = [
    ...(autoCloseType === "ADL" ? [] : [history.closingOrders(query), moved(false)]),
    ...(autoCloseType === "LIQUIDATION" ? [] : [moved(true)]),
  ];
  answerLater(context, call, Promise.all(wanted), (parts) => {
    const orders = parts.flat().filter(({ acceptedUs }) => acceptedUs >= floorUs);
    orders.sort((a, b) => a.acceptedUs - b.acceptedUs);
    const cut = startUs === null ? orders.slice(-limit) : orders.slice(0, limit);
    const rows = cut.map((order) => forceOrderText(order, table.market(order.market)));
    call.json(`[${rows.join(",")}]`);
  });
}
