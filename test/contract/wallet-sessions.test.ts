// Proves on a real database how wallet users, login challenges, token hashes and listed keys are stored and found.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresKeyStore } from "../../src/adapters/postgres/queries/access/api-keys.ts";
import { PostgresSessions } from "../../src/adapters/postgres/queries/access/wallet-sessions.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";

let database: TestDatabase;
let sql: Sql;
let store: PostgresSessions;

before(async () => {
  database = await createTestDatabase();
  sql = openPostgres(database.options, "queries");
  store = new PostgresSessions(sql);
});
after(async () => {
  await sql.end();
  await database.drop();
});

test("SES-4 a login challenge works once, with its own key and in time, also under concurrent use", async () => {
  const row = {
    nonceHash: "n1",
    publicKey: "key",
    partyHint: "user",
    message: "it's; drop table wallet_users;--",
    expiresMs: 2000,
  };
  await store.addChallenge(row, 1000);
  assert.equal(await store.takeChallenge("n1", "other", 1000), null);
  assert.equal(await store.takeChallenge("n1", "key", 2000), null);
  const taken = await Promise.all(
    Array.from({ length: 8 }, () => store.takeChallenge("n1", "key", 1999)),
  );
  assert.deepEqual(
    taken.filter((one) => one !== null),
    [row],
  );
  await store.addChallenge(row, 1000);
  await store.addChallenge({ ...row, nonceHash: "n2", expiresMs: 9000 }, 2000);
  assert.equal(
    await store.takeChallenge("n1", "key", 1),
    null,
    "an expired challenge must be deleted",
  );
});

test("SES-5 of several simultaneous first logins with one key only the first creates the user", async () => {
  const user = (account: number) => ({
    fingerprint: "f1",
    account,
    partyHint: "user",
    publicKey: "key",
    createdMs: 5,
  });
  assert.equal(await store.findUser("f1"), null);
  const added = await Promise.all([1001, 1002, 1003].map((one) => store.addUser(user(one))));
  const found = await store.findUser("f1");
  assert(found !== null);
  assert.deepEqual(added, [found, found, found]);
  assert.deepEqual(await store.userOf(found.account), found);
  assert.equal(await store.userOf(4000), null);
});

test("SES-6 SES-21 sessions are found by number until they expire", async () => {
  const origin = { device: "Firefox on Windows", address: "2001:db8::7" };
  const row = { sessionId: 7, tokenHash: "h", account: 1001, expiresMs: 5000, ...origin };
  await store.addSession(row, 1000);
  assert.deepEqual(await store.loadSession(7), row);
  assert.deepEqual(await store.loadSessions(4999), [row]);
  assert.deepEqual(await store.loadSessions(5000), []);
  await store.addSession({ ...row, sessionId: 8, tokenHash: "i", expiresMs: 9000 }, 5000);
  assert.equal(await store.loadSession(7), null, "an expired session must be deleted");
  await store.removeSession(8);
  assert.equal(await store.loadSession(8), null);
});

test("KEY-5 KEY-20 the list has an account's registered keys, newest first, without the keys of sessions", async () => {
  const keys = new PostgresKeyStore(sql);
  const insert = async (sessionId: number | null, revokedUs: number | null) => {
    const keyId = await keys.takeKeyId();
    await keys.insert({
      keyId,
      account: 1001,
      key: `value-${keyId}`,
      keyType: 1,
      label: "l",
      sealedSecret: null,
      sealVersion: 1,
      publicKey: Buffer.alloc(32, 7).toString("base64"),
      allowedRanges: [],
      sessionId,
      createdMs: 12,
    });
    await sql`update api_keys set is_registered = true, permissions = 3, revoked_us = ${revokedUs}
      where key_id = ${keyId}`;
    return keyId;
  };
  const live = await insert(null, null);
  const revoked = await insert(null, 99_000);
  const own = await insert(40, null);
  const list = async (withRevoked: boolean, limit: number) =>
    (await keys.ofAccount({ account: 1001, withRevoked, limit })).map(({ keyId }) => keyId);
  assert.deepEqual(await list(false, 10), [live]);
  assert.deepEqual(await list(true, 10), [revoked, live]);
  assert.deepEqual(await list(true, 1), [revoked]);
  assert.deepEqual(await keys.ofAccount({ account: 1002, withRevoked: true, limit: 9 }), []);
  const found = await keys.find(revoked);
  assert(found !== null && !("sealedSecret" in found));
  assert.deepEqual([found.revokedUs, found.createdUs, found.sessionId], [99_000, 12_000, null]);
  assert.equal((await keys.find(own))?.sessionId, 40);
  // KEY-20: the newest use wins, and one of before the key's creation is none.
  const lastUse = async () => (await keys.find(live))?.usedMs;
  assert.equal(await lastUse(), null);
  await keys.noteUses([{ keyId: live, usedMs: 12 - 60_000 }]);
  assert.equal(await lastUse(), null);
  for (const usedMs of [120_000, 60_000]) await keys.noteUses([{ keyId: live, usedMs }]);
  assert.equal(await lastUse(), 120_000);
  assert.equal((await keys.find(revoked))?.usedMs, null);
  assert(((await keys.find(live))?.usesKnownMs ?? 0) > 1_600_000_000_000);
  assert.equal(await keys.find(4000), null);
});
