// A venue that is full to its last session, API key and account: who asks for one more is told so in the
// words of docs/reference/errors.md, and whoever is in goes on.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { AccountType, defaultKeyPermissions, KeyType, RateTier } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/commands.ts";
import { accountsMax, keysPerAccountMax, sessionsPerAccountMax } from "../../src/core/limits.ts";
import { NativeClient } from "../support/native-client.ts";
import { FrontFixture } from "./front-fixture.ts";

let front: FrontFixture;
let user: NativeClient;
let accounts: number[];

before(async () => {
  front = await FrontFixture.open();
  user = new NativeClient(front.base);
  await user.login();
  accounts = [];
});
after(() => front.close());

/** Rows of keys and sessions are numbered together; these have no row. */
let lastRow = 10_000;

/** Asks without keeping what came of it: a million answers would be a million objects. */
function done(ask: Parameters<FrontFixture["venue"]["done"]>[0]): number {
  const { venue } = front;
  venue.events.length = 0;
  venue.replies.length = 0;
  return venue.done(ask);
}

function openAccount(): number {
  return done({ kind: CommandKind.openAccount, accountType: AccountType.standard });
}

test("ERR-40 503 the venue takes no more sessions", async () => {
  const { state } = front.venue;
  const expiresUs = front.nowUs() + 86_400_000_000;
  while (state.sessions.hasRoom()) {
    const account = openAccount();
    accounts.push(account);
    for (let open = 0; open < sessionsPerAccountMax && state.sessions.hasRoom(); open++) {
      done({ kind: CommandKind.openSession, account, sessionId: ++lastRow, expiresUs });
    }
  }
  const late = new NativeClient(front.base);
  await assert.rejects(late.login(), {
    message: 'login: 503 {"error":"the venue takes no more sessions"}',
  });
  assert.equal((await user.get("/v1/balances/me")).status, 200, "who is in goes on");
});

test("ERR-40 503 the venue takes no more API keys", async () => {
  const { state } = front.venue;
  const terms = { keyType: KeyType.hmac, tier: RateTier.standard };
  for (let next = 0; state.keys.hasRoom(); next++) {
    const account = accounts[next] ?? openAccount();
    for (let made = 0; made < keysPerAccountMax && state.keys.hasRoom(); made++) {
      const key = { account, keyId: ++lastRow, permissions: defaultKeyPermissions };
      done({ kind: CommandKind.registerKey, ...key, ...terms });
    }
    // The front looks for the material of each key as the loop turns.
    if (next % 1000 === 0) await turn();
  }
  const { status, text } = await user.post("/v1/api-keys");
  assert.deepEqual([status, text], [503, "the venue takes no more API keys"]);
});

test("ERR-40 503 the venue takes no more accounts", async () => {
  while (front.venue.state.accounts.next < accountsMax) openAccount();
  await assert.rejects(new NativeClient(front.base).login(), {
    message: 'login: 503 {"error":"the venue takes no more accounts"}',
  });
  assert.equal((await user.get("/v1/balances/me")).status, 200);
});
