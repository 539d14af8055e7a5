// Orders, positions, trades and balances of the user, in tabs under the chart, with the account's risk above them.

import { computed, signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import {
  endReason,
  replacedNos,
  sizeText,
  statusText,
  triggerOf,
} from "../../history/past-order.ts";
import { market } from "../../markets/markets.ts";
import { typeLabel } from "../../markets/order-kinds.ts";
import {
  balances,
  closedOrders,
  type Fill,
  fills,
  type Order,
  openOrders,
  positions,
} from "../../member/account.ts";
import { readPrices } from "../../member/prices.ts";
import { session } from "../../member/session.ts";
import { dayAndTime } from "../../moment.ts";
import { reasonText } from "../../notices/notices.ts";
import { Tabs } from "../form/choice.tsx";
import { useReloaded } from "../form/reloaded.ts";
import { type Column, Table } from "../form/table.tsx";
import { BalanceTable } from "../money/balance-table.tsx";
import { accountFault, forgetFault } from "./account-fault.ts";
import { OrdersTable, useOrderRequests } from "./orders-table.tsx";
import { PositionsTable } from "./positions-table.tsx";
import { RiskStrip } from "./risk-strip.tsx";
import {
  averages,
  prices,
  profits,
  quantities,
  quantityPlaces,
  sideTone,
  VerifyLink,
} from "./table-columns.tsx";

const tabs = ["Open orders", "Positions", "Order history", "Trade history", "Balances"] as const;
type Tab = (typeof tabs)[number];

const tab = signal<Tab>("Open orders");

const replaced = computed(() => replacedNos([...openOrders.value, ...closedOrders.value]));

const closedColumns: ReadonlyArray<Column<Order>> = [
  { name: "Time", cell: ({ created_at: time }) => dayAndTime(time) },
  { name: "Market", cell: ({ symbol }) => symbol },
  { name: "Side", cell: ({ side }) => side, tone: sideTone },
  { name: "Type", cell: ({ type }) => typeLabel(type) },
  prices("Price", ({ price }) => price),
  prices<Order>("Trigger", triggerOf),
  {
    ...{ name: "Quantity", isNumber: true },
    cell: (order) => sizeText(order, quantityPlaces(order.symbol)),
  },
  quantities("Filled", ({ filled_qty: filled }) => filled),
  averages("Avg. price", ({ avg_price: average }) => average),
  { name: "Status", cell: ({ status }) => statusText(status) },
  {
    name: "Reason",
    cell: (order) => reasonText(endReason(order, replaced.value)) || "–",
  },
  { name: "Proof", cell: ({ order_id: id }) => <VerifyLink id={id} /> },
];

const fillColumns: ReadonlyArray<Column<Fill>> = [
  { name: "Time", cell: ({ time }) => dayAndTime(time) },
  { name: "Market", cell: ({ symbol }) => symbol },
  { name: "Side", cell: ({ side }) => side, tone: sideTone },
  prices("Price", ({ price }) => price),
  quantities("Quantity", ({ qty }) => qty),
  { name: "Fee", isNumber: true, cell: ({ fee, fee_asset: asset }) => `${fee} ${asset}` },
  {
    name: "Role",
    cell: ({ maker, liquidation }) => (liquidation ? "Liquidation" : maker ? "Maker" : "Taker"),
  },
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

const pricesMs = 10_000;

function Balances(): VNode {
  useReloaded(readPrices, pricesMs);
  return <BalanceTable rows={balances.value} />;
}

function Rows(): VNode {
  const label = tab.value;
  switch (label) {
    case "Open orders":
      return <OrdersTable />;
    case "Positions":
      return <PositionsTable />;
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
      return <Balances />;
  }
}

export function AccountPanel(): VNode {
  useOrderRequests();
  useEffect(forgetFault, [tab.value, market.value?.symbol, session.value?.userId]);
  const isIn = session.value !== null;
  return (
    <>
      {isIn && <RiskStrip />}
      <Tabs class="tabs" label="Account" names={tabs} chosen={tab} text={counted} />
      {accountFault.value !== "" && (
        <div class="toolbar">
          <p role="alert">{accountFault.value}</p>
          <button type="button" class="quiet" onClick={forgetFault}>
            Dismiss
          </button>
        </div>
      )}
      {isIn ? <Rows /> : <p class="empty">Log in to see your account.</p>}
    </>
  );
}
