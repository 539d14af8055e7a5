// Bytes of the commands and events about referrals and commission, at the offsets of the two layouts.

import { CommandKind, type SetReferrer } from "../../core/commands.ts";
import { readCommandHeader, writeCommandHeader } from "./command-header.ts";
import { setReferrerLayout } from "./command-layout.ts";
import { readSafeInteger, writeSafeInteger } from "./record-fields.ts";
import type { RecordViews } from "./record-views.ts";

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
