// The table of routes: all groups, in the order in which documents list the methods of a path. Declare a new route in
// one of the groups; a new group needs one line here.

import { fapiAccountRoutes } from "./fapi/account/account-routes.ts";
import { fapiHistoryRoutes } from "./fapi/account/history-routes.ts";
import { fapiSettingsRoutes } from "./fapi/account/settings-routes.ts";
import { fapiDataRoutes } from "./fapi/markets/data-routes.ts";
import { fapiKlineRoutes } from "./fapi/markets/kline-routes.ts";
import { fapiMarketRoutes } from "./fapi/markets/market-routes.ts";
import { fapiAlgoRoutes } from "./fapi/orders/algo-routes.ts";
import { fapiBatchRoutes } from "./fapi/orders/batch-routes.ts";
import { fapiOrderRoutes } from "./fapi/orders/order-routes.ts";
import { perpGroupRoutes, spotGroupRoutes } from "./makers/group-routes.ts";
import { perpMassCancelRoutes, spotMassCancelRoutes } from "./makers/mass-cancel-routes.ts";
import { perpMassQuoteRoutes, spotMassQuoteRoutes } from "./makers/mass-quote-routes.ts";
import { apiKeyRoutes } from "./native/access/api-key-routes.ts";
import { enrollmentRoutes } from "./native/access/enrollment-routes.ts";
import { keyRestrictionRoutes } from "./native/access/key-restriction-routes.ts";
import { openSessionRoutes } from "./native/access/open-session-routes.ts";
import { referralRoutes } from "./native/access/referral-routes.ts";
import { sessionRoutes } from "./native/access/session-routes.ts";
import { subAccountRoutes } from "./native/access/sub-account-routes.ts";
import { accountRoutes } from "./native/money/account-routes.ts";
import { chainRoutes } from "./native/money/chain-routes.ts";
import { depositRoutes, withdrawalRoutes } from "./native/money/custody-routes.ts";
import { developmentRoutes } from "./native/money/development-routes.ts";
import { liabilityRoutes } from "./native/money/liability-routes.ts";
import { solvencyRoutes, trafficRoutes } from "./native/money/report-routes.ts";
import { transferRoutes } from "./native/money/transfer-routes.ts";
import { providerRoutes } from "./native/swaps/provider-routes.ts";
import { swapRoutes } from "./native/swaps/swap-routes.ts";
import { historyRoutes } from "./native/trading/history-routes.ts";
import { marketRoutes } from "./native/trading/market-routes.ts";
import { orderRoutes } from "./native/trading/order-routes.ts";
import { versionRoutes } from "./native/version-routes.ts";
import { openApiDocument } from "./requests/openapi.ts";
import { openRoute, type Route, type RouteTerms, routeGroup } from "./requests/route.ts";
import type { RouteContext } from "./requests/route-context.ts";
import { nativePrefix } from "./requests/surface-view.ts";
import { spotAccountRoutes } from "./spot/account-routes.ts";
import { spotHistoryRoutes } from "./spot/history-routes.ts";
import { spotMarketRoutes } from "./spot/market-routes.ts";
import { spotListRoutes } from "./spot/order-list-routes.ts";
import { spotPlacingRoutes } from "./spot/order-placing.ts";
import { spotOrderRoutes } from "./spot/order-routes.ts";
import { spotPriceRuleRoutes } from "./spot/price-rule-routes.ts";
import { sapiSubAccountRoutes } from "./spot/sub-account-routes.ts";
import { spotTradeRoutes } from "./spot/trade-routes.ts";
import { sapiTransferRoutes } from "./spot/transfer-routes.ts";
import { sapiWalletRoutes } from "./spot/wallet-routes.ts";
import { asyncApiDocument } from "./streams/asyncapi.ts";
import { listenKeyRoutes } from "./streams/user/listen-key-routes.ts";

/** Text of a document as it is served. */
export function documentText(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The documents that describe the routes and the streams; generated at the first request. */
const documentRoutes = routeGroup(({ devTools }) => {
  const texts = new Map<string, string>();
  const kept = (name: string, make: () => object): string => {
    const text = texts.get(name) ?? documentText(make());
    texts.set(name, text);
    return text;
  };
  return { kept, devTools };
})([
  openRoute("GET /asyncapi.json", {
    summary: "The AsyncAPI document of the streams.",
    onlyIn: "root",
    answer: ({ kept }) => kept("asyncapi", asyncApiDocument),
  }),
  openRoute("GET /openapi.json", {
    summary: "This OpenAPI document.",
    onlyIn: "root",
    answer: ({ kept, devTools }) => kept("openapi", () => openApiDocument(routesOf(devTools))),
  }),
]);

const groups = [
  spotMarketRoutes,
  spotPriceRuleRoutes,
  spotTradeRoutes,
  spotPlacingRoutes,
  spotOrderRoutes,
  spotMassQuoteRoutes,
  spotListRoutes,
  spotMassCancelRoutes,
  spotGroupRoutes,
  spotAccountRoutes,
  spotHistoryRoutes,
  sapiWalletRoutes,
  sapiTransferRoutes,
  sapiSubAccountRoutes,
  fapiMarketRoutes,
  fapiKlineRoutes,
  fapiDataRoutes,
  fapiOrderRoutes,
  fapiBatchRoutes,
  perpMassQuoteRoutes,
  perpMassCancelRoutes,
  perpGroupRoutes,
  fapiAlgoRoutes,
  fapiAccountRoutes,
  fapiSettingsRoutes,
  fapiHistoryRoutes,
  listenKeyRoutes,
  documentRoutes,
  sessionRoutes,
  openSessionRoutes,
  enrollmentRoutes,
  apiKeyRoutes,
  keyRestrictionRoutes,
  subAccountRoutes,
  marketRoutes,
  orderRoutes,
  historyRoutes,
  accountRoutes,
  referralRoutes,
  transferRoutes,
  depositRoutes,
  withdrawalRoutes,
  swapRoutes,
  developmentRoutes,
  chainRoutes,
  liabilityRoutes,
  solvencyRoutes,
  providerRoutes,
  trafficRoutes,
  versionRoutes,
] as const;

/** Every route of a venue; `devTools` adds the development routes. */
export function routesOf(devTools: boolean): readonly RouteTerms[] {
  return groups
    .flatMap(({ routes }) => routes)
    .filter(({ isForDevelopment }) => devTools || isForDevelopment !== true);
}

/** Every route of a front, with the handlers that use the front's parts. */
export function mountedRoutes(context: RouteContext): readonly Route[] {
  return groups
    .flatMap((group) => group.mount(context))
    .filter(({ isForDevelopment }) => context.devTools || isForDevelopment !== true);
}

/** Parameter names that signed requests may have. */
export const signedNames: ReadonlySet<string> = new Set([
  ...routesOf(true).flatMap(({ path, reads }) =>
    path.startsWith(nativePrefix) ? [] : Object.keys(reads?.shape ?? {}),
  ),
  "timestamp",
  "recvWindow",
]);
