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
import type { WithdrawalTerms } from "../../core/withdrawals.ts";
import { readCommandHeader, writeCommandHeader } from "./command-header.ts";
import {
  commandHeaderLayout,
  depositLayout,
  endWithdrawalLayout,
  requestWithdrawalLayout,
  settleCoinsLayout,
} from "./command-layout.ts";
import {
  readFlag,
  readInt64,
  readSafeInteger,
  writeFlag,
  writeInt64,
  writeSafeInteger,
  writeUint8,
} from "./record-fields.ts";
import type { RecordViews } from "./record-views.ts";
import { readRequestKey, writeRequestKey } from "./request-key-fields.ts";

export type CustodyCommand = BindWallet | Deposit | RequestWithdrawal | EndWithdrawal | SettleCoins;

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
