// Bytes of the events about accounts and keys. One
// pair of functions per kind, writing at the offsets of event-layout.ts. Rare beside orders and
// trades, so these spread the header instead of naming its fields.

import { AccountType, KeyType, RateTier, Wallet } from "../../core/accounts.ts";
import {
  type AccountFlagsSet,
  type AccountOpened,
  type AccountTypeSet,
  type Credited,
  EventKind,
  type Granted,
  type KeyChanged,
  type KeyRegistered,
  type LeverageSet,
  type Transferred,
} from "../../core/events.ts";
import { readEventHeader, writeEventHeader } from "./event-header.ts";
import {
  accountFlagsSetLayout,
  accountOpenedLayout,
  creditedLayout,
  keyChangedLayout,
  keyRegisteredLayout,
  leverageSetLayout,
  transferredLayout,
} from "./event-layout.ts";
import {
  highestCode,
  readCode,
  readFlag,
  readInt64,
  readUint53,
  writeBytes,
  writeHalfAndBytes,
  writeInt64,
  writeUint32,
  writeUint53,
} from "./record-fields.ts";
import type { RecordViews } from "./record-views.ts";

const accountTypeHighest = highestCode(AccountType);
const walletHighest = highestCode(Wallet);
const keyTypeHighest = highestCode(KeyType);
const tierHighest = highestCode(RateTier);

