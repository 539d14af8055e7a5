// Compares the answers that clients got with the journal. A fault is one line of text; an empty list means that the
// journal agrees with every answer. This file uses no sockets and no SQL: table-audit.ts and stream-audit.ts check API,
// tables and streams.

import { Wallet, walletCount } from "../../src/core/accounts.ts";
import { accountsMax } from "../../src/core/limits.ts";
import { MarketKind } from "../../src/core/markets.ts";
import { formatScaled } from "../../src/core/money/amounts.ts";
import { CloseReason, isQuoteClientId } from "../../src/core/orders.ts";
import { dueLegs } from "../../src/engine/clearing/orders/list-legs.ts";
import type { VenueState } from "../../src/engine/state/venue-state.ts";
import type { JournalFacts, OrderFacts } from "./journal-facts.ts";
import type { ToldFill, ToldHistory, ToldOrder } from "./told-history.ts";

/** Counts of what an audit has checked. */
export interface AuditCounts {
  acknowledged: number;
  cancelled: number;
  fills: number;
  unknown: number;
  /** Orders with an unknown outcome that turned out to exist. */
  unknownFound: number;
  notExecuted: number;
}

export interface AuditReport {
  readonly faults: readonly string[];
  readonly counts: AuditCounts;
}

/**
 * Checks that everything acknowledged in `histories` is in the journal exactly once, and that nothing refused is
 * there.
 */
export function audit(histories: readonly ToldHistory[], facts: JournalFacts): AuditReport {
  const faults = [...facts.faults, ...conservationFaults(facts.state), ...lostFaults(facts.state)];
  const counts: AuditCounts = {
    acknowledged: 0,
    cancelled: 0,
    fills: 0,
    unknown: 0,
    unknownFound: 0,
    notExecuted: 0,
  };
  for (const history of histories) {
    faults.push(...history.contradictions);
    for (const order of history.orders.values()) {
      faults.push(...orderFaults(history.account, order, facts, counts));
    }
    for (const orderId of history.quotes) {
      const accepted = facts.orders.get(orderId)?.accepted;
      if (accepted?.account !== history.account || !isQuoteClientId(accepted.clientId))
        faults.push(`order ${orderId}: reported as a quote, but not in the journal as one`);
    }
    for (const fill of history.fills.values()) {
      counts.fills += 1;
      faults.push(...fillFaults(history.account, fill, facts));
    }
  }
  return { faults, counts };
}

function orderFaults(
  account: number,
  order: ToldOrder,
  facts: JournalFacts,
  counts: AuditCounts,
): string[] {
  const ids = facts.idsOf(account, order.clientId);
  if (ids.length > 1) return [`${order.clientId}: ${ids.length} orders, ids ${ids.join(", ")}`];
  const id = ids[0];
  switch (order.outcome) {
    case "unknown":
      counts.unknown += 1;
      counts.unknownFound += ids.length;
      return [];
    case "refused":
    case "notExecuted":
      if (order.outcome === "notExecuted") counts.notExecuted += 1;
      return id === undefined
        ? []
        : [`${order.clientId}: ${order.outcome}, but the journal has order ${id}`];
    case "acknowledged": {
      counts.acknowledged += 1;
      if (order.cancelledAtQty !== null) counts.cancelled += 1;
      const found = id === undefined ? undefined : facts.orders.get(id);
      if (found === undefined) return [`${order.clientId}: acknowledged, but not in the journal`];
      return toldFaults(order, found, facts);
    }
    default:
      return [`${order.clientId}: no outcome`];
  }
}

/** Reasons of orders that clients see as cancelled: at their request, or because their connection was lost. */
const ownCancels: readonly CloseReason[] = [CloseReason.cancelled, CloseReason.disconnected];

