// Which orders of an account a mass cancel covers: markets, a side, a band of limit prices, or those of a maker group. An
// order list is covered if one of its orders is.

import {
  type CancelAllOrders,
  type CancelOrders,
  CommandKind,
} from "../../../core/generated/commands.ts";
import { marketsMax } from "../../../core/limits.ts";
import type { Side } from "../../../core/orders.ts";
import type { VenueState } from "../../state/venue-state.ts";

/** The orders of an account that a mass cancel covers. A band of prices leaves out orders without a limit price. */
export interface CoveredOrders {
  readonly account: number;
  /** One bit for each market, by its number. */
  readonly markets: number;
  /** Null or absent for both sides. */
  readonly side?: Side | null | undefined;
  /** Bounds of the limit price in ticks, inclusive; 0 or absent for none. */
  readonly minPrice?: number;
  readonly maxPrice?: number;
  /** Keeps orders that wait for a trigger; default false. */
  readonly keepsWaiting?: boolean;
  /** Keeps reduce-only orders; default false. */
  readonly sparesReducing?: boolean;
}

/** What the command covers; undefined for a group that does not exist. */
export function coveredBy(
  { makerGroups }: Pick<VenueState, "makerGroups">,
  command: CancelAllOrders | CancelOrders,
): CoveredOrders | undefined {
  const { account } = command;
  if (command.kind === CommandKind.cancelAllOrders) {
    const { market } = command;
    return { account, markets: market >= 0 && market < marketsMax ? 1 << market : 0 };
  }
  if (command.group === 0) return command;
  const group = makerGroups.get(account, command.group);
  return group && { ...command, markets: group.terms.markets, sparesReducing: true };
}

export function isIn({ markets }: CoveredOrders, market: number): boolean {
  return ((markets >>> market) & 1) === 1;
}

/** Whether side, price and kind of the order are covered. */
export function hasTerms(
  { side = null, minPrice = 0, maxPrice = 0, sparesReducing = false }: CoveredOrders,
  order: { readonly side: Side; readonly price: number; readonly isReduceOnly: boolean },
): boolean {
  if (sparesReducing && order.isReduceOnly) return false;
  if (side !== null && order.side !== side) return false;
  if (minPrice === 0 && maxPrice === 0) return true;
  if (order.price < Math.max(minPrice, 1)) return false;
  return maxPrice === 0 || order.price <= maxPrice;
}
