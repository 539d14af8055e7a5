// Finds accounts that may be due for liquidation, in one walk over all open positions. Positions are stored
// in dense parallel float64 columns in any order; sums are kept by account slot.
//
// The walk may report too many accounts, never too few: the rounding error is at most one part in 10^12 of the sum,
// and each sum is reduced by that much. Reported accounts are checked exactly. The columns are derived from the state:
// each walk first refreshes the values of accounts that changed.

import { accountSlot, SystemAccount, Wallet } from "../../../core/accounts.ts";
import { assert, byteAt, numberAt, wordAt } from "../../../core/assert.ts";
import { accountsMax, marketsMax } from "../../../core/limits.ts";
import type { TickLot } from "../../../core/money/amounts.ts";
import { reservedMemory } from "../../../core/reserved-memory.ts";
import type { MarginStatuses } from "../../risk/margin-status.ts";
import type { StateObserver } from "../../state/state-observer.ts";
import type { VenueState } from "../../state/venue-state.ts";

const positionsMax = accountsMax * marketsMax;
/** Maintenance brackets reserved per market; the longest tier table has five (ACC-49). */
const bracketsMax = 8;
const ppm = 1_000_000;
const slack = 1e-12;
/**
 * Minor units per position by which the exact margin status may be worse than the walk's sum, because the exact status
 * rounds maintenance up and values to the nearest unit.
 */
const unitsRounded = 2;

/** An account that may be deleveraged, and its score: see `bestOpposite`. */
export interface Ranked {
  readonly account: number;
  readonly score: number;
}

export class RiskScan implements StateObserver {
  readonly #state: VenueState;
  readonly #marginStatuses: MarginStatuses;
  /** Columns of open positions. */
  readonly #account = new Int32Array(reservedMemory(4 * positionsMax));
  readonly #market = new Uint8Array(reservedMemory(positionsMax));
  /** Signed lots × minor units of one tick and lot. */
  readonly #size = new Float64Array(reservedMemory(8 * positionsMax));
  readonly #entry = new Float64Array(reservedMemory(8 * positionsMax));
  #count = 0;
  /** Index + 1 of a position by account and market. */
  readonly #index = new Int32Array(reservedMemory(4 * positionsMax));
  /**
   * By account slot: `#wallet` has the cash, `#sum` the equity that the current walk sums up, less maintenance if the
   * walk subtracts it.
   */
  readonly #wallet = new Float64Array(reservedMemory(8 * accountsMax));
  readonly #sum = new Float64Array(reservedMemory(8 * accountsMax));
  /** Accounts in debt, which may have no position. */
  readonly #owing = new Set<number>();
  readonly #isTouched = new Uint8Array(reservedMemory(accountsMax));
  #touched: number[] = [];
  /** Upper limit, rate and offset of each bracket, at index market × bracketsMax + bracket. */
  readonly #caps = new Float64Array(marketsMax * bracketsMax).fill(Number.POSITIVE_INFINITY);
  readonly #rates = new Float64Array(marketsMax * bracketsMax);
  readonly #offsets = new Float64Array(marketsMax * bracketsMax);

  constructor(state: VenueState, marginStatuses: MarginStatuses) {
    this.#state = state;
    this.#marginStatuses = marginStatuses;
    for (const { id } of marginStatuses.markets) {
      assert(
        marginStatuses.brackets(id).length <= bracketsMax,
        "the tiers of a market must fit the table of brackets",
      );
      for (const [index, bracket] of marginStatuses.brackets(id).entries()) {
        const at = id * bracketsMax + index;
        this.#caps[at] = bracket.cap === null ? Number.POSITIVE_INFINITY : Number(bracket.cap);
        this.#rates[at] = bracket.maintenancePpm / ppm + slack;
        this.#offsets[at] = Number(bracket.offset);
      }
    }
    for (const account of Object.values(SystemAccount)) this.#touch(account);
    for (let slot = 1; slot < state.accounts.next; slot++) {
      const account = state.accounts.at(slot);
      if (state.accounts.isCustomer(account)) this.#touch(account);
    }
  }

  balanceChanged(account: number, wallet: Wallet): void {
    if (wallet === Wallet.perp) this.#touch(account);
  }

  positionChanged(account: number): void {
    this.#touch(account);
  }

  /** Open positions in the columns. */
  get count(): number {
    return this.#count;
  }

