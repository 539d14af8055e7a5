// Coins of wallet-funded accounts that a swap is going to lock on the ledger: held from the journal's word that
// a quote was taken, so that no order spends them too. What the mirror takes off such a wallet it takes off
// these first, since it is most likely their lock; what is left is free when the swap ends without a settlement.
// Of a settled swap it stays held until the mirror has booked the asset: those coins are gone for certain.
//
// A hold is no promise: where less is free than the swap takes, it is of what is free. Whoever is about to lock
// looks at it. Spec RFQ-20.

import { Wallet } from "../../core/accounts.ts";
import { asPriceTicks, asQtyLots } from "../../core/amounts.ts";
import type { Asset } from "../../core/assets.ts";
import type { SwapMoved } from "../../core/events.ts";
import { type Market, orderValue } from "../../core/markets.ts";
import { Side } from "../../core/orders.ts";
import { isSwapOver, SwapState } from "../../core/swaps.ts";
import type { StateObserver } from "./state-observer.ts";
import type { VenueState } from "./venue-state.ts";

export interface SwapHold {
  readonly account: number;
  readonly swapNo: number;
  readonly asset: number;
  /** Minor units, from 0. */
  readonly amount: bigint;
  /** The swap was settled: what is left waits for the mirror alone. */
  readonly isSettled: boolean;
}

export class SwapHolds {
  /** By account, each by swap. An account has few swaps under way. */
  readonly #holds = new Map<number, Map<number, SwapHold>>();

  /** Minor units that are held for a swap; null where the journal has no word of it, or it is over. */
  of(account: number, swapNo: number): bigint | null {
    return this.#holds.get(account)?.get(swapNo)?.amount ?? null;
  }

  /** Of one account, by swap, what was taken first in front. */
  ofAccount(account: number): SwapHold[] {
    return [...(this.#holds.get(account)?.values() ?? [])].sort((a, b) => a.swapNo - b.swapNo);
  }

  /** Minor units of all swaps of an account together. */
  heldOf(account: number, asset: number): bigint {
    const own = this.ofAccount(account).filter((hold) => hold.asset === asset);
    return own.reduce((sum, { amount }) => sum + amount, 0n);
  }

  set(hold: SwapHold): void {
    const own = this.#holds.get(hold.account) ?? new Map<number, SwapHold>();
    own.set(hold.swapNo, hold);
    this.#holds.set(hold.account, own);
  }

  delete({ account, swapNo }: SwapHold): void {
    const own = this.#holds.get(account);
    own?.delete(swapNo);
    if (own?.size === 0) this.#holds.delete(account);
  }

  /** By account and then swap. */
  all(): SwapHold[] {
    const accounts = [...this.#holds.keys()].sort((one, other) => one - other);
    return accounts.flatMap((account) => this.ofAccount(account));
  }
}

/** What the trader of a swap pays with; null where the market delivers nothing. */
export function swapAsset({ base, quote }: Market, side: Side): Asset | null {
  return base !== null && side === Side.buy ? quote : base;
}

/** Minor units that the trader of a swap pays, once a quote was taken. */
function paymentOf(market: Market, { side, price, lots }: SwapMoved): bigint {
  if (side === Side.sell) return BigInt(lots) * market.baseUnitsPerLot;
  return orderValue(market, asPriceTicks(price), asQtyLots(lots));
}

/** Holds from the taking of a quote on, and frees at the end. */
export function followSwap(state: VenueState, event: SwapMoved, observer: StateObserver): void {
  const { account, swapNo, to } = event;
  const { swapHolds, balances, accounts } = state;
  const hold = swapHolds.ofAccount(account).find((each) => each.swapNo === swapNo);
  if (hold !== undefined) {
    if (!isSwapOver(to)) return;
    if (to === SwapState.settled && hold.amount > 0n) swapHolds.set({ ...hold, isSettled: true });
    else drop(state, hold, observer);
    return;
  }
  const market = state.table.market(event.market);
  const asset = swapAsset(market, event.side)?.id;
  if (to !== SwapState.accepted || asset === undefined) return;
  const free = accounts.isWallet(account) ? balances.free(account, Wallet.spot, asset) : 0n;
  const most = free > 0n ? free : 0n;
  const pays = paymentOf(market, event);
  const amount = most < pays ? most : pays;
  swapHolds.set({ account, swapNo, asset, amount, isSettled: false });
  if (amount === 0n) return;
  balances.reserve(account, Wallet.spot, asset, amount);
  observer.balanceChanged(account, Wallet.spot, asset);
}

/** The mirror books `change` of a wallet's asset: what is taken off it is taken off holds first. */
export function bookAgainstHolds(
  state: VenueState,
  account: number,
  asset: number,
  change: bigint,
  observer: StateObserver,
): void {
  let left = change < 0n ? -change : 0n;
  for (const hold of state.swapHolds.ofAccount(account)) {
    if (hold.asset !== asset) continue;
    const taken = left < hold.amount ? left : hold.amount;
    left -= taken;
    const rest = { ...hold, amount: hold.amount - taken };
    state.balances.reserve(account, Wallet.spot, asset, -taken);
    state.swapHolds.set(rest);
    if (rest.isSettled) drop(state, rest, observer);
  }
}

function drop(state: VenueState, hold: SwapHold, observer: StateObserver): void {
  const { account, asset, amount } = hold;
  state.swapHolds.delete(hold);
  if (amount === 0n) return;
  state.balances.reserve(account, Wallet.spot, asset, -amount);
  observer.balanceChanged(account, Wallet.spot, asset);
}
