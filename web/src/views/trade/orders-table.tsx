// The open orders: cancel one, all or one side, and change price and quantity in the row. Requests of hotkeys and of the
// chart arrive here too.

import { untracked, useSignalEffect } from "@preact/signals";
import type { VNode } from "preact";
import { shown } from "../../decimal-text.ts";
import { sizeText } from "../../history/past-order.ts";
import { valueAt } from "../../markets/exact.ts";
import { typeLabel } from "../../markets/order-kinds.ts";
import { amendRequest, cancelRequest } from "../../markets/ticket-requests.ts";
import { type Order, openOrders } from "../../member/account.ts";
import { isAmendable } from "../../member/order-actions.ts";
import { quantityToCome } from "../../member/order-lists.ts";
import { listOf, type OrderTerms, termsOf } from "../../member/order-terms.ts";
import { dayAndTime } from "../../moment.ts";
import { type Column, Table } from "../form/table.tsx";
import { attempt, attemptAtChart } from "./account-fault.ts";
import { AttachedButton, AttachedDialog } from "./orders/attached-dialog.tsx";
import { attachedOf } from "./orders/attached-replacing.ts";
import { CancelButton, CancelToolbar, cancelMany, listedOrders } from "./orders/order-cancel.tsx";
import {
  changeOrder,
  EditActions,
  EditButton,
  EditField,
  isEdited,
  isWithoutQuantity,
} from "./orders/order-edit.tsx";
import { pricePlaces, quantities, quantityPlaces, sideTone } from "./table-columns.tsx";

function OrderPrice({ order }: { order: Order }): VNode {
  if (order.price === null) return <>Market</>;
  if (isEdited(order)) {
    return <EditField order={order} name="price" label="New price" />;
  }
  return <>{shown(order.price, pricePlaces(order.symbol))}</>;
}

/** Of an order that trades at the market, the trigger is the price that can be changed. */
function OrderTrigger({ order }: { order: Order }): VNode {
  if (order.price === null && isEdited(order)) {
    return <EditField order={order} name="price" label="New trigger" />;
  }
  return <>{triggerText(order)}</>;
}

function OrderQuantity({ order }: { order: Order }): VNode {
  const places = quantityPlaces(order.symbol);
  if (isWithoutQuantity(order)) {
    const toCome = quantityToCome(order, openOrders.value, listOf);
    return <>{toCome === null ? sizeText(order, places) : `up to ${shown(toCome, places)}`}</>;
  }
  if (isEdited(order)) {
    return <EditField order={order} name="quantity" label="New quantity" />;
  }
  return <>{sizeText(order, places)}</>;
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
  return /STOP|TAKE_PROFIT/.test(order.type) && Number(stop) > 0 ? shown(stop, places) : "";
}

/** The take profit and the stop loss that an order brings for what it opens or buys. */
function attachedTexts(order: Order): string[] {
  const attached = attachedOf(order);
  if (attached === null || attached.order.order_id !== order.order_id) return [];
  const text = (name: string, price: string) =>
    price === "" ? "" : `${name} ${shown(price, pricePlaces(order.symbol))}`;
  const { takeProfit, stopLoss } = attached.prices;
  return [text("TP", takeProfit), text("SL", stopLoss)];
}

function icebergText({ symbol }: Order, { icebergQty = "0" }: OrderTerms): string {
  if (Number(icebergQty) === 0) return "";
  return `Iceberg, ${shown(icebergQty, quantityPlaces(symbol))} visible`;
}

/** Orders with the same number are one list, and go together. */
function listText({ orderListId = -1 }: OrderTerms): string {
  return orderListId >= 0 ? `List ${orderListId}` : "";
}

/** The whole quantity at the limit or, of an order that trades at the market, at the trigger. */
function valueText(order: Order): string {
  const price = order.price ?? termsOf(order)?.stopPrice;
  if (isWithoutQuantity(order) || price === undefined || Number(price) === 0) return "–";
  return shown(valueAt(price, order.qty), 2);
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
    listText(terms),
    icebergText(order, terms),
    ...attachedTexts(order),
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function Actions({ order }: { order: Order }): VNode {
  if (isEdited(order)) return <EditActions key="changing" order={order} />;
  return (
    <span class="actions">
      {isAmendable(order) && <EditButton order={order} />}
      <AttachedButton order={order} />
      <CancelButton order={order} />
    </span>
  );
}

const columns: ReadonlyArray<Column<Order>> = [
  { name: "Time", cell: ({ created_at: time }) => dayAndTime(time) },
  { name: "Market", cell: ({ symbol }) => symbol },
  { name: "Side", cell: ({ side }) => side, tone: sideTone },
  { name: "Type", cell: ({ type }) => typeLabel(type) },
  { name: "Price", isNumber: true, cell: (order) => <OrderPrice order={order} /> },
  { name: "Trigger", isNumber: true, cell: (order) => <OrderTrigger order={order} /> },
  { name: "Quantity", isNumber: true, cell: (order) => <OrderQuantity order={order} /> },
  { name: "Value", isNumber: true, cell: valueText },
  quantities("Filled", ({ filled_qty: filled }) => filled),
  { name: "Options", cell: optionsText },
  { name: "", cell: (order) => <Actions order={order} /> },
];

export function OrdersTable(): VNode {
  return (
    <>
      {openOrders.value.length > 0 && <CancelToolbar />}
      <Table
        label="Open orders"
        rows={listedOrders()}
        columns={columns}
        keyOf={(order) => order.order_id}
        empty="No open orders."
      />
      <AttachedDialog />
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
    else
      void untracked(() => attemptAtChart(() => changeOrder(order, price, order.qty))).then(done);
  });
  useSignalEffect(() => {
    const { value } = cancelRequest;
    if (value === null) return;
    cancelRequest.value = null;
    // Untracked, because the orders that it plans with change.
    void untracked(() => attempt(() => cancelMany(value.side, value.symbol)));
  });
}
