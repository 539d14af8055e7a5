// A state as plain numbers and typed arrays, for storage and for seeding threads. Only what
// cannot be derived is kept: holds, indexes and open interest are rebuilt, which checks them.

import { Wallet, walletCount } from "../../core/accounts.ts";
import { assert } from "../../core/assert.ts";
import { amountAt, byteAt, numberAt, wordAt } from "../../core/cells.ts";
import { accountsMax, assetsMax, marketsMax } from "../../core/limits.ts";
import type { TradingGate } from "../../core/liquidation.ts";
import { MarketKind, type MarketTable } from "../../core/markets.ts";
import { isConditional, OrderType, type Side } from "../../core/orders.ts";
import type { ClientIdEntries } from "./client-id-index.ts";
import type { Countdown } from "./countdowns.ts";
import type { FeesPaidSums } from "./fees-paid.ts";
import type { MarketFunding } from "./funding-state.ts";
import { addHold } from "./holds.ts";
import type { ApiKeyState } from "./key-table.ts";
import type { Liquidation } from "./liquidation-state.ts";
import { countReducing, isMargined } from "./order-posting.ts";
import { OrderFlag, type OrderTable, SlotState } from "./order-table.ts";
import type { Protection } from "./protection-state.ts";
import type { RequestKeyRows } from "./request-key-table.ts";
import { captureRewards, type RewardColumns, restoreRewards } from "./reward-state.ts";
import type { SessionState } from "./session-table.ts";
import { VenueState, type VenueStateOptions } from "./venue-state.ts";

/** Raised whenever the layout below changes; an older snapshot is then ignored and replayed over. */
export const snapshotFormat = 10;

export interface VenueSnapshot {
  format: number;
  seq: number;
  tsUs: number;
  nextOrderId: number;
  nextTradeId: number;
  accounts: { next: number; type: Uint8Array; flags: Uint8Array; openedUs: Float64Array };
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
  countdowns: Countdown[];
  funding: MarketFunding[];
  rewards: RewardColumns;
  liquidations: { gate: TradingGate; under: Liquidation[] };
  deposited: bigint[];
  orders: OrderColumnsSnapshot;
}

/** Order columns that are plain numbers, named as in the order table. */
const numberColumns = [
  "orderId",
  "account",
  "market",
  "side",
  "type",
  "timeInForce",
  "price",
  "marginPrice",
  "qty",
  "filledQty",
  "marginLots",
  "acceptedUs",
  "updatedUs",
  "flags",
  "stpMode",
] as const;

/** Columns of orders with options or with another place in the queue than their id says. */
const specialColumns = [
  "goodTillUs",
  "triggerPrice",
  "workingPrice",
  "trailingBps",
  "activationPrice",
  "bestPrice",
  "triggeredUs",
  "queuedUs",
] as const;

type SpecialColumns = Record<(typeof specialColumns)[number], Float64Array>;

interface SpecialColumnsSnapshot extends SpecialColumns {
  /** Place of the order among all. */
  place: Int32Array;
  quoteQty: BigInt64Array;
}

type NumberColumns = Record<(typeof numberColumns)[number], Float64Array>;

export interface OrderColumnsSnapshot extends NumberColumns {
  filledQuote: BigInt64Array;
  clientId: string[];
  special: SpecialColumnsSnapshot;
  /** Orders priced worse than the mark, by their places among all. */
  losses: { place: Int32Array; ticks: Int32Array; lots: Float64Array };
}

