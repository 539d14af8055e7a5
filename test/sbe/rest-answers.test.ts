// Proves that every spot route under /compat answers in SBE what it answers in JSON: each answer is decoded by the
// published schema and compared, field by field, with the JSON answer of the same state.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { routesOf } from "../../src/adapters/gateway/routes.ts";
import { hasTemplate } from "../../src/adapters/gateway/sbe/answer-templates.ts";
import { Wallet } from "../../src/core/accounts.ts";
import type { Json } from "../support/client/json.ts";
import { differences } from "../support/sbe/same-as-json.ts";
import { FrontFixture, type TestKey } from "../surface/front-fixture.ts";
import { decoded, request, spotSchema } from "./sbe-client.ts";

let front: FrontFixture;
let maker: TestKey;
let taker: TestKey;
const symbol = "CC-USDC";
const limit = { symbol, type: "LIMIT", timeInForce: "GTC" };
/** Routes whose SBE answers this file has compared. */
const compared = new Set<string>();
/** Templates that answers had. */
const templates = new Set<string>();

type Parameters = Record<string, string | number | boolean>;

before(async () => {
  front = await FrontFixture.open();
  maker = await front.newTrader();
  taker = await front.newTrader();
  for (const { account } of [maker, taker]) front.venue.credit(account, Wallet.spot, 1, 10n ** 14n);
  const crossing = { quantity: "100", selfTradePreventionMode: "EXPIRE_BOTH" };
  for (const [key, order] of [
    [maker, { side: "SELL", price: "0.2", quantity: "3000" }],
    [taker, { side: "BUY", price: "0.2", quantity: "1000" }],
    [maker, { side: "BUY", price: "0.1", quantity: "700", icebergQty: "200" }],
    [maker, { side: "SELL", price: "0.19", ...crossing }],
    [maker, { side: "BUY", price: "0.19", ...crossing }],
  ] as const)
    await place(key, order);
});
after(() => front.close());

