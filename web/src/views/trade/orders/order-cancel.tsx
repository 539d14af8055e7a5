// Cancels of open orders: of one, and of those that the table lists, all or of one side. A cancel that takes more than one
// order asks first, and says which orders of which markets; so does the hotkey.

import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { market } from "../../../markets/markets.ts";
import type { Side } from "../../../markets/ticket-requests.ts";
import { type Order, openOrders } from "../../../member/account.ts";
import { cancelOrder } from "../../../member/order-actions.ts";
import { cancelPlanned } from "../../../member/order-cancels.ts";
import { cancelPlans, counted, endingWith, linesOf } from "../../../member/order-lists.ts";
import { listOf } from "../../../member/order-terms.ts";
import { usePassedFocus } from "../../form/focus.ts";
import { agreed } from "../../form/question.ts";
import { attempt } from "../account-fault.ts";
import { orderName } from "../table-columns.tsx";

const isOnlyThisMarket = signal(false);

/** The market whose orders are listed; null for all markets. */
function listedSymbol(): string | null {
  return isOnlyThisMarket.value ? (market.value?.symbol ?? null) : null;
}

/** The open orders that the table lists. */
export function listedOrders(): readonly Order[] {
  return ordersOf(listedSymbol());
}

function ordersOf(symbol: string | null): readonly Order[] {
  return openOrders.value.filter((order) => symbol === null || order.symbol === symbol);
}

function agreedOn(count: number, lines: readonly string[]): Promise<boolean> {
  return agreed({ title: "Cancel orders", lines, verb: `Cancel ${counted(count, "order")}` });
}

/** Cancels an order. If it is one of a list, the list goes whole, if the user agrees. */
export async function cancelOne(order: Order): Promise<void> {
  const { length: count } = endingWith(order, openOrders.value, listOf);
  const lines = [`A list is cancelled whole: ${counted(count, "order")} on ${order.symbol}`];
  if (count > 1 && !(await agreedOn(count, lines))) return;
  await cancelOrder(order);
}

/** Orders whose cancel was asked for and not answered yet. */
const ending = new Set<string>();

/** Cancels an order that is not being cancelled already. */
async function once(order: Order): Promise<void> {
  if (ending.has(order.order_id)) return;
  ending.add(order.order_id);
  try {
    await cancelOne(order);
  } finally {
    ending.delete(order.order_id);
  }
}

/** The button of the row that takes the place of one that is gone; without any, the tab of the table. */
function nextCancel(gone: HTMLElement): HTMLElement | null {
  const row = gone.closest("tr");
  const next = row?.nextElementSibling ?? row?.previousElementSibling;
  return (
    next?.querySelector<HTMLElement>(".actions > :last-child") ??
    gone.closest(".panel")?.querySelector<HTMLElement>("[role=tab][aria-selected=true]") ??
    null
  );
}

export function CancelButton({ order }: { readonly order: Order }): VNode {
  const button = useRef<HTMLButtonElement>(null);
  usePassedFocus(button, nextCancel);
  return (
    <button
      type="button"
      class="quiet"
      ref={button}
      aria-label={`Cancel ${orderName(order)}`}
      // A key that is held down would cancel the order of the next row too, which gets the focus.
      onKeyDown={(event) => event.repeat && event.preventDefault()}
      onClick={() => void attempt(() => once(order))}
    >
      Cancel
    </button>
  );
}

/** Cancels the open orders of one side, or of both, in a market or in all of them, if the user agrees. */
export async function cancelMany(side: Side | null, symbol: string | null): Promise<void> {
  const plans = cancelPlans(ordersOf(symbol), side, listOf);
  const count = plans.reduce((sum, plan) => sum + plan.count + plan.following, 0);
  if (count === 0) {
    const kind = side === null ? "order" : `${side.toLowerCase()} order`;
    throw new Error(`No open ${kind} to cancel${symbol === null ? "" : ` on ${symbol}`}.`);
  }
  if (!(await agreedOn(count, linesOf(plans)))) return;
  await Promise.all(plans.map(cancelPlanned));
}

export function CancelToolbar(): VNode {
  const press = (side: Side | null) => void attempt(() => cancelMany(side, listedSymbol()));
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
        Only {market.value?.symbol ?? ""}
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