/** Copies the state out. Takes it between units only: pending orders are not part of a state. */
export function captureState(state: VenueState): VenueSnapshot {
  const { accounts } = state;
  return {
    format: snapshotFormat,
    seq: state.seq,
    tsUs: state.tsUs,
    nextOrderId: state.nextOrderId,
    nextTradeId: state.nextTradeId,
    accounts: {
      next: accounts.next,
      type: accounts.type.slice(0, accounts.next),
      flags: accounts.flags.slice(0, accounts.next),
      openedUs: accounts.openedUs.slice(0, accounts.next),
    },
    balances: captureBalances(state),
    positions: capturePositions(state),
    keys: state.keys.all().map((key) => ({ ...key })),
    sessions: state.sessions.all().map((session) => ({ ...session })),
    clientIds: state.clientIds?.capture() ?? null,
    requestKeys: state.requestKeys?.capture() ?? null,
    feesPaid: state.feesPaid.capture(accounts.next),
    protections: state.protections.all().map((protection) => ({ ...protection })),
    marketStatus: state.marketStatus.slice(),
    lastPrice: state.lastPrice.slice(),
    mark: state.mark.slice(),
    index: state.index.slice(),
    countdowns: state.countdowns.all(),
    funding: state.funding.all().map(captureFunding),
    rewards: captureRewards(state),
    liquidations: { gate: state.liquidations.gate, under: [...state.liquidations.all()] },
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
  for (let account = 1; account < state.accounts.next; account++) {
    for (let market = 0; market < state.table.markets.length; market++) {
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

function captureOrders(state: VenueState): OrderColumnsSnapshot {
  const { orders } = state;
  const slots = orders.openSlots();
  const columns = Object.fromEntries(
    numberColumns.map((name) => [name, gather(orders[name], slots)]),
  );
  const filledQuote = new BigInt64Array(slots.length);
  const clientId: string[] = [];
  for (const [place, slot] of slots.entries()) {
    filledQuote[place] = amountAt(orders.filledQuote, slot);
    clientId.push(orders.chosenClientId(slot));
  }
  return {
    ...(columns as NumberColumns),
    filledQuote,
    clientId,
    special: captureSpecial(orders, slots),
    losses: captureLosses(orders, slots),
  };
}

function captureLosses(orders: OrderTable, slots: Int32Array): OrderColumnsSnapshot["losses"] {
  const places = Array.from(slots.keys()).filter(
    (place) => orders.lossTicks[wordAt(slots, place)] !== 0,
  );
  const place = Int32Array.from(places);
  const own = place.map((at) => wordAt(slots, at));
  const ticks = own.map((slot) => wordAt(orders.lossTicks, slot));
  return { place, ticks, lots: gather(orders.lossLots, own) };
}

function captureSpecial(orders: OrderTable, slots: Int32Array): SpecialColumnsSnapshot {
  const isSpecial = OrderFlag.special | OrderFlag.requeued;
  const places = Array.from(slots.keys()).filter((place) =>
    orders.has(wordAt(slots, place), isSpecial),
  );
  const place = Int32Array.from(places);
  const own = place.map((at) => wordAt(slots, at));
  const columns = Object.fromEntries(
    specialColumns.map((name) => [name, gather(orders[name], own)]),
  );
  const quoteQty = BigInt64Array.from(own, (slot) => amountAt(orders.quoteQty, slot));
  return { ...(columns as SpecialColumns), place, quoteQty };
}

/** The entries of `column` at `slots`, in their order. */
function gather(column: ArrayLike<number>, slots: Int32Array): Float64Array {
  const gathered = new Float64Array(slots.length);
  for (let place = 0; place < slots.length; place++) {
    gathered[place] = Number(column[wordAt(slots, place)]);
  }
  return gathered;
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
  accounts.next = snapshot.accounts.next;
  accounts.type.set(snapshot.accounts.type);
  accounts.flags.set(snapshot.accounts.flags);
  accounts.openedUs.set(snapshot.accounts.openedUs);
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
  state.marketStatus.set(snapshot.marketStatus);
  state.lastPrice.set(snapshot.lastPrice);
  state.mark.set(snapshot.mark);
  state.index.set(snapshot.index);
  for (const { account, market, cancelAtUs } of snapshot.countdowns) {
    state.countdowns.set(account, market, cancelAtUs);
  }
  restoreFunding(state, snapshot.funding);
  restoreRewards(state.rewards, snapshot.rewards);
  state.liquidations.gate = snapshot.liquidations.gate;
  for (const liquidation of snapshot.liquidations.under) state.liquidations.set(liquidation);
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

/**
 * Orders come by ascending id, so lists and priorities come out as they were. A fresh table gives
 * out its slots from 0 on, so whole columns are copied at once.
 */
function restoreOrders(state: VenueState, columns: OrderColumnsSnapshot): void {
  const { orders } = state;
  assert(orders.touched === 0, "orders are restored into a fresh table");
  for (const name of numberColumns) orders[name].set(columns[name]);
  orders.filledQuote.set(columns.filledQuote);
  restoreSpecial(orders, columns.special);
  const { place: losing, ticks, lots } = columns.losses;
  for (const [row, slot] of losing.entries()) {
    orders.lossTicks[slot] = wordAt(ticks, row);
    orders.lossLots[slot] = numberAt(lots, row);
  }
  for (const [place, clientId] of columns.clientId.entries()) {
    const slot = orders.allocate();
    assert(slot === place, "a fresh table gives out its slots in order");
    orders.setClientId(slot, clientId);
    const waits = isWaiting(orders, slot);
    orders.link(slot, waits ? SlotState.waiting : SlotState.open);
    orders.count(wordAt(orders.account, slot), byteAt(orders.market, slot), 1);
    const isWhole = waits && orders.has(slot, OrderFlag.closesPosition);
    assert(orders.remaining(slot) > 0 || isWhole, "an open order has something open");
    if (waits && orders.type[slot] === OrderType.trailingStopMarket) {
      state.trailing.add(byteAt(orders.market, slot), slot);
    }
    restoreLots(state, slot);
    countReducing(state, slot, 1);
    addHold(state, slot);
  }
}

/** Slots are the places of the orders, as in `restoreOrders`. */
function restoreSpecial(orders: OrderTable, columns: SpecialColumnsSnapshot): void {
  for (const [row, slot] of columns.place.entries()) {
    for (const name of specialColumns) orders[name][slot] = numberAt(columns[name], row);
    orders.quoteQty[slot] = amountAt(columns.quoteQty, row);
  }
}

/** Whether a restored order has not triggered yet. */
function isWaiting(orders: OrderTable, slot: number): boolean {
  return isConditional(byteAt(orders.type, slot) as OrderType) && orders.triggeredUs[slot] === 0;
}

function restoreLots(state: VenueState, slot: number): void {
  const { orders, sideLots } = state;
  const market = byteAt(orders.market, slot);
  if (!isMargined(state, slot, state.table.market(byteAt(state.orders.market, slot)))) return;
  const change = { open: orders.remaining(slot), margined: numberAt(orders.marginLots, slot) };
  sideLots.add(wordAt(orders.account, slot), market, orders.side[slot] as Side, change);
}

/**
 * Asserts what every unit keeps, of a state that comes from outside: conservation per asset, and
 * no spot balance below what its orders hold. Spec ACC-14.
 */
function assertSound(state: VenueState): void {
  const { table, accounts, balances, positions } = state;
  const sums = new BigInt64Array(table.assets.length);
  for (let account = 1; account < accounts.next; account++) {
    for (const asset of table.assets) {
      for (const wallet of Object.values(Wallet)) {
        sums[asset.id] = amountAt(sums, asset.id) + balances.total(account, wallet, asset.id);
      }
      assert(balances.free(account, Wallet.spot, asset.id) >= 0n, "spot orders are covered");
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
