// Decisions about wallet sessions and their keys. A session ends by logout, by expiry, when its account opens more than
// the limit, or when its account is closed. Its key ends in the same event.

import { assert } from "../../../core/assert.ts";
import {
  type CloseSession,
  CommandKind,
  type OpenSession,
  type SetSessionKey,
} from "../../../core/generated/commands.ts";
import { EventKind, type SessionClosed } from "../../../core/generated/events.ts";
import { sessionsPerAccountMax } from "../../../core/limits.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { NonOrderEvent } from "../../state/apply/apply.ts";
import type { SessionState } from "../../state/tables/session-table.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { TransactionWriter } from "../transactions/transaction-writer.ts";

/** The function that decides each kind of command; it returns a refusal or an event. */
export const sessionDecisions = {
  [CommandKind.openSession]: decideOpenSession,
  [CommandKind.closeSession]: decideCloseSession,
  [CommandKind.setSessionKey]: decideSessionKey,
} as const;

const unnumbered = { seq: 0, tsUs: 0, isTransactionEnd: true };

/** Writes the end of a session and of its key. */
export function endSession(
  writer: TransactionWriter,
  session: SessionState,
  atUs: number,
  isTransactionEnd = true,
): void {
  writer.nonOrder(closed(session), atUs, isTransactionEnd);
}

function closed({ account, sessionId, keyId }: SessionState): SessionClosed {
  return { ...unnumbered, kind: EventKind.sessionClosed, account, sessionId, keyId };
}

/** At the limit of sessions per account, the oldest session ends, in its own transaction, before the new one opens. */
function decideOpenSession(
  state: VenueState,
  command: OpenSession,
  { writer }: { readonly writer: TransactionWriter },
): RejectReason | NonOrderEvent {
  const { account, sessionId, expiresUs, atUs } = command;
  const { sessions, accounts } = state;
  if (!accounts.isCustomer(account)) return RejectReason.unknownAccount;
  assert(sessions.get(sessionId) === undefined, "the session id must not be in use");
  const own = sessions.ofAccount(account);
  const [oldest] = own;
  if (oldest !== undefined && own.length >= sessionsPerAccountMax) endSession(writer, oldest, atUs);
  else if (!sessions.hasRoom()) return RejectReason.tooManySessions;
  return { ...unnumbered, kind: EventKind.sessionOpened, account, sessionId, expiresUs };
}

function decideCloseSession(
  state: VenueState,
  command: CloseSession,
): RejectReason | NonOrderEvent {
  const session = ownSession(state, command);
  return session === undefined ? RejectReason.unknownSession : closed(session);
}

function decideSessionKey(state: VenueState, command: SetSessionKey): RejectReason | NonOrderEvent {
  const { account, sessionId, keyId } = command;
  const session = ownSession(state, command);
  if (session === undefined) return RejectReason.unknownSession;
  if (state.keys.get(keyId) !== undefined) return RejectReason.keyExists;
  const replacedKeyId = session.keyId;
  if (replacedKeyId === 0 && !state.keys.hasRoom()) return RejectReason.tooManyKeys;
  const kind = EventKind.sessionKeySet;
  return { ...unnumbered, kind, account, sessionId, keyId, replacedKeyId };
}

/** The session if it belongs to the account. */
function ownSession(
  { sessions }: VenueState,
  { account, sessionId }: CloseSession | SetSessionKey,
): SessionState | undefined {
  const session = sessions.get(sessionId);
  return session?.account === account ? session : undefined;
}
