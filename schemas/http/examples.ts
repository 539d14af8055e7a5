// An example of every route, by "<METHOD> <path>": its query, or its body under /v1, as words for a shell. They
// stand in an order in which they run, orders before what asks for them; a test runs all of them so. The words
// `keyed`, `signed` and `own` are those of docs/guides/run-the-examples.md.

const spotOrder = "symbol=CC-USDC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=100&price=0.15";
const perpOrder = "symbol=BTCUSDT&side=BUY&type=LIMIT&timeInForce=GTC&quantity=0.010&price=50000";
const algoOrder =
  "algoType=CONDITIONAL&symbol=BTCUSDT&side=SELL&type=STOP_MARKET&quantity=0.010&triggerPrice=40000";
const batch =
  '[{"symbol":"BTCUSDT","side":"BUY","type":"LIMIT","timeInForce":"GTC","quantity":"0.010","price":"49000","newClientOrderId":"batch-1"}]';
const batchChange =
  '[{"symbol":"BTCUSDT","side":"BUY","origClientOrderId":"batch-1","quantity":"0.010","price":"49500"}]';
const nativeOrder = '{"symbol":"BTC-PERP","side":"BUY","qty":"0.01","price":"48000"}';

/** What each route is asked in its example; routes without a parameter that must be sent need no entry. */
const asks: Readonly<Record<string, string>> = {
  "POST /api/v3/order": `${spotOrder}&newClientOrderId=spot-1`,
  "POST /api/v3/order/test": spotOrder,
  "GET /api/v3/order": "symbol=CC-USDC&origClientOrderId=spot-1",
  "GET /api/v3/openOrders": "symbol=CC-USDC",
  "GET /api/v3/allOrders": "symbol=CC-USDC&limit=10",
  "GET /api/v3/myAllocations": "symbol=CC-USDC",
  "GET /api/v3/myTrades": "symbol=CC-USDC&limit=10",
  "GET /api/v3/account/commission": "symbol=CC-USDC",
  "GET /api/v3/aggTrades": "symbol=CC-USDC&limit=10",
  "GET /api/v3/avgPrice": "symbol=CC-USDC",
  "GET /api/v3/depth": "symbol=CC-USDC&limit=5",
  "GET /api/v1/trades": "symbol=CC-USDC&limit=10",
  "GET /api/v3/historicalTrades": "symbol=CC-USDC&limit=10",
  "GET /api/v3/klines": "symbol=CC-USDC&interval=1m&limit=10",
  "GET /api/v3/uiKlines": "symbol=CC-USDC&interval=1m&limit=10",
  "GET /api/v3/trades": "symbol=CC-USDC&limit=10",
  "GET /api/v3/ticker": "symbol=CC-USDC",
  "GET /api/v3/ticker/24hr": "symbol=CC-USDC",
  "GET /api/v3/ticker/tradingDay": "symbol=CC-USDC",
  "PUT /api/v3/order/amend/keepPriority": "symbol=CC-USDC&origClientOrderId=spot-1&newQty=90",
  "GET /api/v3/myPreventedMatches":
    "symbol=CC-USDC&orderId=$(signed GET /api/v3/order 'symbol=CC-USDC&origClientOrderId=spot-1' | field .orderId)",
  "GET /api/v3/order/amendments":
    "symbol=CC-USDC&orderId=$(signed GET /api/v3/order 'symbol=CC-USDC&origClientOrderId=spot-1' | field .orderId)",
  "POST /api/v3/order/cancelReplace": `${spotOrder}&cancelReplaceMode=STOP_ON_FAILURE&cancelOrigClientOrderId=spot-1&newClientOrderId=spot-2`,
  "DELETE /api/v3/order": "symbol=CC-USDC&origClientOrderId=spot-2",
  "PUT /api/v3/userDataStream":
    "listenKey=$(keyed POST /compat/api/v3/userDataStream | field .listenKey)",
  "DELETE /api/v3/userDataStream":
    "listenKey=$(keyed POST /compat/api/v3/userDataStream | field .listenKey)",
  "GET /sapi/v1/capital/deposit/address": "coin=USDC",
  "POST /sapi/v1/asset/transfer": "type=MAIN_UMFUTURE&asset=USDC&amount=10",
  "GET /sapi/v1/asset/transfer": "type=MAIN_UMFUTURE",
  "POST /sapi/v1/futures/transfer": "asset=USDC&amount=5&type=2",
  "POST /fapi/v1/order": `${perpOrder}&newClientOrderId=perp-1`,
  "GET /fapi/v1/order": "symbol=BTCUSDT&origClientOrderId=perp-1",
  "GET /fapi/v1/openOrder": "symbol=BTCUSDT&origClientOrderId=perp-1",
  "PUT /fapi/v1/order":
    "symbol=BTCUSDT&side=BUY&origClientOrderId=perp-1&quantity=0.010&price=50100",
  "GET /fapi/v1/orderAmendment": "symbol=BTCUSDT&origClientOrderId=perp-1",
  "GET /fapi/v1/allOrders": "symbol=BTCUSDT&limit=10",
  "GET /fapi/v1/userTrades": "symbol=BTCUSDT&limit=10",
  "GET /fapi/v1/commissionRate": "symbol=BTCUSDT",
  "GET /fapi/v1/aggTrades": "symbol=BTCUSDT&limit=10",
  "GET /fapi/v1/continuousKlines": "pair=BTCUSDT&contractType=PERPETUAL&interval=1h&limit=10",
  "GET /fapi/v1/depth": "symbol=BTCUSDT&limit=5",
  "GET /fapi/v1/historicalTrades": "symbol=BTCUSDT&limit=10",
  "GET /fapi/v1/indexPriceKlines": "pair=BTCUSDT&interval=1h&limit=10",
  "GET /fapi/v1/markPriceKlines": "symbol=BTCUSDT&interval=1h&limit=10",
  "GET /fapi/v1/premiumIndexKlines": "symbol=BTCUSDT&interval=1h&limit=10",
  "GET /futures/data/openInterestHist": "symbol=BTCUSDT&period=5m&limit=10",
  "GET /futures/data/topLongShortAccountRatio": "symbol=BTCUSDT&period=5m&limit=10",
  "GET /futures/data/topLongShortPositionRatio": "symbol=BTCUSDT&period=5m&limit=10",
  "GET /futures/data/globalLongShortAccountRatio": "symbol=BTCUSDT&period=5m&limit=10",
  "GET /futures/data/takerlongshortRatio": "symbol=BTCUSDT&period=5m&limit=10",
  "GET /futures/data/basis": "pair=BTCUSDT&contractType=PERPETUAL&period=5m&limit=10",
  "GET /fapi/v1/klines": "symbol=BTCUSDT&interval=1h&limit=10",
  "GET /fapi/v1/openInterest": "symbol=BTCUSDT",
  "GET /fapi/v1/trades": "symbol=BTCUSDT&limit=10",
  "GET /fapi/v1/fundingRate": "symbol=BTCUSDT&limit=10",
  "GET /fapi/v1/premiumIndex": "symbol=BTCUSDT",
  "DELETE /fapi/v1/order": "symbol=BTCUSDT&origClientOrderId=perp-1",
  "POST /fapi/v1/batchOrders": `batchOrders=$(encoded '${batch}')`,
  "PUT /fapi/v1/batchOrders": `batchOrders=$(encoded '${batchChange}')`,
  "DELETE /fapi/v1/batchOrders": "symbol=BTCUSDT&origClientOrderIdList=$(encoded '[\"batch-1\"]')",
  "POST /fapi/v1/algoOrder": `${algoOrder}&clientAlgoId=algo-1`,
  "GET /fapi/v1/algoOrder": "clientAlgoId=algo-1",
  "GET /fapi/v1/allAlgoOrders": "symbol=BTCUSDT",
  "DELETE /fapi/v1/algoOrder": "clientAlgoId=algo-1",
  "POST /fapi/v1/leverage": "symbol=BTCUSDT&leverage=5",
  "POST /fapi/v1/marginType": "symbol=BTCUSDT&marginType=CROSSED",
  "POST /fapi/v1/multiAssetsMargin": "multiAssetsMargin=false",
  "POST /fapi/v1/positionSide/dual": "dualSidePosition=false",
  "POST /fapi/v1/countdownCancelAll": "symbol=BTCUSDT&countdownTime=60000",
  "DELETE /fapi/v1/allOpenOrders": "symbol=BTCUSDT",
  "DELETE /fapi/v1/algoOpenOrders": "symbol=BTCUSDT",
  "POST /v1/orders": nativeOrder,
  "DELETE /v1/orders": "?symbol=BTC-PERP",
  "GET /v1/orders/me": "?status=open",
  "POST /v1/transfers":
    '{"from":"funding","to":"perp","asset":"USDC","amount":"10","idempotency_key":"transfer-1"}',
  "POST /v1/deposits/seed": '{"asset":"USDC","amount":"100","wallet":"perp"}',
  "GET /v1/deposits/address": "?asset=USDC",
  "POST /v1/withdrawals":
    '{"asset":"USDC","amount":"25","destination":"you::1220…","idempotency_key":"withdrawal-1"}',
  "POST /v1/swaps/rfq": '{"pair":"CC-USDC","side":"BUY","qty":"100"}',
  "GET /v1/swaps/rfq": "?limit=10",
  "POST /v1/swaps/rfq/{swap_id}/accept": '{"quote_id":"1"}',
  "POST /v1/swaps/rfq/{swap_id}/execute": '{"prepared_transaction_hash":"…","signature":"…"}',
  "GET /v1/chain/epochs": "?limit=10",
  "GET /v1/chain/proof": "?seq=1",
  "GET /v1/chain/proof/me": "?ref_id=o-1",
  "GET /v1/markets/{symbol}/candles": "?period=15m&limit=10",
  "GET /v1/markets/{symbol}/orderbook": "?depth=5",
  "GET /v1/markets/{symbol}/recent-trades": "?limit=10",
  "POST /v1/api-keys": '{"label":"desk"}',
  "PUT /v1/api-keys/{id}/restrictions":
    '{"permissions":["READ"],"allowed_addresses":["192.0.2.0/24"]}',
  "POST /v1/api-keys/{id}/restrictions/challenge":
    '{"permissions":["READ","TRADE"],"allowed_addresses":[]}',
};

