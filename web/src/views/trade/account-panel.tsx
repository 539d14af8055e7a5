// Orders, positions, trades and balances of the user, in tabs under the chart.

import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { shown, signed, toneOf } from "../../decimal-text.ts";
import { markets } from "../../markets/markets.ts";
import {
  balances,
  closedOrders,
  type Fill,
  fills,
  type Order,
  openOrders,
  type Position,
  positions,
  refreshAccount,
} from "../../member/account.ts";
import { requestOwn, session } from "../../member/session.ts";
import { faultMessage } from "../../member/venue-api.ts";
import { dayAndTime } from "../../moment.ts";
import { proofReference } from "../../proof-reference.ts";
import { addressOf } from "../../route.ts";
import { Tabs } from "../form/choice.tsx";
import { buttons, type Column, Table } from "../form/table.tsx";
import { BalanceTable } from "../money/balance-table.tsx";

const tabs = ["Open orders", "Positions", "Order history", "Trade history", "Balances"] as const;
type Tab = (typeof tabs)[number];

const tab = signal<Tab>("Open orders");
const fault = signal("");

/** Link to the proof of an order or trade. */
function VerifyLink({ id }: { id: string }): VNode {
  const reference = proofReference(id) ?? id;
  return <a href={addressOf("chain", reference)}>Verify {reference}</a>;
}

/** Sends a request; an error appears above the tables. */
async function act(method: string, path: string, body?: unknown): Promise<void> {
  fault.value = "";
  try {
    await requestOwn(method, path, body === undefined ? {} : { body });
  } catch (thrown) {
    fault.value = faultMessage(thrown);
  }
  refreshAccount();
}

function pricePlaces(symbol: string): number {
  return markets.value.find((market) => market.symbol === symbol)?.pricePlaces ?? 2;
}

function quantityPlaces(symbol: string): number {
  return markets.value.find((market) => market.symbol === symbol)?.quantityPlaces ?? 3;
}

function sideTone({ side }: { side: string }): string {
  return side === "BUY" || side === "LONG" ? "gain" : "loss";
}

function triggerOf({ take_profit: profit, stop_loss: loss, type }: Order): string | null {
  if (type.startsWith("TAKE_PROFIT")) return profit ?? null;
  return type.startsWith("STOP") ? (loss ?? null) : null;
}

type OfMarket = { readonly symbol: string };

/** A column of prices with the decimal places of each row's market. */
function prices<T extends OfMarket>(name: string, of: (row: T) => string | null): Column<T> {
  return { name, isNumber: true, cell: (row) => shown(of(row), pricePlaces(row.symbol)) };
}

function quantities<T extends OfMarket>(name: string, of: (row: T) => string): Column<T> {
  return { name, isNumber: true, cell: (row) => shown(of(row), quantityPlaces(row.symbol)) };
}

/** A column of profits and losses, coloured by sign. */
function profits<T>(name: string, of: (row: T) => string | null): Column<T> {
  const cell = (row: T) => signed(of(row), 2);
  return { name, isNumber: true, cell, tone: (row) => toneOf(of(row)) };
}

const orderColumns: ReadonlyArray<Column<Order>> = [
  { name: "Time", cell: ({ created_at: time }) => dayAndTime(time) },
  { name: "Market", cell: ({ symbol }) => symbol },
  { name: "Side", cell: ({ side }) => side, tone: sideTone },
  { name: "Type", cell: ({ type }) => type.replace(/_/g, " ") },
  prices("Price", (order) => order.price ?? triggerOf(order)),
  {
    name: "Quantity",
    isNumber: true,
    cell: ({ qty, symbol }) =>
      Number(qty) === 0 ? "Entire position" : shown(qty, quantityPlaces(symbol)),
  },
  quantities("Filled", ({ filled_qty: filled }) => filled),
];

const openColumns: ReadonlyArray<Column<Order>> = [
  ...orderColumns,
  buttons({
    verb: "Cancel",
    about: ({ side, symbol }) => `${side} ${symbol}`,
    act: ({ order_id: id }) => void act("DELETE", `/v1/orders/${id}`),
  }),
];

