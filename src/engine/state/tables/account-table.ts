// Accounts by number: type, standing, when they opened. A number is given once and for good; its slot, the
// place in arrays of all accounts, serves another account after it has closed:
//
//   number = slot + generation × accountsMax      never used ──▶ open ──▶ closed ──▶ open, next generation
//
// So whatever names an account that has closed names nobody afterwards. Slots that were never used go first,
// then those that closed, the longest closed first. The venue's own accounts exist without an event; customers
// begin at firstCustomerAccount.

import {
  AccountFlag,
  AccountType,
  accountSlot,
  firstCustomerAccount,
  isCustomerType,
  SystemAccount,
} from "../../../core/accounts.ts";
import { assert, byteAt, numberAt, wordAt } from "../../../core/assert.ts";
import { accountNumbersMax, accountSlotsSpare, accountsMax } from "../../../core/limits.ts";
import { reservedMemory } from "../../../core/reserved-memory.ts";

/** The type of what is no account. */
const absent = 255;

/** Why an account that has no money stays open: bits. */
export const AccountTie = {
  /** It has had money. */
  money: 1,
  /** It referred one that has had money. */
  referral: 2,
} as const;

/** What a snapshot keeps of accounts: columns by slot, and the numbers whose slots are free, in order. */
export interface AccountColumns {
  next: number;
  number: Int32Array;
  type: Uint8Array;
  flags: Uint8Array;
  ties: Uint8Array;
  openedUs: Float64Array;
  closed: Int32Array;
}

export class AccountTable {
  /** By slot: the number that has it or had it last; 0 for none. */
  readonly #number = new Int32Array(reservedMemory(4 * accountsMax));
  readonly #type = new Uint8Array(reservedMemory(accountsMax)).fill(absent);
  readonly #flags = new Uint8Array(reservedMemory(accountsMax));
  readonly #ties = new Uint8Array(reservedMemory(accountsMax));
  readonly #openedUs = new Float64Array(reservedMemory(8 * accountsMax));
  /** Numbers whose slots wait for another account, the longest closed first. */
  #closed: number[] = [];
  /** The first slot that no account ever had. */
  next = firstCustomerAccount;
  /** The account opened last by this thread; no part of the state. */
  newest = 0;

  constructor() {
    for (const account of Object.values(SystemAccount)) {
      this.#number[account] = account;
      this.#type[account] = AccountType.system;
    }
  }