const anotherKey = '$(own POST /v1/api-keys \'{"label":"reader"}\' | field .id)';
const ownSwap = "$(own GET /v1/swaps/rfq | field .items[0].swap_id)";

/** What stands for a part of a path. */
const parts: Readonly<Record<string, string>> = {
  "/v1/account/{user_id}/balances": "$ME",
  "/v1/positions/{user_id}/open": "$ME",
  "/v1/api-keys/{id}": '$(own POST /v1/api-keys \'{"label":"old"}\' | field .id)',
  "/v1/api-keys/{id}/restrictions": anotherKey,
  "/v1/api-keys/{id}/restrictions/challenge": anotherKey,
  "/v1/chain/epochs/{id}": '$(curl -s "$V/v1/chain/epochs?limit=1" | field .items[0].epoch)',
  "/v1/icons/{file}": "btc.svg",
  "/v1/withdrawals/{wid}": "$(own GET /v1/withdrawals | field .items[0].withdrawal_id)",
  "/v1/swaps/rfq/{swap_id}": ownSwap,
  "/v1/swaps/rfq/{swap_id}/accept": ownSwap,
  "/v1/swaps/rfq/{swap_id}/cancel": ownSwap,
  "/v1/swaps/rfq/{swap_id}/prepare": ownSwap,
  "/v1/swaps/rfq/{swap_id}/execute": ownSwap,
  "/v1/orders/{order_id}": `$(own POST /v1/orders '${nativeOrder}' | field .order_id)`,
};