/** Compares an acknowledged order with the journal's facts. */
function toldFaults(
  order: ToldOrder,
  { accepted, qty, filledQty, lastUs, closed }: OrderFacts,
  facts: JournalFacts,
): string[] {
  const market = facts.state.table.market(accepted.market);
  const found = {
    id: accepted.orderId,
    side: accepted.side === 0 ? "BUY" : "SELL",
    price: order.price === null ? null : formatScaled(accepted.price, market.tickDecimals),
    qty: formatScaled(accepted.qty, market.lotDecimals),
  };
  const told = { id: order.orderId, side: order.side, price: order.price, qty: order.qty };
  const faults: string[] = [];
  if (JSON.stringify(found) !== JSON.stringify(told)) {
    faults.push(
      `${order.clientId}: reported ${JSON.stringify(told)}, but the journal has ${JSON.stringify(found)}`,
    );
  }
  const executed = Number(formatScaled(filledQty, market.lotDecimals));
  if (executed < order.executedQty) {
    faults.push(
      `${order.clientId}: reported ${order.executedQty} executed, but the journal has ${executed}`,
    );
  }
  const qtyNow = formatScaled(qty, market.lotDecimals);
  if (order.amendedQty !== null && Number(qtyNow) > Number(order.amendedQty)) {
    faults.push(
      `${order.clientId}: reported as amended to ${order.amendedQty}, but the journal has ${qtyNow}`,
    );
  }
  if (order.denied !== null) {
    const [from, to] = [accepted.tsUs, lastUs].map((us) => new Date(us / 1000).toISOString());
    faults.push(`${order.clientId}: ${order.denied}; the journal has it from ${from} to ${to}`);
  }
  if (closed.length > 1) faults.push(`${order.clientId}: closed ${closed.length} times`);
  if (order.cancelledAtQty === null) return faults;
  const isCancelled = ownCancels.includes(closed[0]?.reason ?? CloseReason.unfilled);
  if (!isCancelled || executed !== order.cancelledAtQty) {
    faults.push(
      `${order.clientId}: reported as cancelled at ${order.cancelledAtQty}, but the journal has ${executed}`,
    );
  }
  return faults;
}

function fillFaults(account: number, fill: ToldFill, facts: JournalFacts): string[] {
  const trade = facts.trades.get(fill.tradeId);
  if (trade === undefined) return [`trade ${fill.tradeId}: reported, but not in the journal`];
  const market = facts.state.table.market(trade.market);
  const isTaker = trade.takerOrderId === fill.orderId && trade.account === account;
  const isMaker = trade.makerOrderId === fill.orderId && trade.makerAccount === account;
  if (!isTaker && !isMaker)
    return [`trade ${fill.tradeId} does not belong to order ${fill.orderId}`];
  const isBuy = (trade.takerSide === 0) === isTaker;
  // On spot the fee is paid in the received asset. A perpetual has no base asset: its fees are paid in the
  // collateral.
  const received = isBuy && market.base !== null ? market.base : market.quote;
  const found = {
    price: Number(formatScaled(trade.price, market.tickDecimals)),
    qty: Number(formatScaled(trade.qty, market.lotDecimals)),
    commission: Number(formatScaled(isTaker ? trade.takerFee : trade.makerFee, received.decimals)),
  };
  const told = {
    price: Number(fill.price),
    qty: Number(fill.qty),
    commission: Number(fill.commission),
  };
  if (JSON.stringify(found) === JSON.stringify(told)) return [];
  return [
    `trade ${fill.tradeId}: reported ${JSON.stringify(told)}, but the journal has ${JSON.stringify(found)}`,
  ];
}

/** Checks that no order is open whose connection was lost and had declared that its orders are then cancelled. */
function lostFaults({ connections }: VenueState): string[] {
  return connections
    .bound()
    .filter(({ orderId }) => connections.isLost(orderId))
    .map(({ orderId, connectionId }) => `order ${orderId} outlives its connection ${connectionId}`);
}

/**
 * Checks that no list is half there: that none of its orders still waits to go on although the order that it waited for
 * has ended. A running venue needs a moment for it, so `tableFaults` waits.
 */
export function halfListFaults(state: VenueState): string[] {
  return dueLegs(state).map((orderId) => `order ${orderId}: its list is half there`);
}

/**
 * Checks for each asset that the sum over all accounts, less the signed entry value of positions, equals what was
 * paid in.
 */
export function conservationFaults(state: VenueState): string[] {
  const held = state.table.assets.map(() => 0n);
  for (let slot = 1; slot < accountsMax; slot++) {
    const account = state.accounts.at(slot);
    if (account === 0) continue;
    for (const asset of state.table.assets) {
      for (let wallet = Wallet.funding as number; wallet < walletCount; wallet++) {
        held[asset.id] =
          (held[asset.id] ?? 0n) + state.balances.total(account, wallet as Wallet, asset.id);
      }
    }
    for (const market of state.table.markets) {
      if (market.kind !== MarketKind.perpetual) continue;
      const entry = state.positions.entryValue(account, market.id);
      held[market.quote.id] = (held[market.quote.id] ?? 0n) - entry;
    }
  }
  return state.table.assets.flatMap(({ id, code }) =>
    held[id] === state.deposited[id]
      ? []
      : [`${code}: accounts hold ${held[id]}, but ${state.deposited[id]} came in`],
  );
}
