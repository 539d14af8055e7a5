// Accounts and their wallets. Account numbers are dense because balances are arrays. The numbers up to 1000 belong to
// the venue, so a customer can never be mistaken for the fee account.

import { accountsMax } from "./limits.ts";
import { MarketKind } from "./markets.ts";

export const Wallet = { funding: 0, spot: 1, perp: 2 } as const;
export type Wallet = (typeof Wallet)[keyof typeof Wallet];
export const walletCount = 3;

/**
 * `wallet` accounts are funded from the ledger network, `house` accounts pay no fees, and `closed` accounts are closed
 * for good.
 */
export const AccountType = { standard: 0, wallet: 1, house: 2, system: 3, closed: 4 } as const;
export type AccountType = (typeof AccountType)[keyof typeof AccountType];

/** True for an open account that is not one of the venue's own. House accounts count as customers here. */
export function isCustomerType(type: number): boolean {
  return type < AccountType.closed && type !== AccountType.system;
}

/** The venue's own accounts. They exist from the first event and have no keys. */
export const SystemAccount = {
  fees: 1,
  insurance: 2,
  fundingPool: 3,
  dust: 4,
  rewards: 5,
  /** Holds the amounts of withdrawals in progress until they end. */
  withdrawals: 6,
  /** Owes all grants of a development venue's faucet: its funding wallet is below zero by their sum. */
  faucet: 7,
} as const;

/** Sub-accounts of one owner: enough for the traders of a firm, few enough that an owner cannot fill the account table. */
export const subAccountsPerOwnerMax = 20;

/** Characters of a sub-account's label (Binance: 20). */
export const subAccountLabelLengthMax = 20;

const subAccountLabelForm = new RegExp(`^[A-Za-z0-9_.-]{1,${subAccountLabelLengthMax}}$`);

/** Whether a text may name a sub-account. Fronts ask before they encode it, clearing before it decides. Spec SUB-1. */
export function isSubAccountLabel(text: string): boolean {
  return subAccountLabelForm.test(text);
}

/** The first account number given to a customer. */
export const firstCustomerAccount = 1001;

/**
 * The index of an account in arrays of all accounts, below `accountsMax`. Accounts that share an index are never open
 * at the same time. A closed account's index is reused, its number is not.
 */
export function accountSlot(account: number): number {
  return account & (accountsMax - 1);
}

/**
 * An account's flag bits. No flag stops cancels. Each freeze has its own flag: the operator sets and clears `frozen`,
 * the wallet mirror `frozenBySettlement`.
 */
export const AccountFlag = {
  frozen: 1,
  canWithdraw: 2,
  enrolled: 4,
  frozenBySettlement: 8,
  /** The account's quotes count for the index, as those of house accounts do. */
  designatedMaker: 16,
} as const;

export const everyAccountFlag =
  AccountFlag.frozen |
  AccountFlag.canWithdraw |
  AccountFlag.enrolled |
  AccountFlag.frozenBySettlement |
  AccountFlag.designatedMaker;

/**
 * Permission bits of an API key. `trade` stands for `tradeSpot`, `tradePerpetual` and `transfer` together: it is how
 * journals have stored that set since before the three existed, so a set is never stored in two forms.
 */
export const KeyPermission = {
  read: 1,
  trade: 2,
  withdraw: 4,
  tradeSpot: 8,
  tradePerpetual: 16,
  /** Money between the account's wallets, and to and from its sub-accounts. */
  transfer: 32,
} as const;

/** The permission that orders in markets of a kind need. */
export const tradePermissions = {
  [MarketKind.spot]: KeyPermission.tradeSpot,
  [MarketKind.perpetual]: KeyPermission.tradePerpetual,
} as const;

const partsOfTrade =
  KeyPermission.tradeSpot | KeyPermission.tradePerpetual | KeyPermission.transfer;

/** The stored form of a set of permission bits: `trade` in place of its three parts. */
export function storedPermissions(permissions: number): number {
  const { trade } = KeyPermission;
  const isWhole = (permissions & trade) !== 0 || (permissions & partsOfTrade) === partsOfTrade;
  return isWhole ? (permissions & ~partsOfTrade) | trade : permissions;
}

/** The same set with the parts of `trade` in place of `trade`, so that two sets can be compared bit by bit. */
export function singlePermissions(permissions: number): number {
  const { trade } = KeyPermission;
  return (permissions & trade) === 0 ? permissions : (permissions & ~trade) | partsOfTrade;
}

/** Whether a set of permissions contains `permission`, a single bit. */
export function isPermitted(permissions: number, permission: number): boolean {
  return (singlePermissions(permissions) & singlePermissions(permission)) !== 0;
}

/** The permissions of a new key: READ and TRADE. */
export const defaultKeyPermissions = KeyPermission.read | KeyPermission.trade;

export const KeyType = { hmac: 0, ed25519: 1 } as const;
export type KeyType = (typeof KeyType)[keyof typeof KeyType];

/** Rate tier of a key; its limits are in docs/spec/limits.md. */
export const RateTier = { standard: 0, extMm: 1, house: 2 } as const;
export type RateTier = (typeof RateTier)[keyof typeof RateTier];

/** Names in the API, by code. */
export const rateTierNames: readonly string[] = ["standard", "ext-mm", "house"];
export const accountTypeNames: readonly string[] = [
  "standard",
  "wallet",
  "house",
  "system",
  "closed",
];
export const walletNames: readonly string[] = ["funding", "spot", "perp"];
