// Renders the example of a route as a shell command. The route's declaration supplies its query, form or /v1 body
// (`example`), the value of the path parameter (`exampleName`), or the whole line (`exampleLine`), and says what the
// example needs that a reader cannot have (`exampleNeeds`).
// docs/guides/run-the-examples.md defines the commands `keyed`, `signed` and `own`, for other languages too. Tests run
// every example in every language.

import type { RouteTerms } from "./route.ts";
import { compatPrefix } from "./surface-view.ts";

/**
 * Orders that the examples of several routes use. Their prices are far below the market, so that the orders rest until
 * a later example amends or cancels them.
 */
export const spotOrderExample =
  "symbol=CC-USDC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=200&price=0.10";
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

/** An example in one language. */
export interface Sample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

/** Writes a call of a function, given its name and its arguments as string literals. */
type Writing = (call: string) => string;

/** A language beside the shell. String literals are those of JSON, as far as the examples need them. */
interface Language {
  readonly lang: string;
  /** Ends the names of its examples. */
  readonly ending: string;
  readonly write: Writing;
}

const languages: readonly Language[] = [
  { lang: "JavaScript", ending: "-js", write: (call) => `console.log(await ${call});` },
  { lang: "Python", ending: "-py", write: (call) => `print(${call})` },
  { lang: "Go", ending: "-go", write: (call) => `show(${call})` },
];

/**
 * A name that an example gives to an order, a list, a transfer or a sub-account, such as `spot-1`. Each language has
 * names of its own, because the venue refuses a second open order or sub-account of one name: an account can run the
 * examples of all languages. Spec DOC-19.
 */
const givenName = /\b[a-z]+-\d(?![a-z0-9])/g;

/** The examples of a route in all languages; only in the shell if the example is more than one request. */
export function samplesOf(route: RouteTerms): Sample[] {
  const shell = { lang: "Shell", label: "curl", source: exampleOf(route) };
  if (!isOneRequest(route)) return [shell];
  const { example = "" } = route;
  const others = languages.map(({ lang, ending, write }) => {
    const named = example.replace(givenName, (name) => name + ending);
    return { lang, label: lang, source: write(callOf({ ...route, example: named })) };
  });
  return [shell, ...others];
}

/** Whether an example, once its values are encoded, is one request whose text needs nothing from a shell. */
function isOneRequest(route: RouteTerms): boolean {
  const { method, security, example = "", exampleLine } = route;
  const isKnown = security !== "login" && (security !== "none" || method === "GET");
  return isKnown && exampleLine === undefined && !(encoded(example) + pathOf(route)).includes("$");
}

/** The text with the values that the shell's command `encoded` encodes. */
function encoded(text: string): string {
  return text.replace(/\$\(encoded '([^']*)'\)/g, (_, value: string) => encodeURIComponent(value));
}

/** The example, which is one request, as a call of `get`, `keyed`, `signed` or `own`. */
function callOf(route: RouteTerms): string {
  const { method, security, example = "" } = route;
  const path = pathOf(route);
  const texts = (...parts: readonly string[]) =>
    parts.map((part) => JSON.stringify(part)).join(", ");
  if (security === "session" && (method === "POST" || method === "PUT"))
    return `own(${texts(method, path, example === "" ? "{}" : example)})`;
  // The shell's example is in double quotes, where a quotation mark is escaped.
  const query = encoded(example).replaceAll('\\"', '"');
  if (security === "session") return `own(${texts(method, path + query, "")})`;
  if (security === "none") {
    const isWhole = query === "" || query.startsWith("?");
    return `get(${texts(`${path}${isWhole ? "" : "?"}${query}`)})`;
  }
  return `${security === "key" ? "keyed" : "signed"}(${texts(method, path, query)})`;
}
