// Proves the order ticket's arithmetic, checks and messages, for markets with coarse steps and for markets with steps
// finer than the smallest amount of money.

import assert from "node:assert/strict";
import { test } from "node:test";
import { nativeErrors } from "../../src/adapters/gateway/native/error-map.ts";
import { RejectReason } from "../../src/core/reject-reason.ts";
import { type Market, marketOf } from "../../web/src/markets/market.ts";
import {
  estimateOf,
  leverageIn,
  limitHint,
  orderBody,
  shareOf,
  type Ticket,
  ticketFault,
} from "../../web/src/markets/order-ticket.ts";

function marketIn(tickSize: string, stepSize: string, isPerpetual = false): Market {
  const filters = [
    { filterType: "PRICE_FILTER", tickSize },
    { filterType: "LOT_SIZE", stepSize },
  ];
  const listing = { symbol: "AAABBB", status: "TRADING", baseAsset: "AAA", quoteAsset: "BBB" };
  const margins = { requiredMarginPercent: "10", maintMarginPercent: "0.5000" };
  return marketOf({ ...listing, ...margins, filters }, isPerpetual);
}

const ticket: Ticket = {
  side: "BUY",
  type: "LIMIT",
  price: "7",
  quantity: "",
  leverage: 5,
  setsLeverage: false,
  timeInForce: "GTC",
  isReduceOnly: false,
  takeProfit: "",
  stopLoss: "",
};

/**
 * Returns the quantity for `percent` of a free balance of 100.12345678 or, for a reduce-only order, of a position of
 * 3.33333333. Quantities are multiples of `step`.
 */
function share(step: string, part: Partial<Ticket>, percent: number, isPerpetual = false) {
  const means = { free: "100.12345678", positionQuantity: "3.33333333", best: "7" };
  const market = marketIn("0.01", step, isPerpetual);
  const quantity = shareOf({ ...ticket, ...part }, market, percent, means);
  if (quantity !== null) assert.equal(ticketFault({ ...ticket, quantity }, market), null);
  return quantity;
}

const steps = ["1", "0.1", "0.001", "0.0000001"];

test("WEB-19 a part of the available balance is rounded down to steps of any size", () => {
  const told = (part: Partial<Ticket>, percent: number, isPerpetual = false) =>
    steps.map((step) => share(step, part, percent, isPerpetual));
  // 100.12345678 / 7 = 14.303350968…
  assert.deepEqual(told({}, 100), ["14", "14.3", "14.303", "14.3033509"]);
  assert.deepEqual(told({ type: "MARKET", price: "" }, 25), ["3", "3.5", "3.575", "3.5758377"]);
  assert.deepEqual(told({ side: "SELL" }, 100), ["100", "100.1", "100.123", "100.1234567"]);
  assert.deepEqual(told({ side: "SELL" }, 75), ["75", "75.0", "75.092", "75.0925925"]);
  const reducing = { side: "SELL", isReduceOnly: true } as const;
  assert.deepEqual(told(reducing, 50, true), ["1", "1.6", "1.666", "1.6666666"]);
  // At leverage five, a thousandth of the value stays reserved for the fee: 100.12345678 * 5 / 7.035.
  assert.deepEqual(told({}, 100, true), ["71", "71.1", "71.160", "71.1609500"]);
});

test("WEB-19 a step that is not a power of ten is respected, and less than one step leaves the field empty", () => {
  assert.equal(share("0.25", {}, 100), "14.25");
  assert.equal(share("50", {}, 100), null);
  assert.equal(share("1", {}, 0), null);
});

test("WEB-19 amounts finer than the smallest unit of money are computed exactly", () => {
  const market = marketIn("0.0000001", "0.0000001");
  const means = { free: "0.00000030", positionQuantity: undefined, best: undefined };
  assert.equal(shareOf({ ...ticket, side: "SELL" }, market, 100, means), "0.0000003");
  const fine = { ...ticket, price: "0.0000003", quantity: "10000000.0000001" };
  assert.equal(estimateOf(fine, market, undefined, undefined)?.value, "3.000000");
  const small = { ...ticket, price: "60000", quantity: "0.0000001" };
  assert.equal(estimateOf(small, market, undefined, undefined)?.value, "0.006000");
});

