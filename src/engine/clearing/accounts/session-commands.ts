// Decisions about wallet sessions and the keys that live with them. A session ends by logout, by time
// or because its account opened too many; its key ends with it, in the same event.

import { assert } from "../../../core/assert.ts";
import {
  type CloseSession,
  CommandKind,
  type OpenSession,
  type SetSessionKey,
} from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { sessionsPerAccountMax } from "../../../core/limits.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { SessionState } from "../../state/tables/session-table.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { UnitWriter } from "../units/unit-writer.ts";

export type SessionCommand = OpenSession | CloseSession | SetSessionKey;

const unnumbered = { seq: 0, tsUs: 0, isUnitEnd: true };

/** Decides and, unless it refuses, writes what happened. */
export function decideSessionCommand(
  state: VenueState,
  writer: UnitWriter,
  command: SessionCommand,
): RejectReason {
  switch (command.kind) {
    case CommandKind.openSession:
      return open(state, writer, command);
    case CommandKind.closeSession: {
      const session = ownSession(state, command);
      if (session === undefined) return RejectReason.unknownSession;
      endSession(writer, session, command.atUs);
      return RejectReason.none;
    }
    default:
      return setKey(state, writer, command);
  }
}

/** Writes the end of a session and of its key. */
export function endSession(
  writer: UnitWriter,
  session: SessionState,
  atUs: number,
  isUnitEnd = true,
): void {
  const { account, sessionId, keyId } = session;
  const kind = EventKind.sessionClosed;
  writer.standing({ ...unnumbered, kind, account, sessionId, keyId }, atUs, isUnitEnd);
}

function open(state: VenueState, writer: UnitWriter, command: OpenSession): RejectReason {
  const { account, sessionId, expiresUs, atUs } = command;
  const { sessions, accounts } = state;
  if (!accounts.isCustomer(account)) return RejectReason.unknownAccount;
  assert(sessions.get(sessionId) === undefined, "a session id is given once");
  const own = sessions.ofAccount(account);
  const [oldest] = own;
  if (oldest !== undefined && own.length >= sessionsPerAccountMax) endSession(writer, oldest, atUs);
  else if (!sessions.hasRoom()) return RejectReason.tooManySessions;
  const kind = EventKind.sessionOpened;
  writer.standing({ ...unnumbered, kind, account, sessionId, expiresUs }, atUs);
  return RejectReason.none;
}

function setKey(state: VenueState, writer: UnitWriter, command: SetSessionKey): RejectReason {
  const { account, sessionId, keyId, atUs } = command;
  const session = ownSession(state, command);
  if (session === undefined) return RejectReason.unknownSession;
  if (state.keys.get(keyId) !== undefined) return RejectReason.keyExists;
  const replacedKeyId = session.keyId;
  if (replacedKeyId === 0 && !state.keys.hasRoom()) return RejectReason.tooManyKeys;
  const kind = EventKind.sessionKeySet;
  writer.standing({ ...unnumbered, kind, account, sessionId, keyId, replacedKeyId }, atUs);
  return RejectReason.none;
}

/** The session, if it is the account's. */
function ownSession(
  { sessions }: VenueState,
  { account, sessionId }: CloseSession | SetSessionKey,
): SessionState | undefined {
  const session = sessions.get(sessionId);
  return session?.account === account ? session : undefined;
}
