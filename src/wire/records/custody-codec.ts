// Bytes of the commands and events about money that comes from the ledger and goes to it, at the offsets
// of the two layouts.

import { unreachable } from "../../core/assert.ts";
import {
  type BindWallet,
  CommandKind,
  type Deposit,
  type EndWithdrawal,
  type RequestWithdrawal,
  type SettleCoins,
} from "../../core/commands.ts";
import {
  type CoinsSettled,
  EventKind,
  type WalletBound,
  type WithdrawalEnded,
  type WithdrawalRequested,
} from "../../core/events.ts";
import type { WithdrawalTerms } from "../../core/withdrawals.ts";
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
import { readRequestKey, writeRequestKey } from "./request-key-fields.ts";

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
      writeRequestKey(i64, offset, at, command.key);
      writeUint8(u8, offset + at.asset, command.asset);
      return at.size;
    }
    case CommandKind.requestWithdrawal: {
      const at = requestWithdrawalLayout;
      writeSafeInteger(f64, (offset + at.withdrawalId) >> 3, command.withdrawalId);
      writePaid(i64, offset, at, command);
      writeDestination(i64, offset, at, command);
      writeRequestKey(i64, offset, at, command.key);
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
        key: readRequestKey(i64, offset, at),
      };
    }
    case CommandKind.requestWithdrawal: {
      const at = requestWithdrawalLayout;
      return {
        ...readCommandHeader(views, offset, kind),
        withdrawalId: readSafeInteger(f64, (offset + at.withdrawalId) >> 3),
        asset: u8[offset + at.asset] as number,
        ...readPaid(i64, offset, at),
        ...readDestination(i64, offset, at),
        key: readRequestKey(i64, offset, at),
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

interface PaidPlaces {
  readonly amount: number;
  readonly fee: number;
}

type Paid = Pick<WithdrawalTerms, "amount" | "fee">;

function writePaid(
  i64: BigInt64Array,
  offset: number,
  at: PaidPlaces,
  { amount, fee }: Paid,
): void {
  writeInt64(i64, (offset + at.amount) >> 3, amount);
  writeInt64(i64, (offset + at.fee) >> 3, fee);
}

function readPaid(i64: BigInt64Array, offset: number, at: PaidPlaces): Paid {
  return {
    amount: readInt64(i64, (offset + at.amount) >> 3),
    fee: readInt64(i64, (offset + at.fee) >> 3),
  };
}

interface DestinationPlaces {
  readonly destinationHigh: number;
  readonly destinationLow: number;
}

type Destination = Pick<WithdrawalTerms, "destinationHigh" | "destinationLow">;

function writeDestination(
  i64: BigInt64Array,
  offset: number,
  at: DestinationPlaces,
  { destinationHigh, destinationLow }: Destination,
): void {
  writeInt64(i64, (offset + at.destinationHigh) >> 3, destinationHigh);
  writeInt64(i64, (offset + at.destinationLow) >> 3, destinationLow);
}

function readDestination(i64: BigInt64Array, offset: number, at: DestinationPlaces): Destination {
  return {
    destinationHigh: readInt64(i64, (offset + at.destinationHigh) >> 3),
    destinationLow: readInt64(i64, (offset + at.destinationLow) >> 3),
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
      writePaid(i64, offset, at, event);
      writeDestination(i64, offset, at, event);
      writeBytes(u32, (offset + at.asset) >> 2, event.asset, 0, 0, 0);
      u32[(offset + at.filler) >> 2] = 0;
      return at.size;
    }
    case EventKind.withdrawalEnded: {
      const at = withdrawalEndedLayout;
      writeEventHeader(views, offset, event, at.size);
      writeUint53(u32, (offset + at.withdrawalId) >> 2, event.withdrawalId);
      writePaid(i64, offset, at, event);
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
        ...readPaid(i64, offset, at),
        ...readDestination(i64, offset, at),
      };
    }
    case EventKind.withdrawalEnded: {
      const at = withdrawalEndedLayout;
      return {
        ...readEventHeader(views, offset, kind, at.size),
        withdrawalId: readUint53(u32, (offset + at.withdrawalId) >> 2),
        asset: u8[offset + at.asset] as number,
        ...readPaid(i64, offset, at),
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
