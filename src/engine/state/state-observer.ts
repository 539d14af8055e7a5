// What a reader of the state may want to know of each event: which orders, balances and positions
// it touched. Observers never change the state and are never asked for anything.

import type { Wallet } from "../../core/accounts.ts";
import type { OrderStatus } from "../../core/orders.ts";

/** Told what an event touched, after the fact; a read model marks or renders what changed. */
export interface StateObserver {
  orderOpened?(slot: number): void;
  orderChanged?(slot: number): void;
  /** The order is final; its slot is still readable and freed right after. */
  orderClosed?(slot: number, status: OrderStatus): void;
  balanceChanged(account: number, wallet: Wallet, asset: number): void;
  positionChanged(account: number, market: number): void;
}
