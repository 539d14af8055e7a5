// Accounts and their wallets. Account numbers are dense because balances are arrays; the first
// thousand belong to the venue itself, so that a customer can never be mistaken for the fee account.

import { accountsMax } from "./limits.ts";

export const Wallet = { funding: 0, spot: 1, perp: 2 } as const;
export type Wallet = (typeof Wallet)[keyof typeof Wallet];
export const walletCount = 3;

/** `wallet` accounts are funded from the ledger network; `house` accounts pay no fees; `closed` ones are over. */
export const AccountType = { standard: 0, wallet: 1, house: 2, system: 3, closed: 4 } as const;
export type AccountType = (typeof AccountType)[keyof typeof AccountType];

/** Whether an account of this type is open and a customer's; so is the operator's own. */
export function isCustomerType(type: number): boolean {
  return type < AccountType.closed && type !== AccountType.system;
}

/** The venue's own accounts. They exist from the first event on and own no keys. */
export const SystemAccount = {
  fees: 1,
  insurance: 2,
  fundingPool: 3,
  dust: 4,
  rewards: 5,
  /** Money on its way out to the ledger. */
  withdrawals: 6,
  /** Owes what the faucet of a venue for development gave: its funding wallet is below zero by that. */
  faucet: 7,
} as const;

/** The first account number given to a customer. */
export const firstCustomerAccount = 1001;

/**
 * Place of an account in arrays of all accounts, below `accountsMax`. Numbers that share it are never open at the
 * same time: one that has closed is never given again, its place is.
 */
export function accountSlot(account: number): number {
  return account & (accountsMax - 1);
}

/**
 * Flags of an account; they never block cancels. `frozen` is the operator's word,
 * `frozenBySettlement` that of the wallet mirror: neither ends what the other began.
 */
export const AccountFlag = {
  frozen: 1,
  canWithdraw: 2,
  enrolled: 4,
  frozenBySettlement: 8,
  /** Its quotes count where the venue measures depth, as those of house accounts do. */
  designatedMaker: 16,
} as const;

export const everyAccountFlag =
  AccountFlag.frozen |
  AccountFlag.canWithdraw |
  AccountFlag.enrolled |
  AccountFlag.frozenBySettlement |
  AccountFlag.designatedMaker;

/** Permission bits of an API key (decided.md 9). */
export const KeyPermission = { read: 1, trade: 2, withdraw: 4 } as const;

/** READ and TRADE: what a new key may do. */
export const defaultKeyPermissions = KeyPermission.read | KeyPermission.trade;

export const KeyType = { hmac: 0, ed25519: 1 } as const;
export type KeyType = (typeof KeyType)[keyof typeof KeyType];

/** Rate tier of a key (specification: Limits). */
export const RateTier = { standard: 0, extMm: 1, house: 2 } as const;
export type RateTier = (typeof RateTier)[keyof typeof RateTier];

/** Names as the interface spells them, by code. */
export const rateTierNames: readonly string[] = ["standard", "ext-mm", "house"];
export const accountTypeNames: readonly string[] = [
  "standard",
  "wallet",
  "house",
  "system",
  "closed",
];
export const walletNames: readonly string[] = ["funding", "spot", "perp"];
