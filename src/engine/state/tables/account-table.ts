// Accounts by number: type, flags, opening time. A number is assigned once; its slot, the index into arrays
// of all accounts, is reused after the account has closed:
//
//   number = slot + generation × accountsMax      never used ──▶ open ──▶ closed ──▶ open, next generation
//
// So a reference to a closed account never refers to another account. Unused slots are assigned first, then freed
// slots, longest closed first. System accounts exist without an event; customer accounts start at
// firstCustomerAccount.
//
// An account can own sub-accounts. They trade and are liquidated apart, but the matchers treat all accounts of an owner as
// one: their orders never trade with each other.

import {
  AccountFlag,
  AccountType,
  accountSlot,
  firstCustomerAccount,
  isCustomerType,
  isSubAccountLabel,
  SystemAccount,
} from "../../../core/accounts.ts";
import { assert, byteAt, numberAt, wordAt } from "../../../core/assert.ts";
import { accountNumbersMax, accountSlotsSpare, accountsMax } from "../../../core/limits.ts";
import { reservedMemory } from "../../../core/reserved-memory.ts";

/** Type of a slot without an account. */
const absent = 255;

/** Reasons why an account without money stays open: bits. */
export const AccountTie = {
  /** The account has had money. */
  money: 1,
  /** The account referred another account that has had money. */
  referral: 2,
} as const;

/** A sub-account: an account that another one owns. */
export interface SubAccount {
  readonly account: number;
  readonly owner: number;
  readonly label: string;
}

