// Updates of one account for its user data stream. They are copies of the event and of the order after the event,
// because both objects change before the updates are published.

import type { OrderListType } from "../../../../core/order-lists.ts";
import type { PreventedMatch } from "../../../../core/prevented-matches.ts";
import type { OrderRecord } from "../../../../ports/journal/history-store.ts";
import type { Execution } from "../../orders/execution.ts";

/** One side of a trade, as the account of that side sees it. */
export interface UserFill {
  readonly tradeId: number;
  readonly price: number;
  readonly qty: number;
  readonly fee: bigint;
  readonly pnl: bigint;
  readonly isMaker: boolean;
}

interface UpdateHead {
  /** Number of the update in the sequence of the account on this surface. */
  readonly seq: number;
  readonly tsUs: number;
}

export interface OrderUpdate extends UpdateHead {
  readonly kind: "order";
  readonly execution: Execution;
  /** The order's state right after the event. */
  readonly order: OrderRecord;
  readonly fill: UserFill | null;
  /** The prevented match, if it removed lots from the order. */
  readonly prevented?: PreventedMatch & { readonly seq: number };
  /** The order's list, if the event completed its acceptance or ended it. */
  readonly list?: ListChange;
}

/** An order list that was accepted, or that is over. */
export interface ListChange {
  readonly listId: number;
  readonly type: OrderListType;
  readonly clientId: string;
  readonly isOver: boolean;
  readonly orders: readonly Pick<OrderRecord, "orderId" | "clientId">[];
}

/** Money that came into the surface's wallet or left it. */
export interface MoneyUpdate extends UpdateHead {
  readonly kind: "money";
  readonly asset: number;
  readonly change: bigint;
  readonly reason: "DEPOSIT" | "WITHDRAW" | "TRANSFER" | "FUNDING_FEE" | "INSURANCE_CLEAR";
}

export interface LeverageUpdate extends UpdateHead {
  readonly kind: "leverage";
  readonly market: number;
  readonly leverage: number;
}

/** Money of the wallet that was locked, or that was freed from a lock. */
export interface FreedUpdate extends UpdateHead {
  readonly kind: "freed";
  readonly asset: number;
}

export type UserUpdate = OrderUpdate | MoneyUpdate | LeverageUpdate | FreedUpdate;
