// Four answers that ccxt asks for inside loadMarkets whether the user wants them or not
// (binance-compat 6). They say that there is nothing of the kind here.

import { noParameters } from "../../../schemas/http/common.ts";
import { parameterReader } from "./read-parameters.ts";
import type { Route } from "./route.ts";

const readNothing = parameterReader(noParameters);

function emptyList(path: string): Route {
  return {
    method: "GET",
    path,
    security: "read",
    weight: 1,
    answer: (call, parameters) => {
      if (readNothing(call, parameters) !== null) call.json("[]");
    },
  };
}

/** The start-up answers. */
export function startUpRoutes(): Route[] {
  return [
    emptyList("/sapi/v1/capital/config/getall"),
    emptyList("/sapi/v1/margin/allPairs"),
    emptyList("/sapi/v1/margin/isolated/allPairs"),
    {
      method: "GET",
      path: "/dapi/v1/exchangeInfo",
      security: "none",
      weight: 1,
      answer: (call) => call.json('{"symbols":[]}'),
    },
  ];
}
