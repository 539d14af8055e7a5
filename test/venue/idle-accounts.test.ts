// Proves on a whole venue that accounts which never held money are closed with their keys and cannot be found again,
// and that the same wallet can open a new account. A crash between closing an account and deleting its user does no
// harm.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PostgresEventStore } from "../../src/adapters/postgres/event-store.ts";
import { readAccount } from "../../src/adapters/postgres/queries/access/accounts.ts";
import { StoredProjections } from "../../src/adapters/postgres/queries/journal/projections.ts";
import { AccountType } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { RejectReason } from "../../src/core/reject-reason.ts";
import { IdleAccounts } from "../../src/venue/duties/idle-accounts.ts";
import { verifyReplay } from "../../src/venue/verification/verification.ts";
import { until } from "../epochs/epoch-waits.ts";
import { NativeClient, newWallet, type Wallet } from "../support/client/native-client.ts";
import { quietLog } from "../support/quiet-log.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";

let fixture: VenueFixture;

before(async () => {
  fixture = await VenueFixture.open({ DEV_TOOLS: "1" });
  // Create another account first, because the venue never closes its first account.
  await fixture.operator.createAccount("standard");
});
after(() => fixture.close());

/** Closes accounts that are idle for `idleMs`: by default every idle account opened before now. Returns the number. */
async function look(idleMs = 1): Promise<number> {
  const { venue } = fixture;
  await venue.settle();
  const { clearing, database } = venue;
  // The clock of the venue, which dates the accounts, may be a moment ahead of this one.
  const dutyMs = () => Date.now() + 1_000;
  const duty = new IdleAccounts({ sql: database.sql, clearing, log: quietLog, dutyMs, idleMs });
  try {
    return await duty.look();
  } finally {
    await duty.close();
  }
}

async function loggedIn(wallet: Wallet): Promise<NativeClient> {
  const user = new NativeClient(fixture.address);
  await user.login(wallet);
  return user;
}

async function accountOf(wallet: Wallet): Promise<number> {
  const [row] = await fixture.venue.database.sql<{ account: number }[]>`
    select account from wallet_users where public_key = ${wallet.publicKey}`;
  return row?.account ?? 0;
}

async function typeOf(account: number): Promise<number | undefined> {
  await fixture.venue.settle();
  return (await readAccount(fixture.venue.database.sql, account))?.type;
}

/** Logs a user out, and waits until the row of the session is deleted: that happens after the answer. */
async function logOut(user: NativeClient, wallet: Wallet): Promise<void> {
  assert.equal((await user.post("/v1/wallet/logout")).status, 204);
  const account = await accountOf(wallet);
  const { sql } = fixture.venue.database;
  await until("the end of the session's row", async () => {
    const rows = await sql`select from wallet_sessions where account = ${account}`;
    return rows.length === 0 ? true : null;
  });
}

/** Returns how many accounts can still be opened, as the venue reports it. */
async function accountsLeft(): Promise<number> {
  const text = await (await fetch(`${fixture.address}/metrics`)).text();
  return Number(/^rialto_front_accounts_left\S* (\d+)$/m.exec(text)?.[1]);
}

/** Creates a user who made a key and logged out. */
async function idleUser(wallet = newWallet()) {
  const user = await loggedIn(wallet);
  const { key, secret } = (await user.post("/v1/api-keys", { label: "idle" })).json;
  const { token, userId } = user;
  await logOut(user, wallet);
  return { wallet, account: await accountOf(wallet), key: { key, secret }, token, userId };
}

/** Asserts that applying the journal gives the same state as snapshots and rows. */
async function assertSound(): Promise<void> {
  const { venue } = fixture;
  await venue.settle();
  await venue.snapshots.fold();
  const { connection } = venue.database;
  const store = new PostgresEventStore({ connection, log: quietLog, isStopping: () => true });
  const projections = await StoredProjections.open(connection);
  const untilSeq = await store.lastSeq();
  const options = { untilSeq, projections, onProgress: () => undefined };
  const { differences } = await verifyReplay(store, venue.table, options);
  await projections.close();
  await store.close();
  assert.deepEqual(differences, []);
}

