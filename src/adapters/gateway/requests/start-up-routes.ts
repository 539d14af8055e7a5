// What ccxt asks of the coin-margined surface inside loadMarkets whether the user wants it or not
// (binance-compat 6): there are no such markets here.

import type { Route } from "./route.ts";
import { publicRoute } from "./weighted-routes.ts";

/** The start-up answer. */
export function startUpRoutes(): Route[] {
  return [publicRoute("GET /dapi/v1/exchangeInfo", (call) => call.json('{"symbols":[]}'))];
}
