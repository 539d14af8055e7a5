// Accounts by number: type, standing, when they opened. Numbers are dense and never reused.
// The venue's own accounts exist without an event; customers begin at firstCustomerAccount.

import {
  AccountFlag,
  AccountType,
  firstCustomerAccount,
  SystemAccount,
} from "../../core/accounts.ts";
import { assert } from "../../core/assert.ts";
import { byteAt } from "../../core/cells.ts";
import { accountsMax } from "../../core/limits.ts";
import { reservedMemory } from "../../core/reserved-memory.ts";

const absent = 255;

export class AccountTable {
  readonly type = new Uint8Array(reservedMemory(accountsMax)).fill(absent);
  readonly flags = new Uint8Array(reservedMemory(accountsMax));
  readonly openedUs = new Float64Array(reservedMemory(8 * accountsMax));
  /** The number the next account gets. */
  next = firstCustomerAccount;

  constructor() {
    for (const account of Object.values(SystemAccount)) this.type[account] = AccountType.system;
  }

  /** True for an account that has been opened, the venue's own included. */
  exists(account: number): boolean {
    return account > 0 && account < accountsMax && this.type[account] !== absent;
  }

  /** True for an account that may hold orders: opened and not the venue's own. */
  isCustomer(account: number): boolean {
    return this.exists(account) && this.type[account] !== AccountType.system;
  }

  isHouse(account: number): boolean {
    return this.type[account] === AccountType.house;
  }

  /** Whether its orders count where depth is measured: the operator's own, and whom the operator named. */
  isDesignatedMaker(account: number): boolean {
    return this.isHouse(account) || this.has(account, AccountFlag.designatedMaker);
  }

  /** True for accounts that pay no fees: the operator's and the venue's own. */
  isFeeFree(account: number): boolean {
    return this.isHouse(account) || this.type[account] === AccountType.system;
  }

  /** Whether its spot wallet mirrors a party of the ledger. */
  isWallet(account: number): boolean {
    return this.type[account] === AccountType.wallet;
  }

  has(account: number, flag: number): boolean {
    return (byteAt(this.flags, account) & flag) !== 0;
  }

  /** Whether anybody has stopped its trading: the operator, or settlement. */
  isFrozen(account: number): boolean {
    return this.has(account, AccountFlag.frozen | AccountFlag.frozenBySettlement);
  }

  /** True while there is a number left to give. */
  hasRoom(): boolean {
    return this.next < accountsMax;
  }

  /** Opens `account`, which must be the next number. */
  open(account: number, type: AccountType, openedUs: number): void {
    assert(account === this.next, "accounts open in order of their numbers");
    assert(account < accountsMax, "account number within its bound");
    this.type[account] = type;
    // Who deposits may take it out again; wallets keep their money themselves.
    if (type !== AccountType.wallet) this.flags[account] = AccountFlag.canWithdraw;
    this.openedUs[account] = openedUs;
    this.next++;
  }
}
