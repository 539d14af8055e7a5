// The open orders: cancel one, all or one side, and change price and quantity in the row. Requests of hotkeys and of the
// chart arrive here too.

import { signal, untracked, useSignalEffect } from "@preact/signals";
import type { VNode } from "preact";
import { shown } from "../../decimal-text.ts";
import { valueAt } from "../../markets/exact.ts";
import type { Market } from "../../markets/market.ts";
import { market, markets } from "../../markets/markets.ts";
import { numberFault } from "../../markets/order-ticket.ts";
import { amendRequest, cancelRequest, type Side } from "../../markets/ticket-requests.ts";
import { type Order, openOrders } from "../../member/account.ts";
import {
  amendedPrice,
  amendOrder,
  cancelOrder,
  cancelOrders,
  isAmendable,
} from "../../member/order-actions.ts";
import { termsOf } from "../../member/order-terms.ts";
import { dayAndTime } from "../../moment.ts";
import { type Column, Table } from "../form/table.tsx";
import { attempt } from "./account-fault.ts";
import { confirmed } from "./confirmation.tsx";
import { pricePlaces, quantities, quantityPlaces, sideTone } from "./table-columns.tsx";
import { readOwnFault } from "./ticket-sending.ts";

interface Edit {
  readonly id: string;
  readonly price: string;
  readonly quantity: string;
}

/** The order being changed in its row; null for none. */
const edit = signal<Edit | null>(null);
/** Whether a change of a row is under way: a second one would place a second order. */
const isSaving = signal(false);
const isOnlyThisMarket = signal(false);

function isWhole({ qty }: Order): boolean {
  return Number(qty) === 0;
}

/** What is wrong with the new quantity, or with the value and the price as the user's own limits see them. */
async function sizeFault(
  order: Order,
  of: Market,
  price: string,
  quantity: string,
): Promise<string | null> {
  if (isWhole(order)) return null;
  const prices = order.price === null ? [] : [price];
  return (
    numberFault("Quantity", quantity, of.step, of.quantityMax) ??
    (await readOwnFault(of, { value: valueAt(price, quantity), prices }))
  );
}

/** Changes an order, or throws what is wrong with the new terms. */
async function change(order: Order, price: string, quantity: string): Promise<void> {
  const of = markets.value.find(({ symbol }) => symbol === order.symbol);
  if (of === undefined) throw new Error(`${order.symbol} is not listed.`);
  const fault =
    numberFault("Price", price, of.tick, of.priceMax) ??
    (await sizeFault(order, of, price, quantity));
  if (fault !== null) throw new Error(fault);
  const text = `${order.side} ${order.symbol}: ${isWhole(order) ? "" : `${quantity} `}at ${price}`;
  if (await confirmed("Confirm change", [text])) await amendOrder(order, { price, quantity });
}

async function save(order: Order): Promise<void> {
  const { value } = edit;
  if (value === null || isSaving.value) return;
  isSaving.value = true;
  const isDone = await attempt(() => change(order, value.price, value.quantity));
  isSaving.value = false;
  if (isDone && edit.value?.id === value.id) edit.value = null;
}

/** A cell that is a field while its order is being changed. */
function EditField(props: {
  readonly order: Order;
  readonly name: "price" | "quantity";
  readonly label: string;
}): VNode {
  const { order, name, label } = props;
  return (
    <input
      class="cell"
      inputMode="decimal"
      autocomplete="off"
      aria-label={`${label} of ${order.side} ${order.symbol}`}
      value={edit.value?.[name] ?? ""}
      onInput={({ currentTarget }) => {
        const text = currentTarget.value.trim().replace(",", ".");
        if (edit.value !== null) edit.value = { ...edit.value, [name]: text };
      }}
      onKeyDown={({ key, repeat }) => {
        if (key === "Enter" && !repeat) void save(order);
        if (key === "Escape") edit.value = null;
      }}
    />
  );
}

function OrderPrice({ order }: { order: Order }): VNode {
  if (order.price === null) return <>Market</>;
  if (edit.value?.id === order.order_id) {
    return <EditField order={order} name="price" label="New price" />;
  }
  return <>{shown(order.price, pricePlaces(order.symbol))}</>;
}

/** Of an order that trades at the market, the trigger is the price that can be changed. */
function OrderTrigger({ order }: { order: Order }): VNode {
  if (order.price === null && edit.value?.id === order.order_id) {
    return <EditField order={order} name="price" label="New trigger" />;
  }
  return <>{triggerText(order)}</>;
}

function OrderQuantity({ order }: { order: Order }): VNode {
  if (isWhole(order)) return <>Entire position</>;
  if (edit.value?.id === order.order_id) {
    return <EditField order={order} name="quantity" label="New quantity" />;
  }
  return <>{shown(order.qty, quantityPlaces(order.symbol))}</>;
}

function triggerText(order: Order): string {
  const terms = termsOf(order);
  const places = pricePlaces(order.symbol);
  if (order.type === "TRAILING_STOP_MARKET") {
    const from =
      Number(terms?.activatePrice ?? 0) === 0 ? "" : ` from ${shown(terms?.activatePrice, places)}`;
    return terms === undefined ? "–" : `${terms.priceRate} %${from}`;
  }
  const stop = terms?.stopPrice ?? "";
  return /STOP|TAKE_PROFIT/.test(order.type) && Number(stop) > 0 ? shown(stop, places) : "–";
}

