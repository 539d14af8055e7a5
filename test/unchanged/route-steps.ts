// Requests to every route of the OpenAPI document: valid ones, each optional parameter in turn, and each way to be
// invalid. They are used only to record a conversation anew; a comparison repeats the stored requests.

import type { HttpStep, Requester, Step } from "./conversation-steps.ts";
import { listValues } from "./list-values.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
}

interface BodySchema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: { readonly "application/json": { readonly schema: BodySchema } };
  };
  readonly "x-security": string;
}

/** The operations of a path by method, with `servers` if only some base URLs serve the path. */
type PathItem = Readonly<Record<string, Operation>>;

/** Returns the base URLs of a path; undefined if all serve it. */
export function serversOf(item: PathItem): readonly Server[] | undefined {
  return (item as { readonly servers?: readonly Server[] }).servers;
}

interface Server {
  readonly url: string;
}

/** The parts of the OpenAPI document that this file reads. */
export interface RoutesDocument {
  readonly servers: readonly Server[];
  readonly paths: Readonly<Record<string, PathItem>>;
}

type Pair = readonly [name: string, value: string];

const signing = new Set(["timestamp", "recvWindow", "signature"]);

/** Valid parameter values that are the same on every route. */
const sound: Readonly<Record<string, string>> = {
  limit: "5",
  interval: "1m",
  period: "5m",
  contractType: "PERPETUAL",
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  fromId: "1",
  startTime: "1767225600000",
  endTime: "1767312000000",
  timeZone: "2:00",
  symbolStatus: "TRADING",
  permissions: "SPOT",
  showPermissionSets: "false",
  omitZeroBalances: "true",
  newOrderRespType: "FULL",
  selfTradePreventionMode: "EXPIRE_MAKER",
  strategyId: "7",
  strategyType: "1000001",
  cancelRestrictions: "ONLY_NEW",
  cancelReplaceMode: "ALLOW_FAILURE",
  orderRateLimitExceededMode: "DO_NOTHING",
  computeCommissionRates: "true",
  windowSize: "1h",
  reduceOnly: "false",
  positionSide: "BOTH",
  workingType: "CONTRACT_PRICE",
  priceProtect: "TRUE",
  goodTillDate: "1767830400000",
  algoType: "CONDITIONAL",
  countdownTime: "60000",
  autoCloseType: "LIQUIDATION",
  incomeType: "COMMISSION",
  page: "1",
  leverage: "10",
  marginType: "CROSSED",
  multiAssetsMargin: "false",
  dualSidePosition: "false",
  asset: "USDC",
  coin: "USDC",
  network: "CANTON",
  amount: "1.5",
  current: "1",
  size: "10",
  offset: "0",
  status: "1",
  depth: "5",
  include_revoked: "true",
  seq: "1",
  ref_id: "o-1",
  orderIdList: "[1,2]",
  origClientOrderIdList: '["a","b"]',
  closePosition: "true",
  stopPrice: "61000",
  callbackRate: "1",
  quoteOrderQty: "20",
  trailingDelta: "50",
  newClientOrderId: "of-routes",
  subAccountString: "of-routes",
  email: "of-routes_virtual@sub-account.invalid",
  toEmail: "of-routes_virtual@sub-account.invalid",
  fromAccountType: "SPOT",
  toAccountType: "SPOT",
};

const makerGroup = {
  symbols: '["BTCUSDT"]',
  windowTimeInMilliseconds: "1000",
  frozenTimeInMilliseconds: "0",
  qtyLimit: "1",
  quoteLimit: "1000000",
  countLimit: "900",
};

/** Valid parameter values of single routes. */
const soundOf: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "/api/v3/mmpSet": makerGroup,
  "/fapi/v1/mmpSet": makerGroup,
  "/api/v3/massQuote": { quotes: '[{"id":1,"bidPrice":"0.14","bidQty":"100"}]' },
  "/fapi/v1/massQuote": { quotes: '[{"id":1,"bidPrice":"59000","bidQty":"0.01"}]' },
  "/sapi/v1/futures/transfer": { type: "1" },
  "/sapi/v1/asset/transfer": { type: "MAIN_UMFUTURE" },
  "/fapi/v1/algoOrder": { type: "STOP_MARKET", triggerPrice: "61000" },
  "/api/v3/ticker": { type: "MINI" },
  "/api/v3/ticker/24hr": { type: "MINI" },
  "/api/v3/ticker/tradingDay": { type: "MINI" },
};

