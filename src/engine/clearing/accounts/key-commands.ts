// Decisions about API keys: registration, tier, restrictions, end. A key ends when it is revoked, when it expires, or with
// its account. The decisions about session keys are in session-commands.ts.

import {
  type ChangeKey,
  CommandKind,
  type RegisterKey,
  type RestrictKey,
} from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { keysPerAccountMax } from "../../../core/limits.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import type { NonOrderEvent } from "../../state/apply/apply.ts";
import type { ApiKeyState } from "../../state/tables/key-table.ts";
import type { VenueState } from "../../state/venue-state.ts";
import type { TransactionWriter } from "../transactions/transaction-writer.ts";

/** The function that decides each kind of command; it returns a refusal or an event. */
export const keyDecisions = {
  [CommandKind.registerKey]: decideRegisterKey,
  [CommandKind.changeKey]: decideChangeKey,
  [CommandKind.restrictKey]: decideRestrictKey,
} as const;

const unnumbered = { seq: 0, tsUs: 0, isTransactionEnd: true };

function decideRegisterKey(state: VenueState, command: RegisterKey): RejectReason | NonOrderEvent {
  const { account, keyId, keyType, tier, permissions } = command;
  if (!state.accounts.isCustomer(account)) return RejectReason.unknownAccount;
  if (state.keys.get(keyId) !== undefined) return RejectReason.keyExists;
  if (state.keys.countOf(account) >= keysPerAccountMax) return RejectReason.tooManyKeysOfAccount;
  if (!state.keys.hasRoom()) return RejectReason.tooManyKeys;
  return {
    ...unnumbered,
    kind: EventKind.keyRegistered,
    account,
    keyId,
    keyType,
    tier,
    permissions,
  };
}

function decideChangeKey(state: VenueState, command: ChangeKey): RejectReason | NonOrderEvent {
  const key = state.keys.get(command.keyId);
  if (key === undefined) return RejectReason.unknownKey;
  const { expects } = command;
  if (expects !== 0 && expects !== key.permissions) return RejectReason.keyChanged;
  return {
    ...unnumbered,
    kind: EventKind.keyChanged,
    account: key.account,
    keyId: key.keyId,
    tier: command.tier,
    permissions: command.permissions,
    isRevoked: command.isRevoked,
  };
}

/**
 * Sets permissions and expiry of a key of the account, if both are still as the change expects. A session key ends with
 * its session and is not restricted. Spec KEY-9, KEY-13.
 */
function decideRestrictKey(state: VenueState, command: RestrictKey): RejectReason | NonOrderEvent {
  const { account, keyId, permissions, expects, expiresUs, expectsExpiresUs, atUs } = command;
  const key = state.keys.get(keyId);
  if (key === undefined || key.account !== account || key.sessionId !== 0)
    return RejectReason.unknownKey;
  if (expects !== key.permissions || expectsExpiresUs !== key.expiresUs)
    return RejectReason.keyChanged;
  const { tier } = key;
  const change = { ...unnumbered, account, keyId, tier, permissions };
  if (expiresUs === key.expiresUs)
    return { ...change, kind: EventKind.keyChanged, isRevoked: false };
  // A time that has passed would revoke the key at once, which is another request.
  if (expiresUs !== 0 && expiresUs <= atUs) return RejectReason.goodTillOutOfRange;
  return { ...change, kind: EventKind.keyRestricted, expiresUs };
}

/** Writes the end of a key, because it has expired (spec KEY-18) or with its account. */
export function endKey(
  writer: TransactionWriter,
  { account, keyId, tier, permissions }: ApiKeyState,
  atUs: number,
  isTransactionEnd = true,
): void {
  const change = { account, keyId, tier, permissions, isRevoked: true };
  writer.nonOrder({ ...unnumbered, kind: EventKind.keyChanged, ...change }, atUs, isTransactionEnd);
}