function optionsText(order: Order): string {
  const terms = termsOf(order);
  if (terms === undefined) return "";
  const { timeInForce, goodTillDate = 0, type } = terms;
  const isPostOnly = timeInForce === "GTX" || type === "LIMIT_MAKER";
  const parts = [
    isPostOnly ? "Post only" : "",
    terms.reduceOnly === true ? "Reduce only" : "",
    timeInForce === "GTD" ? `Until ${dayAndTime(new Date(goodTillDate).toISOString())}` : "",
    (terms.orderListId ?? -1) >= 0 ? "List" : "",
    Number(terms.icebergQty ?? 0) === 0 ? "" : "Iceberg",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function Actions({ order }: { order: Order }): VNode {
  const about = `${order.side} ${order.symbol}`;
  if (edit.value?.id === order.order_id) {
    return (
      <span class="actions">
        <button
          type="button"
          aria-label={`Save ${about}`}
          disabled={isSaving.value}
          onClick={() => void save(order)}
        >
          Save
        </button>
        <button
          type="button"
          class="quiet"
          onClick={() => {
            edit.value = null;
          }}
        >
          Back
        </button>
      </span>
    );
  }
  return (
    <span class="actions">
      {isAmendable(order) && (
        <button
          type="button"
          class="quiet"
          aria-label={`Edit ${about}`}
          onClick={() => {
            const { order_id: id, qty: quantity } = order;
            edit.value = { id, price: amendedPrice(order), quantity };
          }}
        >
          Edit
        </button>
      )}
      <button
        type="button"
        class="quiet"
        aria-label={`Cancel ${about}`}
        onClick={() => void attempt(() => cancelOrder(order))}
      >
        Cancel
      </button>
    </span>
  );
}

const columns: ReadonlyArray<Column<Order>> = [
  { name: "Time", cell: ({ created_at: time }) => dayAndTime(time) },
  { name: "Market", cell: ({ symbol }) => symbol },
  { name: "Side", cell: ({ side }) => side, tone: sideTone },
  { name: "Type", cell: ({ type }) => type.replace(/_/g, " ") },
  { name: "Price", isNumber: true, cell: (order) => <OrderPrice order={order} /> },
  { name: "Trigger", isNumber: true, cell: (order) => <OrderTrigger order={order} /> },
  { name: "Quantity", isNumber: true, cell: (order) => <OrderQuantity order={order} /> },
  quantities("Filled", ({ filled_qty: filled }) => filled),
  { name: "Options", cell: optionsText },
  { name: "", cell: (order) => <Actions order={order} /> },
];

/** Cancels the open orders of the markets in view, of one side or of both. */
async function cancelAll(side: Side | null, only: string | null): Promise<void> {
  const symbols = new Set(openOrders.value.map(({ symbol }) => symbol));
  const named = (one: Market) => (only === null ? symbols.has(one.symbol) : one.symbol === only);
  await Promise.all(markets.value.filter(named).map((one) => cancelOrders(one, side)));
}

function Toolbar(): VNode {
  const shownMarket = market.value?.symbol ?? "";
  const only = isOnlyThisMarket.value ? shownMarket : null;
  const press = (side: Side | null) => void attempt(() => cancelAll(side, only));
  return (
    <div class="toolbar">
      <label class="check">
        <input
          type="checkbox"
          checked={isOnlyThisMarket.value}
          onChange={({ currentTarget }) => {
            isOnlyThisMarket.value = currentTarget.checked;
          }}
        />
        Only {shownMarket}
      </label>
      <button type="button" class="quiet" onClick={() => press("BUY")}>
        Cancel buys
      </button>
      <button type="button" class="quiet" onClick={() => press("SELL")}>
        Cancel sells
      </button>
      <button type="button" class="quiet" onClick={() => press(null)}>
        Cancel all
      </button>
    </div>
  );
}

export function OrdersTable(): VNode {
  const only = isOnlyThisMarket.value ? market.value?.symbol : undefined;
  const rows = openOrders.value.filter(({ symbol }) => only === undefined || symbol === only);
  return (
    <>
      {openOrders.value.length > 0 && <Toolbar />}
      <Table
        label="Open orders"
        rows={rows}
        columns={columns}
        keyOf={(order) => order.order_id}
        empty="No open orders."
      />
    </>
  );
}

/** Honours requests of the chart and of hotkeys, whichever table is in view. */
export function useOrderRequests(): void {
  useSignalEffect(() => {
    const { value } = amendRequest;
    if (value === null) return;
    const { orderId, price } = value;
    const order = openOrders.peek().find(({ order_id: id }) => id === orderId);
    const done = () => {
      if (amendRequest.peek() === value) amendRequest.value = null;
    };
    if (order === undefined) done();
    // Untracked, because the checks read other signals, and each change of those would send the request again.
    else void untracked(() => attempt(() => change(order, price, order.qty))).then(done);
  });
  useSignalEffect(() => {
    const { value } = cancelRequest;
    if (value === null) return;
    cancelRequest.value = null;
    void attempt(() => cancelAll(value.side, value.symbol));
  });
}