/** Returns a valid value of a parameter, which may differ between spot and perpetuals. */
function soundValue(name: string, path: string): string | undefined {
  const isSpot = path.startsWith("/api/");
  const perpetual = path.startsWith("/v1/") ? "BTC-PERP" : "BTCUSDT";
  const here: Readonly<Record<string, string>> = {
    symbol: isSpot ? "CC-USDC" : perpetual,
    pair: "BTCUSDT",
    symbols: '["CC-USDC","CBTC-USDC"]',
    orderId: isSpot ? "26" : "86",
    quantity: isSpot ? "100.0" : "0.010",
    newQty: "50.0",
    price: isSpot ? "0.1480" : "59500.00",
  };
  const ofRoute = soundOf[path] ?? listValues[path]?.values;
  return ofRoute?.[name] ?? here[name] ?? sound[name];
}

/** Values that are invalid for all or most parameters. */
const unsound = ["", "abc", "-1", "1e309", "9".repeat(40)];

/** Values for the parameters in paths. */
const parts: Readonly<Record<string, readonly string[]>> = {
  symbol: ["BTC-PERP", "CC-USDC", "NO-PERP"],
  user_id: ["{{userId}}", "019b7891-651f-7004-8000-000000000006", "abc"],
  id: ["1", "019b7891-651f-7004-8000-000000000006", "abc"],
  file: ["btc.svg", "../x.svg", "none.svg"],
  order_id: ["019b7891-651f-7004-8000-000000000006", "o-1", "abc"],
  swap_id: ["00000000-0000-4000-8000-000000000000", "abc"],
  wid: ["019b7891-651f-7004-8000-000000000006", "abc"],
  key_id: ["1", "abc"],
};

/** Its receiver is the sub-account of nobody. */
const subAccountMove = {
  ...{ from_account: "{{userId}}", to_account: "019b7891-651f-7004-8000-000000000006" },
  ...{ from: "spot", to: "spot", asset: "USDC", amount: "1", idempotency_key: "s-1" },
};

/** JSON bodies for native routes, valid ones first. */
const bodies: Readonly<Record<string, readonly object[]>> = {
  "POST /v1/api-keys": [{}, { label: "bot" }, { label: "x".repeat(200) }, { key_type: "rsa" }],
  "POST /v1/deposits/seed": [
    { asset: "USDC", amount: "100", wallet: "spot" },
    { asset: "USDC", amount: "5", wallet: "perp" },
    { asset: "NONE", amount: "100" },
    { asset: "USDC", amount: "-1" },
  ],
  "POST /v1/funding/tick": [{}],
  "POST /v1/lp/register": [{ name: "maker", url: "https://maker.example", party_id: "x::1220" }],
  "POST /v1/lp/keys": [{ public_key: "x", proof: "y" }],
  "POST /v1/orders": [
    { symbol: "BTC-PERP", side: "BUY", type: "LIMIT", qty: "0.01", price: "59000", leverage: 10 },
    { symbol: "BTC-PERP", side: "BUY", type: "MARKET", qty: "0.01" },
    { symbol: "BTC-PERP", side: "SELL", type: "MARKET", qty: "0.004", reduce_only: true },
    { symbol: "BTC-PERP", side: "SELL", qty: 0.01, price: 61000, post_only: true },
    { symbol: "BTC-PERP", side: "SELL", qty: "0.01", price: "60500", idempotency_key: "k-1" },
    { symbol: "BTC-PERP", side: "SELL", qty: "0.01", price: "60500", idempotency_key: "k-1" },
    { symbol: "BTC-PERP", side: "SELL", qty: "0.02", price: "60500", idempotency_key: "k-1" },
    {
      ...{ symbol: "ETH-PERP", side: "BUY", type: "MARKET", qty: "0.1" },
      ...{ take_profit: "3100", stop_loss: "2900" },
    },
    { symbol: "BTC-PERP", side: "BUY", qty: "0.01", price: "59000", time_in_force: "IOC" },
    { symbol: "BTC-PERP", side: "BUY", qty: "0.0001", price: "59000" },
    { symbol: "BTC-PERP", side: "BUY", qty: "0.01", price: "59000.001" },
    { symbol: "BTC-PERP", side: "BUY", qty: "900", price: "59000" },
    { symbol: "BTC-PERP", side: "BUY", qty: "0.01", price: "59000", leverage: 1000 },
    { symbol: "CC-USDC", side: "BUY", qty: "1000", price: "0.14" },
    { symbol: "BTC-PERP", side: "HOLD", qty: "1", price: "1" },
    { symbol: "BTC-PERP", side: "BUY" },
    { symbol: "BTC-PERP", side: "BUY", qty: "1", price: "59000", colour: "red" },
  ],
  "POST /v1/referral/claim": [{}],
  "POST /v1/sub-accounts": [
    { label: "one" },
    { label: "One" },
    { label: "" },
    { label: "a b" },
    { label: "two", colour: "red" },
  ],
  "POST /v1/sub-accounts/transfers": [
    subAccountMove,
    { ...subAccountMove, from_account: "abc" },
    { ...subAccountMove, to_account: "{{userId}}" },
    { ...subAccountMove, amount: "-1" },
  ],
  "POST /v1/sub-accounts/{id}/api-keys": [{}],
  "POST /v1/swaps/rfq": [
    { pair: "CC-USDC", side: "BUY", qty: "100" },
    { pair: "BTC-PERP", side: "BUY", qty: "100" },
    { pair: "CC-USDC", side: "BUY" },
  ],
  "POST /v1/swaps/rfq/{swap_id}/accept": [{ quote_id: "q" }],
  "POST /v1/swaps/rfq/{swap_id}/cancel": [{}],
  "POST /v1/swaps/rfq/{swap_id}/execute": [{ prepared_transaction_hash: "x", signature: "y" }],
  "POST /v1/swaps/rfq/{swap_id}/prepare": [{}],
  "POST /v1/transfers": [
    { from: "spot", to: "perp", asset: "USDC", amount: "10" },
    { from: "spot", to: "perp", asset: "USDC", amount: "10", idempotency_key: "t-1" },
    { from: "spot", to: "perp", asset: "USDC", amount: "10", idempotency_key: "t-1" },
    { from: "spot", to: "perp", asset: "USDC", amount: "99999999" },
    { from: "spot", to: "spot", asset: "USDC", amount: "1" },
    { from: "spot", to: "perp", asset: "CC", amount: "1" },
  ],
  "POST /v1/wallet/challenge": [
    { public_key: "B3oFtdOUwOV8UJ11eSdI4MIGYYJ9jWAqvvbzeWc6vlQ=" },
    { public_key: "AAAA" },
    { public_key: "B3oFtdOUwOV8UJ11eSdI4MIGYYJ9jWAqvvbzeWc6vlQ=", party_hint: "a b" },
  ],
  "POST /v1/wallet/enroll": [{}],
  "POST /v1/wallet/session-key": [
    {},
    { public_key: "B3oFtdOUwOV8UJ11eSdI4MIGYYJ9jWAqvvbzeWc6vlQ=" },
    { public_key: "x" },
  ],
  "POST /v1/wallet/verify": [{ public_key: "x", nonce: "y", signature: "z" }],
  "POST /v1/withdrawals": [
    {
      asset: "USDC",
      amount: "10",
      destination: `x::1220${"c".repeat(64)}`,
      idempotency_key: "w-1",
    },
    { asset: "USDC", amount: "0", destination: "x", idempotency_key: "w-2" },
  ],
};

