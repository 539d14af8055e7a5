// The lines of the user's account on the chart of a market: open orders, the entry price of the position and its
// liquidation price. Independent of the page.

import { shown, signed, toneOf } from "../decimal-text.ts";
import { cutTo, exact } from "./exact.ts";
import type { Market } from "./market.ts";
import { closingSide } from "./positions/guards.ts";

export interface ChartLine {
  readonly id: string;
  readonly price: string;
  readonly label: string;
  /** Name of the page's colour. */
  readonly colour: string;
  readonly isDashed: boolean;
  /** The order that the line can change; undefined for a line that stays where it is. */
  readonly orderId?: string;
  /** The order that can be cancelled at the line; undefined for a line of none or of several. */
  readonly cancels?: string;
  /** Of a line that several orders share: a line for each of them. */
  readonly orders?: readonly ChartLine[];
  /** The position that the order closes as a whole, so that its profit at a price can be told. */
  readonly closes?: ClosedPosition;
}

/** What the profit of a position at a price needs. */
type ClosedPosition = Pick<OwnPosition, "side" | "qty" | "entry_price">;

/** An open order of the native routes. */
interface OwnOrder {
  readonly order_id: string;
  readonly symbol: string;
  readonly side: "BUY" | "SELL";
  readonly type: string;
  readonly price: string | null;
  readonly qty: string;
  readonly filled_qty: string;
  readonly take_profit?: string | null;
  readonly stop_loss?: string | null;
}

/** An open position of the native routes. */
interface OwnPosition {
  readonly symbol: string;
  readonly side: "LONG" | "SHORT";
  readonly qty: string;
  readonly entry_price: string;
  readonly liquidation_price: string | null;
  readonly unrealized_pnl: string;
}

/** What the orders can still trade. */
function quantityLeft(orders: readonly OwnOrder[], { quantityPlaces }: Market): string {
  const left = orders.reduce(
    (sum, { qty, filled_qty: filled }) => sum + (exact(qty) ?? 0n) - (exact(filled) ?? 0n),
    0n,
  );
  return shown(cutTo(left, quantityPlaces), quantityPlaces);
}

/**
 * A line is moved if amending its order can change the price that it shows: the limit of an order in the book, or the
 * trigger of one that then trades at the market. A take profit is a gain and a stop loss a loss, on whichever side. An order
 * with a trigger and a limit has a line for each, and the one of the limit is moved.
 */
function linesOfOrder(order: OwnOrder, market: Market, isAmendable: boolean): ChartLine[] {
  const { order_id: id, side, type, price, qty } = order;
  // Without a quantity of its own: on a perpetual it closes the position, on spot it sells what a list buys.
  const whole = market.isPerpetual ? "position" : "as bought";
  const quantity = Number(qty) === 0 ? whole : quantityLeft([order], market);
  const moved = isAmendable ? { orderId: id } : {};
  const deed = side === "BUY" ? "Buy" : "Sell";
  const colour = side === "BUY" ? "gain" : "loss";
  const common = { isDashed: true, cancels: id };
  if (type === "LIMIT" && price !== null) {
    return [{ ...common, id, price, label: `${deed} ${quantity}`, colour, ...moved }];
  }
  const trigger = order.take_profit ?? order.stop_loss ?? null;
  if (trigger === null) return [];
  const isProfit = order.take_profit != null;
  const kind = isProfit ? "take profit" : quantity === "as bought" ? "stop loss" : "stop";
  // What closes a position is on its other side anyway.
  const name = quantity === "position" ? kind[0]?.toUpperCase() + kind.slice(1) : `${deed} ${kind}`;
  const line = {
    ...common,
    ...{ id, price: trigger, label: `${name} ${quantity}`, colour: isProfit ? "gain" : "loss" },
  };
  if (price === null) return [{ ...line, ...moved }];
  const limit = { ...common, id: `${id} limit`, price, label: `${deed} limit ${quantity}`, colour };
  return [line, { ...limit, ...moved }];
}

/** One line for the limit orders of a side at one price. It stays where it is, because a drag moves one order. */
function sharedLine<T extends OwnOrder>(
  [first, ...others]: readonly T[],
  market: Market,
  isAmendable: (order: T) => boolean,
): ChartLine | null {
  if (first === undefined || first.price === null) return null;
  const all = [first, ...others];
  const quantity = quantityLeft(all, market);
  const { side, price } = first;
  const label = `${side === "BUY" ? "Buy" : "Sell"} ${quantity} (${all.length} orders)`;
  const colour = side === "BUY" ? "gain" : "loss";
  const orders = all.flatMap((order) => linesOfOrder(order, market, isAmendable(order)));
  return { id: `${side} ${price}`, price, label, colour, isDashed: true, orders };
}

/** The lines of orders: those of a side at one price share one. */
function orderLines<T extends OwnOrder>(
  orders: readonly T[],
  market: Market,
  isAmendable: (order: T) => boolean,
): ChartLine[] {
  const levels = new Map<string, T[]>();
  for (const order of orders) {
    const { order_id: id, type, side, price } = order;
    const level = type === "LIMIT" ? `${side} ${price}` : id;
    levels.set(level, [...(levels.get(level) ?? []), order]);
  }
  return [...levels.values()].flatMap((level) => {
    const [first] = level;
    if (first === undefined) return [];
    const isShared = level.length > 1;
    return isShared
      ? (sharedLine(level, market, isAmendable) ?? [])
      : linesOfOrder(first, market, isAmendable(first));
  });
}

function positionLines(position: OwnPosition, market: Market): ChartLine[] {
  const { side, qty, entry_price: entry, liquidation_price: liquidation } = position;
  const { unrealized_pnl: profit } = position;
  const name = `${side === "LONG" ? "Long" : "Short"} ${shown(qty, market.quantityPlaces)}`;
  const lines: ChartLine[] = [
    {
      id: "position",
      price: entry,
      label: `${name}  ${signed(profit, 2)}`,
      colour: toneOf(profit) || "soft",
      isDashed: false,
    },
  ];
  if (liquidation !== null) {
    const label = "Liquidation";
    lines.push({ id: "liquidation", price: liquidation, label, colour: "accent", isDashed: true });
  }
  return lines;
}

/**
 * Returns the lines of the market, position first. `isAmendable` tells which orders can be changed: the native lists name
 * a part of a list like any limit order, and replacing it would cancel its whole list.
 */
export function chartLines<T extends OwnOrder>(
  market: Market,
  orders: readonly T[],
  positions: readonly OwnPosition[],
  isAmendable: (order: T) => boolean,
): ChartLine[] {
  const isHere = ({ symbol }: { symbol: string }) => symbol === market.symbol;
  const held = positions.filter(isHere);
  const own = orders.filter(isHere);
  const closed = (line: ChartLine): ChartLine => {
    const order = own.find(({ order_id: id }) => id === line.orderId);
    const closes = held.find(({ side }) => order?.side === closingSide({ side }));
    const isWhole = order !== undefined && Number(order.qty) === 0;
    return isWhole && closes !== undefined ? { ...line, closes } : line;
  };
  return [
    ...held.flatMap((position) => positionLines(position, market)),
    ...orderLines(own, market, isAmendable).map(closed),
  ];
}
