// Balances: for each account, wallet and asset a total and its reserved part. Open orders, unsettled coins and swaps
// reserve amounts. int64 arrays wrap silently, so every write passes a range assertion. The reserved amount is never
// negative. This table does not prevent overdrafts; its callers do.

import { accountSlot, type Wallet, walletCount } from "../../../core/accounts.ts";
import { amountAt, assert, columnSums } from "../../../core/assert.ts";
import { accountNumbersMax, accountsMax, assetsMax } from "../../../core/limits.ts";
import { fitsInt64 } from "../../../core/money/amounts.ts";
import { reservedMemory } from "../../../core/reserved-memory.ts";

const stride = walletCount * assetsMax;

export class Balances {
  /** Total and reserved are adjacent: an order reads both, in one cache line. */
  readonly #amounts = new BigInt64Array(reservedMemory(2 * 8 * accountsMax * stride));

  /** Index of a balance; asserts that each part is in range. */
  indexOf(account: number, wallet: Wallet, asset: number): number {
    assert(
      account > 0 && account < accountNumbersMax,
      "the account number must be within its bounds",
    );
    assert(
      asset >= 0 && asset < assetsMax,
      "the asset id must be below the maximum number of assets",
    );
    return accountSlot(account) * stride + wallet * assetsMax + asset;
  }

  /** What the account owns, reserved part included. */
  total(account: number, wallet: Wallet, asset: number): bigint {
    return this.totalAt(this.indexOf(account, wallet, asset));
  }

  /** The reserved part of the total. */
  reserved(account: number, wallet: Wallet, asset: number): bigint {
    return this.reservedAt(this.indexOf(account, wallet, asset));
  }

  totalAt(index: number): bigint {
    return amountAt(this.#amounts, 2 * index);
  }

  reservedAt(index: number): bigint {
    return amountAt(this.#amounts, 2 * index + 1);
  }

  /** Sets a total from a snapshot. */
  restoreTotal(index: number, total: bigint): void {
    this.#amounts[2 * index] = total;
  }

  /** Total less reserved. */
  free(account: number, wallet: Wallet, asset: number): bigint {
    const index = this.indexOf(account, wallet, asset);
    return this.totalAt(index) - this.reservedAt(index);
  }

  /** By asset: the sum of totals in all slots below `accounts`, over all wallets. */
  sums(accounts: number, assets: number): bigint[] {
    const wallets = Array.from({ length: walletCount }, (_, wallet) => wallet);
    const columns = wallets.flatMap((wallet) =>
      Array.from({ length: assets }, (_, asset) => 2 * (wallet * assetsMax + asset)),
    );
    // One row per account, with totals and reserved amounts interleaved.
    const all = { start: 2 * stride, width: 2 * stride, rows: accounts - 1 };
    const totals = columnSums(this.#amounts, all, columns);
    return Array.from({ length: assets }, (_, asset) =>
      wallets.reduce((sum, wallet) => sum + (totals[wallet * assets + asset] ?? 0n), 0n),
    );
  }

  /** Adds a signed amount to the total. */
  add(account: number, wallet: Wallet, asset: number, amount: bigint): void {
    const index = this.indexOf(account, wallet, asset);
    const total = this.totalAt(index) + amount;
    assert(fitsInt64(total), "the balance must fit an int64");
    this.#amounts[2 * index] = total;
  }

  /** Subtracts a signed amount from the total. */
  take(account: number, wallet: Wallet, asset: number, amount: bigint): void {
    const index = this.indexOf(account, wallet, asset);
    const total = this.totalAt(index) - amount;
    assert(fitsInt64(total), "the balance must fit an int64");
    this.#amounts[2 * index] = total;
  }

  /** Changes the reserved amount; a negative change releases. */
  reserve(account: number, wallet: Wallet, asset: number, change: bigint): void {
    const index = this.indexOf(account, wallet, asset);
    const reserved = this.reservedAt(index) + change;
    assert(fitsInt64(reserved), "the reserved balance must fit an int64");
    assert(reserved >= 0n, "the released amount must not exceed the reserved amount");
    this.#amounts[2 * index + 1] = reserved;
  }
}
