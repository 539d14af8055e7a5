// Applies swap steps and debits of the wallet mirror to coins held for swaps.

import { Wallet } from "../../../core/accounts.ts";
import { assert } from "../../../core/assert.ts";
import type { SwapMoved } from "../../../core/generated/events.ts";
import { type Market, orderValue } from "../../../core/markets.ts";
import { asPriceTicks, asQtyLots } from "../../../core/money/amounts.ts";
import type { Asset } from "../../../core/money/assets.ts";
import { Side } from "../../../core/orders.ts";
import { isSwapOver, SwapState } from "../../../core/swaps.ts";
import type { StateObserver } from "../state-observer.ts";
import { HoldStage, type SwapHold } from "../tables/swap-holds.ts";
import type { VenueState } from "../venue-state.ts";

/** The asset that the swap's trader pays; null in a perpetual market, which has no base asset. */
export function swapAsset({ base, quote }: Market, side: Side): Asset | null {
  return base !== null && side === Side.buy ? quote : base;
}

/** Minor units the swap's trader pays after accepting a quote. */
function paymentOf(market: Market, { side, price, lots }: SwapMoved): bigint {
  if (side === Side.sell) return BigInt(lots) * market.baseUnitsPerLot;
  return orderValue(market, asPriceTicks(price), asQtyLots(lots));
}

/** Holds coins when a quote is accepted and releases them at the end. */
export function followSwap(
  state: VenueState,
  event: SwapMoved,
  observer: StateObserver | null,
): void {
  const { account, swapNo, to } = event;
  const hold = state.swapHolds.ofAccount(account).find((each) => each.swapNo === swapNo);
  if (hold === undefined) {
    if (to === SwapState.accepted) begin(state, event, observer);
  } else if (to === SwapState.traderAllocated) {
    takeOver(state, { ...hold, stage: HoldStage.locked });
  } else if (to === SwapState.settled) {
    const rest = takeOver(state, { ...hold, stage: HoldStage.settled });
    const isBooked = rest.amount === 0n || rest.booked > 0n || rest.isLooked;
    if (isBooked) drop(state, rest, observer);
  } else if (isSwapOver(to)) {
    drop(state, hold, observer);
    // The swap ends without a lock, so debits that were charged to it were really the lock of another swap.
    if (hold.stage === HoldStage.waiting) handOn(state, hold, observer);
  }
}

function begin(state: VenueState, event: SwapMoved, observer: StateObserver | null): void {
  const { account, swapNo } = event;
  const { swapHolds, balances, accounts } = state;
  const market = state.table.market(event.market);
  const asset = swapAsset(market, event.side)?.id;
  if (asset === undefined) return;
  const free = accounts.isWallet(account) ? balances.free(account, Wallet.spot, asset) : 0n;
  const most = free > 0n ? free : 0n;
  const pays = paymentOf(market, event);
  const amount = most < pays ? most : pays;
  const fresh = { booked: 0n, stage: HoldStage.waiting, isLooked: false };
  swapHolds.set({ account, swapNo, asset, amount, ...fresh });
  if (amount === 0n) return;
  balances.reserve(account, Wallet.spot, asset, amount);
  observer?.balanceChanged(account, Wallet.spot, asset);
}

/** The account's other holds of the same asset; those whose lock is confirmed come first. */
function othersOf(state: VenueState, { account, swapNo, asset }: SwapHold): SwapHold[] {
  return state.swapHolds
    .ofAccount(account)
    .filter((each) => each.asset === asset && each.swapNo !== swapNo)
    .sort((one, other) => other.stage - one.stage);
}

/**
 * Called when this swap's lock is confirmed. Debits charged to swaps that still wait for their lock were caused by this
 * swap's lock, so they are charged to this swap instead. The total held does not change.
 */
function takeOver(state: VenueState, hold: SwapHold): SwapHold {
  let { amount, booked } = hold;
  for (const other of othersOf(state, hold)) {
    if (other.stage !== HoldStage.waiting) continue;
    const isWhole = amount >= other.booked;
    const moved = isWhole ? other.booked : amount;
    amount -= moved;
    booked += moved;
    const [back, left] = [other.amount + moved, other.booked - moved];
    state.swapHolds.set({ ...other, amount: back, booked: left });
  }
  const rest = { ...hold, amount, booked };
  state.swapHolds.set(rest);
  return rest;
}

/** Reassigns debits charged to `ended` to the account's other holds, which shrink accordingly. */
function handOn(state: VenueState, ended: SwapHold, observer: StateObserver | null): void {
  const taken = takeOff(state, othersOf(state, ended), ended.booked);
  if (taken > 0n) observer?.balanceChanged(ended.account, Wallet.spot, ended.asset);
}

/** Charges a debit of up to `most` to `holds`, in their order; returns the amount charged. */
function takeOff(state: VenueState, holds: readonly SwapHold[], most: bigint): bigint {
  let left = most;
  for (const hold of holds) {
    const isWhole = left >= hold.amount;
    const taken = isWhole ? hold.amount : left;
    if (taken === 0n) continue;
    left -= taken;
    const [amount, booked] = [hold.amount - taken, hold.booked + taken];
    state.swapHolds.set({ ...hold, amount, booked });
    state.balances.reserve(hold.account, Wallet.spot, hold.asset, -taken);
  }
  return most - left;
}

/**
 * Charges a debit of the mirrored balance of a wallet-funded account (a negative `change`) to the account's swap holds.
 * A hold whose swap is settled ends.
 */
export function bookAgainstHolds(
  state: VenueState,
  account: number,
  asset: number,
  change: bigint,
  observer: StateObserver | null,
): void {
  const own = () => state.swapHolds.ofAccount(account).filter((hold) => hold.asset === asset);
  const inTurn = own().sort((one, other) => other.stage - one.stage);
  takeOff(state, inTurn, change < 0n ? -change : 0n);
  for (const hold of own()) {
    if (hold.stage === HoldStage.locked) state.swapHolds.set({ ...hold, isLooked: true });
    if (hold.stage === HoldStage.settled) drop(state, hold, observer);
  }
}

function drop(state: VenueState, hold: SwapHold, observer: StateObserver | null): void {
  const { account, asset, amount } = hold;
  state.swapHolds.delete(hold);
  if (amount === 0n) return;
  state.balances.reserve(account, Wallet.spot, asset, -amount);
  observer?.balanceChanged(account, Wallet.spot, asset);
}

/** Records the step's number and updates the holds of a wallet's swap. */
export function applySwapMove(
  state: VenueState,
  event: SwapMoved,
  observer: StateObserver | null,
): void {
  assert(event.moveNo === state.swapMoves + 1, "the numbers of swap steps must be gapless");
  state.swapMoves = event.moveNo;
  followSwap(state, event, observer);
}
