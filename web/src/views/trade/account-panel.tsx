// What the user has and did, in tabs under the chart.

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
import { askOwn, session } from "../../member/session.ts";
import { faultWords } from "../../member/venue-api.ts";
import { dayAndTime } from "../../moment.ts";
import { proofReference } from "../../proof-reference.ts";
import { addressOf } from "../../route.ts";
import { Tabs } from "../form/choice.tsx";
import { type Column, Table } from "../form/table.tsx";
import { BalanceTable } from "../money/balance-table.tsx";

const tabs = ["Open orders", "Positions", "Orders", "Fills", "Balances"] as const;
type Tab = (typeof tabs)[number];

const tab = signal<Tab>("Open orders");
const fault = signal("");

/** The way to the check of an order or trade. */
function VerifyLink({ id }: { id: string }): VNode {
  const reference = proofReference(id) ?? id;
  return <a href={addressOf("chain", reference)}>Verify {reference}</a>;
}

/** Asks, and says what went wrong above the tables. */
async function act(method: string, path: string, body?: unknown): Promise<void> {
  fault.value = "";
  try {
    await askOwn(method, path, body === undefined ? {} : { body });
  } catch (thrown) {
    fault.value = faultWords(thrown);
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

const orderColumns: ReadonlyArray<Column<Order>> = [
  { name: "Time", cell: ({ created_at: time }) => dayAndTime(time) },
  { name: "Market", cell: ({ symbol }) => symbol },
  { name: "Side", cell: ({ side }) => side, tone: sideTone },
  { name: "Type", cell: ({ type }) => type.replace(/_/g, " ") },
  {
    name: "Price",
    isNumber: true,
    cell: (order) => shown(order.price ?? triggerOf(order), pricePlaces(order.symbol)),
  },
  {
    name: "Quantity",
    isNumber: true,
    cell: ({ qty, symbol }) => (Number(qty) === 0 ? "all" : shown(qty, quantityPlaces(symbol))),
  },
  {
    name: "Filled",
    isNumber: true,
    cell: ({ filled_qty: filled, symbol }) => shown(filled, quantityPlaces(symbol)),
  },
];

const openColumns: ReadonlyArray<Column<Order>> = [
  ...orderColumns,
  {
    name: "",
    cell: ({ order_id: id, side, symbol }) => (
      <button
        type="button"
        class="quiet"
        aria-label={`Cancel ${side} ${symbol}`}
        onClick={() => void act("DELETE", `/v1/orders/${id}`)}
      >
        Cancel
      </button>
    ),
  },
];

const closedColumns: ReadonlyArray<Column<Order>> = [
  ...orderColumns,
  {
    name: "Average",
    isNumber: true,
    cell: ({ avg_price: average, symbol }) => shown(average, pricePlaces(symbol)),
  },
  { name: "Status", cell: ({ status }) => status.replace(/_/g, " ") },
  { name: "Proof", cell: ({ order_id: id }) => <VerifyLink id={id} /> },
];

/** At the market, and only as much as the position has. */
function close({ symbol, side, qty }: Position): void {
  const opposite = side === "LONG" ? "SELL" : "BUY";
  const order = { symbol, side: opposite, type: "MARKET", qty, reduce_only: true };
  void act("POST", "/v1/orders", { ...order, idempotency_key: crypto.randomUUID() });
}

const positionColumns: ReadonlyArray<Column<Position>> = [
  { name: "Market", cell: ({ symbol }) => symbol },
  { name: "Side", cell: ({ side, leverage }) => `${side} ${leverage}×`, tone: sideTone },
  {
    name: "Quantity",
    isNumber: true,
    cell: ({ qty, symbol }) => shown(qty, quantityPlaces(symbol)),
  },
  {
    name: "Entry",
    isNumber: true,
    cell: ({ entry_price: entry, symbol }) => shown(entry, pricePlaces(symbol)),
  },
  {
    name: "Mark",
    isNumber: true,
    cell: ({ mark_price: mark, symbol }) => shown(mark, pricePlaces(symbol)),
  },
  {
    name: "Liquidation",
    isNumber: true,
    cell: ({ liquidation_price: price, symbol }) => shown(price, pricePlaces(symbol)),
  },
  { name: "Margin", isNumber: true, cell: ({ margin }) => shown(margin, 2) },
  {
    name: "Profit",
    isNumber: true,
    cell: ({ unrealized_pnl: profit }) => signed(profit, 2),
    tone: ({ unrealized_pnl: profit }) => toneOf(profit),
  },
  {
    name: "",
    cell: (position) => (
      <button
        type="button"
        class="quiet"
        aria-label={`Close ${position.symbol}`}
        onClick={() => close(position)}
      >
        Close
      </button>
    ),
  },
];

const fillColumns: ReadonlyArray<Column<Fill>> = [
  { name: "Time", cell: ({ time }) => dayAndTime(time) },
  { name: "Market", cell: ({ symbol }) => symbol },
  { name: "Side", cell: ({ side }) => side, tone: sideTone },
  {
    name: "Price",
    isNumber: true,
    cell: ({ price, symbol }) => shown(price, pricePlaces(symbol)),
  },
  {
    name: "Quantity",
    isNumber: true,
    cell: ({ qty, symbol }) => shown(qty, quantityPlaces(symbol)),
  },
  { name: "Fee", isNumber: true, cell: ({ fee, fee_asset: asset }) => `${fee} ${asset}` },
  { name: "Role", cell: ({ maker }) => (maker ? "Maker" : "Taker") },
  {
    name: "Profit",
    isNumber: true,
    cell: ({ realized_pnl: profit }) => signed(profit, 2),
    tone: ({ realized_pnl: profit }) => toneOf(profit),
  },
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
    case "Orders":
      return (
        <Table
          label={label}
          rows={closedOrders.value}
          columns={closedColumns}
          keyOf={(order) => order.order_id}
          empty="No closed orders yet."
        />
      );
    case "Fills":
      return (
        <Table
          label={label}
          rows={fills.value}
          columns={fillColumns}
          keyOf={(fill) => fill.id + fill.order_id}
          empty="No fills yet."
        />
      );
    case "Balances":
      return <BalanceTable rows={balances.value} />;
  }
}

export function AccountPanel(): VNode {
  return (
    <>
      <Tabs class="tabs" label="Account" names={tabs} chosen={tab} words={counted} />
      {fault.value !== "" && <p role="alert">{fault.value}</p>}
      {session.value === null ? <p class="empty">Log in to see your account.</p> : <Rows />}
    </>
  );
}
