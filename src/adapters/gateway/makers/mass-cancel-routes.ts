// Mass cancels of both Binance-style surfaces: the account's open orders in one market or in all markets of the
// surface, of one side, in a band of limit prices, or of a group of market-maker protection. Binance has no such route.
// Cancels count as no order, so an order limit never keeps a maker from them.

import { massCancel } from "../../../../schemas/http/makers.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { bitsOf } from "../../../engine/state/tables/maker-groups.ts";
import { OrderFlow } from "../orders/order-flow.ts";
import { sidesByName } from "../orders/order-format.ts";
import { marketsOf } from "../requests/read-request.ts";
import { routeGroup, tradeRoute } from "../requests/route.ts";
import { missingParameter, refuse, refused, unneededParameter } from "../requests/surface-error.ts";
import {
  checkTradesGroup,
  type MakerSurface,
  perpMakers,
  spotMakers,
  ticksIn,
} from "./maker-surface.ts";

function massCancelRoutes(surface: MakerSurface) {
  const { kind, path, errors, symbol: example } = surface;
  return routeGroup((context) => ({ ...context, flow: new OrderFlow(context, errors) }))([
    tradeRoute(`DELETE ${path}/massCancel`, {
      summary: "Cancels the account's open orders by market, side, band of prices or group.",
      reads: massCancel,
      session: "openOrders.massCancel",
      example: `symbol=${example}&side=BUY`,
      isStrict: true,
      handle: ({ model, table, flow }, call, params, caller) => {
        const { account } = caller;
        const { symbol, side, minPrice, maxPrice, group } = params;
        // The markets of a group may be on both surfaces.
        if (symbol !== undefined && group !== undefined) refused(unneededParameter("symbol"));
        if (group !== undefined) checkTradesGroup({ model, table }, caller, group);
        const markets = marketsOf(table, kind, symbol);
        const [market] = markets;
        const hasBand = minPrice !== undefined || maxPrice !== undefined;
        if (hasBand && symbol === undefined) refused(missingParameter("symbol"));
        const ticksOf = (text: string | undefined) =>
          text === undefined || market === undefined
            ? 0
            : ticksIn(surface, text, { market, view: call.view });
        const covered = {
          account,
          markets: bitsOf(markets),
          side: side === undefined ? null : sidesByName[side],
          minPrice: ticksOf(minPrice),
          maxPrice: ticksOf(maxPrice),
          group: group ?? 0,
        };
        flow.cancelCovered(call, covered, ({ reason, subject }) => {
          if (reason !== RejectReason.none) refuse(call, errors[reason]);
          else call.json(`{"canceled":${subject}}`);
        });
      },
    }),
  ]);
}

export const spotMassCancelRoutes = massCancelRoutes(spotMakers);
export const perpMassCancelRoutes = massCancelRoutes(perpMakers);