async function place(key: TestKey, parameters: Parameters): Promise<Json> {
  const answer = await front.send(
    "POST",
    "/compat/api/v3/order",
    { ...limit, ...parameters },
    { key },
  );
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

/** Gets an answer in both forms and compares them. */
async function same(path: string, parameters: Parameters = {}, key?: TestKey): Promise<Json> {
  const json = await front.send("GET", `/compat${path}`, parameters, key && { key });
  const reply = await request(front, "GET", path, { parameters, ...(key && { key }) });
  assert.equal(reply.status, json.status, json.text);
  assert.equal(reply.headers.get("content-type"), "application/sbe");
  check("GET", path, decoded(reply), json.json);
  return json.json;
}

function check(
  method: string,
  path: string,
  message: ReturnType<typeof decoded>,
  json: Json,
): void {
  templates.add(message.template);
  compared.add(`${method} ${path}`);
  assert.deepEqual(differences(spotSchema, message, json), [], `${method} ${path}`);
}

/** Sends a request in SBE; returns its message. */
async function sent(method: string, path: string, parameters: Parameters, key = maker) {
  front.advance(1000);
  const reply = await request(front, method, path, { parameters, key });
  const message = decoded(reply);
  templates.add(message.template);
  compared.add(`${method} ${path}`);
  return { status: reply.status, message };
}

test("SBE-1 SBE-6 public answers are the same as in JSON", async () => {
  for (const path of ["ping", "time", "exchangeInfo", "executionRules"])
    await same(`/api/v3/${path}`);
  await same("/api/v3/depth", { symbol });
  await same("/api/v3/depth", { symbol, limit: 1 });
  for (const path of ["trades", "historicalTrades", "aggTrades", "avgPrice"])
    await same(`/api/v3/${path}`, { symbol });
  await same("/api/v1/trades", { symbol });
  for (const path of ["klines", "uiKlines"])
    await same(`/api/v3/${path}`, { symbol, interval: "1m" });
  for (const type of ["FULL", "MINI"]) {
    for (const path of ["24hr", "tradingDay"]) {
      await same(`/api/v3/ticker/${path}`, { symbol, type });
      await same(`/api/v3/ticker/${path}`, { symbols: `["${symbol}"]`, type });
    }
    await same("/api/v3/ticker", { symbol, type });
    await same("/api/v3/ticker", { symbols: `["${symbol}"]`, type });
  }
  for (const path of ["price", "bookTicker"]) {
    await same(`/api/v3/ticker/${path}`, { symbol });
    await same(`/api/v3/ticker/${path}`);
  }
  for (const path of ["referencePrice", "referencePrice/calculation"])
    await same(`/api/v3/${path}`, { symbol });
});

test("SBE-6 answers about an account are the same as in JSON", async () => {
  await same("/api/v3/account", {}, maker);
  await same("/api/v3/account", { omitZeroBalances: true }, maker);
  await same("/api/v3/account/commission", { symbol }, maker);
  for (const path of ["openOrders", "allOrders", "myTrades", "myAllocations"])
    await same(`/api/v3/${path}`, { symbol }, maker);
  const orders = await same("/api/v3/allOrders", { symbol }, maker);
  for (const { orderId } of orders) {
    await same("/api/v3/order", { symbol, orderId }, maker);
    await same("/api/v3/myPreventedMatches", { symbol, orderId }, maker);
  }
  const counts = await request(front, "GET", "/api/v3/rateLimit/order", { key: maker });
  const rows = decoded(counts).values["rateLimits"] as { interval: string }[];
  compared.add("GET /api/v3/rateLimit/order");
  templates.add(decoded(counts).template);
  assert.deepEqual(
    rows.map(({ interval }) => interval),
    ["SECOND", "MINUTE"],
  );
});

/** The JSON of an order of `key`, with the fields of the answer to its placement. */
async function placedOrder(orderId: unknown, key: TestKey): Promise<Json> {
  const query = { symbol, orderId: String(orderId) };
  const order = (await front.send("GET", "/compat/api/v3/order", query, { key })).json;
  const trades = (await front.send("GET", "/compat/api/v3/myTrades", query, { key })).json;
  const fills = trades.map((trade: Json) => ({ ...trade, tradeId: trade.id }));
  return {
    ...{ ...order, transactTime: order.time, fills },
    // Shown only if the order has them.
    ...{ stopPrice: undefined, icebergQty: undefined },
  };
}

const sell = { ...limit, side: "SELL", price: "0.25", quantity: "300" };

test("SBE-7 an order that is placed answers in the form that was asked for", async () => {
  for (const newOrderRespType of ["ACK", "RESULT", "FULL"]) {
    const { message } = await sent("POST", "/api/v3/order", { ...sell, newOrderRespType });
    assert.equal(
      message.template.toUpperCase(),
      `NEWORDER${newOrderRespType}RESPONSE`,
      "the template",
    );
    check("POST", "/api/v3/order", message, await placedOrder(message.values["orderId"], maker));
  }
  const peg = { pegPriceType: "PRIMARY_PEG", side: "BUY", quantity: "500" };
  const pegged = await sent("POST", "/api/v3/order", { ...limit, ...peg });
  assert.equal(pegged.message.values["pegPriceType"], "PRIMARY_PEG");
  const stop = { ...limit, type: "STOP_LOSS_LIMIT", price: "", stopPrice: "0.90" };
  const offset = { pegOffsetType: "PRICE_LEVEL", pegOffsetValue: "2" };
  const { values } = (await sent("POST", "/api/v3/order", { ...stop, ...peg, ...offset })).message;
  assert.deepEqual(
    [values["pegOffsetType"], values["pegOffsetValue"], values["peggedPrice"]],
    ["PRICE_LEVEL", 2n, null],
  );
  const buy = { ...limit, side: "BUY", price: "0.25", quantity: "300" };
  const { message } = await sent("POST", "/api/v3/order", buy, taker);
  assert.equal(message.values["status"], "FILLED");
  const placed = await placedOrder(message.values["orderId"], taker);
  assert.ok(placed.fills.length > 0);
  check("POST", "/api/v3/order", message, placed);
});

test("SBE-6 amending and testing orders answer in SBE", async () => {
  const open = (await sent("POST", "/api/v3/order", { ...sell, newClientOrderId: "mine" })).message;
  const change = { symbol, origClientOrderId: "mine", newQty: "200" };
  const { values } = (await sent("PUT", "/api/v3/order/amend/keepPriority", change)).message;
  assert.deepEqual(
    [values["orderId"], values["qty"], values["origClientOrderId"], values["symbol"]],
    [open.values["orderId"], 200n * 10n ** 8n, "mine", symbol],
  );
  const orderId = String(open.values["orderId"]);
  const history = await same("/api/v3/order/amendments", { symbol, orderId }, maker);
  assert.equal(history.length, 1);
  const tested = await sent("POST", "/api/v3/order/test", sell);
  assert.equal(tested.message.template, "OrderTestResponse");
  const withRates = { ...sell, computeCommissionRates: true };
  const rates = await sent("POST", "/api/v3/order/test", withRates);
  assert.equal(rates.message.template, "OrderTestWithCommissionsResponse");
});

test("SBE-6 replacing and cancelling answer in SBE, also when they fail", async () => {
  const path = "/api/v3/order/cancelReplace";
  const terms = { ...sell, cancelOrigClientOrderId: "mine", newClientOrderId: "next" };
  const done = await sent("POST", path, { ...terms, cancelReplaceMode: "STOP_ON_FAILURE" });
  const { cancelResult, newOrderResult, cancelResponse } = done.message.values;
  assert.deepEqual([done.status, cancelResult, newOrderResult], [200, "SUCCESS", "SUCCESS"]);
  assert.equal((cancelResponse as { template: string }).template, "CancelOrderResponse");
  const half = { ...sell, cancelReplaceMode: "ALLOW_FAILURE", cancelOrigClientOrderId: "nobody" };
  const failed = await sent("POST", path, half);
  const { template, values } = failed.message;
  assert.deepEqual([failed.status, template, values["code"]], [409, "ErrorResponse", -2021n]);
  assert.equal((values["data"] as { template: string }).template, "CancelReplaceOrderResponse");
  const cancelled = (await sent("DELETE", "/api/v3/order", { symbol, origClientOrderId: "next" }))
    .message;
  assert.deepEqual(
    [cancelled.template, cancelled.values["status"], cancelled.values["origClientOrderId"]],
    ["CancelOrderResponse", "CANCELED", "next"],
  );
  const again = await sent("DELETE", "/api/v3/order", { symbol, origClientOrderId: "next" });
  const { code, msg } = again.message.values;
  assert.deepEqual([again.status, code, msg], [422, -2011n, "Unknown order sent."]);
});

test("SBE-6 order lists are the same as in JSON", async () => {
  const legs = {
    symbol,
    side: "SELL",
    quantity: "1000",
    aboveType: "LIMIT_MAKER",
    abovePrice: "0.4",
    belowType: "STOP_LOSS",
    belowStopPrice: "0.05",
  };
  for (const newOrderRespType of ["ACK", "RESULT", "FULL"]) {
    const { status, message } = await sent("POST", "/api/v3/orderList/oco", {
      ...legs,
      newOrderRespType,
    });
    assert.equal(status, 200, JSON.stringify(message.values["msg"]));
    const orderListId = String(message.values["orderListId"]);
    await same("/api/v3/orderList", { orderListId }, maker);
  }
  const old = { symbol, side: "SELL", quantity: "1000", price: "0.4", stopPrice: "0.05" };
  assert.equal((await sent("POST", "/api/v3/order/oco", old)).status, 200);
  const working = {
    symbol,
    workingType: "LIMIT",
    workingSide: "SELL",
    workingPrice: "0.45",
    workingQuantity: "1000",
    workingTimeInForce: "GTC",
  };
  const pending = {
    pendingType: "LIMIT",
    pendingSide: "BUY",
    pendingPrice: "0.06",
    pendingTimeInForce: "GTC",
  };
  const pair = {
    pendingSide: "BUY",
    pendingAboveType: "STOP_LOSS",
    pendingAboveStopPrice: "0.5",
    pendingBelowType: "LIMIT_MAKER",
    pendingBelowPrice: "0.06",
  };
  const bid = { workingSide: "BUY", workingPrice: "0.09" };
  const bracket = {
    pendingSide: "SELL",
    pendingAboveType: "LIMIT_MAKER",
    pendingAbovePrice: "0.5",
    pendingBelowType: "STOP_LOSS",
    pendingBelowStopPrice: "0.05",
  };
  for (const [path, more] of [
    ["oto", { ...pending, pendingQuantity: "2000" }],
    ["otoco", { ...pair, pendingQuantity: "2000" }],
    ["opo", { ...bid, ...pending, pendingSide: "SELL", pendingPrice: "0.5" }],
    ["opoco", { ...bid, ...bracket }],
  ] as const) {
    const { status, message } = await sent("POST", `/api/v3/orderList/${path}`, {
      ...working,
      ...more,
    });
    assert.equal(status, 200, `${path} ${JSON.stringify(message.values["msg"])}`);
  }
  const lists = await same("/api/v3/openOrderList", {}, maker);
  await same("/api/v3/allOrderList", {}, maker);
  const one = await sent("DELETE", "/api/v3/orderList", {
    symbol,
    orderListId: lists[0].orderListId,
  });
  assert.equal(one.message.template, "CancelOrderListResponse");
  const all = await sent("DELETE", "/api/v3/openOrders", { symbol });
  const responses = all.message.values["responses"] as unknown as {
    response: { template: string };
  }[];
  assert.deepEqual(
    new Set(responses.map(({ response }) => response.template)),
    new Set(["CancelOrderResponse", "CancelOrderListResponse"]),
  );
});

test("SBE-6 listen keys answer in SBE", async () => {
  const made = (await sent("POST", "/api/v3/userDataStream", {})).message;
  const listenKey = String(made.values["listenKey"]);
  assert.equal(listenKey.length, 64);
  for (const method of ["PUT", "DELETE"])
    assert.equal((await sent(method, "/api/v3/userDataStream", { listenKey })).status, 200);
});

test("SBE-5 every spot route has a template, or refuses SBE before it does anything", async () => {
  const spot = routesOf(true).filter(({ path }) => path.startsWith("/api/"));
  const without: string[] = [];
  for (const { method, path } of spot) {
    if (hasTemplate(`${method} ${path}`)) {
      assert.ok(compared.has(`${method} ${path}`), `${method} ${path} is compared with JSON`);
      continue;
    }
    without.push(`${method} ${path}`);
    const reply = await request(front, method, path, { key: maker });
    const { template, values } = decoded(reply);
    assert.deepEqual([reply.status, template, values["code"]], [406, "ErrorResponse", -1155n]);
  }
  assert.ok(
    without.every((name) => /mmp|massQuote|massCancel|sub|quote|depth\/orders/i.test(name)),
    `${without}`,
  );
});
