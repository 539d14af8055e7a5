// The /sapi answers that clients ask for beside spot trading, some of them inside loadMarkets whether
// their user wants it or not (binance-compat 6): margin pairs (there are none), the state of the venue, fees.

import { maybeSymbol } from "../../../../schemas/http/common.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { formatScaled } from "../../../core/money/decimal.ts";
import { marketOf, parameterReader } from "../requests/read-parameters.ts";
import type { Caller, Route, RouteContext } from "../requests/route.ts";
import { publicRoute, readRoute } from "../requests/weighted-routes.ts";
import type { HttpCall } from "../server/http-call.ts";
import { ratesOf } from "./commission-text.ts";
import { listText } from "./render.ts";

const readMaybeSymbol = parameterReader(maybeSymbol);

/** Rates here have four places: a basis point is 0.0001. */
function shortRate(bps: number): string {
  return formatScaled(bps, 4);
}

function feeText({ model }: RouteContext, account: number, market: Market): string {
  const { makerBps, takerBps } = ratesOf(model.state, account, market);
  return (
    `{"symbol":"${market.symbol}","makerCommission":"${shortRate(makerBps)}"` +
    `,"takerCommission":"${shortRate(takerBps)}"}`
  );
}

/** The /sapi routes that know no money. */
export function sapiRoutes(context: RouteContext): Route[] {
  const { table } = context;
  const markets = table.markets.filter(({ kind }) => kind === MarketKind.spot);
  const fees = (market: Market | null, { account }: Caller) =>
    listText((market ? [market] : markets).map((each) => feeText(context, account, each)));
  const noPairs = (call: HttpCall) => call.json("[]");
  return [
    readRoute("GET /sapi/v1/margin/allPairs", noPairs),
    readRoute("GET /sapi/v1/margin/isolated/allPairs", noPairs),
    publicRoute("GET /sapi/v1/system/status", (call) => call.json('{"status":0,"msg":"normal"}')),
    readRoute("GET /sapi/v1/asset/tradeFee", (call, parameters, caller) => {
      const asked = readMaybeSymbol(call, parameters);
      if (asked === null) return;
      const { symbol } = asked;
      const market =
        symbol === undefined ? null : marketOf(call, table, { symbol, kind: MarketKind.spot });
      if (symbol === undefined || market !== null) call.json(fees(market, caller));
    }),
  ];
}
