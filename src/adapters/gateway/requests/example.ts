// Renders the example of a route as a shell command. The route's declaration supplies its query, form or /v1 body
// (`example`), the value of the path parameter (`exampleName`), or the whole line (`exampleLine`).
// docs/guides/run-the-examples.md defines the commands `keyed`, `signed` and `own`. A test runs every example.

import type { RouteTerms } from "./route.ts";
import { compatPrefix } from "./surface-view.ts";

/** Orders that the examples of several routes use. */
export const spotOrderExample =
  "symbol=CC-USDC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=100&price=0.15";
export const perpOrderExample =
  "symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.010&price=50000";
export const nativeOrderExample = '{"symbol":"BTC-PERP","side":"BUY","qty":"0.01","price":"48000"}';

function pathOf({ path: documented, onlyIn, exampleName }: RouteTerms): string {
  const whole = documented.replace(
    /\{\w+\}/,
    (name) => exampleName ?? (name === "{symbol}" ? "BTC-PERP" : name),
  );
  return onlyIn === "compat" ? compatPrefix + whole : whole;
}

/** The example of a route. */
export function exampleOf(route: RouteTerms): string {
  const { method, security, example: sample = "", exampleLine } = route;
  if (exampleLine !== undefined) return exampleLine;
  const path = pathOf(route);
  if (security === "session") {
    const isBody = method === "POST" || method === "PUT";
    const body = sample === "" ? "{}" : sample;
    return `own ${method} "${path}${isBody ? "" : sample}"${isBody ? ` '${body}'` : ""}`;
  }
  if (security === "none") {
    const query = sample === "" || sample.startsWith("?") ? sample : `?${sample}`;
    return `curl -sS --fail-with-body "$V${path}${query}"`;
  }
  const command = security === "key" ? "keyed" : "signed";
  return `${command} ${method} ${path}${sample === "" ? "" : ` "${sample}"`}`;
}
