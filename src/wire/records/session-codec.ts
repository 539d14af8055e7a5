// Bytes of the commands and events about wallet sessions, at the offsets of the two layouts.

import {
  type CloseSession,
  CommandKind,
  type OpenSession,
  type SetSessionKey,
} from "../../core/commands.ts";
import { readCommandHeader, writeCommandHeader } from "./command-header.ts";
import { closeSessionLayout, openSessionLayout, setSessionKeyLayout } from "./command-layout.ts";
import { readSafeInteger, writeSafeInteger } from "./record-fields.ts";
import type { RecordViews } from "./record-views.ts";

/** Writes `command` at `offset`; returns its bytes. */
export function encodeOpenSession(
  views: RecordViews,
  offset: number,
  command: OpenSession,
): number {
  const at = openSessionLayout;
  writeCommandHeader(views, offset, command, 0);
  writeSafeInteger(views.f64, (offset + at.sessionId) >> 3, command.sessionId);
  writeSafeInteger(views.f64, (offset + at.expiresUs) >> 3, command.expiresUs);
  return at.size;
}

/** The command at `offset`. */
export function decodeOpenSession(views: RecordViews, offset: number): OpenSession {
  const at = openSessionLayout;
  return {
    ...readCommandHeader(views, offset, CommandKind.openSession),
    sessionId: readSafeInteger(views.f64, (offset + at.sessionId) >> 3),
    expiresUs: readSafeInteger(views.f64, (offset + at.expiresUs) >> 3),
  };
}

/** Writes `command` at `offset`; returns its bytes. */
export function encodeCloseSession(
  views: RecordViews,
  offset: number,
  command: CloseSession,
): number {
  const at = closeSessionLayout;
  writeCommandHeader(views, offset, command, 0);
  writeSafeInteger(views.f64, (offset + at.sessionId) >> 3, command.sessionId);
  return at.size;
}

/** The command at `offset`. */
export function decodeCloseSession(views: RecordViews, offset: number): CloseSession {
  return {
    ...readCommandHeader(views, offset, CommandKind.closeSession),
    sessionId: readSafeInteger(views.f64, (offset + closeSessionLayout.sessionId) >> 3),
  };
}

/** Writes `command` at `offset`; returns its bytes. */
export function encodeSetSessionKey(
  views: RecordViews,
  offset: number,
  command: SetSessionKey,
): number {
  const at = setSessionKeyLayout;
  writeCommandHeader(views, offset, command, 0);
  writeSafeInteger(views.f64, (offset + at.sessionId) >> 3, command.sessionId);
  writeSafeInteger(views.f64, (offset + at.keyId) >> 3, command.keyId);
  return at.size;
}

/** The command at `offset`. */
export function decodeSetSessionKey(views: RecordViews, offset: number): SetSessionKey {
  const at = setSessionKeyLayout;
  return {
    ...readCommandHeader(views, offset, CommandKind.setSessionKey),
    sessionId: readSafeInteger(views.f64, (offset + at.sessionId) >> 3),
    keyId: readSafeInteger(views.f64, (offset + at.keyId) >> 3),
  };
}