test("WEB-21 a liquidation price has as many decimals as the market's tick", () => {
  const of = (tick: string, price: string) =>
    estimateOf({ ...ticket, price, quantity: "10" }, marketIn(tick, "1", true), "7", "14");
  // (70 - 14) / (10 * 0.995) = 5.62814070…
  assert.deepEqual(
    ["1", "0.1", "0.001", "0.00000001"].map((tick) => of(tick, "7")?.liquidation),
    ["5", "5.6", "5.628", "5.62814070"],
  );
  assert.deepEqual(of("0.01", "7"), {
    value: "70.000000",
    margin: "14.000000",
    liquidation: "5.62",
  });
  // The margin of a third of a millionth is locked as a whole millionth.
  const third = { ...ticket, leverage: 3, price: "1", quantity: "0.000001" };
  assert.equal(
    estimateOf(third, marketIn("1", "0.000001", true), undefined, "9")?.margin,
    "0.000001",
  );
});

test("WEB-23 an order names a leverage only if its user has chosen one", () => {
  const market = marketIn("0.01", "0.001", true);
  const request = { ...ticket, quantity: "1" };
  const told = (part: Partial<Ticket>, of = market) =>
    orderBody({ ...request, ...part }, of)["leverage"];
  assert.equal(told({}), undefined);
  assert.equal(told({ setsLeverage: true }), 5);
  assert.equal(told({ setsLeverage: true, isReduceOnly: true }), undefined);
  assert.equal(told({ setsLeverage: true }, marketIn("0.01", "0.001")), undefined);
});

test("WEB-23 an account's leverage is read from its position or orders in the market", () => {
  const rows = [
    { symbol: "ETH-PERP", leverage: 3 },
    { symbol: "CC-USDC", leverage: null },
    { symbol: "BTC-PERP", leverage: 20 },
  ];
  assert.equal(leverageIn("BTC-PERP", rows), 20);
  assert.equal(leverageIn("CC-USDC", rows), 10);
  assert.equal(leverageIn("CC-PERP", rows), 10);
});

const bounded = marketOf(
  {
    symbol: "BTCUSDT",
    status: "TRADING",
    baseAsset: "BTC",
    quoteAsset: "USDT",
    filters: [
      { filterType: "PRICE_FILTER", tickSize: "0.01", maxPrice: "1000000.00" },
      { filterType: "LOT_SIZE", stepSize: "0.001", maxQty: "1000.000" },
      { filterType: "MIN_NOTIONAL", notional: "5.00" },
      { filterType: "PERCENT_PRICE", multiplierUp: "1.0500", multiplierDown: "0.9500" },
    ],
  },
  true,
);

test("WEB-5 an error of the ticket names the field and the values it accepts", () => {
  const faultOf = (part: Partial<Ticket>) =>
    ticketFault({ ...ticket, price: "60000", quantity: "0.1", ...part }, bounded);
  assert.equal(faultOf({}), null);
  assert.equal(faultOf({ quantity: "" }), "Enter a quantity");
  assert.equal(faultOf({ price: "" }), "Enter a price");
  assert.equal(faultOf({ type: "MARKET", price: "" }), null);
  assert.equal(faultOf({ quantity: "0.0005" }), "Quantity: use a multiple of 0.001");
  assert.equal(faultOf({ quantity: "abc" }), "Quantity: enter a number");
  assert.equal(faultOf({ quantity: "0" }), "Quantity: enter a number above 0");
  assert.equal(faultOf({ quantity: "1000.001" }), "Quantity: at most 1,000.000");
  assert.equal(faultOf({ price: "1000000.01" }), "Price: at most 1,000,000.00");
  assert.equal(faultOf({ takeProfit: "61000.001" }), "Take profit: use a multiple of 0.01");
  assert.equal(faultOf({ stopLoss: "x" }), "Stop loss: enter a number");
});

test("WEB-5 a refusal because of a limit also shows the limit", () => {
  const hint = (message: string, mark: string | undefined = "60000.00") =>
    limitHint(message, bounded, mark);
  assert.equal(
    hint(nativeErrors[RejectReason.priceOutsideBand].msg),
    "at least 57,000.00, at most 63,000.00",
  );
  assert.equal(limitHint(nativeErrors[RejectReason.priceOutsideBand].msg, bounded, undefined), "");
  assert.equal(hint(nativeErrors[RejectReason.qtyTooLarge].msg), "at most 1,000.000");
  assert.equal(hint(nativeErrors[RejectReason.notionalTooSmall].msg), "at least 5.00 USDT");
  assert.equal(hint("unknown symbol"), "");
});