/** Routes to call last, because they would break the conversation for later requests. */
const lastRoutes = new Set(["POST /v1/wallet/logout"]);

const wrongRequesters: readonly Requester[] = ["nobody", "stranger", "forged", "late", "untimed"];

/** Returns requests to all routes of the document, with time passing between them. */
export function stepsOfRoutes(document: RoutesDocument): Step[] {
  const named = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => method !== "servers")
      .map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, item, operation })),
  );
  const first = named.filter(({ name }) => !lastRoutes.has(name));
  const last = named.filter(({ name }) => lastRoutes.has(name));
  const requested = [...first, ...last].flatMap(({ name, item, operation }) =>
    (serversOf(item) ?? document.servers).flatMap(({ url }) =>
      stepsOfRoute(name, url.replace(/\/$/, ""), operation),
    ),
  );
  return requested.flatMap((step, at): Step[] =>
    at % 12 === 0 ? [{ do: "deed", name: "minute" }, step] : [step],
  );
}

function stepsOfRoute(name: string, prefix: string, operation: Operation): HttpStep[] {
  const [method = "", path = ""] = name.split(" ");
  const by = requesterOf(operation, path);
  const step = { do: "http", method, by, pairs: [] } as const;
  if (path.startsWith("/v1/")) return nativeSteps(name, { ...step, path }, operation);
  const parameters = (operation.parameters ?? []).filter(({ name: one }) => !signing.has(one));
  const pairOf = ({ name: one }: Parameter): Pair => [one, soundValue(one, path) ?? "1"];
  const required = parameters.filter((one) => one.required === true).map(pairOf);
  const optional = parameters
    .filter((one) => one.required !== true && soundValue(one.name, path) !== undefined)
    .map(pairOf);
  const base = withNeeded(name, required);
  const at = { ...step, path: prefix + path };
  const spoilt = [...base, ...optional].flatMap(([one]) =>
    unsound.map((value) => ({ ...at, pairs: withPair(base, [one, value]) })),
  );
  return [
    { ...at, pairs: base },
    { ...at, pairs: [...base, ["colour", "red"]] },
    ...optional.map((pair) => ({ ...at, pairs: withPair(base, pair) })),
    ...base.map((pair) => ({ ...at, pairs: base.filter((one) => one !== pair) })),
    ...base.slice(0, 1).map((pair) => ({ ...at, pairs: [...base, pair] })),
    ...spoilt,
    ...(by === "nobody"
      ? []
      : wrongRequesters.map((requester) => ({ ...at, by: requester, pairs: base }))),
    ...(method === "GET" ? [{ ...at, by: "ruined" as const, pairs: base }] : []),
    ...(method === "GET" ? [] : [{ ...at, by: "reader" as const, pairs: base }]),
    ...(method === "GET" ? [] : [{ ...at, isForm: true, pairs: base }]),
    { ...at, method: "PATCH", pairs: base },
  ];
}

