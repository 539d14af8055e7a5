// A state as plain numbers and typed arrays, for storage and for seeding threads. Only what
// cannot be derived is kept: holds, indexes and open interest are rebuilt, which checks them.

import { Wallet, walletCount } from "../../../core/accounts.ts";
import { assert } from "../../../core/assert.ts";
import { amountAt, byteAt, numberAt, wordAt } from "../../../core/cells.ts";
import { accountsMax, assetsMax, marketsMax } from "../../../core/limits.ts";
import type { TradingGate } from "../../../core/liquidation.ts";
import { MarketKind, type MarketTable } from "../../../core/markets.ts";
import { indexOriginCount } from "../../../core/perpetuals/index-price.ts";
import type { RiskTermValue } from "../../../core/perpetuals/risk-terms.ts";
import { holdUnsettled } from "../apply/custody-posting.ts";
import type { ClientIdEntries } from "../orders/client-id-index.ts";
import type { RequestKeyRows } from "../orders/request-key-table.ts";
import type { AccountColumns } from "../tables/account-table.ts";
import type { Countdown } from "../tables/countdowns.ts";
import type { FeesPaidSums } from "../tables/fees-paid.ts";
import type { FundHourColumns } from "../tables/fund-hours.ts";
import type { MarketFunding } from "../tables/funding-state.ts";
import type { IndexColumns } from "../tables/index-levels.ts";
import type { ApiKeyState } from "../tables/key-table.ts";
import type { Liquidation } from "../tables/liquidation-state.ts";
import type { Protection } from "../tables/protection-state.ts";
import { captureRewards, type RewardColumns, restoreRewards } from "../tables/reward-state.ts";
import type { SessionState } from "../tables/session-table.ts";
import type { SwapHold } from "../tables/swap-holds.ts";
import type { UnsettledAmount } from "../tables/unsettled-coins.ts";
import type { PendingWithdrawal } from "../tables/withdrawal-state.ts";
import { VenueState, type VenueStateOptions } from "../venue-state.ts";
import { captureOrders, type OrderColumnsSnapshot, restoreOrders } from "./order-columns.ts";

/** Raised whenever the layout below changes; an older snapshot is then ignored and replayed over. */
export const snapshotFormat = 22;

export interface VenueSnapshot {
  format: number;
  seq: number;
  tsUs: number;
  nextOrderId: number;
  nextTradeId: number;
  accounts: AccountColumns;
  /** Non-zero totals: their place in the balance arrays and the amount. */
  balances: { index: Int32Array; total: BigInt64Array };
  positions: {
    account: Int32Array;
    market: Uint8Array;
    qty: Float64Array;
    entryValue: BigInt64Array;
    realisedPnl: BigInt64Array;
    leverage: Uint8Array;
  };
  keys: ApiKeyState[];
  sessions: SessionState[];
  clientIds: ClientIdEntries | null;
  requestKeys: RequestKeyRows | null;
  feesPaid: FeesPaidSums;
  protections: Protection[];
  marketStatus: Uint8Array;
  lastPrice: Float64Array;
  mark: Float64Array;
  index: Float64Array;
  references: { price: Float64Array; untilUs: Float64Array };
  basis: { average: Float64Array; isKnown: Uint8Array };
  indexes: IndexColumns;
  riskTerms: RiskTermValue[];
  fundHours: FundHourColumns;
  countdowns: Countdown[];
  funding: MarketFunding[];
  rewards: RewardColumns;
  liquidations: { gate: TradingGate; under: Liquidation[] };
  withdrawals: PendingWithdrawal[];
  unsettled: UnsettledAmount[];
  swapMoves: number;
  swapHolds: SwapHold[];
  deposited: bigint[];
  orders: OrderColumnsSnapshot;
}

/** Copies the state out. Takes it between units only: pending orders are not part of a state. */
export function captureState(state: VenueState): VenueSnapshot {
  const { accounts, marketCount } = state;
  return {
    format: snapshotFormat,
    seq: state.seq,
    tsUs: state.tsUs,
    nextOrderId: state.nextOrderId,
    nextTradeId: state.nextTradeId,
    accounts: accounts.capture(),
    balances: captureBalances(state),
    positions: capturePositions(state),
    keys: state.keys.all().map((key) => ({ ...key })),
    sessions: state.sessions.all().map((session) => ({ ...session })),
    clientIds: state.clientIds?.capture() ?? null,
    requestKeys: state.requestKeys?.capture() ?? null,
    feesPaid: state.feesPaid.capture(accounts.next),
    protections: state.protections.all().map((protection) => ({ ...protection })),
    marketStatus: state.marketStatus.slice(0, marketCount),
    lastPrice: state.lastPrice.slice(0, marketCount),
    mark: state.mark.slice(0, marketCount),
    index: state.index.slice(0, marketCount),
    references: {
      price: state.references.price.slice(0, marketCount * indexOriginCount),
      untilUs: state.references.untilUs.slice(0, marketCount * indexOriginCount),
    },
    basis: {
      average: state.basis.average.slice(0, marketCount),
      isKnown: state.basis.isKnown.slice(0, marketCount),
    },
    indexes: state.indexes.capture(marketCount),
    riskTerms: state.riskTerms.capture(marketCount),
    fundHours: state.fundHours.capture(marketCount),
    countdowns: state.countdowns.all(),
    funding: state.funding.all().slice(0, marketCount).map(captureFunding),
    rewards: captureRewards(state),
    liquidations: { gate: state.liquidations.gate, under: [...state.liquidations.all()] },
    withdrawals: [...state.withdrawals.all()].map((withdrawal) => ({ ...withdrawal })),
    unsettled: state.unsettled.all(),
    swapMoves: state.swapMoves,
    swapHolds: state.swapHolds.all().map((hold) => ({ ...hold })),
    deposited: [...state.deposited],
    orders: captureOrders(state),
  };
}

