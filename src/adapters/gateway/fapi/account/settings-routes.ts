// Signed settings routes of the perpetual surface. Leverage is set per account and symbol. Margin is cross, positions
// are one-way and one asset is collateral, so the other settings accept only their current value. A request with that
// value is answered with Binance's error for a request that changes nothing.

import {
  fapiDualSide,
  fapiLeverage,
  fapiMarginType,
  fapiMultiAssets,
} from "../../../../../schemas/http/fapi.ts";
import { CommandKind } from "../../../../core/generated/commands.ts";
import { leverageMax } from "../../../../core/limits.ts";
import { MarketKind } from "../../../../core/markets.ts";
import { answerCommand } from "../../orders/answered-command.ts";
import { marketOf } from "../../requests/read-request.ts";
import { readRoute, routeGroup, tradeRoute } from "../../requests/route.ts";
import { illegalParameter, refused, type SurfaceError } from "../../requests/surface-error.ts";
import { badLeverage, fapiErrors, unchanged } from "../error-map.ts";
import { notionalMaxText } from "./account-text.ts";

const kind = MarketKind.perpetual;

/** Why the examples of settings with one value are refused. */
const isDefault =
  "a setting to change, and here only the one in force exists. Binance too refuses a change that changes nothing";

/** The leverage in a text: 1 to 100 in plain digits. Returns undefined for any other text. */
function leverageOf(text: string): number | undefined {
  const leverage = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  return leverage >= 1 && leverage <= leverageMax ? leverage : undefined;
}

/**
 * Refuses a request to set a mode. The mode is off and cannot be switched on. A request to switch it off gets the error
 * `inForce`, which says that nothing changes.
 */
function refusedSwitch(isOn: boolean, name: string, inForce: SurfaceError): never {
  return refused(isOn ? illegalParameter(name) : inForce);
}

/** The signed settings routes of the perpetual surface. */
export const fapiSettingsRoutes = routeGroup((context) => context)([
  tradeRoute("POST /fapi/v1/leverage", {
    summary: "Sets the leverage of a market.",
    reads: fapiLeverage,
    example: "symbol=BTCUSDT&leverage=5",
    handle: ({ table, bridge }, call, params, { account }) => {
      const market = marketOf(table, kind, params.symbol);
      const leverage = leverageOf(params.leverage) ?? refused(badLeverage(params.leverage));
      const command = {
        kind: CommandKind.setLeverage,
        account,
        market: market.id,
        leverage,
      } as const;
      const answer = () => {
        const most = notionalMaxText(market, leverage);
        return `{"leverage":${leverage},"maxNotionalValue":"${most}","symbol":"${market.alias}"}`;
      };
      answerCommand(bridge, call, command, { errors: fapiErrors, answer });
    },
  }),
  tradeRoute("POST /fapi/v1/marginType", {
    summary: "Margin is always crossed; setting it to CROSSED changes nothing.",
    reads: fapiMarginType,
    example: "symbol=BTCUSDT&marginType=CROSSED",
    exampleNeeds: { what: isDefault, refusal: unchanged.marginType.msg },
    handle: ({ table }, _, { symbol }) => {
      marketOf(table, kind, symbol);
      refused(unchanged.marginType);
    },
  }),
  readRoute("GET /fapi/v1/positionSide/dual", {
    summary: "The position mode, which is always one-way.",
    weight: 5,
    answer: () => '{"dualSidePosition":false}',
  }),
  tradeRoute("POST /fapi/v1/positionSide/dual", {
    summary: "Sets the position mode. Only one-way is accepted, which changes nothing.",
    reads: fapiDualSide,
    example: "dualSidePosition=false",
    exampleNeeds: { what: isDefault, refusal: unchanged.positionSide.msg },
    handle: (_, __, { dualSidePosition }) =>
      refusedSwitch(dualSidePosition, "dualSidePosition", unchanged.positionSide),
  }),
  readRoute("GET /fapi/v1/multiAssetsMargin", {
    summary: "The multi-assets mode, which is always off.",
    weight: 5,
    answer: () => '{"multiAssetsMargin":false}',
  }),
  tradeRoute("POST /fapi/v1/multiAssetsMargin", {
    summary: "Sets the multi-assets mode. Only off is accepted, which changes nothing.",
    reads: fapiMultiAssets,
    example: "multiAssetsMargin=false",
    exampleNeeds: { what: isDefault, refusal: unchanged.multiAssets.msg },
    handle: (_, __, { multiAssetsMargin }) =>
      refusedSwitch(multiAssetsMargin, "multiAssetsMargin", unchanged.multiAssets),
  }),
]);
