// Bytes of the commands about accounts and keys. One pair of functions per kind, writing at
// the offsets of command-layout.ts.

import { AccountType, KeyType, RateTier, Wallet } from "../../core/accounts.ts";
import {
  type ChangeKey,
  CommandKind,
  type Credit,
  type OpenAccount,
  type RefillFund,
  type RegisterKey,
  type SetAccountFlags,
  type SetAccountType,
  type SetLeverage,
  type Transfer,
} from "../../core/commands.ts";
import { readCommandHeader, writeCommandHeader } from "./command-header.ts";
import {
  changeKeyLayout,
  creditLayout,
  openAccountLayout,
  refillFundLayout,
  registerKeyLayout,
  setAccountFlagsLayout,
  setLeverageLayout,
  transferLayout,
} from "./command-layout.ts";
import {
  highestCode,
  readCode,
  readFlag,
  readInt64,
  readSafeInteger,
  writeFlag,
  writeInt64,
  writeSafeInteger,
  writeUint8,
  writeUint16,
  writeUint32,
} from "./record-fields.ts";
import type { RecordViews } from "./record-views.ts";
import { readRequestKey, writeRequestKey } from "./request-key-fields.ts";

const accountTypeHighest = highestCode(AccountType);
const walletHighest = highestCode(Wallet);
const keyTypeHighest = highestCode(KeyType);
const tierHighest = highestCode(RateTier);

/** Writes `command` at `offset`; returns its bytes. */
export function encodeSetLeverage(
  views: RecordViews,
  offset: number,
  command: SetLeverage,
): number {
  const at = setLeverageLayout;
  writeCommandHeader(views, offset, command, 0);
  writeSafeInteger(views.f64, (offset + at.leverage) >> 3, command.leverage);
  writeUint16(views.u16, (offset + at.market) >> 1, command.market);
  return at.size;
}

/** The command at `offset`. */
export function decodeSetLeverage(views: RecordViews, offset: number): SetLeverage {
  const at = setLeverageLayout;
  return {
    ...readCommandHeader(views, offset, CommandKind.setLeverage),
    market: views.u16[(offset + at.market) >> 1] as number,
    leverage: readSafeInteger(views.f64, (offset + at.leverage) >> 3),
  };
}

/** Writes `command` at `offset`; returns its bytes. */
export function encodeTransfer(views: RecordViews, offset: number, command: Transfer): number {
  const at = transferLayout;
  writeCommandHeader(views, offset, command, 0);
  writeInt64(views.i64, (offset + at.amount) >> 3, command.amount);
  writeUint8(views.u8, offset + at.from, command.from);
  writeUint8(views.u8, offset + at.to, command.to);
  writeUint8(views.u8, offset + at.asset, command.asset);
  writeFlag(views.u8, offset + at.isKeyed, command.key !== null);
  writeRequestKey(views.i64, offset, at, command.key);
  return at.size;
}

/** The command at `offset`. */
export function decodeTransfer(views: RecordViews, offset: number): Transfer {
  const at = transferLayout;
  const key = readRequestKey(views.i64, offset, at);
  return {
    ...readCommandHeader(views, offset, CommandKind.transfer),
    key: readFlag(views.u8, offset + at.isKeyed) ? key : null,
    from: readCode<Wallet>(views.u8, offset + at.from, walletHighest),
    to: readCode<Wallet>(views.u8, offset + at.to, walletHighest),
    asset: views.u8[offset + at.asset] as number,
    amount: readInt64(views.i64, (offset + at.amount) >> 3),
  };
}

/** Writes `command` at `offset`; returns its bytes. */
export function encodeOpenAccount(
  views: RecordViews,
  offset: number,
  command: OpenAccount | SetAccountType,
): number {
  writeCommandHeader(views, offset, command, 0);
  writeUint8(views.u8, offset + openAccountLayout.accountType, command.accountType);
  return openAccountLayout.size;
}

/** The command at `offset`. */
export function decodeOpenAccount<Kind extends OpenAccount["kind"] | SetAccountType["kind"]>(
  views: RecordViews,
  offset: number,
  kind: Kind,
) {
  const at = openAccountLayout;
  return {
    ...readCommandHeader(views, offset, kind),
    accountType: readCode<AccountType>(views.u8, offset + at.accountType, accountTypeHighest),
  };
}

/** Writes `command` at `offset`; returns its bytes. */
export function encodeCredit(views: RecordViews, offset: number, command: Credit): number {
  const at = creditLayout;
  writeCommandHeader(views, offset, command, 0);
  writeInt64(views.i64, (offset + at.amount) >> 3, command.amount);
  writeUint8(views.u8, offset + at.wallet, command.wallet);
  writeUint8(views.u8, offset + at.asset, command.asset);
  writeUint8(views.u8, offset + at.isFromFaucet, command.isFromFaucet ? 1 : 0);
  return at.size;
}