/** Adds parameters that an order needs although its schema does not require them. */
function withNeeded(name: string, required: readonly Pair[]): readonly Pair[] {
  const [, path = ""] = name.split(" ");
  const needed = listValues[path]?.needed ?? [];
  const isOrder = /^POST .*(\/order|order\/test|cancelReplace)$/.test(name);
  const more: Pair[] = [];
  if (isOrder) {
    for (const one of ["timeInForce", "quantity", "price"])
      more.push([one, soundValue(one, path) ?? ""]);
  }
  if (/^(GET|DELETE|PUT) .*\/(order|openOrder|keepPriority|orderAmendment)$/.test(name))
    more.push(["orderId", soundValue("orderId", path) ?? "1"]);
  if (name === "POST /fapi/v1/algoOrder")
    more.push(["quantity", "0.010"], ["triggerPrice", "61000"]);
  if (name.endsWith("cancelReplace")) more.push(["cancelOrderId", "26"]);
  for (const one of needed) {
    if (!required.some(([has]) => has === one)) more.push([one, soundValue(one, path) ?? ""]);
  }
  return [...required, ...more];
}

function withPair(pairs: readonly Pair[], [name, value]: Pair): Pair[] {
  return [...pairs.filter(([one]) => one !== name), [name, value]];
}

function requesterOf(operation: Operation, path: string): Requester {
  if (path.startsWith("/v1/")) return operation["x-security"] === "none" ? "nobody" : "session";
  return operation["x-security"] === "none" ? "nobody" : "trader";
}

/**
 * Returns a native route's requests: each form of the path, each body, each query parameter, and all of them again
 * without the token.
 */
function nativeSteps(name: string, step: HttpStep, operation: Operation): HttpStep[] {
  const parameters = operation.parameters ?? [];
  const paths = parameters
    .filter((one) => one.in === "path")
    .reduce(
      (known, { name: one }) =>
        known.flatMap((path) =>
          (parts[one] ?? ["1"]).map((part) =>
            path.replace(`{${one}}`, part.startsWith("{{") ? part : encodeURIComponent(part)),
          ),
        ),
      [step.path],
    );
  const query = parameters.filter((one) => one.in === "query").map((one) => one.name);
  const needed = parameters
    .filter((one) => one.in === "query" && one.required === true)
    .map((one): Pair => [one.name, soundValue(one.name, step.path) ?? "1"]);
  const texts = (bodies[name] ?? (operation.requestBody === undefined ? [] : [{}])).map((body) =>
    JSON.stringify(body),
  );
  const isWrite = step.method !== "GET";
  const wrong = texts.length === 0 ? [] : ["", "{", "[]", '{"a":1}', "null"];
  const requested = paths.flatMap((path): HttpStep[] => [
    ...(texts.length > 0 ? texts : [undefined]).map((body) => ({
      ...{ ...step, path, pairs: needed },
      ...(body !== undefined && { body }),
    })),
    ...query.flatMap((one) =>
      [soundValue(one, step.path) ?? "1", ...unsound].map((value) => ({
        ...{ ...step, path, pairs: withPair(needed, [one, value]) },
      })),
    ),
  ]);
  const [firstPath = step.path] = paths;
  return [
    ...requested,
    ...wrong.map((body) => ({ ...step, path: firstPath, body })),
    {
      ...step,
      path: firstPath,
      pairs: needed,
      by: "nobody",
      ...(isWrite && { body: texts[0] ?? "{}" }),
    },
    {
      ...step,
      path: firstPath,
      pairs: needed,
      by: "trader",
      ...(isWrite && { body: texts[0] ?? "{}" }),
    },
    { ...step, path: firstPath, pairs: [], method: "PATCH" },
  ];
}