const closedColumns: ReadonlyArray<Column<Order>> = [
  ...orderColumns,
  prices("Avg. price", ({ avg_price: average }) => average),
  { name: "Status", cell: ({ status }) => status.replace(/_/g, " ") },
  { name: "Proof", cell: ({ order_id: id }) => <VerifyLink id={id} /> },
];

/** Closes a position with a reduce-only market order for all of it. */
function close({ symbol, side, qty }: Position): void {
  const opposite = side === "LONG" ? "SELL" : "BUY";
  const order = { symbol, side: opposite, type: "MARKET", qty, reduce_only: true };
  void act("POST", "/v1/orders", { ...order, idempotency_key: crypto.randomUUID() });
}

const positionColumns: ReadonlyArray<Column<Position>> = [
  { name: "Market", cell: ({ symbol }) => symbol },
  { name: "Side", cell: ({ side, leverage }) => `${side} ${leverage}×`, tone: sideTone },
  quantities("Quantity", ({ qty }) => qty),
  prices("Entry price", ({ entry_price: entry }) => entry),
  prices("Mark price", ({ mark_price: mark }) => mark),
  prices("Liq. price", ({ liquidation_price: price }) => price),
  { name: "Margin", isNumber: true, cell: ({ margin }) => shown(margin, 2) },
  profits("Unrealized PnL", ({ unrealized_pnl: profit }) => profit),
  buttons({ verb: "Close", about: ({ symbol }) => symbol, act: close }),
];

const fillColumns: ReadonlyArray<Column<Fill>> = [
  { name: "Time", cell: ({ time }) => dayAndTime(time) },
  { name: "Market", cell: ({ symbol }) => symbol },
  { name: "Side", cell: ({ side }) => side, tone: sideTone },
  prices("Price", ({ price }) => price),
  quantities("Quantity", ({ qty }) => qty),
  { name: "Fee", isNumber: true, cell: ({ fee, fee_asset: asset }) => `${fee} ${asset}` },
  { name: "Role", cell: ({ maker }) => (maker ? "Maker" : "Taker") },
  profits("Realized PnL", ({ realized_pnl: profit }) => profit),
  { name: "Proof", cell: ({ id }) => <VerifyLink id={id} /> },
];

const counts: Readonly<Partial<Record<Tab, () => number>>> = {
  "Open orders": () => openOrders.value.length,
  Positions: () => positions.value.length,
};

function counted(name: Tab): VNode {
  const count = counts[name]?.() ?? 0;
  return (
    <>
      {name} {count > 0 && <small>{count}</small>}
    </>
  );
}

function Rows(): VNode {
  const label = tab.value;
  switch (label) {
    case "Open orders":
      return (
        <Table
          label={label}
          rows={openOrders.value}
          columns={openColumns}
          keyOf={(order) => order.order_id}
          empty="No open orders."
        />
      );
    case "Positions":
      return (
        <Table
          label={label}
          rows={positions.value}
          columns={positionColumns}
          keyOf={(position) => position.symbol}
          empty="No open positions."
        />
      );
    case "Order history":
      return (
        <Table
          label={label}
          rows={closedOrders.value}
          columns={closedColumns}
          keyOf={(order) => order.order_id}
          empty="No past orders yet."
        />
      );
    case "Trade history":
      return (
        <Table
          label={label}
          rows={fills.value}
          columns={fillColumns}
          keyOf={(fill) => fill.id + fill.order_id}
          empty="No trades yet."
        />
      );
    case "Balances":
      return <BalanceTable rows={balances.value} />;
  }
}

export function AccountPanel(): VNode {
  return (
    <>
      <Tabs class="tabs" label="Account" names={tabs} chosen={tab} text={counted} />
      {fault.value !== "" && <p role="alert">{fault.value}</p>}
      {session.value === null ? <p class="empty">Log in to see your account.</p> : <Rows />}
    </>
  );
}
