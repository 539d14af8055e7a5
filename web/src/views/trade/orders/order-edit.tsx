// The change of an open order in its row: price or trigger, and quantity. The price has the focus first; Escape leaves from
// every part of the row. A change to what the order has already is not sent.

import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { grouped, shown } from "../../../decimal-text.ts";
import { replacedNo } from "../../../history/past-order.ts";
import { exact, valueAt } from "../../../markets/exact.ts";
import type { Market } from "../../../markets/market.ts";
import { markets } from "../../../markets/markets.ts";
import { numberFault } from "../../../markets/order-ticket.ts";
import { changeShortfall } from "../../../markets/ticket/change-funds.ts";
import { triggerSideFault } from "../../../markets/ticket/trigger-side.ts";
import { balances, type Order, readFigures } from "../../../member/account.ts";
import { readWatched } from "../../../member/best-price.ts";
import {
  type Amendment,
  amendedPrice,
  amendOrder,
  isWaiting,
  wouldTrade,
} from "../../../member/order-actions.ts";
import { termsOf } from "../../../member/order-terms.ts";
import { orderNumber } from "../../../proof-reference.ts";
import { NumberInput } from "../../form/field.tsx";
import { accountFault, attempt } from "../account-fault.ts";
import { confirmed } from "../confirmation.tsx";
import { readOwnFault } from "../own-limits.ts";
import { orderName } from "../table-columns.tsx";

interface Edit {
  readonly id: string;
  readonly price: string;
  readonly quantity: string;
}

/** The order being changed in its row; null for none. */
const edit = signal<Edit | null>(null);
/** Whether a change of a row is under way: a second one would place a second order. */
const isSaving = signal(false);
/** The order whose change was left last: its button gets the focus back. */
let leftId = "";
/** Number of the order whose change was sent last. The button of the one that takes its place gets the focus; null for none. */
let changedNo: number | null = null;

export function isEdited({ order_id: id }: Order): boolean {
  return edit.value?.id === id;
}

/** Whether the order has no quantity of its own: it closes a position, or sells what another one buys. */
export function isWithoutQuantity({ qty }: Order): boolean {
  return Number(qty) === 0;
}

/** What is wrong with the new quantity, or with the value and the price as the user's own limits see them. */
async function sizeFault(
  order: Order,
  of: Market,
  price: string,
  quantity: string,
): Promise<string | null> {
  if (isWithoutQuantity(order)) return null;
  const prices = order.price === null ? [] : [price];
  return (
    numberFault("Quantity", quantity, of.step, of.quantityMax) ??
    (await readOwnFault(of, { value: valueAt(price, quantity), prices }))
  );
}

/** Why the new trigger of an order that waits would be met at once. A stop limit or take profit limit order keeps its own. */
async function triggerFault(order: Order, of: Market, price: string): Promise<string | null> {
  const terms = termsOf(order);
  if (order.price !== null || terms === undefined) return null;
  const isMark = of.isPerpetual && terms.workingType !== "CONTRACT_PRICE";
  const isStop = terms.type.startsWith("STOP");
  const trigger = { name: "Trigger price", price, side: order.side, isStop };
  const watched = { price: await readWatched(of, isMark), isMark };
  return triggerSideFault(trigger, watched, of.pricePlaces);
}

/** Why the wallet does not cover the change of a resting spot order, after a fresh look if it seems so. */
async function fundsFault(order: Order, of: Market, change: Amendment): Promise<string | null> {
  const terms = termsOf(order);
  if (of.isPerpetual || order.price === null || terms === undefined || isWaiting(terms))
    return null;
  const asset = order.side === "BUY" ? of.quote : of.base;
  const fault = (): string => {
    const own = balances.peek().find((one) => one.wallet === "spot" && one.asset === asset);
    return changeShortfall(order, of, change, exact(own?.free ?? "0") ?? 0n);
  };
  if (fault() !== "") await readFigures();
  return fault() || null;
}

/** A change in words: what the order has, what it gets, and whether it then trades at once. */
function changeLines(order: Order, of: Market, { price, quantity }: Amendment): string[] {
  const before = shown(amendedPrice(order), of.pricePlaces);
  const size = isWithoutQuantity(order) ? "" : `${grouped(quantity)} `;
  const trades = order.type === "LIMIT" && wouldTrade(of, order.side, price);
  return [
    `${order.side} ${order.symbol}: ${size}from ${before} to ${shown(price, of.pricePlaces)}`,
    ...(trades ? ["It trades at once."] : []),
  ];
}

