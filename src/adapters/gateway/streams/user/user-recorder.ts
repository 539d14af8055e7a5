// Converts events to updates for accounts whose streams have listeners. It runs right after the read model has folded
// an event, because the affected order is then in its state after the event.

import { Wallet } from "../../../../core/accounts.ts";
import {
  EventKind,
  type MovedBetweenAccounts,
  type PositionMoved,
  type Traded,
  type Transferred,
  type VenueEvent,
} from "../../../../core/generated/events.ts";
import { MarketKind } from "../../../../core/markets.ts";
import { swapAsset } from "../../../../engine/state/apply/swap-posting.ts";
import { legIdsOf } from "../../../../engine/state/orders/order-lists.ts";
import { type Execution, executionOfClose } from "../../orders/execution.ts";
import { orderOfMove } from "../../orders/moved-position.ts";
import type { ReadModel } from "../../read-model.ts";
import type { MoneyUpdate, OrderUpdate, UserFill, UserUpdate } from "./user-update.ts";

/** The account, surface and sequence number of an update. `isMaker` selects the account's side of a trade. */
export interface UpdateTarget {
  readonly account: number;
  readonly surface: MarketKind;
  readonly isMaker: boolean;
  readonly seq: number;
}

/** What is known of orders and lists right after an event: a front's read model, or the journal read again. */
export type KnownOrders = Pick<
  ReadModel,
  "order" | "list" | "listedOrders" | "prevented" | "state"
>;

const walletOf = { [MarketKind.spot]: Wallet.spot, [MarketKind.perpetual]: Wallet.perp } as const;

function fillOf(event: Traded, isMaker: boolean): UserFill {
  const { tradeId, price, qty } = event;
  const fee = isMaker ? event.makerFee : event.takerFee;
  const pnl = isMaker ? event.makerPnl : event.takerPnl;
  return { tradeId, price, qty, fee, pnl, isMaker };
}

/**
 * A position that changed accounts, shown as the order and fill that would have caused the change (execution
 * CALCULATED).
 */
function moveOf(
  event: PositionMoved,
  isTaken: boolean,
): Pick<OrderUpdate, "order"> & { fill: UserFill } {
  const account = isTaken ? event.counterparty : event.account;
  const order = orderOfMove({ ...event, account, isTaken });
  const pnl = isTaken ? event.counterpartyPnl : event.pnl;
  const { price, filledQty: qty } = order;
  return { order, fill: { tradeId: 0, price, qty, fee: 0n, pnl, isMaker: false } };
}

/** The order's list, if this update is the acceptance of its last order or the end of the list. Spec STR-60. */
function listChangeOf(
  { order, execution }: Pick<OrderUpdate, "order" | "execution">,
  model: KnownOrders,
): Pick<OrderUpdate, "list"> {
  const list = model.list(order.account, order.listId);
  if (list === undefined) return {};
  const { listId, type, clientId } = list;
  const isOver = model.state.orderLists.byId(listId) === undefined;
  const isWhole =
    execution === "NEW" &&
    order.orderId === legIdsOf(list).at(-1) &&
    order.updatedUs === order.acceptedUs;
  if (!isOver && !isWhole) return {};
  const orders = model
    .listedOrders(order.account, listId)
    .map((one) => ({ orderId: one.orderId, clientId: one.clientId }));
  return { list: { listId, type, clientId, isOver, orders } };
}

/** Adds the change of the order's list, if the update has one. */
function withList(update: OrderUpdate, model: KnownOrders): OrderUpdate {
  return update.order.listId === 0 ? update : { ...update, ...listChangeOf(update, model) };
}

/** Adds the data of a prevented match to the update, if such a match caused the event. */
function withPrevented(
  update: OrderUpdate | undefined,
  { prevented }: KnownOrders,
): OrderUpdate | undefined {
  const isPrevented = update?.execution === "TRADE_PREVENTION" && prevented !== null;
  return isPrevented ? { ...update, prevented } : update;
}

