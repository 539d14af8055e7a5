// The /sapi answers that clients ask for beside spot trading, some of them inside loadMarkets whether
// their user wants it or not (binance-compat 6): assets, margin pairs (there are none), the state of
// the venue, fees.

import { maybeSymbol } from "../../../../schemas/http/common.ts";
import type { Asset } from "../../../core/assets.ts";
import { formatScaled } from "../../../core/decimal.ts";
import { type Market, MarketKind } from "../../../core/markets.ts";
import { marketOf, parameterReader } from "../read-parameters.ts";
import type { Caller, Route, RouteContext } from "../route.ts";
import type { HttpCall } from "../server/http-call.ts";
import { publicRoute, readRoute } from "../weighted-routes.ts";
import { ratesOf } from "./commission-text.ts";
import { listText } from "./render.ts";

const readMaybeSymbol = parameterReader(maybeSymbol);

/** The one network assets live on, by the name clients show. */
const network = "CANTON";

/** Rates here have four places: a basis point is 0.0001. */
function shortRate(bps: number): string {
  return formatScaled(bps, 4);
}

function assetText({ code, decimals }: Asset): string {
  const step = formatScaled(1, decimals);
  const zero = formatScaled(0, decimals);
  const networkText =
    `{"network":"${network}","coin":"${code}","name":"${network}","isDefault":true` +
    `,"depositEnable":true,"withdrawEnable":true,"withdrawFee":"${zero}","withdrawMin":"${step}"` +
    `,"withdrawMax":"9999999999","withdrawIntegerMultiple":"${step}","depositDust":"${step}"}`;
  return (
    `{"coin":"${code}","name":"${code}","trading":true,"isLegalMoney":false` +
    `,"depositAllEnable":true,"withdrawAllEnable":true,"networkList":[${networkText}]}`
  );
}

function feeText({ model }: RouteContext, account: number, market: Market): string {
  const { makerBps, takerBps } = ratesOf(model.state, account, market);
  return (
    `{"symbol":"${market.symbol}","makerCommission":"${shortRate(makerBps)}"` +
    `,"takerCommission":"${shortRate(takerBps)}"}`
  );
}

/** The /sapi routes. */
export function sapiRoutes(context: RouteContext): Route[] {
  const { table } = context;
  const assets = listText(table.assets.map(assetText));
  const markets = table.markets.filter(({ kind }) => kind === MarketKind.spot);
  const fees = (market: Market | null, { account }: Caller) =>
    listText((market ? [market] : markets).map((each) => feeText(context, account, each)));
  const noPairs = (call: HttpCall) => call.json("[]");
  return [
    readRoute("GET /sapi/v1/capital/config/getall", (call) => call.json(assets)),
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
