// Signed perpetual routes that set how an account trades. Leverage is the account's own per symbol;
// margin is cross, positions are one-way and one asset is collateral, so of the other settings only
// the standing value can be asked for, and is answered as Binance answers "nothing to change".

import { noParameters } from "../../../../../schemas/http/common.ts";
import {
  fapiDualSide,
  fapiLeverage,
  fapiMarginType,
  fapiMultiAssets,
} from "../../../../../schemas/http/fapi.ts";
import { CommandKind } from "../../../../core/generated/commands.ts";
import { leverageMax } from "../../../../core/limits.ts";
import { MarketKind } from "../../../../core/markets.ts";
import { RejectReason } from "../../../../core/reject-reason.ts";
import type { RequestParameters } from "../../../../services/access/request-parameters.ts";
import { marketOf, parameterReader } from "../../requests/read-parameters.ts";
import type { Caller, RouteContext, SignedRoute } from "../../requests/route.ts";
import {
  illegalParameter,
  notExecuted,
  refuse,
  type SurfaceError,
} from "../../requests/surface-error.ts";
import { readRoute, tradeRoute } from "../../requests/weighted-routes.ts";
import type { HttpCall } from "../../server/http-call.ts";
import { badLeverage, fapiErrors, unchanged } from "../error-map.ts";
import { notionalMaxText } from "./account-text.ts";

const kind = MarketKind.perpetual;
const readLeverage = parameterReader(fapiLeverage);
const readMarginType = parameterReader(fapiMarginType);
const readDualSide = parameterReader(fapiDualSide);
const readMultiAssets = parameterReader(fapiMultiAssets);
const readNothing = parameterReader(noParameters);

/** 1 … 100 in plain digits, or undefined. */
function leverageOf(text: string): number | undefined {
  const leverage = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  return leverage >= 1 && leverage <= leverageMax ? leverage : undefined;
}

function setLeverage(
  context: RouteContext,
  call: HttpCall,
  parameters: RequestParameters,
  { account }: Caller,
): void {
  const asked = readLeverage(call, parameters);
  const { table, bridge } = context;
  const market = asked && marketOf(call, table, { symbol: asked.symbol, kind });
  if (asked === null || market === null) return;
  const leverage = leverageOf(asked.leverage);
  if (leverage === undefined) {
    refuse(call, badLeverage(asked.leverage));
    return;
  }
  const ask = { kind: CommandKind.setLeverage, account, market: market.id, leverage } as const;
  const isSent = bridge.send(ask, "orders", ({ reason }) => {
    if (reason !== RejectReason.none) {
      refuse(call, fapiErrors[reason]);
      return;
    }
    const most = notionalMaxText(market, leverage);
    call.json(`{"leverage":${leverage},"maxNotionalValue":"${most}","symbol":"${market.alias}"}`);
  });
  if (!isSent) refuse(call, notExecuted);
}

function setMarginType(context: RouteContext, call: HttpCall, parameters: RequestParameters): void {
  const asked = readMarginType(call, parameters);
  const market = asked && marketOf(call, context.table, { symbol: asked.symbol, kind });
  if (market !== null) refuse(call, unchanged.marginType);
}

/** Refuses a switch: to off because it is off, to on because there is no on. */
function refuseSwitch(call: HttpCall, isOn: boolean, name: string, standing: SurfaceError): void {
  refuse(call, isOn ? illegalParameter(name) : standing);
}

/** The signed settings routes of the perpetual surface. */
export function fapiSettingsRoutes(context: RouteContext): SignedRoute[] {
  const tell = (text: string): SignedRoute["answer"] => {
    return (call, parameters) => {
      if (readNothing(call, parameters) !== null) call.json(text);
    };
  };
  return [
    tradeRoute("POST /fapi/v1/leverage", (call, parameters, caller) =>
      setLeverage(context, call, parameters, caller),
    ),
    tradeRoute("POST /fapi/v1/marginType", (call, parameters) =>
      setMarginType(context, call, parameters),
    ),
    readRoute("GET /fapi/v1/positionSide/dual", tell('{"dualSidePosition":false}')),
    tradeRoute("POST /fapi/v1/positionSide/dual", (call, parameters) => {
      const asked = readDualSide(call, parameters);
      if (asked === null) return;
      refuseSwitch(call, asked.dualSidePosition, "dualSidePosition", unchanged.positionSide);
    }),
    readRoute("GET /fapi/v1/multiAssetsMargin", tell('{"multiAssetsMargin":false}')),
    tradeRoute("POST /fapi/v1/multiAssetsMargin", (call, parameters) => {
      const asked = readMultiAssets(call, parameters);
      if (asked === null) return;
      refuseSwitch(call, asked.multiAssetsMargin, "multiAssetsMargin", unchanged.multiAssets);
    }),
  ];
}
