// Proves which markets the list shows, and the account's lines on the chart.

import assert from "node:assert/strict";
import { test } from "node:test";
import { chartLines } from "../../web/src/markets/chart-lines.ts";
import { marketOf } from "../../web/src/markets/market.ts";
import { foundMarkets, type MarketSearch } from "../../web/src/markets/market-search.ts";

function listing(symbol: string, baseAsset: string, status = "TRADING") {
  const filters = [
    { filterType: "PRICE_FILTER", tickSize: "0.01" },
    { filterType: "LOT_SIZE", stepSize: "0.001" },
  ];
  return { symbol, status, baseAsset, quoteAsset: "USDT", filters };
}

const markets = [
  marketOf(listing("BTCUSDT", "BTC"), true),
  marketOf(listing("ETHUSDT", "ETH"), true),
  marketOf(listing("CC-USDC", "CC"), false),
  marketOf(listing("OLD-USDC", "OLD", "BREAK"), false),
];

function found(search: Partial<MarketSearch>): string[] {
  const all = { text: "", kind: "All", favourites: [], current: "BTC-PERP" } as const;
  return foundMarkets(markets, { ...all, ...search }).map(({ symbol }) => symbol);
}

test("WEB-45 a search finds symbols and aliases in any case, with or without separators", () => {
  assert.deepEqual(found({}), ["BTC-PERP", "ETH-PERP", "CC-USDC"]);
  assert.deepEqual(found({ text: "perp" }), ["BTC-PERP", "ETH-PERP"]);
  assert.deepEqual(found({ text: "btcusdt" }), ["BTC-PERP"]);
  assert.deepEqual(found({ text: "cc/usdc " }), ["CC-USDC"]);
  assert.deepEqual(found({ text: "doge" }), []);
});

test("WEB-45 favourites come first, kinds are apart, and a delisted market is listed only while it is open", () => {
  assert.deepEqual(found({ favourites: ["CC-USDC"] }), ["CC-USDC", "BTC-PERP", "ETH-PERP"]);
  assert.deepEqual(found({ kind: "Favourites", favourites: ["ETH-PERP"] }), ["ETH-PERP"]);
  assert.deepEqual(found({ kind: "Spot" }), ["CC-USDC"]);
  assert.deepEqual(found({ kind: "Perpetuals" }), ["BTC-PERP", "ETH-PERP"]);
  assert.deepEqual(found({ kind: "Spot", current: "OLD-USDC" }), ["CC-USDC", "OLD-USDC"]);
});

test("WEB-70 of the markets that a search finds, those whose symbol begins with its text come first", () => {
  const spotLast = [
    marketOf(listing("CCUSDT", "CC"), true),
    marketOf(listing("WCC-USDC", "WCC"), false),
    marketOf(listing("CC-USDC", "CC"), false),
  ];
  const symbols = (text: string, favourites: readonly string[] = []) =>
    foundMarkets(spotLast, { text, kind: "All", favourites, current: "" }).map(
      ({ symbol }) => symbol,
    );
  assert.deepEqual(symbols("cc-u"), ["CC-USDC", "CC-PERP", "WCC-USDC"]);
  assert.deepEqual(symbols("cc-p"), ["CC-PERP"]);
  assert.deepEqual(symbols("cc-u", ["WCC-USDC"]), ["CC-USDC", "CC-PERP", "WCC-USDC"]);
  assert.deepEqual(symbols("", ["CC-USDC"]), ["CC-USDC", "CC-PERP", "WCC-USDC"]);
});

test("WEB-41 the chart shows position, liquidation price and orders of its market; only orders that can be amended can be moved", () => {
  const [btc] = markets;
  assert.ok(btc !== undefined);
  const order = {
    order_id: "1",
    symbol: "BTC-PERP",
    side: "BUY",
    type: "LIMIT",
    price: "49000.00",
    qty: "0.050",
    filled_qty: "0",
  } as const;
  const stop = { type: "STOP_MARKET", side: "SELL", price: null, stop_loss: "45000.00", qty: "0" };
  const orders = [
    order,
    { ...order, order_id: "2", symbol: "ETH-PERP" },
    { ...order, ...stop, order_id: "3", side: "SELL" as const },
    { ...order, order_id: "4", type: "MARKET", price: null },
    { ...order, order_id: "5", price: "48000.00", filled_qty: "0.020" },
  ];
  const position = {
    symbol: "BTC-PERP",
    side: "LONG",
    qty: "0.200",
    entry_price: "50000.00",
    liquidation_price: "44000.00",
    unrealized_pnl: "12.5",
  } as const;
  const lines = chartLines(btc, orders, [position], ({ order_id: id }) => id !== "5");
  const shown = lines.map(({ label, price, orderId }) => [label, price, orderId]);
  assert.deepEqual(shown, [
    ["Long 0.200  +12.50", "50000.00", undefined],
    ["Liquidation", "44000.00", undefined],
    ["Buy 0.050", "49000.00", "1"],
    ["Stop position", "45000.00", "3"],
    ["Buy 0.030", "48000.00", undefined],
  ]);
  const unlimited = chartLines(btc, [], [{ ...position, liquidation_price: null }], () => true);
  assert.deepEqual(
    unlimited.map(({ id }) => id),
    ["position"],
  );
});

test("WEB-120 a stop loss on spot that waits for a buy sells what is bought, and closes no position", () => {
  const names = { symbol: "CC-USDC", status: "TRADING", baseAsset: "CC", quoteAsset: "USDC" };
  const spot = marketOf({ ...names, filters: [] }, false);
  const none = { price: null, qty: "0", filled_qty: "0" } as const;
  const order = { symbol: "CC-USDC", side: "SELL", ...none } as const;
  const stop = { ...order, order_id: "1", type: "STOP_MARKET", stop_loss: "0.12" };
  const profit = { ...order, order_id: "2", type: "TAKE_PROFIT_MARKET", take_profit: "0.2" };
  const labels = chartLines(spot, [stop, profit], [], () => true).map(({ label }) => label);
  assert.deepEqual(labels, ["Sell stop loss as bought", "Sell take profit as bought"]);
});

test("WEB-71 limit orders of a side at one price share a line with their sum, which no drag moves", () => {
  const [btc] = markets;
  assert.ok(btc !== undefined);
  const buy = { symbol: "BTC-PERP", side: "BUY", type: "LIMIT", price: "49000.00" } as const;
  const order = { ...buy, filled_qty: "0" };
  const stop = { ...order, type: "STOP_MARKET", price: null, stop_loss: "49000.00" };
  const orders = [
    { ...order, order_id: "1", qty: "1000.100" },
    { ...order, order_id: "2", qty: "0.020" },
    { ...order, order_id: "3", qty: "5.000", side: "SELL" as const },
    { ...stop, order_id: "4", qty: "5.000" },
    { ...order, order_id: "5", qty: "9.000", price: "49000.01" },
    { ...order, order_id: "6", qty: "0.003" },
  ];
  const lines = chartLines(btc, orders, [], () => true);
  assert.deepEqual(
    lines.map(({ label, orderId }) => [label, orderId]),
    [
      ["Buy 1,000.123 (3 orders)", undefined],
      ["Sell 5.000", "3"],
      ["Buy stop 5.000", "4"],
      ["Buy 9.000", "5"],
    ],
  );
});
