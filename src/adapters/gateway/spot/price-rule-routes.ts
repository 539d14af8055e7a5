// Binance's rules about the price at which an order may trade, in the compat view only. This venue has no such rule of a
// spot market besides its filters, and no reference price, so the answers are Binance's for markets without them.

import { oneSymbol } from "../../../../schemas/http/common.ts";
import { spotReferenceCalculation, spotSymbols } from "../../../../schemas/http/spot.ts";
import { bySymbol } from "../../../services/access/request-weight.ts";
import { openRoute, routeGroup } from "../requests/route.ts";
import type { RouteContext } from "../requests/route-context.ts";
import { badCombination, noReferencePrice, refused } from "../requests/surface-error.ts";
import { selectMarkets, spotMarketOf } from "./market-selection.ts";
import { listText } from "./render.ts";

const ofReference = {
  what: "a market with a reference price, and this venue has none. Binance refuses it too for a market without one",
  refusal: noReferencePrice.msg,
};

export const spotPriceRuleRoutes = routeGroup((context: RouteContext) => context)([
  openRoute("GET /api/v3/executionRules", {
    summary: "Execution rules of spot markets; none has any.",
    weight: bySymbol(1, 20),
    reads: spotSymbols,
    session: "executionRules",
    example: "symbol=CC-USDC",
    onlyIn: "compat",
    answer: (context, _, params) => {
      if (Object.values(params).filter((value) => value !== undefined).length > 1)
        refused(badCombination);
      const { markets } = selectMarkets(context, params);
      const rows = markets.map(({ symbol }) => `{"symbol":"${symbol}","rules":[]}`);
      return `{"symbolRules":${listText(rows)}}`;
    },
  }),
  openRoute("GET /api/v3/referencePrice", {
    summary: "Always answers -2043: no market has a reference price.",
    reads: oneSymbol,
    session: "referencePrice",
    example: "symbol=CC-USDC",
    exampleNeeds: ofReference,
    onlyIn: "compat",
    answer: (context, _, { symbol }) => {
      spotMarketOf(context, symbol);
      return noReferencePrice;
    },
  }),
  openRoute("GET /api/v3/referencePrice/calculation", {
    summary: "Always answers -2043: no market has a reference price.",
    reads: spotReferenceCalculation,
    session: "referencePrice.calculation",
    example: "symbol=CC-USDC",
    exampleNeeds: ofReference,
    onlyIn: "compat",
    answer: (context, _, { symbol, symbolStatus }) => {
      spotMarketOf(context, symbol, symbolStatus);
      return noReferencePrice;
    },
  }),
]);
