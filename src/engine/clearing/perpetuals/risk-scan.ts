// Finds accounts that may have to be liquidated, in one walk over all open positions. Positions stand in
// parallel columns of float64, without a hole, in any order; an account's sum is kept at its slot.
//
// The walk errs toward finding: values are rounded by at most one part in 10^12 of what is summed, and
// that much is taken off, so that no account is missed. Whoever is found is looked at again exactly.
// Nothing here is state: columns are derived from it, of the accounts touched since the last walk.

import { accountSlot, SystemAccount, Wallet } from "../../../core/accounts.ts";
import { assert, byteAt, numberAt, wordAt } from "../../../core/assert.ts";
import { accountsMax, marketsMax } from "../../../core/limits.ts";
import type { TickLot } from "../../../core/money/amounts.ts";
import { reservedMemory } from "../../../core/reserved-memory.ts";
import type { MarginStatuses } from "../../risk/margin-status.ts";
import type { StateObserver } from "../../state/state-observer.ts";
import type { VenueState } from "../../state/venue-state.ts";

const positionsMax = accountsMax * marketsMax;
/** Brackets of one market: no market lists more than five tiers. */
const bracketsMax = 8;
const ppm = 1_000_000;
const slack = 1e-12;
/** Minor units by which an exact margin status may be worse: maintenance is rounded up, a value to the nearest. */
const unitsRounded = 2;

