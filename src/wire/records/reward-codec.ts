// Bytes of the commands and events about referrals and commission, at the offsets of the two layouts.

import { Wallet } from "../../core/accounts.ts";
import { CommandKind, type SetReferrer } from "../../core/commands.ts";
import { EventKind, type Referred, type RewardClaimed, type Rewarded } from "../../core/events.ts";
import { readCommandHeader, writeCommandHeader } from "./command-header.ts";
import { setReferrerLayout } from "./command-layout.ts";
import { readEventHeader, writeEventHeader } from "./event-header.ts";
import { referredLayout, rewardClaimedLayout, rewardedLayout } from "./event-layout.ts";
import {
  highestCode,
  readCode,
  readInt64,
  readSafeInteger,
  writeBytes,
  writeInt64,
  writeSafeInteger,
  writeUint32,
} from "./record-fields.ts";
import type { RecordViews } from "./record-views.ts";

const walletHighest = highestCode(Wallet);

/** Writes `command` at `offset`; returns its bytes. */
export function encodeSetReferrer(
  views: RecordViews,
  offset: number,
  command: SetReferrer,
): number {
  const at = setReferrerLayout;
  writeCommandHeader(views, offset, command, 0);
  writeSafeInteger(views.f64, (offset + at.referrer) >> 3, command.referrer);
  return at.size;
}

/** The command at `offset`. */
export function decodeSetReferrer(views: RecordViews, offset: number): SetReferrer {
  return {
    ...readCommandHeader(views, offset, CommandKind.setReferrer),
    referrer: readSafeInteger(views.f64, (offset + setReferrerLayout.referrer) >> 3),
  };
}

/** Writes `event` at `offset`; returns its bytes. */
function encodeReferred(views: RecordViews, offset: number, event: Referred): number {
  const at = referredLayout;
  writeEventHeader(views, offset, event, at.size);
  writeUint32(views.u32, (offset + at.referrer) >> 2, event.referrer);
  views.u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

/** The event at `offset`. */
function decodeReferred(views: RecordViews, offset: number): Referred {
  const at = referredLayout;
  return {
    ...readEventHeader(views, offset, EventKind.referred, at.size),
    referrer: views.u32[(offset + at.referrer) >> 2] as number,
  };
}

/** Writes `event` at `offset`; returns its bytes. */
function encodeRewarded(views: RecordViews, offset: number, event: Rewarded): number {
  const at = rewardedLayout;
  writeEventHeader(views, offset, event, at.size);
  writeInt64(views.i64, (offset + at.amount) >> 3, event.amount);
  writeBytes(views.u32, (offset + at.wallet) >> 2, event.wallet, 0, 0, 0);
  views.u32[(offset + at.filler) >> 2] = 0;
  return at.size;
}

/** The event at `offset`. */
function decodeRewarded(views: RecordViews, offset: number): Rewarded {
  const at = rewardedLayout;
  return {
    ...readEventHeader(views, offset, EventKind.rewarded, at.size),
    wallet: readCode<Wallet>(views.u8, offset + at.wallet, walletHighest),
    amount: readInt64(views.i64, (offset + at.amount) >> 3),
  };
}

/** Writes `event` at `offset`; returns its bytes. */
function encodeRewardClaimed(views: RecordViews, offset: number, event: RewardClaimed): number {
  const at = rewardClaimedLayout;
  writeEventHeader(views, offset, event, at.size);
  writeInt64(views.i64, (offset + at.amount) >> 3, event.amount);
  return at.size;
}

/** The event at `offset`. */
function decodeRewardClaimed(views: RecordViews, offset: number): RewardClaimed {
  const at = rewardClaimedLayout;
  return {
    ...readEventHeader(views, offset, EventKind.rewardClaimed, at.size),
    amount: readInt64(views.i64, (offset + at.amount) >> 3),
  };
}

/** Writes `event` at `offset`; returns its bytes. */
export function encodeRewardEvent(
  views: RecordViews,
  offset: number,
  event: Referred | Rewarded | RewardClaimed,
): number {
  if (event.kind === EventKind.referred) return encodeReferred(views, offset, event);
  if (event.kind === EventKind.rewarded) return encodeRewarded(views, offset, event);
  return encodeRewardClaimed(views, offset, event);
}

/** The event of that kind at `offset`. */
export function decodeRewardEvent(
  views: RecordViews,
  offset: number,
  kind: (Referred | Rewarded | RewardClaimed)["kind"],
): Referred | Rewarded | RewardClaimed {
  if (kind === EventKind.referred) return decodeReferred(views, offset);
  if (kind === EventKind.rewarded) return decodeRewarded(views, offset);
  return decodeRewardClaimed(views, offset);
}
