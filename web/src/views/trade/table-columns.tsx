// Columns that the account's tables share: prices and quantities with the decimal places of each row's market.

import type { VNode } from "preact";
import { shown, shownAverage, signed, toneOf } from "../../decimal-text.ts";
import { markets } from "../../markets/markets.ts";
import type { Order } from "../../member/account.ts";
import { termsOf } from "../../member/order-terms.ts";
import { proofReference } from "../../proof-reference.ts";
import { addressOf } from "../../route.ts";
import type { Column } from "../form/table.tsx";

export function pricePlaces(symbol: string): number {
  return markets.value.find((market) => market.symbol === symbol)?.pricePlaces ?? 2;
}

export function quantityPlaces(symbol: string): number {
  return markets.value.find((market) => market.symbol === symbol)?.quantityPlaces ?? 3;
}

export function sideTone({ side }: { side: string }): string {
  return side === "BUY" || side === "LONG" ? "gain" : "loss";
}

/** An order among others, for screen readers: "SELL CBTC-USDC at 60,000.00". */
export function orderName(order: Order): string {
  const price = order.price ?? termsOf(order)?.stopPrice;
  const name = `${order.side} ${order.symbol}`;
  return Number(price ?? 0) === 0 ? name : `${name} at ${shown(price, pricePlaces(order.symbol))}`;
}

type OfMarket = { readonly symbol: string };

/** A column of prices with the decimal places of each row's market. */
export function prices<T extends OfMarket>(name: string, of: (row: T) => string | null): Column<T> {
  return { name, isNumber: true, cell: (row) => shown(of(row), pricePlaces(row.symbol)) };
}

/** A column of average prices. */
export function averages<T extends OfMarket>(
  name: string,
  of: (row: T) => string | null,
): Column<T> {
  return { name, isNumber: true, cell: (row) => shownAverage(of(row), pricePlaces(row.symbol)) };
}

export function quantities<T extends OfMarket>(name: string, of: (row: T) => string): Column<T> {
  return { name, isNumber: true, cell: (row) => shown(of(row), quantityPlaces(row.symbol)) };
}

/** A column of profits and losses, coloured by sign. */
export function profits<T>(name: string, of: (row: T) => string | null): Column<T> {
  const cell = (row: T) => signed(of(row), 2);
  return { name, isNumber: true, cell, tone: (row) => toneOf(of(row)) };
}

/** Link to the proof of an order or trade. */
export function VerifyLink({ id }: { id: string }): VNode {
  const reference = proofReference(id) ?? id;
  return <a href={addressOf("chain", reference)}>Verify {reference}</a>;
}
