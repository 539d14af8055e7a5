// Proves what the page says about a position: its take profit and stop loss, what closing it is expected to do, what it
// has realised, and its lines on the chart.

import assert from "node:assert/strict";
import { test } from "node:test";
import { chartLines } from "../../web/src/markets/chart-lines.ts";
import { marketOf } from "../../web/src/markets/market.ts";
import { closingEstimate } from "../../web/src/markets/positions/closing-estimate.ts";
import { profitAt, triggerFault } from "../../web/src/markets/positions/guard-terms.ts";
import { guardAmong } from "../../web/src/markets/positions/guards.ts";
import {
  fundingSince,
  realisedSinceOpening,
} from "../../web/src/markets/positions/realised-profit.ts";

test("WEB-78 only an order of the closing side is a position's take profit or stop loss", () => {
  const order = { symbol: "ETH-PERP", side: "SELL", type: "STOP_MARKET", closes: "1" } as const;
  const guard = (side: "LONG" | "SHORT", one: typeof order | { readonly closes: undefined }) =>
    guardAmong(
      [{ ...order, ...one }],
      { symbol: "ETH-PERP", side },
      "STOP_MARKET",
      (o) => o.closes,
    );
  assert.notEqual(guard("LONG", order), undefined);
  assert.equal(guard("SHORT", order), undefined);
  assert.equal(guard("LONG", { closes: undefined }), undefined);
});

test("WEB-100 of several stops or take profits of a position, the row shows the first that the price meets", () => {
  const first = (side: "LONG" | "SHORT", type: "STOP_MARKET" | "TAKE_PROFIT_MARKET") => {
    const closing = side === "LONG" ? "SELL" : "BUY";
    const orders = ["2830", "2890.5", "999"].map((trigger) => {
      return { symbol: "ETH-PERP", side: closing, type, trigger } as const;
    });
    return guardAmong(orders, { symbol: "ETH-PERP", side }, type, (one) => one.trigger)?.trigger;
  };
  assert.equal(first("LONG", "STOP_MARKET"), "2890.5");
  assert.equal(first("SHORT", "STOP_MARKET"), "999");
  assert.equal(first("LONG", "TAKE_PROFIT_MARKET"), "999");
  assert.equal(first("SHORT", "TAKE_PROFIT_MARKET"), "2890.5");
});

test("WEB-33 a trigger that the mark has reached is named before it is sent, and what a trigger would bring", () => {
  const market = { tick: "0.1", priceMax: "1000000", pricePlaces: 1 };
  const held = { qty: "0.5", entry_price: "60000", mark_price: "60500" };
  const [long, short] = [
    { ...held, side: "LONG" },
    { ...held, side: "SHORT" },
  ] as const;
  const [takeProfit, stopLoss] = ["TAKE_PROFIT_MARKET", "STOP_MARKET"] as const;
  assert.equal(triggerFault(long, market, takeProfit, "60500.1"), null);
  const above = "above 60,500.0, the mark price, or it would trigger at once";
  assert.equal(triggerFault(long, market, takeProfit, "60500"), `Take profit: ${above}`);
  assert.equal(triggerFault(long, market, stopLoss, "60499.9"), null);
  const below = "below 60,500.0, the mark price, or it would trigger at once";
  assert.equal(triggerFault(long, market, stopLoss, "61000"), `Stop loss: ${below}`);
  assert.equal(triggerFault(short, market, stopLoss, "61000"), null);
  assert.equal(triggerFault(short, market, takeProfit, "61000"), `Take profit: ${below}`);
  assert.match(triggerFault(long, market, takeProfit, "61000.05") ?? "", /^Take profit: /);
  assert.equal(triggerFault(long, market, takeProfit, ""), null);
  assert.equal(triggerFault({ ...long, mark_price: null }, market, takeProfit, "1"), null);
  assert.equal(profitAt(long, "65000"), "2500.000000");
  assert.equal(profitAt(short, "65000"), "-2500.000000");
  assert.equal(profitAt(long, ""), null);
});

test("WEB-80 closing is estimated from the book: average price, profit and fee, and what the book has", () => {
  const levels = [
    { price: "100.0", quantity: "1" },
    { price: "99.0", quantity: "2" },
  ];
  const reach = { levels, percent: "5", isOwn: false };
  const terms = { quantity: "2", limit: null, reach, feeRate: "0.0005", pricePlaces: 2 };
  const long = { side: "LONG", entry_price: "90" } as const;
  assert.deepEqual(closingEstimate(long, terms), {
    ...{ price: "99.50", profit: "19.000000", fee: "0.099500", quantity: "2", isWhole: true },
  });
  const short = closingEstimate({ side: "SHORT", entry_price: "90" }, terms);
  assert.equal(short?.profit, "-19.000000");
  const beyond = closingEstimate(long, { ...terms, quantity: "4" });
  assert.deepEqual([beyond?.quantity, beyond?.isWhole, beyond?.price], ["3", false, "99.33"]);
  const limited = closingEstimate(long, { ...terms, quantity: "4", limit: "110" });
  assert.deepEqual(
    [limited?.price, limited?.profit, limited?.isWhole],
    ["110.00", "80.000000", true],
  );
  const within = closingEstimate(long, { ...terms, reach: { ...reach, percent: "0.5" } });
  assert.deepEqual([within?.quantity, within?.isWhole], ["1", false], "the user's own limit");
  assert.equal(closingEstimate(long, { ...terms, reach: { ...reach, levels: [] } }), null);
  assert.equal(closingEstimate(long, { ...terms, quantity: "" }), null);
  assert.equal(closingEstimate(long, { ...terms, limit: "" }), null);
});

