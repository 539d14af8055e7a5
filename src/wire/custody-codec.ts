// Bytes of the commands and events about money that comes from the ledger and goes to it, at the offsets
// of the two layouts.

import { unreachable } from "../core/assert.ts";
import {
  type BindWallet,
  CommandKind,
  type Deposit,
  type EndWithdrawal,
  type RequestWithdrawal,
  type SettleCoins,
} from "../core/commands.ts";
import {
  type CoinsSettled,
  EventKind,
  type WalletBound,
  type WithdrawalEnded,
  type WithdrawalRequested,
} from "../core/events.ts";
import { readCommandHeader, writeCommandHeader } from "./command-header.ts";
import {
  commandHeaderLayout,
  depositLayout,
  endWithdrawalLayout,
  requestWithdrawalLayout,
  settleCoinsLayout,
} from "./command-layout.ts";
import { readEventHeader, writeEventHeader } from "./event-header.ts";
import {
  coinsSettledLayout,
  walletBoundLayout,
  withdrawalEndedLayout,
  withdrawalRequestedLayout,
} from "./event-layout.ts";
import {
  readFlag,
  readInt64,
  readSafeInteger,
  readUint53,
  writeBytes,
  writeFlag,
  writeInt64,
  writeSafeInteger,
  writeUint8,
  writeUint32,
  writeUint53,
} from "./record-fields.ts";
import type { RecordViews } from "./record-views.ts";

export type CustodyCommand = BindWallet | Deposit | RequestWithdrawal | EndWithdrawal | SettleCoins;
export type CustodyEvent = WalletBound | WithdrawalRequested | WithdrawalEnded | CoinsSettled;

/** Writes `command` at `offset`; returns its bytes. */
export function encodeCustodyCommand(
  views: RecordViews,
  offset: number,
  command: CustodyCommand,
): number {
  const { u8, i64, f64 } = views;
  writeCommandHeader(views, offset, command, 0);
  switch (command.kind) {
    case CommandKind.bindWallet:
      return commandHeaderLayout.size;
    case CommandKind.deposit: {
      const at = depositLayout;
      writeInt64(i64, (offset + at.amount) >> 3, command.amount);
      writeInt64(i64, (offset + at.high) >> 3, command.key.high);
      writeInt64(i64, (offset + at.low) >> 3, command.key.low);
      writeInt64(i64, (offset + at.payload) >> 3, command.key.payload);
      writeUint8(u8, offset + at.asset, command.asset);
      return at.size;
    }
    case CommandKind.requestWithdrawal: {
      const at = requestWithdrawalLayout;
      writeSafeInteger(f64, (offset + at.withdrawalId) >> 3, command.withdrawalId);
      writeInt64(i64, (offset + at.amount) >> 3, command.amount);
      writeInt64(i64, (offset + at.fee) >> 3, command.fee);
      writeInt64(i64, (offset + at.destinationHigh) >> 3, command.destinationHigh);
      writeInt64(i64, (offset + at.destinationLow) >> 3, command.destinationLow);
      writeInt64(i64, (offset + at.high) >> 3, command.key.high);
      writeInt64(i64, (offset + at.low) >> 3, command.key.low);
      writeInt64(i64, (offset + at.payload) >> 3, command.key.payload);
      writeUint8(u8, offset + at.asset, command.asset);
      return at.size;
    }
    case CommandKind.endWithdrawal: {
      const at = endWithdrawalLayout;
      writeSafeInteger(f64, (offset + at.withdrawalId) >> 3, command.withdrawalId);
      writeFlag(u8, offset + at.isCompleted, command.isCompleted);
      return at.size;
    }
    case CommandKind.settleCoins: {
      const at = settleCoinsLayout;
      writeInt64(i64, (offset + at.amount) >> 3, command.amount);
      writeUint8(u8, offset + at.asset, command.asset);
      return at.size;
    }
    default:
      return unreachable(command);
  }
}

/** The command of that kind at `offset`. */
export function decodeCustodyCommand(
  views: RecordViews,
  offset: number,
  kind: CustodyCommand["kind"],
): CustodyCommand {
  const { u8, i64, f64 } = views;
  switch (kind) {
    case CommandKind.bindWallet:
      return readCommandHeader(views, offset, kind);
    case CommandKind.deposit: {
      const at = depositLayout;
      return {
        ...readCommandHeader(views, offset, kind),
        asset: u8[offset + at.asset] as number,
        amount: readInt64(i64, (offset + at.amount) >> 3),
        key: keyAt(i64, offset, at),
      };
    }
    case CommandKind.requestWithdrawal: {
      const at = requestWithdrawalLayout;
      return {
        ...readCommandHeader(views, offset, kind),
        withdrawalId: readSafeInteger(f64, (offset + at.withdrawalId) >> 3),
        asset: u8[offset + at.asset] as number,
        amount: readInt64(i64, (offset + at.amount) >> 3),
        fee: readInt64(i64, (offset + at.fee) >> 3),
        destinationHigh: readInt64(i64, (offset + at.destinationHigh) >> 3),
        destinationLow: readInt64(i64, (offset + at.destinationLow) >> 3),
        key: keyAt(i64, offset, at),
      };
    }
    case CommandKind.endWithdrawal: {
      const at = endWithdrawalLayout;
      return {
        ...readCommandHeader(views, offset, kind),
        withdrawalId: readSafeInteger(f64, (offset + at.withdrawalId) >> 3),
        isCompleted: readFlag(u8, offset + at.isCompleted),
      };
    }
    case CommandKind.settleCoins: {
      const at = settleCoinsLayout;
      return {
        ...readCommandHeader(views, offset, kind),
        asset: u8[offset + at.asset] as number,
        amount: readInt64(i64, (offset + at.amount) >> 3),
      };
    }
    default:
      return unreachable(kind);
  }
}

