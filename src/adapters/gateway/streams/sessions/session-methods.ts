// Methods of an order session that are routes by another name, for each surface.

import { MarketKind } from "../../../../core/markets.ts";
import type { Method } from "../../server/http-call.ts";

/** Method and path of the route behind a name. */
type RouteName = readonly [method: Method, path: string];

const spot: ReadonlyMap<string, RouteName> = new Map<string, RouteName>([
  ["ping", ["GET", "/api/v3/ping"]],
  ["time", ["GET", "/api/v3/time"]],
  ["exchangeInfo", ["GET", "/api/v3/exchangeInfo"]],
  ["depth", ["GET", "/api/v3/depth"]],
  ["trades.recent", ["GET", "/api/v3/trades"]],
  ["trades.historical", ["GET", "/api/v3/historicalTrades"]],
  ["trades.aggregate", ["GET", "/api/v3/aggTrades"]],
  ["klines", ["GET", "/api/v3/klines"]],
  ["uiKlines", ["GET", "/api/v3/uiKlines"]],
  ["avgPrice", ["GET", "/api/v3/avgPrice"]],
  ["ticker", ["GET", "/api/v3/ticker"]],
  ["ticker.24hr", ["GET", "/api/v3/ticker/24hr"]],
  ["ticker.tradingDay", ["GET", "/api/v3/ticker/tradingDay"]],
  ["ticker.price", ["GET", "/api/v3/ticker/price"]],
  ["ticker.book", ["GET", "/api/v3/ticker/bookTicker"]],
  ["order.place", ["POST", "/api/v3/order"]],
  ["order.test", ["POST", "/api/v3/order/test"]],
  ["order.status", ["GET", "/api/v3/order"]],
  ["order.cancel", ["DELETE", "/api/v3/order"]],
  ["order.cancelReplace", ["POST", "/api/v3/order/cancelReplace"]],
  ["order.amend.keepPriority", ["PUT", "/api/v3/order/amend/keepPriority"]],
  ["order.amendments", ["GET", "/api/v3/order/amendments"]],
  ["openOrders.status", ["GET", "/api/v3/openOrders"]],
  ["openOrders.cancelAll", ["DELETE", "/api/v3/openOrders"]],
  ["allOrders", ["GET", "/api/v3/allOrders"]],
  ["myTrades", ["GET", "/api/v3/myTrades"]],
  ["myPreventedMatches", ["GET", "/api/v3/myPreventedMatches"]],
  ["myAllocations", ["GET", "/api/v3/myAllocations"]],
  ["openOrderLists.status", ["GET", "/api/v3/openOrderList"]],
  ["allOrderLists", ["GET", "/api/v3/allOrderList"]],
  ["account.status", ["GET", "/api/v3/account"]],
  ["account.commission", ["GET", "/api/v3/account/commission"]],
  ["account.rateLimits.orders", ["GET", "/api/v3/rateLimit/order"]],
  ["userDataStream.start", ["POST", "/api/v3/userDataStream"]],
  ["userDataStream.ping", ["PUT", "/api/v3/userDataStream"]],
  ["userDataStream.stop", ["DELETE", "/api/v3/userDataStream"]],
]);

const futures: ReadonlyMap<string, RouteName> = new Map<string, RouteName>([
  ["ping", ["GET", "/fapi/v1/ping"]],
  ["time", ["GET", "/fapi/v1/time"]],
  ["depth", ["GET", "/fapi/v1/depth"]],
  ["ticker.price", ["GET", "/fapi/v1/ticker/price"]],
  ["ticker.book", ["GET", "/fapi/v1/ticker/bookTicker"]],
  ["order.place", ["POST", "/fapi/v1/order"]],
  ["order.modify", ["PUT", "/fapi/v1/order"]],
  ["order.cancel", ["DELETE", "/fapi/v1/order"]],
  ["order.status", ["GET", "/fapi/v1/order"]],
  ["algoOrder.place", ["POST", "/fapi/v1/algoOrder"]],
  ["algoOrder.cancel", ["DELETE", "/fapi/v1/algoOrder"]],
  ["account.balance", ["GET", "/fapi/v2/balance"]],
  ["account.position", ["GET", "/fapi/v2/positionRisk"]],
  ["account.status", ["GET", "/fapi/v2/account"]],
  ["v2/account.balance", ["GET", "/fapi/v3/balance"]],
  ["v2/account.position", ["GET", "/fapi/v3/positionRisk"]],
  ["v2/account.status", ["GET", "/fapi/v3/account"]],
  ["userDataStream.start", ["POST", "/fapi/v1/listenKey"]],
  ["userDataStream.ping", ["PUT", "/fapi/v1/listenKey"]],
  ["userDataStream.stop", ["DELETE", "/fapi/v1/listenKey"]],
]);

/** The route a method of a surface stands for, if it is one. */
export function routeNameOf(surface: MarketKind, method: string): RouteName | undefined {
  return (surface === MarketKind.spot ? spot : futures).get(method);
}

/** A method's name without the version of the interface before it, as Binance allows to write it. */
export function unversioned(surface: MarketKind, method: string): string {
  const prefix = surface === MarketKind.spot ? "v3/" : "v1/";
  return method.startsWith(prefix) ? method.slice(prefix.length) : method;
}
