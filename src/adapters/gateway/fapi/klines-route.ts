// GET /fapi/v1/klines (specification: klines). It answers faults of the query as plain text and
// everything else as JSON; buckets without a trade do not exist; startTime and endTime are ignored.

import { fapiKlines } from "../../../../schemas/http/fapi.ts";
import { MarketKind } from "../../../core/markets.ts";
import { candleIntervals } from "../../../core/unix-ms.ts";
import type { RequestParameters } from "../../../services/access/request-parameters.ts";
import { klineText } from "../kline-text.ts";
import { marketOf, textsOf } from "../read-parameters.ts";
import type { PublicRoute, RouteContext } from "../route.ts";
import { contentTypes, type HttpCall } from "../server/http-call.ts";
import { illegalParameter, refuse } from "../surface-error.ts";
import { publicRoute } from "../weighted-routes.ts";

const names = Object.keys(fapiKlines.shape);

function answer(context: RouteContext, call: HttpCall, parameters: RequestParameters): void {
  const texts = textsOf(names, parameters);
  const read = fapiKlines.safeParse(texts);
  if (!read.success) {
    const name = String(read.error.issues[0]?.path[0] ?? "");
    const fault = name in texts ? `${name}: invalid value` : `missing field \`${name}\``;
    call.answer(400, contentTypes.text, `Failed to deserialize query string: ${fault}`);
    return;
  }
  const { symbol, interval, limit } = read.data;
  const place = candleIntervals.findIndex(({ name }) => name === interval);
  if (place < 0) {
    refuse(call, illegalParameter("interval"));
    return;
  }
  const market = marketOf(call, context.table, { symbol, kind: MarketKind.perpetual });
  const candles = market && context.model.view(market).candles[place];
  if (market === null || candles === undefined || candles === null) return;
  const { intervalMs } = candles;
  const rows = candles.since(context.clock.nowMs() - limit * intervalMs);
  call.json(
    `[${rows.map((candle) => klineText(candle, market, candle.openTimeMs + intervalMs - 1)).join(",")}]`,
  );
}

export function klinesRoute(context: RouteContext): PublicRoute {
  const route = publicRoute("GET /fapi/v1/klines", (call, parameters) =>
    answer(context, call, parameters),
  );
  return { ...route, hasTextFaults: true };
}
