// Sessions and their keys in clearing: who may open, replace and end them, and expiry.

import assert from "node:assert/strict";
import { test } from "node:test";
import { testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { defaultKeyPermissions, KeyType, RateTier } from "../../../core/accounts.ts";
import { AssertionFailure } from "../../../core/assert.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { keysPerAccountMax, sessionsMax, sessionsPerAccountMax } from "../../../core/limits.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { captureState, restoreState } from "../../state/snapshot/venue-snapshot.ts";
import { stateHash } from "../../state-hash.ts";

const day = 86_400_000_000;

function venueWithAccount() {
  const venue = new TestVenue();
  const account = venue.open();
  const open = (sessionId: number, expiresUs = venue.nowUs + day, who = account) =>
    venue.send({ kind: CommandKind.openSession, account: who, sessionId, expiresUs }).reason;
  const close = (sessionId: number, who = account) =>
    venue.send({ kind: CommandKind.closeSession, account: who, sessionId }).reason;
  const setKey = (sessionId: number, keyId: number, who = account) =>
    venue.send({ kind: CommandKind.setSessionKey, account: who, sessionId, keyId }).reason;
  return { venue, account, open, close, setKey };
}

test("SES-7 a session opens for a customer and ends once, and only its own account can end it", () => {
  const { venue, account, open, close } = venueWithAccount();
  const other = venue.open();
  assert.equal(open(5), RejectReason.none);
  assert.equal(venue.state.sessions.get(5)?.account, account);
  assert.equal(open(6, venue.nowUs + day, 999), RejectReason.unknownAccount);
  assert.throws(() => open(5), AssertionFailure);
  assert.equal(close(5, other), RejectReason.unknownSession);
  assert.equal(close(5), RejectReason.none);
  assert.equal(close(5), RejectReason.unknownSession);
});

test("SES-9 SES-16 a session's new key replaces its previous key, does not count against the key limit, and ends with the session", () => {
  const { venue, account, open, close, setKey } = venueWithAccount();
  for (let keyId = 1; keyId <= keysPerAccountMax; keyId++) venue.registerKey(account, keyId);
  assert.equal(venue.registerKey(account, 99).reason, RejectReason.tooManyKeysOfAccount);
  open(50);
  assert.equal(setKey(50, 3), RejectReason.keyExists);
  assert.equal(setKey(51, 60), RejectReason.unknownSession);
  assert.equal(setKey(50, 60), RejectReason.none);
  assert.deepEqual(venue.state.keys.get(60), {
    keyId: 60,
    account,
    keyType: KeyType.ed25519,
    sessionId: 50,
    tier: RateTier.standard,
    permissions: defaultKeyPermissions,
    expiresUs: 0,
  });
  assert.equal(setKey(50, 61), RejectReason.none);
  assert.equal(venue.state.keys.get(60), undefined);
  assert.equal(venue.state.keys.countOf(account), keysPerAccountMax);
  assert.equal(close(50), RejectReason.none);
  assert.equal(venue.state.keys.get(61), undefined);
  const ended = venue.events.at(-1);
  assert(ended?.kind === EventKind.sessionClosed);
  assert.equal(ended.keyId, 61);
});

test("SES-9 a session whose key was revoked separately accepts another key", () => {
  const { venue, open, setKey, close } = venueWithAccount();
  open(50);
  setKey(50, 60);
  const tier = RateTier.standard;
  venue.done({
    kind: CommandKind.changeKey,
    keyId: 60,
    tier,
    permissions: 3,
    expects: 0,
    isRevoked: true,
  });
  assert.equal(setKey(50, 61), RejectReason.none);
  assert.equal(close(50), RejectReason.none);
});

test("SES-8 a session and its key end at the session's time, also after a restart", () => {
  const { venue, open, setKey } = venueWithAccount();
  open(50, venue.nowUs + 1_000_000);
  open(51, venue.nowUs + 60_000_000);
  setKey(50, 60);
  venue.send({ kind: CommandKind.barrier });
  const again = new TestVenue({ state: restoreState(testMarkets, captureState(venue.state)) });
  assert.equal(stateHash(again.state), stateHash(venue.state));
  for (const one of [venue, again]) {
    one.take({ kind: CommandKind.tick });
    assert.notEqual(one.state.sessions.get(50), undefined);
    one.nowUs += 2_000_000;
    one.take({ kind: CommandKind.tick });
    assert.equal(one.state.sessions.get(50), undefined);
    assert.equal(one.state.keys.get(60), undefined);
    assert.notEqual(one.state.sessions.get(51), undefined);
  }
});

test("SES-10 an account that opens too many sessions loses its oldest, and a full venue refuses new ones", () => {
  const { venue, account, open } = venueWithAccount();
  const { sessions } = venue.state;
  for (let id = 1; id <= sessionsPerAccountMax; id++) open(id);
  assert.equal(open(100), RejectReason.none);
  assert.equal(sessions.ofAccount(account).length, sessionsPerAccountMax);
  assert.equal(sessions.get(1), undefined);
  assert.notEqual(sessions.get(2), undefined);
  sessions.hasRoom = () => sessions.all().length < Math.min(sessionsMax, 1);
  const other = venue.open();
  assert.equal(open(101, venue.nowUs + day, other), RejectReason.tooManySessions);
  assert.equal(open(102), RejectReason.none, "its own oldest session makes room");
});