/** An account of the other side and what its profit is worth: see `bestOpposite`. */
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
  /** Place + 1 of a position by account and market. */
  readonly #place = new Int32Array(reservedMemory(4 * positionsMax));
  /** By account: cash, and what the walk has summed up. */
  readonly #wallet = new Float64Array(reservedMemory(8 * accountsMax));
  readonly #sum = new Float64Array(reservedMemory(8 * accountsMax));
  /** Accounts that owe, and may have no position. */
  readonly #owing = new Set<number>();
  readonly #isTouched = new Uint8Array(reservedMemory(accountsMax));
  #touched: number[] = [];
  /** By market × bracketsMax: upper bound of a bracket, its rate and its offset. */
  readonly #caps = new Float64Array(marketsMax * bracketsMax).fill(Number.POSITIVE_INFINITY);
  readonly #rates = new Float64Array(marketsMax * bracketsMax);
  readonly #offsets = new Float64Array(marketsMax * bracketsMax);

  constructor(state: VenueState, marginStatuses: MarginStatuses) {
    this.#state = state;
    this.#marginStatuses = marginStatuses;
    for (const { id } of marginStatuses.markets) {
      assert(marginStatuses.brackets(id).length <= bracketsMax, "a market's tiers have room");
      for (const [place, bracket] of marginStatuses.brackets(id).entries()) {
        const at = id * bracketsMax + place;
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

  /** Calls `found` with each account that may be due at the journaled marks, at least once. */
  scan(found: (account: number) => void): void {
    this.#refresh();
    this.#sumUp(true);
    for (let place = 0; place < this.#count; place++) {
      const account = wordAt(this.#account, place);
      if (numberAt(this.#sum, accountSlot(account)) <= 1) found(account);
    }
    for (const account of this.#owing) found(account);
  }

  /**
   * The account with a position in the market on the side `isLong` that stands first to be deleveraged:
   * by profit on entry × effective leverage, losses ÷ leverage; of equals the lower number. Left out are
   * those of `skip` and those worth nothing. Null if there is none. Spec RSK-12.
   */
  bestOpposite(market: number, isLong: boolean, skip: ReadonlySet<number>): Ranked | null {
    this.#refresh();
    this.#sumUp(false);
    let best: Ranked | null = null;
    for (let place = 0; place < this.#count; place++) {
      if (!this.#isOn(place, market, isLong)) continue;
      const account = wordAt(this.#account, place);
      const equity = numberAt(this.#sum, accountSlot(account));
      if (equity <= 0 || skip.has(account)) continue;
      const score = this.#score(place, equity);
      const isBetter =
        best === null || score > best.score || (score === best.score && account < best.account);
      if (isBetter) best = { account, score };
    }
    return best;
  }

  /** The scores by which `bestOpposite` ranks accounts, in no order, with the same ones left out. */
  scores(market: number, isLong: boolean, skip: ReadonlySet<number>): Float64Array {
    this.#refresh();
    this.#sumUp(false);
    const scores = new Float64Array(this.#count);
    let count = 0;
    for (let place = 0; place < this.#count; place++) {
      if (!this.#isOn(place, market, isLong)) continue;
      const account = wordAt(this.#account, place);
      const equity = numberAt(this.#sum, accountSlot(account));
      if (equity > 0 && !skip.has(account)) scores[count++] = this.#score(place, equity);
    }
    return scores.subarray(0, count);
  }

  /** The score of one account, looking at its own positions only; null if it is not ranked. */
  scoreOf(account: number, market: number): number | null {
    this.#refresh();
    let equity = numberAt(this.#wallet, accountSlot(account));
    for (const { id } of this.#marginStatuses.markets) {
      const place = this.#placeOf(account, id);
      if (place >= 0) equity += this.#profitAt(place);
    }
    const place = this.#placeOf(account, market);
    return place < 0 || equity <= 0 ? null : this.#score(place, equity);
  }

  #placeOf(account: number, market: number): number {
    return wordAt(this.#place, keyOf(account, market)) - 1;
  }

  #isOn(place: number, market: number, isLong: boolean): boolean {
    return this.#market[place] === market && numberAt(this.#size, place) > 0 === isLong;
  }

  /** Profit on entry × effective leverage; losses ÷ leverage. */
  #score(place: number, equity: number): number {
    const mark = numberAt(this.#state.mark, byteAt(this.#market, place));
    const entry = numberAt(this.#entry, place);
    const value = numberAt(this.#size, place) * mark;
    const profit = (value - entry) / Math.max(Math.abs(entry), 1);
    const leverage = Math.abs(value) / equity;
    return profit > 0 ? profit * leverage : profit / Math.max(leverage, slack);
  }

  /** Profit of a position at its mark, less what the columns may have rounded. */
  #profitAt(place: number): number {
    const entry = numberAt(this.#entry, place);
    const price = numberAt(this.#state.mark, byteAt(this.#market, place));
    const value = price === 0 ? entry : numberAt(this.#size, place) * price;
    return value - entry - slack * Math.abs(entry);
  }

  /** Each account's equity, less its maintenance if asked for. Three walks, so that none branches much. */
  #sumUp(takesMaintenance: boolean): void {
    const count = this.#count;
    const { mark } = this.#state;
    for (let place = 0; place < count; place++) {
      const slot = accountSlot(wordAt(this.#account, place));
      this.#sum[slot] = numberAt(this.#wallet, slot);
    }
    for (let place = 0; place < count; place++) {
      const slot = accountSlot(wordAt(this.#account, place));
      const market = byteAt(this.#market, place);
      const entry = numberAt(this.#entry, place);
      const price = numberAt(mark, market);
      const value = price === 0 ? entry : numberAt(this.#size, place) * price;
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

  /** Brings the columns up to date with the accounts touched. */
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
    let place = wordAt(this.#place, key) - 1;
    if (qty === 0) {
      if (place >= 0) this.#remove(place, key);
      return;
    }
    if (place < 0) {
      place = this.#count++;
      this.#place[key] = place + 1;
      this.#account[place] = account;
      this.#market[place] = market;
    }
    this.#size[place] = (qty * units) / parts;
    this.#entry[place] = Number(this.#state.positions.entryValue(account, market));
  }

  /** The last position takes the place of one that is flat. */
  #remove(place: number, key: number): void {
    assert(this.#count > 0 && place < this.#count, "a position that closes was open");
    this.#place[key] = 0;
    const last = --this.#count;
    if (place === last) return;
    const account = wordAt(this.#account, last);
    const market = byteAt(this.#market, last);
    this.#account[place] = account;
    this.#market[place] = market;
    this.#size[place] = numberAt(this.#size, last);
    this.#entry[place] = numberAt(this.#entry, last);
    this.#place[keyOf(account, market)] = place + 1;
  }
}

function keyOf(account: number, market: number): number {
  return accountSlot(account) * marketsMax + market;
}