/** Examples that are more than a request. */
const lines: Readonly<Record<string, string>> = {
  "DELETE /api/v3/openOrders": `signed POST /api/v3/order "${spotOrder}" > /dev/null && signed DELETE /api/v3/openOrders "symbol=CC-USDC"`,
  "POST /v1/lp/register": `curl -sS --fail-with-body "$V/v1/lp/register" -d '{"name":"Maker","url":"https://lp.example","party_id":"maker::1220${"0".repeat(64)}","public_key":"11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=","pairs":["CC-USDC"]}'`,
  "POST /v1/lp/keys": `curl -sS --fail-with-body "$V/v1/lp/keys" -d '{"public_key":"11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=","proof":"…"}'`,
  "DELETE /v1/lp/keys/{key_id}": `curl -sS --fail-with-body -X DELETE "$V/v1/lp/keys/1220${"0".repeat(64)}"`,
  "POST /fapi/v1/order/test": `signed POST /compat/fapi/v1/order/test "${perpOrder}"`,
  "POST /v1/wallet/challenge": "challenge me",
  "POST /v1/wallet/verify": "verify me",
  "POST /v1/wallet/session-key":
    'own POST /v1/wallet/session-key "{\\"public_key\\":\\"$(public_key session)\\"}"',
};

/** In the order in which they run: what the table names, then what it does not. */
export const exampleOrder: readonly string[] = Object.keys(asks);

export interface ExampleRoute {
  readonly method: string;
  readonly path: string;
  readonly security: string;
  readonly isCompatOnly: boolean;
}

function pathOf({ path, isCompatOnly }: ExampleRoute): string {
  const whole = path.replace(
    /\{\w+\}/,
    (name) => parts[path] ?? (name === "{symbol}" ? "BTC-PERP" : name),
  );
  return isCompatOnly ? `/compat${whole}` : whole;
}

/** The example of a route as a line for a shell. */
export function exampleOf(route: ExampleRoute): string {
  const { method, path, security } = route;
  const name = `${method} ${path}`;
  const line = lines[name];
  if (line !== undefined) return line;
  const asked = asks[name] ?? "";
  const place = pathOf(route);
  if (security === "session") {
    const isBody = ["POST", "PUT"].includes(method);
    const body = asked === "" ? "{}" : asked;
    return `own ${method} "${place}${isBody ? "" : asked}"${isBody ? ` '${body}'` : ""}`;
  }
  if (security === "none") {
    const query = asked === "" || asked.startsWith("?") ? asked : `?${asked}`;
    return `curl -sS --fail-with-body "$V${place}${query}"`;
  }
  const words = security === "key" ? "keyed" : "signed";
  return `${words} ${method} ${place}${asked === "" ? "" : ` "${asked}"`}`;
}