/** The command at `offset`. */
export function decodeCredit(views: RecordViews, offset: number): Credit {
  const at = creditLayout;
  return {
    ...readCommandHeader(views, offset, CommandKind.credit),
    wallet: readCode<Wallet>(views.u8, offset + at.wallet, walletHighest),
    asset: views.u8[offset + at.asset] as number,
    amount: readInt64(views.i64, (offset + at.amount) >> 3),
    isFromFaucet: views.u8[offset + at.isFromFaucet] === 1,
  };
}

/** Writes `command` at `offset`; returns its bytes. */
export function encodeSetAccountFlags(
  views: RecordViews,
  offset: number,
  command: SetAccountFlags,
): number {
  writeCommandHeader(views, offset, command, 0);
  writeUint32(views.u32, (offset + setAccountFlagsLayout.flags) >> 2, command.flags);
  writeUint32(views.u32, (offset + setAccountFlagsLayout.mask) >> 2, command.mask);
  return setAccountFlagsLayout.size;
}

/** The command at `offset`. */
export function decodeSetAccountFlags(views: RecordViews, offset: number): SetAccountFlags {
  return {
    ...readCommandHeader(views, offset, CommandKind.setAccountFlags),
    flags: views.u32[(offset + setAccountFlagsLayout.flags) >> 2] as number,
    mask: views.u32[(offset + setAccountFlagsLayout.mask) >> 2] as number,
  };
}

/** Writes `command` at `offset`; returns its bytes. */
export function encodeRegisterKey(
  views: RecordViews,
  offset: number,
  command: RegisterKey,
): number {
  const at = registerKeyLayout;
  writeCommandHeader(views, offset, command, 0);
  writeSafeInteger(views.f64, (offset + at.keyId) >> 3, command.keyId);
  writeUint16(views.u16, (offset + at.permissions) >> 1, command.permissions);
  writeUint8(views.u8, offset + at.keyType, command.keyType);
  writeUint8(views.u8, offset + at.tier, command.tier);
  return at.size;
}

/** The command at `offset`. */
export function decodeRegisterKey(views: RecordViews, offset: number): RegisterKey {
  const at = registerKeyLayout;
  return {
    ...readCommandHeader(views, offset, CommandKind.registerKey),
    keyId: readSafeInteger(views.f64, (offset + at.keyId) >> 3),
    keyType: readCode<KeyType>(views.u8, offset + at.keyType, keyTypeHighest),
    tier: readCode<RateTier>(views.u8, offset + at.tier, tierHighest),
    permissions: views.u16[(offset + at.permissions) >> 1] as number,
  };
}

/** Writes `command` at `offset`; returns its bytes. */
export function encodeChangeKey(views: RecordViews, offset: number, command: ChangeKey): number {
  const at = changeKeyLayout;
  writeCommandHeader(views, offset, command, 0);
  writeSafeInteger(views.f64, (offset + at.keyId) >> 3, command.keyId);
  writeUint16(views.u16, (offset + at.permissions) >> 1, command.permissions);
  writeUint8(views.u8, offset + at.tier, command.tier);
  writeFlag(views.u8, offset + at.isRevoked, command.isRevoked);
  return at.size;
}

/** The command at `offset`. */
export function decodeChangeKey(views: RecordViews, offset: number): ChangeKey {
  const at = changeKeyLayout;
  return {
    ...readCommandHeader(views, offset, CommandKind.changeKey),
    keyId: readSafeInteger(views.f64, (offset + at.keyId) >> 3),
    tier: readCode<RateTier>(views.u8, offset + at.tier, tierHighest),
    permissions: views.u16[(offset + at.permissions) >> 1] as number,
    isRevoked: readFlag(views.u8, offset + at.isRevoked),
  };
}

/** Writes `command` at `offset`; returns its bytes. */
export function encodeRefillFund(views: RecordViews, offset: number, command: RefillFund): number {
  writeCommandHeader(views, offset, command, 0);
  writeInt64(views.i64, (offset + refillFundLayout.amount) >> 3, command.amount);
  return refillFundLayout.size;
}

/** The command at `offset`. */
export function decodeRefillFund(views: RecordViews, offset: number): RefillFund {
  return {
    ...readCommandHeader(views, offset, CommandKind.refillFund),
    amount: readInt64(views.i64, (offset + refillFundLayout.amount) >> 3),
  };
}