  /** Calls `found`, once or several times, for each account that may be due for liquidation at the journaled marks. */
  scan(found: (account: number) => void): void {
    this.#refresh();
    this.#sumUp(true);
    for (let index = 0; index < this.#count; index++) {
      const account = wordAt(this.#account, index);
      if (numberAt(this.#sum, accountSlot(account)) <= 1) found(account);
    }
    for (const account of this.#owing) found(account);
  }

  /**
   * The first account to be deleveraged on side `isLong` of the market. Accounts rank by profit on entry × effective
   * leverage; accounts with a loss follow, by loss ÷ leverage, smallest first. On a tie the lower account number is
   * first. Accounts in `skip` and accounts without equity are excluded. Null if none is left. Spec RSK-12.
   */
  bestOpposite(market: number, isLong: boolean, skip: ReadonlySet<number>): Ranked | null {
    this.#refresh();
    this.#sumUp(false);
    let best: Ranked | null = null;
    for (let index = 0; index < this.#count; index++) {
      if (!this.#isOn(index, market, isLong)) continue;
      const account = wordAt(this.#account, index);
      const equity = numberAt(this.#sum, accountSlot(account));
      if (equity <= 0 || skip.has(account)) continue;
      const score = this.#score(index, equity);
      const isBetter =
        best === null || score > best.score || (score === best.score && account < best.account);
      if (isBetter) best = { account, score };
    }
    return best;
  }

  /** The scores by which `bestOpposite` ranks accounts, unordered, with the same exclusions. */
  scores(market: number, isLong: boolean, skip: ReadonlySet<number>): Float64Array {
    this.#refresh();
    this.#sumUp(false);
    const scores = new Float64Array(this.#count);
    let count = 0;
    for (let index = 0; index < this.#count; index++) {
      if (!this.#isOn(index, market, isLong)) continue;
      const account = wordAt(this.#account, index);
      const equity = numberAt(this.#sum, accountSlot(account));
      if (equity > 0 && !skip.has(account)) scores[count++] = this.#score(index, equity);
    }
    return scores.subarray(0, count);
  }

  /** The score of one account from its own positions only; null if it is not ranked. */
  scoreOf(account: number, market: number): number | null {
    this.#refresh();
    let equity = numberAt(this.#wallet, accountSlot(account));
    for (const { id } of this.#marginStatuses.markets) {
      const index = this.#indexOf(account, id);
      if (index >= 0) equity += this.#profitAt(index);
    }
    const index = this.#indexOf(account, market);
    return index < 0 || equity <= 0 ? null : this.#score(index, equity);
  }

  #indexOf(account: number, market: number): number {
    return wordAt(this.#index, keyOf(account, market)) - 1;
  }

  #isOn(index: number, market: number, isLong: boolean): boolean {
    return this.#market[index] === market && numberAt(this.#size, index) > 0 === isLong;
  }

  /** Profit relative to the entry value × effective leverage; a loss (negative) ÷ effective leverage instead. */
  #score(index: number, equity: number): number {
    const mark = numberAt(this.#state.mark, byteAt(this.#market, index));
    const entry = numberAt(this.#entry, index);
    const value = numberAt(this.#size, index) * mark;
    const profit = (value - entry) / Math.max(Math.abs(entry), 1);
    const leverage = Math.abs(value) / equity;
    return profit > 0 ? profit * leverage : profit / Math.max(leverage, slack);
  }

  /** Profit of a position at its mark, reduced by the largest possible rounding error of the columns. */
  #profitAt(index: number): number {
    const entry = numberAt(this.#entry, index);
    const price = numberAt(this.#state.mark, byteAt(this.#market, index));
    const value = price === 0 ? entry : numberAt(this.#size, index) * price;
    return value - entry - slack * Math.abs(entry);
  }

  /**
   * Sums up each account's equity, optionally less its maintenance. A first walk sets each sum to the account's cash.
   * So the second walk need not check whether a position is its account's first.
   */
  #sumUp(takesMaintenance: boolean): void {
    const count = this.#count;
    const { mark } = this.#state;
    for (let index = 0; index < count; index++) {
      const slot = accountSlot(wordAt(this.#account, index));
      this.#sum[slot] = numberAt(this.#wallet, slot);
    }
    for (let index = 0; index < count; index++) {
      const slot = accountSlot(wordAt(this.#account, index));
      const market = byteAt(this.#market, index);
      const entry = numberAt(this.#entry, index);
      const price = numberAt(mark, market);
      const value = price === 0 ? entry : numberAt(this.#size, index) * price;
      const kept = takesMaintenance ? this.#kept(market, Math.abs(value)) : 0;
      const rounding = slack * Math.abs(entry);
      this.#sum[slot] = numberAt(this.#sum, slot) + value - entry - kept - rounding;
    }
  }

  #kept(market: number, value: number): number {
    let at = market * bracketsMax;
    while (value > numberAt(this.#caps, at)) at++;
    return value * numberAt(this.#rates, at) - numberAt(this.#offsets, at) + unitsRounded;
  }

  #touch(account: number): void {
    const slot = accountSlot(account);
    if (this.#isTouched[slot] === 1) return;
    this.#isTouched[slot] = 1;
    this.#touched.push(account);
  }

  /** Refreshes the columns of touched accounts. */
  #refresh(): void {
    if (this.#touched.length === 0) return;
    const { balances } = this.#state;
    for (const account of this.#touched) {
      this.#isTouched[accountSlot(account)] = 0;
      const cash = Number(balances.total(account, Wallet.perp, this.#marginStatuses.asset));
      this.#wallet[accountSlot(account)] = cash;
      if (cash < 0) this.#owing.add(account);
      else this.#owing.delete(account);
      for (const { id, tickLot } of this.#marginStatuses.markets) this.#store(account, id, tickLot);
    }
    this.#touched = [];
  }

  #store(account: number, market: number, { units, parts }: TickLot): void {
    const qty = this.#state.positions.qty(account, market);
    const key = keyOf(account, market);
    let index = wordAt(this.#index, key) - 1;
    if (qty === 0) {
      if (index >= 0) this.#remove(index, key);
      return;
    }
    if (index < 0) {
      index = this.#count++;
      this.#index[key] = index + 1;
      this.#account[index] = account;
      this.#market[index] = market;
    }
    this.#size[index] = (qty * units) / parts;
    this.#entry[index] = Number(this.#state.positions.entryValue(account, market));
  }

  /** Removes the closed position at `index`; the last position moves to its index. */
  #remove(index: number, key: number): void {
    assert(this.#count > 0 && index < this.#count, "a removed position must be in the columns");
    this.#index[key] = 0;
    const last = --this.#count;
    if (index === last) return;
    const account = wordAt(this.#account, last);
    const market = byteAt(this.#market, last);
    this.#account[index] = account;
    this.#market[index] = market;
    this.#size[index] = numberAt(this.#size, last);
    this.#entry[index] = numberAt(this.#entry, last);
    this.#index[keyOf(account, market)] = index + 1;
  }
}

function keyOf(account: number, market: number): number {
  return accountSlot(account) * marketsMax + market;
}
