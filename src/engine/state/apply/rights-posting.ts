// Applies key and session events: keys are registered and revoked; sessions open and close together with
// their keys.

import { defaultKeyPermissions, KeyType, RateTier } from "../../../core/accounts.ts";
import { assert, unreachable } from "../../../core/assert.ts";
import {
  EventKind,
  type KeyChanged,
  type KeyRegistered,
  type KeyRestricted,
  type SessionClosed,
  type SessionKeySet,
  type SessionOpened,
} from "../../../core/generated/events.ts";
import type { SessionState } from "../tables/session-table.ts";
import type { VenueState } from "../venue-state.ts";

/** Events about the right to act for an account. */
export type RightsEvent =
  | KeyRegistered
  | KeyChanged
  | KeyRestricted
  | SessionOpened
  | SessionClosed
  | SessionKeySet;

/** Applies the event; asserts that it fits the state. */
export function applyRights(state: VenueState, event: RightsEvent): void {
  switch (event.kind) {
    case EventKind.keyRegistered: {
      const { keyId, account, keyType, tier, permissions } = event;
      state.keys.register({ keyId, account, keyType, sessionId: 0, tier, permissions });
      break;
    }
    case EventKind.keyChanged:
      changeKey(state, event);
      break;
    case EventKind.keyRestricted:
      changeKey(state, { ...event, kind: EventKind.keyChanged, isRevoked: false });
      state.keys.setExpiry(event.keyId, event.expiresUs);
      break;
    case EventKind.sessionOpened: {
      const { sessionId, account, expiresUs } = event;
      state.sessions.open({ sessionId, account, expiresUs, keyId: 0 });
      break;
    }
    case EventKind.sessionClosed: {
      const session = openSession(state, event);
      assert(session.keyId === event.keyId, "the key in the event must be the key of the session");
      if (event.keyId !== 0) state.keys.revoke(event.keyId);
      state.sessions.close(event.sessionId);
      break;
    }
    case EventKind.sessionKeySet:
      setSessionKey(state, event);
      break;
    default:
      unreachable(event);
  }
}

function changeKey(state: VenueState, event: KeyChanged): void {
  const key = state.keys.get(event.keyId);
  assert(key !== undefined, "a changed key must be registered and not revoked");
  key.tier = event.tier;
  key.permissions = event.permissions;
  if (!event.isRevoked) return;
  state.keys.revoke(event.keyId);
  const session = state.sessions.get(key.sessionId);
  if (session !== undefined) session.keyId = 0;
}

function setSessionKey(state: VenueState, event: SessionKeySet): void {
  const session = openSession(state, event);
  const { account, sessionId, keyId, replacedKeyId } = event;
  assert(session.keyId === replacedKeyId, "the replaced key must be the key of the session");
  if (replacedKeyId !== 0) state.keys.revoke(replacedKeyId);
  const { ed25519: keyType } = KeyType;
  const granted = { tier: RateTier.standard, permissions: defaultKeyPermissions };
  state.keys.register({ keyId, account, keyType, sessionId, ...granted });
  session.keyId = keyId;
}

function openSession(
  { sessions }: VenueState,
  { account, sessionId }: SessionClosed | SessionKeySet,
): SessionState {
  const session = sessions.get(sessionId);
  assert(
    session?.account === account,
    "the session must exist and belong to the account in the event",
  );
  return session;
}
