// Perpetual positions: signed quantity and signed entry value, exact, per account and market. The entry price
// is derived (value ÷ quantity), so every fill conserves Σ cash − Σ entry value to the minor unit. Leverage
// is the account's setting for the market.

import { accountSlot } from "../../../core/accounts.ts";
import { amountAt, assert, byteAt, columnSums, numberAt } from "../../../core/assert.ts";
import {
  accountNumbersMax,
  accountsMax,
  LEVERAGE_V1,
  leverageMax,
  marketsMax,
} from "../../../core/limits.ts";
import { asAmount, bigintOf } from "../../../core/money/amounts.ts";
import { Side } from "../../../core/orders.ts";
import { reservedMemory } from "../../../core/reserved-memory.ts";

/** The effect of one fill on one side's position. */
export interface PositionChange {
  qty: number;
  entryValue: bigint;
  /** Realised profit of the part that closed, in minor units; may be negative. */
  pnl: bigint;
}

/**
 * The position after `signedQty` lots trade for `value` (non-negative minor units). The closed part gets its
 * proportional share of the entry value, rounded toward zero; the open part keeps the remainder, so no minor unit
 * appears or vanishes. Writes the position into `result` and changes nothing else.
 */
export function changePosition(
  before: { qty: number; entryValue: bigint },
  signedQty: number,
  value: bigint,
  result: PositionChange,
): void {
  assert(
    signedQty !== 0 && value >= 0n,
    "a fill must have a quantity and a value that is not negative",
  );
  const signedValue = signedQty > 0 ? value : -value;
  const isOpening = before.qty === 0 || before.qty > 0 === signedQty > 0;
  if (isOpening) {
    result.qty = before.qty + signedQty;
    result.entryValue = before.entryValue + signedValue;
    result.pnl = 0n;
    return;
  }
  const size = Math.abs(before.qty);
  const closed = Math.min(size, Math.abs(signedQty));
  const closedEntry =
    closed === size ? before.entryValue : (before.entryValue * bigintOf(closed)) / bigintOf(size);
  const traded = Math.abs(signedQty);
  const closedValue =
    closed === traded ? signedValue : (signedValue * bigintOf(closed)) / bigintOf(traded);
  result.pnl = -closedValue - closedEntry;
  result.qty = before.qty + signedQty;
  result.entryValue = before.entryValue - closedEntry + (signedValue - closedValue);
  assert(result.qty !== 0 || result.entryValue === 0n, "a flat position must have no entry value");
}

export class Positions {
  readonly #qty = new Float64Array(reservedMemory(8 * accountsMax * marketsMax));
  readonly #entryValue = new BigInt64Array(reservedMemory(8 * accountsMax * marketsMax));
  readonly #realisedPnl = new BigInt64Array(reservedMemory(8 * accountsMax * marketsMax));
  /** 0 means the default, so that untouched memory reads as LEVERAGE_V1. */
  readonly #leverage = new Uint8Array(reservedMemory(accountsMax * marketsMax));
  /** Open interest per market: the sum of long quantities, in lots. */
  readonly #openInterest = new Float64Array(marketsMax);

  #index(account: number, market: number): number {
    assert(
      account > 0 && account < accountNumbersMax,
      "the account number must be within its bounds",
    );
    assert(
      market >= 0 && market < marketsMax,
      "the market id must be below the maximum number of markets",
    );
    return accountSlot(account) * marketsMax + market;
  }

  /** Signed lots: positive is long. */
  qty(account: number, market: number): number {
    return numberAt(this.#qty, this.#index(account, market));
  }

  /** Lots an order of `side` can close: the position if it is on the other side, else none. */
  closable(account: number, market: number, side: Side): number {
    const position = this.qty(account, market);
    return Math.max(side === Side.buy ? -position : position, 0);
  }

  /** Entry value of the position in minor units, negative for a short. */
  entryValue(account: number, market: number): bigint {
    return amountAt(this.#entryValue, this.#index(account, market));
  }

  /** By market: the sum of signed entry values over all slots below `accounts`, in minor units. */
  entrySums(accounts: number, markets: number): bigint[] {
    const columns = Array.from({ length: markets }, (_, market) => market);
    const all = { start: marketsMax, width: marketsMax, rows: accounts - 1 };
    return columnSums(this.#entryValue, all, columns);
  }

  /** Profit realised in this market since the account opened, before fees. */
  realisedPnl(account: number, market: number): bigint {
    return amountAt(this.#realisedPnl, this.#index(account, market));
  }

  /** 1 … leverageMax; LEVERAGE_V1 until the account sets its own. */
  leverage(account: number, market: number): number {
    const leverage = byteAt(this.#leverage, this.#index(account, market));
    return leverage === 0 ? LEVERAGE_V1 : leverage;
  }

  /** The profit if `signedQty` lots traded for `value`; see `changePosition`. */
  profitOf(account: number, market: number, signedQty: number, value: bigint): bigint {
    const before = { qty: this.qty(account, market), entryValue: this.entryValue(account, market) };
    const result: PositionChange = { qty: 0, entryValue: 0n, pnl: 0n };
    changePosition(before, signedQty, value, result);
    return result.pnl;
  }

  /** Lots held long in the market, which equals the lots held short. */
  openInterest(market: number): number {
    return numberAt(this.#openInterest, market);
  }

  /** Whether position, profit or leverage differ from those of a new account. */
  isTouched(account: number, market: number): boolean {
    const index = this.#index(account, market);
    const isOpen = this.#qty[index] !== 0 || this.#realisedPnl[index] !== 0n;
    return isOpen || this.leverage(account, market) !== LEVERAGE_V1;
  }

  setLeverage(account: number, market: number, leverage: number): void {
    assert(leverage >= 1 && leverage <= leverageMax, "the leverage must be within its bounds");
    this.#leverage[this.#index(account, market)] = leverage;
  }

  /** Stores a position and updates open interest. */
  set(account: number, market: number, change: PositionChange): void {
    const index = this.#index(account, market);
    const before = numberAt(this.#qty, index);
    assert(Number.isSafeInteger(change.qty), "the position must be a safe integer of lots");
    const realised = amountAt(this.#realisedPnl, index) + change.pnl;
    this.#qty[index] = change.qty;
    this.#entryValue[index] = asAmount(change.entryValue);
    this.#realisedPnl[index] = asAmount(realised);
    const long = Math.max(change.qty, 0) - Math.max(before, 0);
    this.#openInterest[market] = numberAt(this.#openInterest, market) + long;
  }
}
