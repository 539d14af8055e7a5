// The state as plain numbers and typed arrays, for storage and for starting threads. Data that can be derived (holds,
// indexes, open interest) is left out and rebuilt, which also checks the stored data.

import { Wallet, walletCount } from "../../../core/accounts.ts";
import { amountAt, assert, byteAt, numberAt, wordAt } from "../../../core/assert.ts";
import { accountsMax, assetsMax, marketsMax } from "../../../core/limits.ts";
import { isPerpetual, MarketKind, type MarketTable } from "../../../core/markets.ts";
import type { ClientIdEntries } from "../orders/client-id-index.ts";
import type { RequestKeyRows } from "../orders/request-key-table.ts";
import type { AccountColumns } from "../tables/account-table.ts";
import type { FeesPaidSums } from "../tables/fees-paid.ts";
import { captureRewards, type RewardColumns, restoreRewards } from "../tables/reward-state.ts";
import { VenueState, type VenueStateOptions } from "../venue-state.ts";
import { captureOrders, type OrderColumnsSnapshot, restoreOrders } from "./order-columns.ts";
import { captureParts, partCount, restoreParts, type SnapshotParts } from "./snapshot-parts.ts";

/**
 * The number must be increased here when the layout of this file or of a part changes; with each new part it increases
 * by itself. Snapshots in another format are ignored, and the journal is replayed.
 */
export const snapshotFormat = 5 + partCount;

export interface VenueSnapshot extends SnapshotParts {
  format: number;
  seq: number;
  tsUs: number;
  nextOrderId: number;
  nextTradeId: number;
  accounts: AccountColumns;
  /** Totals that are not 0: index of the balance and amount. */
  balances: { index: Int32Array; total: BigInt64Array };
  positions: {
    account: Int32Array;
    market: Uint8Array;
    qty: Float64Array;
    entryValue: BigInt64Array;
    realisedPnl: BigInt64Array;
    leverage: Uint8Array;
  };
  clientIds: ClientIdEntries | null;
  requestKeys: RequestKeyRows | null;
  feesPaid: FeesPaidSums;
  rewards: RewardColumns;
  orders: OrderColumnsSnapshot;
}

/** Copies the state. Call between transactions only: pending orders are not part of the state. */
export function captureState(state: VenueState): VenueSnapshot {
  const { accounts } = state;
  return {
    format: snapshotFormat,
    seq: state.seq,
    tsUs: state.tsUs,
    nextOrderId: state.nextOrderId,
    nextTradeId: state.nextTradeId,
    accounts: accounts.capture(),
    balances: captureBalances(state),
    positions: capturePositions(state),
    clientIds: state.clientIds?.capture() ?? null,
    requestKeys: state.requestKeys?.capture() ?? null,
    feesPaid: state.feesPaid.capture(accounts.next),
    rewards: captureRewards(state),
    orders: captureOrders(state),
    ...captureParts(state),
  };
}

function captureBalances(state: VenueState): VenueSnapshot["balances"] {
  const { balances } = state;
  const places: number[] = [];
  const end = Math.min(state.accounts.next, accountsMax) * walletCount * assetsMax;
  for (let index = 0; index < end; index++) if (balances.totalAt(index) !== 0n) places.push(index);
  return {
    index: Int32Array.from(places),
    total: BigInt64Array.from(places, (index) => balances.totalAt(index)),
  };
}

function capturePositions(state: VenueState): VenueSnapshot["positions"] {
  const { positions } = state;
  const places: number[] = [];
  for (let slot = 1; slot < state.accounts.next; slot++) {
    const account = state.accounts.at(slot);
    for (let market = 0; account !== 0 && market < state.table.markets.length; market++) {
      if (positions.isTouched(account, market)) places.push(account * marketsMax + market);
    }
  }
  const account = Int32Array.from(places, (place) => Math.floor(place / marketsMax));
  const market = Uint8Array.from(places, (place) => place % marketsMax);
  const at = (place: number) => [wordAt(account, place), byteAt(market, place)] as const;
  const every = places.map((_, place) => at(place));
  return {
    account,
    market,
    qty: Float64Array.from(every, (of) => positions.qty(...of)),
    entryValue: BigInt64Array.from(every, (of) => positions.entryValue(...of)),
    realisedPnl: BigInt64Array.from(every, (of) => positions.realisedPnl(...of)),
    leverage: Uint8Array.from(every, (of) => positions.leverage(...of)),
  };
}

