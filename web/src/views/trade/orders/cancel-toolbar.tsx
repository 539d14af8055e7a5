// The buttons that cancel many orders: those that the table lists, all or of one side. They ask first, and say which orders
// of which markets; so does the hotkey.

import { signal } from "@preact/signals";
import type { VNode } from "preact";
import { market } from "../../../markets/markets.ts";
import type { Side } from "../../../markets/ticket-requests.ts";
import { type Order, openOrders } from "../../../member/account.ts";
import { cancelPlanned } from "../../../member/order-cancels.ts";
import { cancelPlans, counted, linesOf } from "../../../member/order-lists.ts";
import { listOf } from "../../../member/order-terms.ts";
import { attempt } from "../account-fault.ts";
import { agreed } from "../confirmation.tsx";

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

/** Cancels the open orders of one side, or of both, in a market or in all of them, if the user agrees. */
export async function cancelMany(side: Side | null, symbol: string | null): Promise<void> {
  const plans = cancelPlans(ordersOf(symbol), side, listOf);
  const count = plans.reduce((sum, plan) => sum + plan.count + plan.following, 0);
  if (count === 0) {
    const kind = side === null ? "order" : `${side.toLowerCase()} order`;
    throw new Error(`No open ${kind} to cancel${symbol === null ? "" : ` on ${symbol}`}.`);
  }
  const verb = `Cancel ${counted(count, "order")}`;
  if (!(await agreed({ title: "Cancel orders", lines: linesOf(plans), verb }))) return;
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