/** Accounts in a snapshot: columns by slot, and the numbers whose slots are free, in order. */
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
  /** By slot: its current or last number; 0 for none. */
  readonly #number = new Int32Array(reservedMemory(4 * accountsMax));
  readonly #type = new Uint8Array(reservedMemory(accountsMax)).fill(absent);
  readonly #flags = new Uint8Array(reservedMemory(accountsMax));
  readonly #ties = new Uint8Array(reservedMemory(accountsMax));
  readonly #openedUs = new Float64Array(reservedMemory(8 * accountsMax));
  /** By slot: the owner of an account that has sub-accounts or is one; 0 for all others. Neither kind ever closes. */
  readonly #family = new Int32Array(reservedMemory(4 * accountsMax));
  readonly #subAccounts: SubAccount[] = [];
  readonly #byOwner = new Map<number, SubAccount[]>();
  /** Numbers whose slots are free, longest closed first. */
  #closed: number[] = [];
  /** The first unused slot. */
  next = firstCustomerAccount;
  /** The account this thread opened last; not part of the hashed state. */
  newest = 0;

  constructor() {
    for (const account of Object.values(SystemAccount)) {
      this.#number[account] = account;
      this.#type[account] = AccountType.system;
    }
  }

  /** The account open in a slot, system accounts included; 0 for none. */
  at(slot: number): number {
    const isOpen = byteAt(this.#type, slot) < AccountType.closed;
    return isOpen ? wordAt(this.#number, slot) : 0;
  }

  /** True for an open account, system accounts included. */
  exists(account: number): boolean {
    return account > 0 && account < accountNumbersMax && this.at(accountSlot(account)) === account;
  }

  /** True for an account that may hold orders: open and not a system account. */
  isCustomer(account: number): boolean {
    return this.exists(account) && isCustomerType(byteAt(this.#type, accountSlot(account)));
  }

  /** The account's type; `closed` for a closed account, null for a number that was never assigned. */
  typeOf(account: number): AccountType | null {
    const slot = accountSlot(account);
    const holder = wordAt(this.#number, slot);
    if (holder === account && account > 0) return byteAt(this.#type, slot) as AccountType;
    return account > 0 && account < holder ? AccountType.closed : null;
  }

  /** The account's flags; 0 for an account that is not open. */
  flagsOf(account: number): number {
    return this.exists(account) ? byteAt(this.#flags, accountSlot(account)) : 0;
  }

  /** Microseconds at which the account was opened; 0 for system accounts and accounts that are not open. */
  openedUsOf(account: number): number {
    return this.exists(account) ? numberAt(this.#openedUs, accountSlot(account)) : 0;
  }

  isHouse(account: number): boolean {
    return this.typeOf(account) === AccountType.house;
  }

  /** Whether the account's orders count in depth measurements: it is a house account or was named by the operator. */
  isDesignatedMaker(account: number): boolean {
    return this.isHouse(account) || this.has(account, AccountFlag.designatedMaker);
  }

  /** True for accounts that pay no fees: house and system accounts. */
  isFeeFree(account: number): boolean {
    return this.isHouse(account) || this.typeOf(account) === AccountType.system;
  }

  /** Whether the account's spot wallet mirrors a ledger party. */
  isWallet(account: number): boolean {
    return this.typeOf(account) === AccountType.wallet;
  }

  has(account: number, flag: number): boolean {
    return (this.flagsOf(account) & flag) !== 0;
  }

  /** Whether the operator or settlement has frozen the account, or the operator its owner. Spec SUB-9. */
  isFrozen(account: number): boolean {
    return this.has(account, AccountFlag.frozenBySettlement) || this.isFrozenByOperator(account);
  }

  /** Whether the operator has frozen the account or its owner. */
  isFrozenByOperator(account: number): boolean {
    const { frozen } = AccountFlag;
    return this.has(account, frozen) || this.has(this.ownerOf(account), frozen);
  }

  /** The owner of an account that has sub-accounts or is one; 0 for all others. */
  familyOf(account: number): number {
    return this.exists(account) ? wordAt(this.#family, accountSlot(account)) : 0;
  }

  /** The account that owns `account`: for a sub-account another one, otherwise itself. */
  ownerOf(account: number): number {
    return this.familyOf(account) || account;
  }

  isSubAccount(account: number): boolean {
    return this.ownerOf(account) !== account;
  }

  /** All sub-accounts, in the order in which they were opened. */
  get subAccounts(): readonly SubAccount[] {
    return this.#subAccounts;
  }

  /** The sub-accounts of an owner, in the order in which they were opened. */
  subAccountsOf(owner: number): readonly SubAccount[] {
    return this.#byOwner.get(owner) ?? [];
  }

  /** Makes an open account a sub-account for good; asserts that neither account is one already. */
  adopt({ account, owner, label }: SubAccount): void {
    assert(
      this.familyOf(account) === 0 && !this.isSubAccount(owner) && this.exists(owner),
      "a sub-account must be new, and its owner must not be one",
    );
    assert(isSubAccountLabel(label), "a sub-account must have a valid label");
    this.#family[accountSlot(account)] = owner;
    this.#family[accountSlot(owner)] = owner;
    const row = { account, owner, label };
    this.#subAccounts.push(row);
    this.#byOwner.set(owner, [...this.subAccountsOf(owner), row]);
  }

  /** Whether the account has a tie, a reason to stay open even if it has no money now. */
  hasTies(account: number): boolean {
    return byteAt(this.#ties, accountSlot(account)) !== 0;
  }

  /** Whether the open account has ever had money. */
  hasHadMoney(account: number): boolean {
    return (this.tiesOf(account) & AccountTie.money) !== 0;
  }

  /** Adds a tie, so that the account is not closed as unused; returns whether the tie is new. */
  tie(account: number, tie: number): boolean {
    const slot = accountSlot(account);
    const ties = byteAt(this.#ties, slot);
    if ((ties & tie) !== 0) return false;
    this.#ties[slot] = ties | tie;
    return true;
  }

  /** Number of accounts that can still be opened. */
  get room(): number {
    return Math.max(accountsMax - this.next, 0) + this.#closed.length;
  }

  /** Whether so few slots are free that a session alone no longer keeps an account open. Spec ACC-29. */
  get isShort(): boolean {
    return this.room < accountSlotsSpare;
  }

  /** True while there is a free account number. */
  hasRoom(): boolean {
    return this.room > 0;
  }

  /** The number of the next account; asserts that there is one. */
  nextNumber(): number {
    assert(this.hasRoom(), "the account table must have a free number");
    return this.next < accountsMax ? this.next : (this.#closed[0] ?? 0) + accountsMax;
  }

  /** Opens `account`, which must be the next number. */
  open(account: number, type: AccountType, openedUs: number): void {
    assert(account === this.nextNumber(), "accounts must be opened in the order of their numbers");
    assert(type < AccountType.closed, "the type of a new account must not be closed");
    const slot = accountSlot(account);
    this.newest = account;
    if (slot === this.next) this.next++;
    else this.#closed.shift();
    this.#number[slot] = account;
    this.#type[slot] = type;
    // Accounts funded by deposits may withdraw; wallet-funded accounts hold their coins themselves.
    this.#flags[slot] = type === AccountType.wallet ? 0 : AccountFlag.canWithdraw;
    this.#ties[slot] = 0;
    this.#openedUs[slot] = openedUs;
  }

  /** Closes an open account for good. Its slot is freed unless all account numbers of the slot have been used. */
  close(account: number): void {
    assert(this.isCustomer(account), "the account that is closed must be a customer account");
    this.#type[accountSlot(account)] = AccountType.closed;
    if (account + accountsMax < accountNumbersMax) this.#closed.push(account);
  }

  setType(account: number, type: AccountType): void {
    assert(
      this.exists(account) && type < AccountType.closed,
      "the account must exist and its type must not be closed",
    );
    this.#type[accountSlot(account)] = type;
  }

  setFlags(account: number, flags: number): void {
    assert(this.exists(account), "the account of the flags must exist");
    this.#flags[accountSlot(account)] = flags;
  }

  /** Numbers whose slots are free, in order of reuse. */
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

  /** Loads what `capture` returned. */
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
