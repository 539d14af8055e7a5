// Routes whose weight stands in the table under their method and path, so that a route names both
// once.

import { endpointWeights } from "../../../services/access/endpoint-weights.ts";
import type { Method } from "../server/http-call.ts";
import type { PublicRoute, SignedRoute } from "./route.ts";

export type WeightedName = keyof typeof endpointWeights;

function termsOf(name: WeightedName) {
  const [method, path] = name.split(" ") as [Method, string];
  return { method, path, weight: endpointWeights[name] };
}

/** A route anybody may ask. */
export function publicRoute(name: WeightedName, answer: PublicRoute["answer"]): PublicRoute {
  return { ...termsOf(name), security: "none", answer };
}

/** A signed route for keys with READ. */
export function readRoute(name: WeightedName, answer: SignedRoute["answer"]): SignedRoute {
  return { ...termsOf(name), security: "read", answer };
}

/** A signed route for keys with TRADE. */
export function tradeRoute(name: WeightedName, answer: SignedRoute["answer"]): SignedRoute {
  return { ...termsOf(name), security: "trade", answer };
}