/** A state from a snapshot; asserts its format and the consistency of everything derived. */
export function restoreState(
  table: MarketTable,
  snapshot: VenueSnapshot,
  options: VenueStateOptions = {},
): VenueState {
  assert(snapshot.format === snapshotFormat, "the format of the snapshot must be the current one");
  const state = new VenueState(table, options);
  const { accounts } = state;
  state.seq = snapshot.seq;
  state.tsUs = snapshot.tsUs;
  state.nextOrderId = snapshot.nextOrderId;
  state.nextTradeId = snapshot.nextTradeId;
  accounts.restore(snapshot.accounts);
  for (let place = 0; place < snapshot.balances.index.length; place++) {
    const { index, total } = snapshot.balances;
    state.balances.restoreTotal(wordAt(index, place), amountAt(total, place));
  }
  restorePositions(state, snapshot.positions);
  if (state.clientIds !== null) {
    assert(
      snapshot.clientIds !== null,
      "the snapshot must contain client ids when the state stores them",
    );
    state.clientIds.restore(snapshot.clientIds);
  }
  if (state.requestKeys !== null) {
    assert(
      snapshot.requestKeys !== null,
      "the snapshot must contain request keys when the state stores them",
    );
    state.requestKeys.restore(snapshot.requestKeys);
  }
  state.feesPaid.restore(snapshot.feesPaid);
  restoreRewards(state, snapshot.rewards);
  restoreParts(state, snapshot);
  restoreOrders(state, snapshot.orders);
  assertSound(state);
  return state;
}

function restorePositions(state: VenueState, columns: VenueSnapshot["positions"]): void {
  for (let place = 0; place < columns.account.length; place++) {
    const account = wordAt(columns.account, place);
    const market = byteAt(columns.market, place);
    state.positions.set(account, market, {
      qty: numberAt(columns.qty, place),
      entryValue: amountAt(columns.entryValue, place),
      pnl: amountAt(columns.realisedPnl, place),
    });
    state.positions.setLeverage(account, market, byteAt(columns.leverage, place));
  }
}

const wallets = Object.values(Wallet);

/**
 * Asserts the invariants of a state from storage: conservation per asset, and no spot balance below the holds of its
 * orders. Spec ACC-14.
 */
function assertSound(state: VenueState): void {
  const { table, accounts, balances, positions, unsettled, swapHolds } = state;
  const sums = new BigInt64Array(table.assets.length);
  for (let slot = 1; slot < accounts.next; slot++) {
    const account = accounts.at(slot);
    if (account === 0) continue;
    for (const asset of table.assets) {
      for (const wallet of wallets) {
        sums[asset.id] = amountAt(sums, asset.id) + balances.total(account, wallet, asset.id);
      }
      // Unsettled coins and swap holds need no cover: earlier versions did not reserve them, so an account in an old
      // journal may have spent some of them.
      const held = unsettled.of(account, asset.id) + swapHolds.heldOf(account, asset.id);
      const usable = balances.free(account, Wallet.spot, asset.id) + held;
      assert(usable >= 0n, "a spot balance must cover the holds of its orders");
    }
    for (const { id, kind, quote } of table.markets) {
      if (kind !== MarketKind.perpetual) continue;
      sums[quote.id] = amountAt(sums, quote.id) - positions.entryValue(account, id);
    }
  }
  for (const [asset, sum] of sums.entries()) {
    assert(
      sum === state.deposited[asset],
      "cash minus entry values must be equal to the deposited amount",
    );
  }
}

export interface OpenPosition {
  readonly market: number;
  readonly account: number;
  readonly lots: number;
}

/** Open positions of a state in signed lots, to start the matchers from. */
export function openPositions({ accounts, positions, table }: VenueState): OpenPosition[] {
  const perpetuals = table.markets.filter(isPerpetual);
  const found: OpenPosition[] = [];
  for (let slot = 1; slot < accounts.next; slot++) {
    const account = accounts.at(slot);
    if (account === 0) continue;
    for (const { id: market } of perpetuals) {
      const lots = positions.qty(account, market);
      if (lots !== 0) found.push({ market, account, lots });
    }
  }
  return found;
}

/** Open positions of a snapshot in signed lots, to start the matchers from. */
export function positionsOf({ positions }: VenueSnapshot): OpenPosition[] {
  const { account, market, qty } = positions;
  const every = Array.from(qty, (lots, place) => ({
    market: byteAt(market, place),
    account: wordAt(account, place),
    lots,
  }));
  return every.filter(({ lots }) => lots !== 0);
}
