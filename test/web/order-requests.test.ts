// Proves what the page sends for each kind of order, and the user's own limits on orders.

import assert from "node:assert/strict";
import { test } from "node:test";
import { type Market, marketOf } from "../../web/src/markets/market.ts";
import { acceptGuards, guardFault, noGuards } from "../../web/src/markets/order-guards.ts";
import {
  boundedPrice,
  orderRequest,
  rungsOf,
  splitQuantity,
} from "../../web/src/markets/order-requests.ts";
import {
  blankTicket,
  type Means,
  type Ticket,
  turnedTo,
} from "../../web/src/markets/order-ticket.ts";
import { pegFault, pegPrice } from "../../web/src/markets/ticket/pegs.ts";
import { summaryOf } from "../../web/src/views/trade/order-summary.ts";

function marketOn(isPerpetual: boolean): Market {
  const filters = [
    { filterType: "PRICE_FILTER", tickSize: "0.05" },
    { filterType: "LOT_SIZE", stepSize: "0.001" },
  ];
  const names = isPerpetual
    ? { symbol: "BTCUSDT", baseAsset: "BTC", quoteAsset: "USDT" }
    : { symbol: "CC-USDC", baseAsset: "CC", quoteAsset: "USDC" };
  return marketOf({ ...names, status: "TRADING", filters }, isPerpetual);
}

const [perpetual, spot] = [marketOn(true), marketOn(false)];
const means: Means = {
  free: "1000",
  positionQuantity: "1",
  best: "101",
  reach: null,
  leverage: 10,
};
const ticket: Ticket = { ...blankTicket, price: "100", trigger: "110", quantity: "0.5" };

function sent(part: Partial<Ticket>, market = perpetual, bound: string | null = null) {
  return orderRequest({ ...ticket, ...part }, market, means, bound);
}

test("WEB-32 plain orders go to the native route, and take profit and stop loss go with them", () => {
  const limit = { symbol: "BTC-PERP", side: "BUY", qty: "0.5", type: "LIMIT", price: "100" };
  assert.deepEqual(sent({ takeProfit: "120", stopLoss: "90", lifetime: "GTX" }), {
    route: "native",
    body: { ...limit, time_in_force: "GTX", take_profit: "120", stop_loss: "90" },
  });
  assert.deepEqual(sent({ kind: "MARKET", isReduceOnly: true, takeProfit: "120" }), {
    route: "native",
    body: { symbol: "BTC-PERP", side: "BUY", qty: "0.5", type: "MARKET", reduce_only: true },
  });
});

test("WEB-32 conditional orders of perpetuals and orders with a date go to the Binance-style routes", () => {
  const terms = { symbol: "BTCUSDT", side: "BUY", quantity: "0.5" };
  const marked = { workingType: "MARK_PRICE" };
  const goodTill = "2030-01-02T03:04";
  assert.deepEqual(sent({ lifetime: "GTD", goodTill }), {
    route: "perpetual",
    parameters: {
      ...{ ...terms, type: "LIMIT", price: "100", timeInForce: "GTD" },
      goodTillDate: String(Date.parse(goodTill)),
    },
  });
  assert.deepEqual(sent({ kind: "STOP_LIMIT", lifetime: "IOC", isReduceOnly: true }), {
    route: "conditional",
    parameters: {
      ...{ ...terms, ...marked, type: "STOP", price: "100", timeInForce: "IOC" },
      ...{ triggerPrice: "110", reduceOnly: "true" },
    },
  });
  assert.deepEqual(sent({ kind: "TAKE_PROFIT_MARKET", triggeredBy: "CONTRACT_PRICE" }), {
    route: "conditional",
    parameters: {
      ...{ ...terms, type: "TAKE_PROFIT_MARKET", triggerPrice: "110" },
      workingType: "CONTRACT_PRICE",
    },
  });
  const trailing = { ...terms, ...marked, type: "TRAILING_STOP_MARKET", callbackRate: "1" };
  assert.deepEqual(sent({ kind: "TRAILING", trigger: "" }), {
    route: "conditional",
    parameters: trailing,
  });
  assert.deepEqual(sent({ kind: "TRAILING" }), {
    route: "conditional",
    parameters: { ...trailing, activatePrice: "110" },
  });
});

