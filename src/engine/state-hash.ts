// One number for the whole state: everything a later decision may rest on, in an order that does
// not depend on slots or history. Two states with the same hash decide alike; live, replayed and
// restored states must agree. Not cryptographic: it finds mistakes, not adversaries.

import { accountSlot, walletCount } from "../core/accounts.ts";
import { amountAt, byteAt, numberAt, shortAt, wordAt } from "../core/cells.ts";
import { assetsMax } from "../core/limits.ts";
import { indexOriginCount } from "../core/perpetuals/index-price.ts";
import { OrderFlag, type OrderTable } from "./state/orders/order-table.ts";
import type { MarketFunding } from "./state/tables/funding-state.ts";
import type { VenueState } from "./state/venue-state.ts";

/** Accumulates numbers, texts and bigints into 64 bits held as two 32-bit lanes. */
class HashLanes {
  #first = 0x811c9dc5;
  #second = 0x9e3779b9;

  word(value: number): void {
    this.#first = Math.imul(this.#first ^ value, 0x01000193);
    this.#second = Math.imul((this.#second << 5) ^ (this.#second >>> 27) ^ value, 0x85ebca6b);
  }

  /** A safe integer, sign included. */
  number(value: number): void {
    this.word(value | 0);
    this.word(Math.floor(value / 4_294_967_296) | 0);
  }

  /** An int64; most are safe integers, of which numbers tell the halves much faster. */
  amount(value: bigint): void {
    const near = Number(value);
    if (Number.isSafeInteger(near)) {
      this.number(near);
      return;
    }
    this.word(Number(BigInt.asIntN(32, value)));
    this.word(Number(BigInt.asIntN(32, value >> 32n)));
  }

  /** 16 hexadecimal digits. */
  digest(): string {
    const hex = (lane: number) => (lane >>> 0).toString(16).padStart(8, "0");
    return hex(this.#first ^ (this.#second >>> 15)) + hex(this.#second ^ (this.#first >>> 13));
  }
}

/**
 * 16 hexadecimal digits for the state between two units. States that do not remember client ids
 * hash as if there were none: compare like with like.
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
  hashProtections(state, lanes);
  for (const key of state.keys.all()) {
    const { keyId, account, keyType, sessionId, tier, permissions } = key;
    for (const value of [keyId, account, keyType, sessionId, tier, permissions]) {
      lanes.number(value);
    }
  }
  for (const { sessionId, account, expiresUs, keyId } of state.sessions.all()) {
    for (const value of [sessionId, account, expiresUs, keyId]) lanes.number(value);
  }
  for (const status of state.marketStatus.subarray(0, state.marketCount)) lanes.word(status);
  hashPrices(state, lanes);
  for (const { account, market, cancelAtUs } of state.countdowns.all()) {
    for (const value of [account, market, cancelAtUs]) lanes.number(value);
  }
  for (const funding of state.funding.all().slice(0, state.marketCount)) {
    hashFunding(funding, lanes);
  }
  hashLiquidations(state, lanes);
  hashWithdrawals(state, lanes);
  hashWalletCoins(state, lanes);
  lanes.number(state.swapMoves);
  for (const amount of state.deposited) lanes.amount(amount);
  return lanes.digest();
}

/** What of wallets is locked beside their orders. */
function hashWalletCoins({ unsettled, swapHolds }: VenueState, lanes: HashLanes): void {
  for (const { account, asset, amount } of unsettled.all()) {
    lanes.number(account);
    lanes.number(asset);
    lanes.amount(amount);
  }
  for (const { account, swapNo, asset, stage, isLooked, amount, booked } of swapHolds.all()) {
    for (const value of [account, swapNo, asset, stage, isLooked ? 1 : 0]) lanes.number(value);
    lanes.amount(amount);
    lanes.amount(booked);
  }
}

/** Prices by market, and what marks are made of beside them. */
function hashPrices(state: VenueState, lanes: HashLanes) {
  const { marketCount, lastPrice, mark, index, references, basis } = state;
  for (const prices of [lastPrice, mark, index]) {
    for (const price of prices.subarray(0, marketCount)) lanes.number(price);
  }
  for (const words of [references.price, references.untilUs]) {
    for (const word of words.subarray(0, marketCount * indexOriginCount)) lanes.number(word);
  }
  for (const average of basis.average.subarray(0, marketCount)) lanes.number(average);
  for (const isKnown of basis.isKnown.subarray(0, marketCount)) lanes.word(isKnown);
  const { level, believed, leap, witnesses, staleUs } = state.indexes.capture(marketCount);
  for (const column of [level, believed, leap, witnesses, staleUs]) {
    for (const value of column) lanes.number(value);
  }
  for (const { market, term, value } of state.riskTerms.capture(marketCount)) {
    for (const word of [market, term, value]) lanes.number(word);
  }
}

/** The order in which liquidations began counts: it is the order of their steps. */
function hashLiquidations(state: VenueState, lanes: HashLanes): void {
  const { liquidations, fundHours, marketCount } = state;
  lanes.word(liquidations.gate);
  const { sinceUs, worth, paid, isPaused } = fundHours.capture(marketCount);
  for (const column of [sinceUs, isPaused]) for (const value of column) lanes.number(value);
  for (const column of [worth, paid]) for (const amount of column) lanes.amount(amount);
  for (const { account, stage, dryTries, nextUs } of liquidations.all()) {
    for (const value of [account, stage, dryTries, nextUs]) lanes.number(value);
  }
}

function hashWithdrawals({ withdrawals }: VenueState, lanes: HashLanes): void {
  for (const { withdrawalId, account, asset, amount, fee } of withdrawals.all()) {
    for (const value of [withdrawalId, account, asset]) lanes.number(value);
    lanes.amount(amount);
    lanes.amount(fee);
  }
}

/** Only what a settlement has still to do counts: where its list began is history. */
function hashFunding(funding: MarketFunding, lanes: HashLanes): void {
  const { premiumSum, samples, sampledUs, rate, settledUs, settlement } = funding;
  lanes.amount(premiumSum);
  lanes.number(samples);
  lanes.number(sampledUs);
  lanes.amount(rate);
  lanes.number(settledUs);
  if (settlement === null) return;
  lanes.amount(settlement.rate);
  lanes.number(settlement.mark);
  for (let place = settlement.next; place < settlement.accounts.length; place++) {
    lanes.number(settlement.accounts[place] ?? 0);
    lanes.number(settlement.lots[place] ?? 0);
  }
}

/** Accounts with their balances and positions. */
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
    lanes.number(numberAt(orders.qty, slot));
    lanes.number(numberAt(orders.filledQty, slot));
    lanes.amount(amountAt(orders.filledQuote, slot));
    lanes.number(numberAt(orders.marginLots, slot));
    lanes.amount(amountAt(orders.reserved, slot));
    if (orders.lossTicks[slot] !== 0) {
      lanes.word(wordAt(orders.lossTicks, slot));
      lanes.number(numberAt(orders.lossLots, slot));
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

function hashProtections({ protections }: VenueState, lanes: HashLanes): void {
  for (const protection of protections.all()) {
    const { account, market, side, owedTakeProfit, owedStopLoss, isSpent } = protection;
    const { takeProfitId, stopLossId } = protection;
    const owed = [owedTakeProfit, owedStopLoss, isSpent ? 1 : 0];
    for (const value of [account, market, side, ...owed, takeProfitId, stopLossId]) {
      lanes.number(value);
    }
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