function keyAt(
  i64: BigInt64Array,
  offset: number,
  at: { readonly high: number; readonly low: number; readonly payload: number },
) {
  return {
    high: readInt64(i64, (offset + at.high) >> 3),
    low: readInt64(i64, (offset + at.low) >> 3),
    payload: readInt64(i64, (offset + at.payload) >> 3),
  };
}

/** Writes `event` at `offset`; returns its bytes. */
export function encodeCustodyEvent(
  views: RecordViews,
  offset: number,
  event: CustodyEvent,
): number {
  const { u32, i64 } = views;
  switch (event.kind) {
    case EventKind.walletBound:
      writeEventHeader(views, offset, event, walletBoundLayout.size);
      writeUint32(u32, (offset + walletBoundLayout.flags) >> 2, event.flags);
      u32[(offset + walletBoundLayout.filler) >> 2] = 0;
      return walletBoundLayout.size;
    case EventKind.withdrawalRequested: {
      const at = withdrawalRequestedLayout;
      writeEventHeader(views, offset, event, at.size);
      writeUint53(u32, (offset + at.withdrawalId) >> 2, event.withdrawalId);
      writeInt64(i64, (offset + at.amount) >> 3, event.amount);
      writeInt64(i64, (offset + at.fee) >> 3, event.fee);
      writeInt64(i64, (offset + at.destinationHigh) >> 3, event.destinationHigh);
      writeInt64(i64, (offset + at.destinationLow) >> 3, event.destinationLow);
      writeBytes(u32, (offset + at.asset) >> 2, event.asset, 0, 0, 0);
      u32[(offset + at.filler) >> 2] = 0;
      return at.size;
    }
    case EventKind.withdrawalEnded: {
      const at = withdrawalEndedLayout;
      writeEventHeader(views, offset, event, at.size);
      writeUint53(u32, (offset + at.withdrawalId) >> 2, event.withdrawalId);
      writeInt64(i64, (offset + at.amount) >> 3, event.amount);
      writeInt64(i64, (offset + at.fee) >> 3, event.fee);
      writeBytes(u32, (offset + at.asset) >> 2, event.asset, event.isCompleted ? 1 : 0, 0, 0);
      u32[(offset + at.filler) >> 2] = 0;
      return at.size;
    }
    case EventKind.coinsSettled: {
      const at = coinsSettledLayout;
      writeEventHeader(views, offset, event, at.size);
      writeInt64(i64, (offset + at.amount) >> 3, event.amount);
      writeBytes(u32, (offset + at.asset) >> 2, event.asset, 0, 0, 0);
      u32[(offset + at.filler) >> 2] = 0;
      return at.size;
    }
    default:
      return unreachable(event);
  }
}

/** The event of that kind at `offset`. */
export function decodeCustodyEvent(
  views: RecordViews,
  offset: number,
  kind: CustodyEvent["kind"],
): CustodyEvent {
  const { u8, u32, i64 } = views;
  switch (kind) {
    case EventKind.walletBound:
      return {
        ...readEventHeader(views, offset, kind, walletBoundLayout.size),
        flags: u32[(offset + walletBoundLayout.flags) >> 2] as number,
      };
    case EventKind.withdrawalRequested: {
      const at = withdrawalRequestedLayout;
      return {
        ...readEventHeader(views, offset, kind, at.size),
        withdrawalId: readUint53(u32, (offset + at.withdrawalId) >> 2),
        asset: u8[offset + at.asset] as number,
        amount: readInt64(i64, (offset + at.amount) >> 3),
        fee: readInt64(i64, (offset + at.fee) >> 3),
        destinationHigh: readInt64(i64, (offset + at.destinationHigh) >> 3),
        destinationLow: readInt64(i64, (offset + at.destinationLow) >> 3),
      };
    }
    case EventKind.withdrawalEnded: {
      const at = withdrawalEndedLayout;
      return {
        ...readEventHeader(views, offset, kind, at.size),
        withdrawalId: readUint53(u32, (offset + at.withdrawalId) >> 2),
        asset: u8[offset + at.asset] as number,
        amount: readInt64(i64, (offset + at.amount) >> 3),
        fee: readInt64(i64, (offset + at.fee) >> 3),
        isCompleted: readFlag(u8, offset + at.isCompleted),
      };
    }
    case EventKind.coinsSettled: {
      const at = coinsSettledLayout;
      return {
        ...readEventHeader(views, offset, kind, at.size),
        asset: u8[offset + at.asset] as number,
        amount: readInt64(i64, (offset + at.amount) >> 3),
      };
    }
    default:
      return unreachable(kind);
  }
}