/** The change of a wallet by a transfer: the receiving wallet gains, the other one loses. */
function moneyMoved(
  event: Transferred | MovedBetweenAccounts,
  { account, surface }: UpdateTarget,
): Pick<MoneyUpdate, "asset" | "change" | "reason"> {
  const { asset, amount, to } = event;
  const isIn =
    event.kind === EventKind.transferred ? walletOf[surface] === to : event.receiver === account;
  return { asset, change: isIn ? amount : -amount, reason: "TRANSFER" };
}

/** The update of an event for one of its accounts; undefined if the order is not in memory any more. */
export function updateOf(
  event: VenueEvent,
  target: UpdateTarget,
  model: KnownOrders,
): UserUpdate | undefined {
  const { account, isMaker, seq } = target;
  const { tsUs } = event;
  const orderUpdate = (orderId: number, execution: Execution, fill: UserFill | null = null) => {
    const order = model.order(account, orderId);
    return order && withList({ kind: "order", seq, tsUs, execution, order, fill }, model);
  };
  switch (event.kind) {
    case EventKind.traded: {
      const orderId = isMaker ? event.makerOrderId : event.takerOrderId;
      return orderUpdate(orderId, "TRADE", fillOf(event, isMaker));
    }
    case EventKind.orderAccepted:
    case EventKind.specialAccepted:
    case EventKind.icebergAccepted:
    case EventKind.orderReleased:
    case EventKind.orderTriggered:
      return orderUpdate(event.orderId, "NEW");
    case EventKind.orderAmended:
    case EventKind.quoteAmended:
      return orderUpdate(event.orderId, "REPLACED");
    case EventKind.orderReduced:
      return withPrevented(orderUpdate(event.orderId, "TRADE_PREVENTION"), model);
    case EventKind.orderClosed:
      return withPrevented(orderUpdate(event.orderId, executionOfClose(event.reason)), model);
    case EventKind.leverageSet: {
      const { market, leverage } = event;
      return { kind: "leverage", seq, tsUs, market, leverage };
    }
    case EventKind.credited:
    case EventKind.granted: {
      const { asset, amount: change } = event;
      return {
        kind: "money",
        seq,
        tsUs,
        asset,
        change,
        reason: change < 0n ? "WITHDRAW" : "DEPOSIT",
      };
    }
    case EventKind.withdrawalRequested: {
      const { asset, amount } = event;
      return { kind: "money", seq, tsUs, asset, change: -amount, reason: "WITHDRAW" };
    }
    case EventKind.withdrawalEnded: {
      const { asset, amount: change } = event;
      return { kind: "money", seq, tsUs, asset, change, reason: "WITHDRAW" };
    }
    case EventKind.coinsSettled:
      return { kind: "freed", seq, tsUs, asset: event.asset };
    case EventKind.swapMoved: {
      const { market, side } = event;
      const asset = swapAsset(model.state.table.market(market), side);
      return asset === null ? undefined : { kind: "freed", seq, tsUs, asset: asset.id };
    }
    case EventKind.rewardClaimed: {
      const { asset } = model.state.rewards;
      return { kind: "money", seq, tsUs, asset, change: event.amount, reason: "DEPOSIT" };
    }
    case EventKind.fundingPaid: {
      const { market, amount: change } = event;
      const asset = model.state.table.market(market).quote.id;
      return { kind: "money", seq, tsUs, asset, change, reason: "FUNDING_FEE" };
    }
    case EventKind.insuranceSettled: {
      const { market, amount: change } = event;
      const asset = model.state.table.market(market).quote.id;
      return { kind: "money", seq, tsUs, asset, change, reason: "INSURANCE_CLEAR" };
    }
    case EventKind.positionMoved:
      return { kind: "order", seq, tsUs, execution: "CALCULATED", ...moveOf(event, isMaker) };
    case EventKind.transferred:
    case EventKind.movedBetweenAccounts:
      return { kind: "money", seq, tsUs, ...moneyMoved(event, target) };
    default:
      return undefined;
  }
}