test("WEB-32 spot orders use amounts of money, lists and the names of spot", () => {
  const terms = { symbol: "CC-USDC", side: "BUY" };
  assert.deepEqual(sent({ kind: "MARKET", unit: "quote", quantity: "25" }, spot), {
    route: "spot",
    parameters: { ...terms, type: "MARKET", quoteOrderQty: "25" },
  });
  assert.deepEqual(sent({ kind: "STOP_LIMIT" }, spot), {
    route: "spot",
    parameters: {
      ...{ ...terms, quantity: "0.5", type: "STOP_LOSS_LIMIT", price: "100", timeInForce: "GTC" },
      ...{ stopPrice: "110", newOrderRespType: "RESULT" },
    },
  });
  assert.deepEqual(sent({ kind: "OCO", side: "SELL", price: "120", trigger: "90" }, spot), {
    route: "oco",
    parameters: {
      ...{ symbol: "CC-USDC", side: "SELL", quantity: "0.5" },
      ...{ aboveType: "LIMIT_MAKER", abovePrice: "120" },
      ...{ belowType: "STOP_LOSS", belowStopPrice: "90" },
    },
  });
  assert.deepEqual(sent({ kind: "OCO", price: "90", trigger: "110", stopPrice: "111" }, spot), {
    route: "oco",
    parameters: {
      ...{ symbol: "CC-USDC", side: "BUY", quantity: "0.5" },
      ...{ belowType: "LIMIT_MAKER", belowPrice: "90" },
      ...{ aboveType: "STOP_LOSS_LIMIT", aboveStopPrice: "110" },
      ...{ abovePrice: "111", aboveTimeInForce: "GTC" },
    },
  });
  const iceberg = { symbol: "CC-USDC", side: "BUY", quantity: "0.5", newOrderRespType: "RESULT" };
  assert.deepEqual(sent({ visible: "0.1", lifetime: "GTX" }, spot), {
    route: "spot",
    parameters: { ...iceberg, type: "LIMIT_MAKER", price: "100", icebergQty: "0.1" },
  });
  const working = {
    ...{ symbol: "CC-USDC", workingType: "LIMIT", workingSide: "BUY", workingPrice: "100" },
    ...{ workingQuantity: "0.5", workingTimeInForce: "GTC", pendingSide: "SELL" },
  };
  assert.deepEqual(sent({ takeProfit: "120", stopLoss: "90" }, spot), {
    route: "opoco",
    parameters: {
      ...working,
      ...{ pendingAboveType: "TAKE_PROFIT", pendingAboveStopPrice: "120" },
      ...{ pendingBelowType: "STOP_LOSS", pendingBelowStopPrice: "90" },
    },
  });
  assert.deepEqual(sent({ stopLoss: "90" }, spot), {
    route: "opo",
    parameters: { ...working, pendingType: "STOP_LOSS", pendingStopPrice: "90" },
  });
});

test("WEB-36 a market order with a bound is a limit order that trades at once, rounded towards the best price", () => {
  // 101 × 1.003 = 101.303 and 101 × 0.997 = 100.697, in ticks of 0.05.
  assert.equal(boundedPrice("BUY", "101", "0.3", perpetual), "101.30");
  assert.equal(boundedPrice("SELL", "101", "0.3", perpetual), "100.70");
  assert.equal(boundedPrice("BUY", undefined, "0.3", perpetual), null);
  assert.deepEqual(sent({ kind: "MARKET" }, perpetual, "101.30"), {
    route: "native",
    body: {
      ...{ symbol: "BTC-PERP", side: "BUY", qty: "0.5", type: "LIMIT" },
      ...{ price: "101.30", time_in_force: "IOC" },
    },
  });
});

