// Bytes of the commands and events about wallet sessions, at the offsets of the two layouts.

import {
  type CloseSession,
  CommandKind,
  type OpenSession,
  type SetSessionKey,
} from "../../core/commands.ts";
import {
  EventKind,
  type SessionClosed,
  type SessionKeySet,
  type SessionOpened,
} from "../../core/events.ts";
import { readCommandHeader, writeCommandHeader } from "./command-header.ts";
import { closeSessionLayout, openSessionLayout, setSessionKeyLayout } from "./command-layout.ts";
import { readEventHeader, writeEventHeader } from "./event-header.ts";
import { sessionClosedLayout, sessionKeySetLayout, sessionOpenedLayout } from "./event-layout.ts";
import { readSafeInteger, readUint53, writeSafeInteger, writeUint53 } from "./record-fields.ts";
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

/** Writes `event` at `offset`; returns its bytes. */
function encodeSessionOpened(views: RecordViews, offset: number, event: SessionOpened): number {
  const at = sessionOpenedLayout;
  writeEventHeader(views, offset, event, at.size);
  writeUint53(views.u32, (offset + at.sessionId) >> 2, event.sessionId);
  writeUint53(views.u32, (offset + at.expiresUs) >> 2, event.expiresUs);
  return at.size;
}

/** The event at `offset`. */
function decodeSessionOpened(views: RecordViews, offset: number): SessionOpened {
  const at = sessionOpenedLayout;
  return {
    ...readEventHeader(views, offset, EventKind.sessionOpened, at.size),
    sessionId: readUint53(views.u32, (offset + at.sessionId) >> 2),
    expiresUs: readUint53(views.u32, (offset + at.expiresUs) >> 2),
  };
}

/** Writes `event` at `offset`; returns its bytes. */
function encodeSessionClosed(views: RecordViews, offset: number, event: SessionClosed): number {
  const at = sessionClosedLayout;
  writeEventHeader(views, offset, event, at.size);
  writeUint53(views.u32, (offset + at.sessionId) >> 2, event.sessionId);
  writeUint53(views.u32, (offset + at.keyId) >> 2, event.keyId);
  return at.size;
}

/** The event at `offset`. */
function decodeSessionClosed(views: RecordViews, offset: number): SessionClosed {
  const at = sessionClosedLayout;
  return {
    ...readEventHeader(views, offset, EventKind.sessionClosed, at.size),
    sessionId: readUint53(views.u32, (offset + at.sessionId) >> 2),
    keyId: readUint53(views.u32, (offset + at.keyId) >> 2),
  };
}

/** Writes `event` at `offset`; returns its bytes. */
function encodeSessionKeySet(views: RecordViews, offset: number, event: SessionKeySet): number {
  const at = sessionKeySetLayout;
  writeEventHeader(views, offset, event, at.size);
  writeUint53(views.u32, (offset + at.sessionId) >> 2, event.sessionId);
  writeUint53(views.u32, (offset + at.keyId) >> 2, event.keyId);
  writeUint53(views.u32, (offset + at.replacedKeyId) >> 2, event.replacedKeyId);
  return at.size;
}

/** The event at `offset`. */
function decodeSessionKeySet(views: RecordViews, offset: number): SessionKeySet {
  const at = sessionKeySetLayout;
  return {
    ...readEventHeader(views, offset, EventKind.sessionKeySet, at.size),
    sessionId: readUint53(views.u32, (offset + at.sessionId) >> 2),
    keyId: readUint53(views.u32, (offset + at.keyId) >> 2),
    replacedKeyId: readUint53(views.u32, (offset + at.replacedKeyId) >> 2),
  };
}

type SessionEvent = SessionOpened | SessionClosed | SessionKeySet;

/** Writes `event` at `offset`; returns its bytes. */
export function encodeSessionEvent(
  views: RecordViews,
  offset: number,
  event: SessionEvent,
): number {
  if (event.kind === EventKind.sessionOpened) return encodeSessionOpened(views, offset, event);
  if (event.kind === EventKind.sessionClosed) return encodeSessionClosed(views, offset, event);
  return encodeSessionKeySet(views, offset, event);
}

/** The event of that kind at `offset`. */
export function decodeSessionEvent(
  views: RecordViews,
  offset: number,
  kind: SessionEvent["kind"],
): SessionEvent {
  if (kind === EventKind.sessionOpened) return decodeSessionOpened(views, offset);
  if (kind === EventKind.sessionClosed) return decodeSessionClosed(views, offset);
  return decodeSessionKeySet(views, offset);
}