/** What a settlement has still to do; what it has done is left out. */
function captureFunding({ settlement, ...funding }: MarketFunding): MarketFunding {
  if (settlement === null) return { ...funding, settlement };
  const { accounts, lots, next } = settlement;
  const left = { accounts: accounts.slice(next), lots: lots.slice(next), next: 0 };
  return { ...funding, settlement: { ...settlement, ...left } };
}

/** Small integers come back from storage as numbers. */
function restoreFunding(state: VenueState, snapshot: readonly MarketFunding[]): void {
  for (const [market, funding] of snapshot.entries()) {
    const { premiumSum, rate, settlement } = funding;
    const amounts = { premiumSum: BigInt(premiumSum), rate: BigInt(rate) };
    const open = settlement && { ...settlement, rate: BigInt(settlement.rate) };
    Object.assign(state.funding.of(market), { ...funding, ...amounts, settlement: open });
  }
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

/** A state from a snapshot; asserts its format and that what is derived from it is consistent. */
export function restoreState(
  table: MarketTable,
  snapshot: VenueSnapshot,
  options: VenueStateOptions = {},
): VenueState {
  assert(snapshot.format === snapshotFormat, "snapshot format is current");
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
  for (const key of snapshot.keys) state.keys.register({ ...key });
  for (const session of snapshot.sessions) state.sessions.open({ ...session });
  if (state.clientIds !== null) {
    assert(snapshot.clientIds !== null, "a state that remembers client ids is given them");
    state.clientIds.restore(snapshot.clientIds);
  }
  if (state.requestKeys !== null) {
    assert(snapshot.requestKeys !== null, "a state that remembers request keys is given them");
    state.requestKeys.restore(snapshot.requestKeys);
  }
  state.feesPaid.restore(snapshot.feesPaid);
  for (const protection of snapshot.protections) state.protections.add({ ...protection });
  state.marketCount = snapshot.marketStatus.length;
  state.marketStatus.set(snapshot.marketStatus);
  state.lastPrice.set(snapshot.lastPrice);
  state.mark.set(snapshot.mark);
  state.index.set(snapshot.index);
  state.references.price.set(snapshot.references.price);
  state.references.untilUs.set(snapshot.references.untilUs);
  state.basis.average.set(snapshot.basis.average);
  state.basis.isKnown.set(snapshot.basis.isKnown);
  state.indexes.restore(snapshot.indexes);
  state.riskTerms.restore(snapshot.riskTerms);
  state.fundHours.restore(snapshot.fundHours);
  for (const { account, market, cancelAtUs } of snapshot.countdowns) {
    state.countdowns.set(account, market, cancelAtUs);
  }
  restoreFunding(state, snapshot.funding);
  restoreRewards(state, snapshot.rewards);
  state.liquidations.gate = snapshot.liquidations.gate;
  for (const liquidation of snapshot.liquidations.under) state.liquidations.set(liquidation);
  for (const { amount, fee, ...withdrawal } of snapshot.withdrawals) {
    state.withdrawals.begin({ ...withdrawal, amount: BigInt(amount), fee: BigInt(fee) });
  }
  for (const { account, asset, amount } of snapshot.unsettled) {
    holdUnsettled(state, account, asset, BigInt(amount));
  }
  state.swapMoves = snapshot.swapMoves;
  for (const { amount, booked, ...hold } of snapshot.swapHolds) {
    state.swapHolds.set({ ...hold, amount: BigInt(amount), booked: BigInt(booked) });
    state.balances.reserve(hold.account, Wallet.spot, hold.asset, BigInt(amount));
  }
  for (const [asset, amount] of snapshot.deposited.entries())
    state.deposited[asset] = BigInt(amount);
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
 * Asserts what every unit keeps, of a state that comes from outside: conservation per asset, and
 * no spot balance below what its orders hold. Spec ACC-14.
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
      // Journals of before these were held have coins spent that are held now.
      const held = unsettled.of(account, asset.id) + swapHolds.heldOf(account, asset.id);
      const usable = balances.free(account, Wallet.spot, asset.id) + held;
      assert(usable >= 0n, "spot orders are covered");
    }
    for (const { id, kind, quote } of table.markets) {
      if (kind !== MarketKind.perpetual) continue;
      sums[quote.id] = amountAt(sums, quote.id) - positions.entryValue(account, id);
    }
  }
  for (const [asset, sum] of sums.entries()) {
    assert(sum === state.deposited[asset], "cash less entry values is what was deposited");
  }
}

/** The open positions of a snapshot, which the matchers start from: signed lots. */
export function positionsOf({
  positions,
}: VenueSnapshot): { market: number; account: number; lots: number }[] {
  const { account, market, qty } = positions;
  const every = Array.from(qty, (lots, place) => ({
    market: byteAt(market, place),
    account: wordAt(account, place),
    lots,
  }));
  return every.filter(({ lots }) => lots !== 0);
}