  /** The account that is open in a slot, the venue's own included; 0 for none. */
  at(slot: number): number {
    const isOpen = byteAt(this.#type, slot) < AccountType.closed;
    return isOpen ? wordAt(this.#number, slot) : 0;
  }

  /** True for an account that is open, the venue's own included. */
  exists(account: number): boolean {
    return account > 0 && account < accountNumbersMax && this.at(accountSlot(account)) === account;
  }

  /** True for an account that may hold orders: open and not the venue's own. */
  isCustomer(account: number): boolean {
    return this.exists(account) && isCustomerType(byteAt(this.#type, accountSlot(account)));
  }

  /** Its type, `closed` for one that has been and is no more; null for a number that was never given. */
  typeOf(account: number): AccountType | null {
    const slot = accountSlot(account);
    const holder = wordAt(this.#number, slot);
    if (holder === account && account > 0) return byteAt(this.#type, slot) as AccountType;
    return account > 0 && account < holder ? AccountType.closed : null;
  }

  /** Bits of its standing; none for an account that is not open. */
  flagsOf(account: number): number {
    return this.exists(account) ? byteAt(this.#flags, accountSlot(account)) : 0;
  }

  /** Microseconds at which it opened; 0 for the venue's own and for one that is not open. */
  openedUsOf(account: number): number {
    return this.exists(account) ? numberAt(this.#openedUs, accountSlot(account)) : 0;
  }

  isHouse(account: number): boolean {
    return this.typeOf(account) === AccountType.house;
  }

  /** Whether its orders count where depth is measured: the operator's own, and whom the operator named. */
  isDesignatedMaker(account: number): boolean {
    return this.isHouse(account) || this.has(account, AccountFlag.designatedMaker);
  }

  /** True for accounts that pay no fees: the operator's and the venue's own. */
  isFeeFree(account: number): boolean {
    return this.isHouse(account) || this.typeOf(account) === AccountType.system;
  }

  /** Whether its spot wallet mirrors a party of the ledger. */
  isWallet(account: number): boolean {
    return this.typeOf(account) === AccountType.wallet;
  }

  has(account: number, flag: number): boolean {
    return (this.flagsOf(account) & flag) !== 0;
  }

  /** Whether anybody has stopped its trading: the operator, or settlement. */
  isFrozen(account: number): boolean {
    return this.has(account, AccountFlag.frozen | AccountFlag.frozenBySettlement);
  }

  /** Whether something keeps it open though it may have no money now. */
  hasTies(account: number): boolean {
    return byteAt(this.#ties, accountSlot(account)) !== 0;
  }

  /** Whether the open account has ever had money. */
  hasHadMoney(account: number): boolean {
    return (this.tiesOf(account) & AccountTie.money) !== 0;
  }

  /** Keeps an open account from being closed as one that was never used; true the first time for this tie. */
  tie(account: number, tie: number): boolean {
    const slot = accountSlot(account);
    const ties = byteAt(this.#ties, slot);
    if ((ties & tie) !== 0) return false;
    this.#ties[slot] = ties | tie;
    return true;
  }

  /** Accounts that can still be opened. */
  get room(): number {
    return Math.max(accountsMax - this.next, 0) + this.#closed.length;
  }

  /** Whether so few slots are left that a session alone keeps no account any more. Spec ACC-29. */
  get isShort(): boolean {
    return this.room < accountSlotsSpare;
  }

  /** True while there is a number left to give. */
  hasRoom(): boolean {
    return this.room > 0;
  }

  /** The number that the next account gets; asserts that there is one. */
  nextNumber(): number {
    assert(this.hasRoom(), "a number is left");
    return this.next < accountsMax ? this.next : (this.#closed[0] ?? 0) + accountsMax;
  }

  /** Opens `account`, which must be the next number. */
  open(account: number, type: AccountType, openedUs: number): void {
    assert(account === this.nextNumber(), "accounts open in order of their numbers");
    assert(type < AccountType.closed, "an account opens as one that is open");
    const slot = accountSlot(account);
    this.newest = account;
    if (slot === this.next) this.next++;
    else this.#closed.shift();
    this.#number[slot] = account;
    this.#type[slot] = type;
    // Who deposits may take it out again; wallets keep their money themselves.
    this.#flags[slot] = type === AccountType.wallet ? 0 : AccountFlag.canWithdraw;
    this.#ties[slot] = 0;
    this.#openedUs[slot] = openedUs;
  }

  /** Closes an open account for good. Its slot is free, unless the numbers that it can have are used up. */
  close(account: number): void {
    assert(this.isCustomer(account), "a customer's account is closed");
    this.#type[accountSlot(account)] = AccountType.closed;
    if (account + accountsMax < accountNumbersMax) this.#closed.push(account);
  }

  setType(account: number, type: AccountType): void {
    assert(this.exists(account) && type < AccountType.closed, "an open account has a type");
    this.#type[accountSlot(account)] = type;
  }

  setFlags(account: number, flags: number): void {
    assert(this.exists(account), "flags belong to an account");
    this.#flags[accountSlot(account)] = flags;
  }

  /** Numbers whose slots wait for another account, in the order in which they get one. */
  get closed(): readonly number[] {
    return this.#closed;
  }

  tiesOf(account: number): number {
    return this.exists(account) ? byteAt(this.#ties, accountSlot(account)) : 0;
  }

  capture(): AccountColumns {
    const end = Math.min(this.next, accountsMax);
    return {
      next: this.next,
      number: this.#number.slice(0, end),
      type: this.#type.slice(0, end),
      flags: this.#flags.slice(0, end),
      ties: this.#ties.slice(0, end),
      openedUs: this.#openedUs.slice(0, end),
      closed: Int32Array.from(this.#closed),
    };
  }

  /** Takes over what `capture` gave. */
  restore({ next, number, type, flags, ties, openedUs, closed }: AccountColumns): void {
    this.next = next;
    this.#number.set(number);
    this.#type.set(type);
    this.#flags.set(flags);
    this.#ties.set(ties);
    this.#openedUs.set(openedUs);
    this.#closed = [...closed];
  }
}