/** Changes an order, or throws what is wrong with the new terms. Terms that it has already are not sent. */
export async function changeOrder(order: Order, price: string, quantity: string): Promise<void> {
  const of = markets.value.find(({ symbol }) => symbol === order.symbol);
  if (of === undefined) throw new Error(`${order.symbol} is not listed.`);
  const isSame = exact(price) === exact(amendedPrice(order));
  if (isSame && exact(quantity) === exact(order.qty)) return;
  const fault =
    numberFault("Price", price, of.tick, of.priceMax) ??
    (isSame ? null : await triggerFault(order, of, price)) ??
    (await sizeFault(order, of, price, quantity)) ??
    (await fundsFault(order, of, { price, quantity }));
  if (fault !== null) throw new Error(fault);
  if (await confirmed("Confirm change", changeLines(order, of, { price, quantity })))
    await amendOrder(order, { price, quantity });
}

function leave(): void {
  leftId = edit.peek()?.id ?? "";
  edit.value = null;
  accountFault.value = "";
}

async function save(order: Order): Promise<void> {
  const { value } = edit;
  if (value === null || isSaving.value) return;
  isSaving.value = true;
  changedNo = orderNumber(order.order_id);
  const isDone = await attempt(() => changeOrder(order, value.price, value.quantity));
  isSaving.value = false;
  const isReplaced = changedNo === null;
  if (!isDone) changedNo = null;
  else if (edit.value?.id === value.id) {
    leave();
    // The row of the order that took its place has the focus already.
    if (isReplaced) leftId = "";
  }
}

function leaveOnEscape({ key }: KeyboardEvent): void {
  if (key === "Escape") leave();
}

interface EditFieldProps {
  readonly order: Order;
  readonly name: "price" | "quantity";
  readonly label: string;
}

/** A cell that is a field while its order is being changed. */
export function EditField({ order, name, label }: EditFieldProps): VNode {
  const field = useRef<HTMLInputElement>(null);
  // Before the next key is pressed, which is meant for the field.
  useLayoutEffect(() => {
    if (name !== "price") return;
    field.current?.focus();
    field.current?.select();
  }, [name]);
  return (
    <NumberInput
      look="cell"
      name={`${label} of ${order.side} ${order.symbol}`}
      input={field}
      value={edit.value?.[name] ?? ""}
      onValue={(text) => {
        if (edit.value !== null) edit.value = { ...edit.value, [name]: text };
        // It was about the order as it was.
        accountFault.value = "";
      }}
      onKeyDown={(event) => {
        leaveOnEscape(event);
        if (event.key !== "Enter") return;
        // Otherwise the same key would press the button that gets the focus back.
        event.preventDefault();
        if (!event.repeat) void save(order);
      }}
    />
  );
}

/** The buttons of a row whose order is being changed. */
export function EditActions({ order }: { readonly order: Order }): VNode {
  return (
    <span class="actions">
      <button
        type="button"
        aria-label={`Save ${order.side} ${order.symbol}`}
        disabled={isSaving.value}
        onKeyDown={leaveOnEscape}
        onClick={() => void save(order)}
      >
        Save
      </button>
      <button type="button" class="quiet" onKeyDown={leaveOnEscape} onClick={leave}>
        Back
      </button>
    </span>
  );
}

/** Begins the change of an order. */
export function EditButton({ order }: { readonly order: Order }): VNode {
  const { order_id: id, qty: quantity } = order;
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    // On spot the new order is at the top: the focus brings it into sight.
    const isNew = changedNo !== null && replacedNo(order.client_order_id) === changedNo;
    if (leftId !== id && !isNew) return;
    if (isNew) changedNo = null;
    leftId = "";
    button.current?.focus();
  }, [id]);
  return (
    <button
      type="button"
      class="quiet"
      ref={button}
      aria-label={`Edit ${orderName(order)}`}
      onClick={() => {
        edit.value = { id, price: amendedPrice(order), quantity };
      }}
    >
      Edit
    </button>
  );
}