test("WEB-36 the user's own limits forbid orders above a value or too far from the mark", () => {
  const guards = { ...noGuards, valueMax: "5000", distanceMax: "2" };
  const fault = (value: string, price: string, reference: string | undefined = "100") =>
    guardFault({ value, prices: [price], reference }, guards, perpetual);
  assert.equal(fault("5000", "102"), null);
  assert.equal(fault("5000", "98"), null);
  assert.equal(
    fault("5000.01", "102"),
    "Your own limit: an order of at most 5,000 USDT. This one is 5,000.01 USDT.",
  );
  assert.equal(fault("1", "102.05"), "Your own limit: a price at most 2 % from 100.00.");
  assert.equal(fault("1", "97.95"), "Your own limit: a price at most 2 % from 100.00.");
  const scale = { value: "1", prices: ["100", "110"], reference: "100" };
  assert.match(guardFault(scale, guards, perpetual) ?? "", /at most 2 % from 100/);
  const free = { value: "9000000000", prices: ["1"], reference: "100" };
  assert.equal(guardFault(free, noGuards, perpetual), null);
});

test("WEB-36 a limit of the user's own that cannot be checked forbids the order", () => {
  const guards = { ...noGuards, valueMax: "5000", distanceMax: "2" };
  const unmarked = { value: "1", prices: ["100"], reference: undefined };
  assert.match(guardFault(unmarked, guards, perpetual) ?? "", /BTC-PERP has no mark price/);
  assert.match(guardFault(unmarked, guards, spot) ?? "", /CC-USDC has no last price/);
  assert.match(guardFault({ ...unmarked, reference: "0.00" }, guards, spot) ?? "", /no last price/);
  assert.equal(guardFault({ ...unmarked, prices: [] }, guards, perpetual), null);
  assert.equal(guardFault(unmarked, noGuards, perpetual), null);
  const unvalued = { value: undefined, prices: [], reference: undefined };
  assert.match(guardFault(unvalued, guards, perpetual) ?? "", /value of this order is unknown/);
  assert.equal(guardFault(unvalued, noGuards, perpetual), null);
});

test("WEB-36 of stored limits the valid ones are used", () => {
  const guards = { confirms: true, valueMax: "5000", distanceMax: "2", slippageMax: "0.5" };
  assert.deepEqual(acceptGuards(guards), guards);
  assert.deepEqual(acceptGuards({ confirms: "yes", distanceMax: "101", slippageMax: 1 }), noGuards);
  assert.deepEqual(acceptGuards({ ...guards, valueMax: "-1" }), { ...guards, valueMax: "" });
  assert.equal(acceptGuards(null), undefined);
  assert.equal(acceptGuards("5000"), undefined);
});

test("WEB-36 a confirmation lists what is sent", () => {
  const guarded = { ...ticket, takeProfit: "120", stopLoss: "90" };
  const lines = (part: Partial<Ticket>) => summaryOf({ ...guarded, ...part }, perpetual, null, "");
  const [first, value] = ["Buy 0.5 BTC on BTC-PERP", "Order value – USDT"];
  assert.deepEqual(lines({}), [
    ...[first, "Limit at 100.00", value],
    ...["Take profit 120.00", "Stop loss 90.00"],
  ]);
  assert.deepEqual(lines({ lifetime: "GTD" }), [first, "Limit at 100.00", value]);
  const stop = [first, "Stop market, trigger 110.00", value, "Reduce only"];
  assert.deepEqual(lines({ kind: "STOP_MARKET", isReduceOnly: true }), stop);
  const scale = [first, "Scale at 100.00", "5 orders, the last at 104.00", value];
  assert.deepEqual(lines({ kind: "SCALE", lastPrice: "104" }), scale);
  assert.deepEqual(lines({ kind: "TWAP" }), [first, "TWAP", "5 orders in 30 minutes", value]);
});

