// Proves which open orders a cancel of many takes, and what pending orders show as their quantity.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  cancelPlans,
  endingWith,
  linesOf,
  quantityToCome,
  reportsText,
} from "../../web/src/member/order-lists.ts";

interface Row {
  readonly id: string;
  readonly symbol: string;
  readonly side: "BUY" | "SELL";
  readonly status: string;
  readonly qty: string;
  readonly list: number;
}

const spot = { symbol: "CC-USDC", status: "NEW", qty: "100.0", list: -1 } as const;
const working = { ...spot, id: "working", side: "BUY", qty: "400.0", list: 7 } as const;
const waiting = { ...spot, side: "SELL", status: "PENDING_NEW", qty: "0.0", list: 7 } as const;
const profit = { ...waiting, id: "profit" } as const;
const loss = { ...waiting, id: "loss" } as const;
const sell = { ...spot, id: "sell", side: "SELL" } as const;
const long = { ...spot, id: "long", symbol: "BTC-PERP", side: "BUY" } as const;

const listOf = ({ list }: Row): number => list;
const ids = (rows: readonly Row[]): string[] => rows.map(({ id }) => id);

test("WEB-67 cancelling sells leaves a buy and what waits for it, and says so", () => {
  const plans = cancelPlans<Row>([profit, working, loss, sell, long], "SELL", listOf);
  assert.deepEqual(
    plans.map(({ symbol, chosen, count, following, staying }) => {
      return [symbol, ids(chosen), count, following, staying];
    }),
    [["CC-USDC", ["sell"], 1, 0, 2]],
  );
  assert.deepEqual(linesOf(plans), [
    "1 sell order on CC-USDC",
    "Not cancelled: 2 sell orders waiting for a buy",
  ]);
  assert.deepEqual(cancelPlans<Row>([profit, working, loss], "SELL", listOf), []);
});

test("WEB-67 cancelling buys takes what waits for them along, and says so", () => {
  const plans = cancelPlans<Row>([profit, working, loss, sell, long], "BUY", listOf);
  assert.deepEqual(linesOf(plans), [
    "1 buy order on CC-USDC",
    "Also cancelled: 2 orders waiting for them",
    "1 buy order on BTC-PERP",
  ]);
});

test("WEB-67 a list of sells is cancelled once, and orders whose list is unknown are not given up", () => {
  const oco = [
    { ...sell, id: "above", list: 9 },
    { ...sell, id: "below", list: 9 },
  ];
  const [plan] = cancelPlans<Row>(oco, "SELL", listOf);
  assert.deepEqual([ids(plan?.chosen ?? []), plan?.count, plan?.staying], [["above"], 2, 0]);
  const unknown = cancelPlans<Row>([profit, working, sell], "SELL", () => undefined);
  assert.deepEqual([ids(unknown[0]?.chosen ?? []), unknown[0]?.staying], [["sell"], 1]);
});

test("WEB-68 cancelling all counts the orders of each market", () => {
  const all = cancelPlans<Row>([profit, working, loss, sell, long], null, listOf);
  assert.deepEqual(linesOf(all), ["4 orders on CC-USDC", "1 order on BTC-PERP"]);
});

test("WEB-68 the orders that end with one are those of its list", () => {
  const open: Row[] = [profit, working, loss, sell, long];
  assert.deepEqual(ids(endingWith<Row>(loss, open, listOf)), ["profit", "working", "loss"]);
  assert.deepEqual(ids(endingWith<Row>(sell, open, listOf)), ["sell"]);
});

test("WEB-67 a pending order shows at most the quantity of the order that it waits for", () => {
  const open: Row[] = [profit, working, loss, sell];
  assert.equal(quantityToCome<Row>(profit, open, listOf), "400.0");
  assert.equal(quantityToCome<Row>(sell, open, listOf), null);
  assert.equal(quantityToCome<Row>(profit, [profit, loss], listOf), null);
  assert.equal(
    quantityToCome<Row>(profit, open, () => undefined),
    null,
  );
});

test("WEB-72 a placed list is told by its orders: quantity, price and trigger of each", () => {
  const reports = [
    { side: "BUY", price: "0.2000", origQty: "1300.0" },
    { side: "SELL", price: "0.3000", stopPrice: "0.0000" },
    { side: "SELL", price: "0.0000", stopPrice: "0.1000", origQty: "5.0" },
    { side: "SELL", price: "0.0990", stopPrice: "0.1000", origQty: "5.0" },
  ] as const;
  assert.equal(
    reportsText(reports, { pricePlaces: 4, quantityPlaces: 1 }),
    "buy 1,300.0 at 0.2000, sell what is bought at 0.3000, sell 5.0 from 0.1000, sell 5.0 at 0.0990 from 0.1000",
  );
});