test("WEB-81 a position has realised what its own trades did, not those of an earlier position", () => {
  const time = "2026-11-28T12:00:00.000Z";
  const trade = (side: "BUY" | "SELL", qty: string, profit = "0") => ({
    ...{ side, qty, realized_pnl: profit, time },
  });
  const since = (profit: string) => ({ profit, openedAt: time });
  const held = { side: "LONG", qty: "0.5" } as const;
  const earlier = [trade("SELL", "1", "-34.26"), trade("BUY", "1")];
  const reduced = [trade("SELL", "0.5", "7.5"), trade("BUY", "1")];
  assert.deepEqual(
    realisedSinceOpening(held, [trade("BUY", "0.5"), ...earlier]),
    since("0.000000"),
  );
  assert.deepEqual(realisedSinceOpening(held, [...reduced, ...earlier]), since("7.500000"));
  const turned = [trade("SELL", "0.2", "1"), trade("BUY", "1.7", "-3"), trade("SELL", "1")];
  assert.deepEqual(realisedSinceOpening(held, turned), since("1.000000"));
  const short = [trade("BUY", "0.1", "2"), trade("SELL", "0.6")];
  assert.deepEqual(realisedSinceOpening({ side: "SHORT", qty: "0.5" }, short), since("2.000000"));
});

test("WEB-81 what a position has realised is unknown if the trades do not explain the position", () => {
  const held = { side: "LONG", qty: "0.5" } as const;
  const trade = { side: "SELL", qty: "0.5", realized_pnl: "7.5", time: "" } as const;
  assert.equal(realisedSinceOpening(held, [trade]), null, "the opening is not among them");
  const opening = { side: "BUY", qty: "1", realized_pnl: "0", time: "" } as const;
  assert.equal(realisedSinceOpening(held, [opening]), null, "half of it went without a trade");
});

test("WEB-81 the funding of a position is that since it was opened, and unknown beyond what was read", () => {
  const held = { side: "LONG", qty: "0.5" } as const;
  const at = (hour: string) => `2026-11-28T${hour}:00:00.000Z`;
  const payment = (hour: string, amount: string, symbol = "BTC-PERP") => ({
    ...{ symbol, rate: "0.0001", amount, time: at(hour) },
  });
  const trades = [
    { side: "BUY", qty: "0.5", realized_pnl: "0", time: at("12") },
    { side: "SELL", qty: "1", realized_pnl: "4", time: at("11") },
  ] as const;
  assert.equal(realisedSinceOpening(held, trades)?.openedAt, at("12"));
  const payments = [payment("16", "-1.5"), payment("16", "9", "ETH-PERP"), payment("08", "2.39")];
  assert.equal(fundingSince("BTC-PERP", at("12"), payments, 1_000), "-1.500000");
  assert.equal(fundingSince("BTC-PERP", at("17"), payments, 1_000), "0.000000");
  assert.equal(fundingSince("BTC-PERP", at("12"), payments, 3), "-1.500000");
  assert.equal(fundingSince("BTC-PERP", at("08"), payments, 3), null, "older ones may be missing");
});

test("WEB-83 a take profit is drawn as a gain and a stop as a loss, and both are moved", () => {
  const listing = { symbol: "BTCUSDT", status: "TRADING", baseAsset: "BTC", quoteAsset: "USDT" };
  const btc = marketOf({ ...listing, filters: [] }, true);
  const order = {
    symbol: "BTC-PERP",
    side: "SELL",
    price: null,
    qty: "0",
    filled_qty: "0",
  } as const;
  const orders = [
    { ...order, order_id: "1", type: "TAKE_PROFIT_MARKET", take_profit: "60000" },
    { ...order, order_id: "2", type: "STOP_MARKET", stop_loss: "40000" },
    { ...order, order_id: "3", type: "STOP", price: "39000", stop_loss: "40000", qty: "1" },
  ];
  const lines = chartLines(btc, orders, [], () => true);
  assert.deepEqual(
    lines.map(({ label, colour, orderId }) => [label, colour, orderId]),
    [
      ["Take profit position", "gain", "1"],
      ["Stop position", "loss", "2"],
      ["Sell stop 1.000", "loss", undefined],
      ["Sell limit 1.000", "loss", "3"],
    ],
  );
  const entry = { side: "LONG", qty: "0.5", entry_price: "50000" } as const;
  const held = { ...entry, symbol: "BTC-PERP", liquidation_price: null, unrealized_pnl: "0" };
  const closing = chartLines(btc, orders, [held], () => true).map(({ closes }) => closes);
  assert.deepEqual(
    closing,
    [undefined, held, held, undefined, undefined],
    "their profit at a price is known",
  );
});
