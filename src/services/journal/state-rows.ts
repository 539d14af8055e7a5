// The rows of a state, for a database that has none of them: open orders, accounts, keys, markets, balances and positions, as
// the projection would have written them up to the state's seq. Rows of what has ended are not among them.

import { type Wallet, walletCount } from "../../core/accounts.ts";
import { OrderStatus, StpMode } from "../../core/orders.ts";
import { OrderFlag } from "../../engine/state/orders/order-table.ts";
import type { VenueState } from "../../engine/state/venue-state.ts";
import type { CommitBatch } from "../../ports/journal/event-store.ts";
import { emptyCommitBatch } from "./batch-records.ts";
import { OrderDetails } from "./order-details.ts";

/** A batch has about this many rows: some megabytes, and fewer commits than would be felt. */
const rowsPerBatch = 16_384;

/** Yields batches without events that together have every row of the state, which must be between two transactions. */
export function* rowsOfState(state: VenueState): Generator<CommitBatch> {
  let batch = emptyCommitBatch(state.seq + 1);
  addMarkets(batch, state);
  addKeys(batch, state);
  for (const rows of [accountRows(state), orderRows(state)]) {
    for (const add of rows) {
      add(batch);
      if (rowsIn(batch) < rowsPerBatch) continue;
      yield batch;
      batch = emptyCommitBatch(state.seq + 1);
    }
  }
  yield batch;
}

type AddRows = (batch: CommitBatch) => void;

function rowsIn({ accountRows, orders, balances, positions }: CommitBatch): number {
  return (
    accountRows.account.length +
    orders.orderId.length +
    balances.account.length +
    positions.account.length
  );
}

function addMarkets(
  { marketStates }: CommitBatch,
  { marketStatus, marketCount }: VenueState,
): void {
  for (let market = 0; market < marketCount; market++) {
    marketStates.market.push(market);
    marketStates.status.push(marketStatus[market] ?? 0);
  }
}

/** Keys of sessions have no row, because no session outlives its venue. */
function addKeys({ keyStates }: CommitBatch, { keys }: VenueState): void {
  for (const { keyId, tier, permissions, sessionId } of keys.all()) {
    if (sessionId !== 0) continue;
    keyStates.keyId.push(keyId);
    keyStates.tier.push(tier);
    keyStates.permissions.push(permissions);
    keyStates.revokedUs.push(null);
  }
}

/** The rows of each open account, system accounts included: they have balances, but no row of their own. */
function* accountRows(state: VenueState): Generator<AddRows> {
  const { accounts } = state;
  for (let slot = 1; slot < accounts.next; slot++) {
    const account = accounts.at(slot);
    if (account === 0) continue;
    yield (batch) => {
      if (accounts.isCustomer(account)) {
        batch.accountRows.account.push(account);
        batch.accountRows.type.push(accounts.typeOf(account) ?? 0);
        batch.accountRows.flags.push(accounts.flagsOf(account));
        batch.accountRows.openedUs.push(accounts.openedUsOf(account));
      }
      addBalances(batch, state, account);
      addPositions(batch, state, account);
    };
  }
}

function addBalances(batch: CommitBatch, { balances, table }: VenueState, account: number): void {
  for (let wallet = 0; wallet < walletCount; wallet++) {
    for (const { id: asset } of table.assets) {
      const total = balances.total(account, wallet as Wallet, asset);
      const reserved = balances.reserved(account, wallet as Wallet, asset);
      if (total === 0n && reserved === 0n) continue;
      batch.balances.account.push(account);
      batch.balances.wallet.push(wallet);
      batch.balances.asset.push(asset);
      batch.balances.total.push(total);
      batch.balances.reserved.push(reserved);
    }
  }
}

function addPositions(batch: CommitBatch, { positions, table }: VenueState, account: number): void {
  for (const { id: market } of table.markets) {
    if (!positions.isTouched(account, market)) continue;
    batch.positions.account.push(account);
    batch.positions.market.push(market);
    batch.positions.qty.push(positions.qty(account, market));
    batch.positions.entryValue.push(positions.entryValue(account, market));
    batch.positions.realisedPnl.push(positions.realisedPnl(account, market));
    batch.positions.leverage.push(positions.leverage(account, market));
  }
}

function* orderRows(state: VenueState): Generator<AddRows> {
  for (const slot of state.orders.openSlots()) yield (batch) => addOrder(batch, state, slot);
}

function addOrder(
  { orders: rows, orderDetails }: CommitBatch,
  state: VenueState,
  slot: number,
): void {
  const { orders } = state;
  rows.orderId.push(orders.orderId[slot] ?? 0);
  rows.account.push(orders.account[slot] ?? 0);
  rows.market.push(orders.market[slot] ?? 0);
  rows.clientId.push(orders.chosenClientId(slot) || null);
  rows.side.push(orders.side[slot] ?? 0);
  rows.type.push(orders.type[slot] ?? 0);
  rows.timeInForce.push(orders.timeInForce[slot] ?? 0);
  rows.price.push(orders.price[slot] ?? 0);
  rows.qty.push(orders.qty[slot] ?? 0);
  rows.createdUs.push(orders.acceptedUs[slot] ?? 0);
  rows.filledQty.push(orders.filledQty[slot] ?? 0);
  rows.filledQuote.push(orders.filledQuote[slot] ?? 0n);
  rows.status.push(OrderStatus.open);
  rows.updatedUs.push(orders.updatedUs[slot] ?? 0);
  const hasOptions =
    orders.has(slot, OrderFlag.reduceOnly | OrderFlag.special | OrderFlag.listed) ||
    orders.stpMode[slot] !== StpMode.skip;
  if (hasOptions) new OrderDetails(state).note(slot, orderDetails);
}