test("WEB-37 a scale spreads whole steps and ticks evenly from the first to the last price", () => {
  const scale = { ...ticket, kind: "SCALE", quantity: "1.001", parts: "4" } as const;
  assert.deepEqual(rungsOf({ ...scale, lastPrice: "101" }, perpetual, means), [
    { price: "100.00", quantity: "0.251" },
    { price: "100.30", quantity: "0.250" },
    { price: "100.65", quantity: "0.250" },
    { price: "101.00", quantity: "0.250" },
  ]);
  const down = rungsOf({ ...scale, lastPrice: "99" }, perpetual, means);
  assert.deepEqual(
    down.map(({ price }) => price),
    ["100.00", "99.65", "99.30", "99.00"],
  );
  assert.deepEqual(splitQuantity("0.002", 5, "0.001"), ["0.001", "0.001"]);
});

test("WEB-91 a pegged order names its level, its worst price and how long it stays", () => {
  const pegged = { kind: "PEGGED", price: "" } as const;
  const terms = { symbol: "CC-USDC", side: "BUY", quantity: "0.5", newOrderRespType: "RESULT" };
  assert.deepEqual(sent(pegged, spot), {
    route: "spot",
    parameters: { ...terms, type: "LIMIT", pegPriceType: "PRIMARY_PEG", timeInForce: "GTC" },
  });
  const offset = { pegOffsetType: "PRICE_LEVEL", pegOffsetValue: "3" };
  assert.deepEqual(sent({ ...pegged, pegLevels: "3", lifetime: "GTX", price: "99" }, spot), {
    route: "spot",
    parameters: {
      ...{ ...terms, ...offset, type: "LIMIT_MAKER", pegPriceType: "PRIMARY_PEG", price: "99" },
    },
  });
  const other = { ...pegged, peg: "MARKET_PEG", lifetime: "IOC" } as const;
  assert.deepEqual(sent(other, spot), {
    route: "spot",
    parameters: { ...terms, type: "LIMIT", pegPriceType: "MARKET_PEG", timeInForce: "IOC" },
  });
});

test("WEB-91 the price of a pegged order is that of its level, and never worse than its own", () => {
  const levels = {
    bids: [{ price: "99" }, { price: "98" }],
    asks: [{ price: "101" }, { price: "102" }],
  };
  const found = (part: Partial<Ticket>) => pegPrice({ ...blankTicket, ...part }, levels);
  assert.equal(found({}), "99");
  assert.equal(found({ pegLevels: "1" }), "98");
  assert.equal(found({ pegLevels: "2" }), undefined);
  assert.equal(found({ side: "SELL" }), "101");
  assert.equal(found({ peg: "MARKET_PEG" }), "101");
  assert.equal(found({ peg: "MARKET_PEG", price: "100" }), "100");
  assert.equal(found({ peg: "MARKET_PEG", price: "103" }), "101");
  assert.equal(found({ peg: "MARKET_PEG", side: "SELL", price: "100" }), "100");
});

test("WEB-91 pegs that the venue refuses are named before they are sent", () => {
  const fault = (part: Partial<Ticket>, found: string | undefined = "99") =>
    pegFault({ ...blankTicket, ...part }, found) ?? "";
  assert.equal(fault({}), "");
  assert.equal(fault({ lifetime: "GTX" }), "");
  assert.match(fault({ lifetime: "FOK" }), /^The best price of your side does not trade at once/);
  assert.match(fault({ peg: "MARKET_PEG", lifetime: "GTX" }), /cannot be post-only$/);
  assert.equal(fault({ peg: "MARKET_PEG", lifetime: "IOC" }), "");
  for (const levels of ["101", "1.5", "-1"]) assert.match(fault({ pegLevels: levels }), /^Levels/);
  assert.match(pegFault({ ...blankTicket, pegLevels: "7" }, undefined) ?? "", /has no such level/);
});

test("WEB-91 the worst price of a pegged order never becomes a limit price, nor the other way round", () => {
  const limit = { ...ticket, kind: "LIMIT" } as const;
  assert.equal(turnedTo("PEGGED", limit, spot).price, "");
  assert.equal(turnedTo("LIMIT", { ...limit, kind: "PEGGED" }, spot).price, "");
  assert.equal("price" in turnedTo("STOP_LIMIT", limit, spot), false);
});
