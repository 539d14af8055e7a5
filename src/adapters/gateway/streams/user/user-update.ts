// What happened to one account, as its user data stream tells it: copies of what an event and the
// order it touched looked like then, because both change before the stream's turn comes.

import type { PreventedMatch } from "../../../../core/prevented-matches.ts";
import type { OrderRecord } from "../../../../ports/journal/history-store.ts";

/** A side of a trade, seen by its account. */
export interface UserFill {
  readonly tradeId: number;
  readonly price: number;
  readonly qty: number;
  readonly fee: bigint;
  readonly pnl: bigint;
  readonly isMaker: boolean;
}

interface UpdateHead {
  /** Place in the sequence of the account on this surface. */
  readonly seq: number;
  readonly tsUs: number;
}

/** Binance's execution types. */
export type Execution =
  | "NEW"
  | "TRADE"
  | "CANCELED"
  | "EXPIRED"
  | "REPLACED"
  | "TRADE_PREVENTION"
  | "CALCULATED";

export interface OrderUpdate extends UpdateHead {
  readonly kind: "order";
  readonly execution: Execution;
  /** As it was right after the event. */
  readonly order: OrderRecord;
  readonly fill: UserFill | null;
  /** The match that was prevented, where it lost lots by that. */
  readonly prevented?: PreventedMatch & { readonly seq: number };
}

/** Money that came from or went to outside the surface's wallet. */
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

/** Money of the wallet that was locked and is free, or the other way round. */
export interface FreedUpdate extends UpdateHead {
  readonly kind: "freed";
  readonly asset: number;
}

export type UserUpdate = OrderUpdate | MoneyUpdate | LeverageUpdate | FreedUpdate;
