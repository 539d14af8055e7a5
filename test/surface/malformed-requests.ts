// Generates requests that must be refused. Each is a valid request of some endpoint with one unmistakable error. A
// changed parameter counts as an error only if the endpoint's own schema refuses it, so that no generated request is
// valid by chance.

import { createHmac } from "node:crypto";
import fc from "fast-check";
import * as z from "zod";
import { routesOf } from "../../src/adapters/gateway/routes.ts";

interface Endpoint {
  readonly parameters: z.ZodObject;
}

/** The parameters of each route on the Binance-style surfaces. */
const endpoints: Readonly<Record<string, Endpoint>> = Object.fromEntries(
  routesOf(true)
    .filter(({ path }) => !path.startsWith("/v1/"))
    .map(({ name, reads }) => [name, { parameters: reads ?? z.object({}) }]),
);

type Pairs = readonly (readonly [name: string, value: string])[];

const spoilings = [
  "parameter",
  "missing",
  "repeated",
  "raw",
  "signature",
  "timestamp",
  "key",
  "method",
  "path",
] as const;
type Spoiling = (typeof spoilings)[number];

/** The random choices for one request; `build` turns them into the request. */
interface Draw {
  readonly name: string;
  readonly isCompat: boolean;
  readonly place: "query" | "form" | "split" | "json";
  readonly spoiling: Spoiling;
  readonly at: number;
  readonly text: string;
  /** Bit mask of the optional parameters to include. */
  readonly optional: number;
}

/** A request that can be signed and sent any number of times. */
export interface MalformedRequest {
  readonly name: string;
  readonly spoiling: Spoiling;
  /** Returns the whole request, signed now with these credentials. */
  text(key: { readonly key: string; readonly secret: string }, address: string): string;
}

/** Returns a valid value for a parameter; undefined for parameters that are left out. */
function soundValue(name: string, isSpot: boolean): string | undefined {
  const values: Readonly<Record<string, string>> = {
    symbol: isSpot ? "CC-USDC" : "BTCUSDT",
    side: "BUY",
    type: "LIMIT",
    timeInForce: "GTC",
    quantity: isSpot ? "200" : "0.1",
    price: isSpot ? "0.1" : "60000",
    limit: "5",
    interval: "1m",
    leverage: "5",
    orderId: "1",
    startTime: "1700000000000",
    marginType: "CROSSED",
    dualSidePosition: "false",
    multiAssetsMargin: "false",
    newClientOrderId: "malformed-1",
    symbols: isSpot ? '["CC-USDC"]' : '["BTCUSDT"]',
    windowTimeInMilliseconds: "1000",
    quotes: '[{"id":1,"bidPrice":"0.1","bidQty":"200"}]',
    subAccountString: "malformed-1",
    email: "malformed-1_virtual@sub-account.invalid",
    fromAccountType: "SPOT",
    toAccountType: "USDT_FUTURE",
  };
  return values[name];
}

const hostile = [
  "",
  " ",
  "0x10",
  "-1",
  "+1",
  "1e309",
  "1.2.3",
  "NaN",
  "null",
  "undefined",
  "__proto__",
  "constructor",
  "[]",
  "{}",
  '["',
  "' or 1=1 --",
  "../../etc/passwd",
  "\u0000",
  "\u202e",
  "𝟙𝟚",
  "9".repeat(400),
  "limit",
  "true",
];

const rawTails = [
  "&x=%",
  "&x=%zz",
  "&x=%ff%fe",
  "&%00%=1",
  "&=1",
  `&${Array.from({ length: 70 }, (_, at) => `p${at}=1`).join("&")}`,
];

const draws: fc.Arbitrary<Draw> = fc.record({
  name: fc.constantFrom(...Object.keys(endpoints)),
  isCompat: fc.boolean(),
  place: fc.constantFrom("query", "form", "split", "json"),
  spoiling: fc.constantFrom("parameter", "parameter", "parameter", ...spoilings),
  at: fc.nat(1000),
  text: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...hostile) },
    { weight: 2, arbitrary: fc.string({ unit: "grapheme", maxLength: 24 }) },
    { weight: 1, arbitrary: fc.double().map(String) },
    { weight: 1, arbitrary: fc.bigInt().map(String) },
  ),
  optional: fc.nat(2 ** 16),
});

/** Returns the parameters of a valid request: all required ones and some optional ones. */
function soundPairs({ parameters }: Endpoint, isSpot: boolean, optional: number): Pairs {
  return Object.keys(parameters.shape).flatMap((name, at) => {
    const value = soundValue(name, isSpot);
    const isRequired = parameters.shape[name]?.safeParse(undefined).success === false;
    if (value === undefined || (!isRequired && ((optional >> (at % 16)) & 1) === 0)) return [];
    return [[name, value] as const];
  });
}

/** Returns whether the schema refuses these pairs; an empty value counts as absent. */
function isRefused({ parameters }: Endpoint, pairs: Pairs): boolean {
  const present = pairs.filter(([, value]) => value !== "");
  return !parameters.safeParse(Object.fromEntries(present)).success;
}

function encoded(pairs: Pairs): string {
  return pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
}

/** Returns the pairs with one parameter made invalid or left out, or null if the schema still accepts them. */
function spoiltPairs(draw: Draw, endpoint: Endpoint, sound: Pairs): Pairs | null {
  const names = Object.keys(endpoint.parameters.shape);
  const name = names[draw.at % Math.max(names.length, 1)];
  if (name === undefined) return null;
  const others = sound.filter(([other]) => other !== name);
  const pairs = draw.spoiling === "missing" ? others : [...others, [name, draw.text] as const];
  return isRefused(endpoint, pairs) ? pairs : null;
}

/** HEAD and OPTIONS are missing here because every path has them. */
const wrongMethods = ["PATCH", "TRACE"] as const;