test("ACC-28 ACC-30 ACC-45 an idle account is closed, its key is refused, and its wallet can open a new account", async () => {
  const { wallet, account, key, userId, token } = await idleUser();
  const trader = { account, ...key };
  assert.equal((await fixture.signed(trader, "GET", "/api/v3/account")).status, 200);
  const left = await accountsLeft();
  assert.equal(await look(), 1);
  assert.equal(await typeOf(account), AccountType.closed);
  assert.equal(await accountsLeft(), left + 1);
  const refused = await fixture.signed(trader, "GET", "/api/v3/account");
  assert.equal(refused.json.code, -2015);
  assert.equal(await accountOf(wallet), 0, "The account's user must be deleted");
  const old = new NativeClient(fixture.address);
  old.token = token;
  assert.equal((await old.get("/v1/balances/me")).status, 401);
  const again = await loggedIn(wallet);
  const next = await accountOf(wallet);
  assert(next > account && again.userId !== userId);
  assert.deepEqual((await again.get("/v1/api-keys?include_revoked=true")).json.keys, []);
  await fixture.restart();
  assert.equal(await typeOf(account), AccountType.closed);
  await assertSound();
});

test("ACC-28 ACC-43 ACC-42 an account stays open if it has a session, money or an operator's key, or is young", async () => {
  const session = newWallet();
  await loggedIn(session);
  const { account: funded } = await idleUser();
  const { operator, venue } = fixture;
  await operator.fund({ account: funded, wallet: "funding", asset: "USDC", amount: "5" });
  const { account: keyed } = await operator.createAccount("standard");
  await operator.createKey({ account: keyed });
  const { account: bare } = await operator.createAccount("standard");
  const kept = [await accountOf(session), funded, keyed];
  assert.equal(await look(3_600_000), 0, "An account younger than an hour must stay open");
  assert.equal(await look(), 1);
  for (const account of kept) assert.equal(await typeOf(account), AccountType.standard);
  assert.equal(await typeOf(bare), AccountType.closed);
  const frozen = await idleUser();
  await operator.access.freeze(frozen.account, false);
  assert.equal(await look(), 0);
  await assert.rejects(operator.access.freeze(bare, false), /account \d+ is closed/);
  await assert.rejects(operator.createAccount("closed"), /account type: expected one of/);
  const command = { kind: CommandKind.setAccountType, accountType: AccountType.closed } as const;
  const { reason } = await venue.clearing.send({ ...command, account: funded });
  assert.equal(reason, RejectReason.accountInUse, "Clearing must decide, whatever the rows say");
});

test("ACC-28 a key restricted by its user does not keep an account open", async () => {
  const wallet = newWallet();
  const user = await loggedIn(wallet);
  const { id } = (await user.post("/v1/api-keys", { label: "idle" })).json;
  const restrictions = JSON.stringify({ permissions: ["READ"], allowed_addresses: ["192.0.2.7"] });
  const narrowed = await user.send("PUT", `/v1/api-keys/${id}/restrictions`, restrictions);
  assert.equal(narrowed.status, 200, narrowed.text);
  await logOut(user, wallet);
  assert.equal(await look(), 1);
});

test("ACC-30 a wallet whose account was closed in a crash can still log in", async () => {
  const { wallet, account } = await idleUser();
  const command = { kind: CommandKind.setAccountType, accountType: AccountType.closed } as const;
  assert.equal(
    (await fixture.venue.clearing.send({ ...command, account })).reason,
    RejectReason.none,
  );
  await fixture.crashAndRestart();
  assert.equal(await accountOf(wallet), account, "The account's user must still exist");
  const again = await loggedIn(wallet);
  assert.equal((await again.get("/v1/balances/me")).status, 200);
  assert.notEqual(await accountOf(wallet), account);
  await assertSound();
});