/** Writes `event` at `offset`; returns its bytes. */
function encodeAccountOpened(
  views: RecordViews,
  offset: number,
  event: AccountOpened | AccountTypeSet,
): number {
  const at = accountOpenedLayout;
  writeEventHeader(views, offset, event, at.size);
  writeBytes(views.u32, (offset + at.accountType) >> 2, event.accountType, 0, 0, 0);
  views.u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

/** The event at `offset`. */
function decodeAccountOpened<Kind extends AccountOpened["kind"] | AccountTypeSet["kind"]>(
  views: RecordViews,
  offset: number,
  kind: Kind,
) {
  const at = accountOpenedLayout;
  return {
    ...readEventHeader(views, offset, kind, at.size),
    accountType: readCode<AccountType>(views.u8, offset + at.accountType, accountTypeHighest),
  };
}

/** Writes `event` at `offset`; returns its bytes. */
export function encodeCredited(
  views: RecordViews,
  offset: number,
  event: Credited | Granted,
): number {
  const at = creditedLayout;
  writeEventHeader(views, offset, event, at.size);
  writeInt64(views.i64, (offset + at.amount) >> 3, event.amount);
  writeBytes(views.u32, (offset + at.wallet) >> 2, event.wallet, event.asset, 0, 0);
  views.u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

/** The event at `offset`. */
export function decodeCredited<Kind extends Credited["kind"] | Granted["kind"]>(
  views: RecordViews,
  offset: number,
  kind: Kind,
) {
  const at = creditedLayout;
  return {
    ...readEventHeader(views, offset, kind, at.size),
    wallet: readCode<Wallet>(views.u8, offset + at.wallet, walletHighest),
    asset: views.u8[offset + at.asset] as number,
    amount: readInt64(views.i64, (offset + at.amount) >> 3),
  };
}

/** Writes `event` at `offset`; returns its bytes. */
export function encodeTransferred(views: RecordViews, offset: number, event: Transferred): number {
  const at = transferredLayout;
  writeEventHeader(views, offset, event, at.size);
  writeInt64(views.i64, (offset + at.amount) >> 3, event.amount);
  writeBytes(views.u32, (offset + at.from) >> 2, event.from, event.to, event.asset, 0);
  views.u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

/** The event at `offset`. */
export function decodeTransferred(views: RecordViews, offset: number): Transferred {
  const at = transferredLayout;
  return {
    ...readEventHeader(views, offset, EventKind.transferred, at.size),
    from: readCode<Wallet>(views.u8, offset + at.from, walletHighest),
    to: readCode<Wallet>(views.u8, offset + at.to, walletHighest),
    asset: views.u8[offset + at.asset] as number,
    amount: readInt64(views.i64, (offset + at.amount) >> 3),
  };
}

/** Writes `event` at `offset`; returns its bytes. */
export function encodeLeverageSet(views: RecordViews, offset: number, event: LeverageSet): number {
  const at = leverageSetLayout;
  writeEventHeader(views, offset, event, at.size);
  writeHalfAndBytes(views.u32, (offset + at.market) >> 2, event.market, event.leverage, 0);
  views.u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

/** The event at `offset`. */
export function decodeLeverageSet(views: RecordViews, offset: number): LeverageSet {
  const at = leverageSetLayout;
  return {
    ...readEventHeader(views, offset, EventKind.leverageSet, at.size),
    market: views.u16[(offset + at.market) >> 1] as number,
    leverage: views.u8[offset + at.leverage] as number,
  };
}

/** Writes `event` at `offset`; returns its bytes. */
function encodeAccountFlagsSet(views: RecordViews, offset: number, event: AccountFlagsSet): number {
  const at = accountFlagsSetLayout;
  writeEventHeader(views, offset, event, at.size);
  writeUint32(views.u32, (offset + at.flags) >> 2, event.flags);
  views.u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

/** The event at `offset`. */
function decodeAccountFlagsSet(views: RecordViews, offset: number): AccountFlagsSet {
  const at = accountFlagsSetLayout;
  return {
    ...readEventHeader(views, offset, EventKind.accountFlagsSet, at.size),
    flags: views.u32[(offset + at.flags) >> 2] as number,
  };
}

/** Writes `event` at `offset`; returns its bytes. */
function encodeKeyRegistered(views: RecordViews, offset: number, event: KeyRegistered): number {
  const at = keyRegisteredLayout;
  writeEventHeader(views, offset, event, at.size);
  writeUint53(views.u32, (offset + at.keyId) >> 2, event.keyId);
  const { permissions, keyType, tier } = event;
  writeHalfAndBytes(views.u32, (offset + at.permissions) >> 2, permissions, keyType, tier);
  views.u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

/** The event at `offset`. */
function decodeKeyRegistered(views: RecordViews, offset: number): KeyRegistered {
  const at = keyRegisteredLayout;
  return {
    ...readEventHeader(views, offset, EventKind.keyRegistered, at.size),
    keyId: readUint53(views.u32, (offset + at.keyId) >> 2),
    keyType: readCode<KeyType>(views.u8, offset + at.keyType, keyTypeHighest),
    tier: readCode<RateTier>(views.u8, offset + at.tier, tierHighest),
    permissions: views.u16[(offset + at.permissions) >> 1] as number,
  };
}

/** Writes `event` at `offset`; returns its bytes. */
function encodeKeyChanged(views: RecordViews, offset: number, event: KeyChanged): number {
  const at = keyChangedLayout;
  writeEventHeader(views, offset, event, at.size);
  writeUint53(views.u32, (offset + at.keyId) >> 2, event.keyId);
  const isRevoked = event.isRevoked ? 1 : 0;
  const { permissions, tier } = event;
  writeHalfAndBytes(views.u32, (offset + at.permissions) >> 2, permissions, tier, isRevoked);
  views.u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

/** The event at `offset`. */
function decodeKeyChanged(views: RecordViews, offset: number): KeyChanged {
  const at = keyChangedLayout;
  return {
    ...readEventHeader(views, offset, EventKind.keyChanged, at.size),
    keyId: readUint53(views.u32, (offset + at.keyId) >> 2),
    tier: readCode<RateTier>(views.u8, offset + at.tier, tierHighest),
    permissions: views.u16[(offset + at.permissions) >> 1] as number,
    isRevoked: readFlag(views.u8, offset + at.isRevoked),
  };
}

/** Writes `event` at `offset`; returns its bytes. */
export function encodeKeyEvent(
  views: RecordViews,
  offset: number,
  event: KeyRegistered | KeyChanged,
): number {
  return event.kind === EventKind.keyRegistered
    ? encodeKeyRegistered(views, offset, event)
    : encodeKeyChanged(views, offset, event);
}

/** The event of that kind at `offset`. */
export function decodeKeyEvent(
  views: RecordViews,
  offset: number,
  kind: KeyRegistered["kind"] | KeyChanged["kind"],
): KeyRegistered | KeyChanged {
  return kind === EventKind.keyRegistered
    ? decodeKeyRegistered(views, offset)
    : decodeKeyChanged(views, offset);
}

export type AccountEvent = AccountOpened | AccountTypeSet | AccountFlagsSet;

/** Writes `event` at `offset`; returns its bytes. */
export function encodeAccountEvent(
  views: RecordViews,
  offset: number,
  event: AccountEvent,
): number {
  return event.kind === EventKind.accountFlagsSet
    ? encodeAccountFlagsSet(views, offset, event)
    : encodeAccountOpened(views, offset, event);
}

/** The event of that kind at `offset`. */
export function decodeAccountEvent(
  views: RecordViews,
  offset: number,
  kind: AccountEvent["kind"],
): AccountEvent {
  return kind === EventKind.accountFlagsSet
    ? decodeAccountFlagsSet(views, offset)
    : decodeAccountOpened(views, offset, kind);
}