/** Builds a request that the venue must refuse; returns null if these choices would leave it valid. */
function build(draw: Draw, security: string): MalformedRequest | null {
  const endpoint = endpoints[draw.name];
  const [method = "", path = ""] = draw.name.split(" ");
  if (endpoint === undefined) return null;
  const isSigned = security !== "none";
  if (draw.spoiling === "key" && !isSigned) return null;
  const isOfSignature = draw.spoiling === "signature" || draw.spoiling === "timestamp";
  if (isOfSignature && (security === "none" || security === "key")) return null;
  let pairs: Pairs | null = soundPairs(endpoint, path.startsWith("/api"), draw.optional);
  if (draw.spoiling === "parameter" || draw.spoiling === "missing") {
    pairs = spoiltPairs(draw, endpoint, pairs);
  }
  if (pairs === null) return null;
  const sound = pairs;
  return {
    name: draw.name,
    spoiling: draw.spoiling,
    text: (key, address) =>
      requestText(draw, { method, path, isSigned, pairs: sound }, key, address),
  };
}

interface Shape {
  readonly method: string;
  readonly path: string;
  readonly isSigned: boolean;
  readonly pairs: Pairs;
}

function timestampOf({ spoiling, at }: Draw): string {
  const now = Date.now();
  const wrong = ["", "soon", "-1", "1.5", `${now - 61_000}`, `${now + 60_000}`, "9".repeat(17)];
  return spoiling === "timestamp" ? (wrong[at % wrong.length] ?? "") : String(now);
}

/** Returns the signature parameter with its separator, wrong if the draw says so. */
function signaturePair(draw: Draw, signed: string, secret: string): string {
  const right = createHmac("sha256", secret).update(signed).digest("hex");
  if (draw.spoiling !== "signature") return `&signature=${right}`;
  const last = right.endsWith("0") ? "1" : "0";
  const wrong = [
    "",
    "&signature=",
    `&signature=${right.slice(0, -1)}${last}`,
    `&${right}`,
    "&signature=aa",
    `&signature=${"A".repeat(2000)}`,
    `&signature=${right}&signature=${right}`,
    "&signature=%",
  ];
  return wrong[draw.at % wrong.length] ?? "";
}

function keyOf({ spoiling, at }: Draw, key: string): string {
  const wrong = ["", "short", "x".repeat(64), `${key}x`, `${key.slice(0, 63)}-`, "0".repeat(2000)];
  return spoiling === "key" ? (wrong[at % wrong.length] ?? "") : key;
}

/** Returns the parameters as one text; if the draw says so, the text itself is malformed. */
function parametersText(draw: Draw, { pairs, isSigned }: Shape): string {
  const parts = [encoded(pairs)];
  // The parameters may later be split between query and body, but only after the first one. So `twice` is always
  // repeated within one part.
  if (draw.spoiling === "repeated") parts.push("once=1&twice=1&twice=2");
  if (isSigned) parts.push(`timestamp=${timestampOf(draw)}&recvWindow=20000`);
  const text = parts.filter((part) => part !== "").join("&");
  return draw.spoiling === "raw" ? text + rawTails[draw.at % rawTails.length] : text;
}

/** Splits the parameters into query and body, and signs both as one text, as the venue reads them. */
function queryAndBody(
  draw: Draw,
  shape: Shape,
  secret: string,
): readonly [query: string, body: string] {
  const hasBody = shape.method !== "GET" && draw.place !== "query";
  const text = parametersText(draw, shape);
  let cut = text.length + 1;
  if (hasBody) cut = draw.place === "split" ? text.indexOf("&") + 1 : 0;
  const [query, body] = [text.slice(0, Math.max(cut - 1, 0)), text.slice(cut)];
  if (!shape.isSigned) return [query, body];
  const signature = signaturePair(draw, query + body, secret);
  return hasBody ? [query, body + signature] : [query + signature, body];
}

function targetOf({ spoiling, at, isCompat }: Draw, { path }: Shape, query: string): string {
  const prefix = isCompat && !path.startsWith("/openapi") ? "/compat" : "";
  const suffix = spoiling === "path" ? (["/", "/x", "%00", "//"][at % 4] ?? "") : "";
  return `${prefix}${path}${suffix}${query === "" ? "" : `?${query}`}`;
}

function requestText(
  draw: Draw,
  sound: Shape,
  key: { readonly key: string; readonly secret: string },
  address: string,
): string {
  const wrongMethod = wrongMethods[draw.at % wrongMethods.length] ?? "PATCH";
  const method = draw.spoiling === "method" ? wrongMethod : sound.method;
  const shape = { ...sound, method };
  const [query, body] = queryAndBody(draw, shape, key.secret);
  const type = draw.place === "json" ? "application/json" : "application/x-www-form-urlencoded";
  const head =
    `${method} ${targetOf(draw, shape, query)} HTTP/1.1\r\nHost: x\r\n` +
    `X-Forwarded-For: ${address}\r\n` +
    (shape.isSigned ? `X-MBX-APIKEY: ${keyOf(draw, key.key)}\r\n` : "") +
    (method === "GET" ? "" : `Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n`);
  return `${head}\r\n${body}`;
}

/**
 * Returns at least `count` requests that must be refused, over all endpoints. The same seed gives the same requests.
 */
export function malformedRequests(
  count: number,
  seed: number,
  securityOf: (name: string) => string,
): MalformedRequest[] {
  const requests: MalformedRequest[] = [];
  for (let part = 0; requests.length < count; part++) {
    for (const draw of fc.sample(draws, { numRuns: 4096, seed: seed + part })) {
      const request = build(draw, securityOf(draw.name));
      if (request !== null) requests.push(request);
    }
  }
  return requests;
}
