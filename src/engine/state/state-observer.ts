// Notifications about what each event touched: orders, balances and positions. Observers never change the
// state and return nothing.

import type { Wallet } from "../../core/accounts.ts";
import type { OrderStatus } from "../../core/orders.ts";

/** Called right after each change while an event is applied, so that a read model can record or publish the change. */
export interface StateObserver {
  orderOpened?(slot: number): void;
  orderChanged?(slot: number): void;
  /** A slice of an iceberg order has been filled; the order now shows the next one. */
  sliceShown?(slot: number): void;
  /** The order is final; its slot is still readable and is freed right after. */
  orderClosed?(slot: number, status: OrderStatus): void;
  balanceChanged(account: number, wallet: Wallet, asset: number): void;
  positionChanged(account: number, market: number): void;
}
