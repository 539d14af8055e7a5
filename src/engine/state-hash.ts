// One hash of the whole state: everything that a later decision may depend on and the fees that accounts have paid, in
// an order independent of slots and history. States with the same hash decide alike; live, replayed and restored
// states must have the same hash. The hash is not cryptographic: it detects mistakes, not attacks.

import { accountSlot, walletCount } from "../core/accounts.ts";
import { amountAt, byteAt, numberAt, shortAt, wordAt } from "../core/assert.ts";
import { assetsMax } from "../core/limits.ts";
import { Peg } from "../core/orders.ts";
import { OrderFlag, type OrderTable } from "./state/orders/order-table.ts";
import { HashLanes } from "./state/snapshot/hash-lanes.ts";
import { hashParts } from "./state/snapshot/snapshot-parts.ts";
import type { VenueState } from "./state/venue-state.ts";

/**
 * Returns the hash as 16 hexadecimal digits; call this only between transactions. A state that does not remember client
 * ids hashes as if none were in use, so compare only states with the same setting.
 */
export function stateHash(state: VenueState): string {
  const lanes = new HashLanes();
  lanes.number(state.seq);
  lanes.number(state.tsUs);
  lanes.number(state.nextOrderId);
  lanes.number(state.nextTradeId);
  hashAccounts(state, lanes);
  hashOrders(state, lanes);
  hashClientIds(state, lanes);
  hashRequestKeys(state, lanes);
  hashParts(state, lanes);
  return lanes.digest();
}

/** Hashes the accounts with their balances, fees, positions and rewards. */
function hashAccounts(state: VenueState, lanes: HashLanes): void {
  const { accounts } = state;
  for (const account of accounts.closed) lanes.number(account);
  for (let slot = 1; slot < accounts.next; slot++) {
    const account = accounts.at(slot);
    if (account === 0) continue;
    lanes.number(account);
    lanes.word(accounts.typeOf(account) ?? 0);
    lanes.word(accounts.flagsOf(account));
    lanes.word(accounts.tiesOf(account));
    hashBalances(state, account, lanes);
    for (const { id } of state.table.assets) lanes.amount(state.feesPaid.of(account, id));
    hashPositions(state, account, lanes);
    hashRewards(state, account, lanes);
  }
}

function hashBalances({ balances }: VenueState, account: number, lanes: HashLanes): void {
  const first = balances.indexOf(account, 0, 0);
  for (let index = first; index < first + walletCount * assetsMax; index++) {
    const total = balances.totalAt(index);
    const reserved = balances.reservedAt(index);
    if (total === 0n && reserved === 0n) continue;
    lanes.number(index);
    lanes.amount(total);
    lanes.amount(reserved);
  }
}

function hashPositions({ positions, table }: VenueState, account: number, lanes: HashLanes): void {
  for (let market = 0; market < table.markets.length; market++) {
    if (!positions.isTouched(account, market)) continue;
    lanes.word(market);
    lanes.number(positions.qty(account, market));
    lanes.amount(positions.entryValue(account, market));
    lanes.amount(positions.realisedPnl(account, market));
    lanes.word(positions.leverage(account, market));
  }
}

function hashRewards({ rewards }: VenueState, account: number, lanes: HashLanes): void {
  if (!rewards.isTouched(account)) return;
  const { volume, spotFees, perpFees, accrued, claimed } = rewards;
  lanes.number(rewards.referrerOf(account));
  for (const amounts of [volume, spotFees, perpFees, accrued, claimed]) {
    lanes.amount(amountAt(amounts, accountSlot(account)));
  }
}

function hashOrders(state: VenueState, lanes: HashLanes): void {
  const { orders } = state;
  for (const slot of orders.openSlots()) {
    lanes.number(numberAt(orders.orderId, slot));
    lanes.number(wordAt(orders.account, slot));
    lanes.word(byteAt(orders.market, slot));
    lanes.word(byteAt(orders.side, slot));
    lanes.word(byteAt(orders.type, slot));
    lanes.word(byteAt(orders.timeInForce, slot));
    lanes.word(wordAt(orders.price, slot));
    lanes.word(wordAt(orders.marginPrice, slot));
    lanes.number(wordAt(orders.qty, slot));
    lanes.number(wordAt(orders.filledQty, slot));
    lanes.amount(amountAt(orders.filledQuote, slot));
    lanes.number(wordAt(orders.marginLots, slot));
    lanes.amount(amountAt(orders.reserved, slot));
    if (orders.lossTicks[slot] !== 0) {
      lanes.word(wordAt(orders.lossTicks, slot));
      lanes.number(wordAt(orders.lossLots, slot));
    }
    lanes.number(numberAt(orders.acceptedUs, slot));
    hashClientId(orders, slot, lanes);
    lanes.word(byteAt(orders.flags, slot));
    lanes.word(byteAt(orders.stpMode, slot));
    if (orders.has(slot, OrderFlag.requeued)) lanes.number(numberAt(orders.queuedUs, slot));
    if (orders.has(slot, OrderFlag.special)) hashSpecial(orders, slot, lanes);
  }
}

function hashClientId(orders: OrderTable, slot: number, lanes: HashLanes): void {
  const length = orders.clientIdLength(slot);
  lanes.word(length);
  for (let at = 0; at < length; at++) lanes.word(orders.clientIdCode(slot, at));
}

function hashSpecial(orders: OrderTable, slot: number, lanes: HashLanes): void {
  lanes.amount(amountAt(orders.quoteQty, slot));
  lanes.number(numberAt(orders.goodTillUs, slot));
  lanes.word(wordAt(orders.triggerPrice, slot));
  lanes.word(byteAt(orders.workingPrice, slot));
  lanes.word(shortAt(orders.trailingBps, slot));
  lanes.word(wordAt(orders.activationPrice, slot));
  lanes.word(wordAt(orders.bestPrice, slot));
  lanes.number(numberAt(orders.triggeredUs, slot));
  if (orders.peg[slot] !== Peg.none) lanes.word(byteAt(orders.peg, slot));
  if (orders.pegOffset[slot] !== 0) lanes.word(byteAt(orders.pegOffset, slot));
  if (!orders.has(slot, OrderFlag.iceberg)) return;
  lanes.word(wordAt(orders.icebergQty, slot));
  lanes.word(wordAt(orders.shownQty, slot));
}

function hashClientIds(state: VenueState, lanes: HashLanes): void {
  if (state.clientIds === null) return;
  const entries = state.clientIds.capture();
  for (let place = 0; place < entries.orderId.length; place++) {
    lanes.word(wordAt(entries.account, place));
    lanes.word(wordAt(entries.first, place));
    lanes.word(wordAt(entries.second, place));
    lanes.number(numberAt(entries.orderId, place));
    lanes.number(numberAt(entries.closedUs, place));
  }
}

function hashRequestKeys({ requestKeys }: VenueState, lanes: HashLanes): void {
  if (requestKeys === null) return;
  const rows = requestKeys.capture();
  for (let row = 0; row < rows.account.length; row++) {
    lanes.word(wordAt(rows.account, row));
    lanes.amount(amountAt(rows.high, row));
    lanes.amount(amountAt(rows.low, row));
    lanes.amount(amountAt(rows.payload, row));
    lanes.number(numberAt(rows.subject, row));
    lanes.number(numberAt(rows.usedUs, row));
  }
}
