// Proves the routes of liabilities statements on a running venue: everybody reads statements, a member reads his own leaves
// and no others, and the stand-alone verifier accepts all of it.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, before, test } from "node:test";
import { verifyLiabilities } from "../../src/services/epochs/liability-verifier.ts";
import type { Json } from "../support/client/json.ts";
import { NativeClient } from "../support/client/native-client.ts";
import type { SampleAccount } from "../support/epochs/stated-sample.ts";
import { stateLiabilities } from "../support/epochs/stated-venue.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";
import { until } from "./epoch-waits.ts";

const sha256 = (data: Uint8Array) => createHash("sha256").update(data).digest();
const assets = [
  { asset: "USDC", number: 0, decimals: 6 },
  { asset: "CC", number: 1, decimals: 10 },
];
const nobody = "00".repeat(32);
/** More leaves than a tile has. */
const many = Array.from({ length: 300 }, (_, index): SampleAccount => {
  return { account: 100_000 + index, fingerprint: nobody, amounts: { USDC: 5_000_000n, CC: -1n } };
});

let fixture: VenueFixture;
let [user, other] = [] as unknown as [NativeClient, NativeClient];
let members: readonly [SampleAccount, SampleAccount];

async function memberOf(client: NativeClient, amounts: SampleAccount["amounts"]) {
  await client.login();
  const [row] = await fixture.venue.database.sql<{ account: number; fingerprint: string }[]>`
    select account, fingerprint from wallet_users order by created_us desc limit 1`;
  assert(row !== undefined);
  return { account: Number(row.account), fingerprint: row.fingerprint, amounts };
}

before(async () => {
  fixture = await VenueFixture.open({ EPOCH_SECONDS: "1" });
  [user, other] = [new NativeClient(fixture.address), new NativeClient(fixture.address)];
  const first = await memberOf(user, { USDC: 1_250_500_000n, CC: 70_000n });
  members = [first, await memberOf(other, { USDC: 1_250_500_000n })];
});
after(() => fixture.close());

/** States amounts once an epoch after the stated one is sealed, so that every epoch has at most one statement. */
async function stated(accounts: readonly SampleAccount[]): Promise<number> {
  const { sql } = fixture.venue.database;
  return until("an epoch without a statement", async () => {
    const [row] = await sql<{ is_free: boolean }[]>`
      select max(e.epoch) > coalesce((select max(epoch) from liability_statements), 0) as is_free
      from epochs as e`;
    return row?.is_free ? stateLiabilities(fixture, assets, accounts) : null;
  });
}

/** Reads a document once the entries of all statements are sealed. */
async function sealed(path: string, client = user): Promise<Json> {
  await until("sealed entries", async () => {
    const [row] = await fixture.venue.database.sql<{ is_sealed: boolean }[]>`
      select max(last_seq) >= (select max(entry_seq) from liability_statements) as is_sealed
      from epochs`;
    return row?.is_sealed ? true : null;
  });
  const { status, text } = await client.get(path);
  assert.equal(status, 200, text);
  return JSON.parse(text);
}

async function verified(document: unknown, more = {}) {
  const verdict = await verifyLiabilities(document, { sha256, ...more });
  assert(verdict.isValid, JSON.stringify(verdict.steps.at(-1)));
  return verdict;
}

test("LIA-30 before the first statement its routes answer 404 and say so", async () => {
  for (const path of ["/v1/liabilities", "/v1/liabilities/me"]) {
    const { status, text } = await user.get(path);
    assert.equal(status, 404);
    assert.match(text, /there is no liabilities statement yet/);
  }
  const { json } = await fixture.get("/v1/liabilities/statements");
  assert.deepEqual(json, { items: [], next_cursor: null });
  assert.match(
    (await user.get("/v1/liabilities/12")).text,
    /no liabilities statement of this epoch/,
  );
  assert.equal((await user.get("/v1/liabilities/x")).status, 404);
  for (const query of ["me?epoch=x", "me?epoch=-1", "statements?limit=x", "statements?cursor=x"]) {
    assert.equal((await user.get(`/v1/liabilities/${query}`)).status, 400, query);
  }
});

test("LIA-30 everybody reads the newest statement, an older one and the list, and verifies them", async () => {
  const first = await stated([...members, ...many]);
  const second = await stated(members);
  const newest = await sealed("/v1/liabilities");
  assert.equal(JSON.parse(newest.statement).epoch, `${second}`);
  const verdict = await verified(newest);
  assert.deepEqual(verdict.balances, []);
  // The next epoch links to the stated one, and so gives its moment; a slow machine journals the digest in a later epoch.
  const isNext = Number(newest.entry.epoch.epoch) === second + 1;
  assert.equal(verdict.atMs, isNext ? Number(newest.stated_epoch.end_ms) : null);
  const older = await sealed(`/v1/liabilities/${first}`);
  await verified(older);
  const list = await fixture.get("/v1/liabilities/statements?limit=1");
  const { items, next_cursor: cursor } = list.json;
  const { epoch, digest, entry_seq: entry } = items[0];
  assert.deepEqual([epoch, digest, entry], [`${second}`, newest.digest, newest.entry.leaf.seq]);
  const rest = await fixture.get(`/v1/liabilities/statements?cursor=${cursor}`);
  assert.deepEqual(
    rest.json.items.map((item: { epoch: string }) => item.epoch),
    [`${first}`],
  );
  assert.equal(rest.json.next_cursor, null);
});

test("LIA-30 public answers revalidate by their ETag, and a member's are stored nowhere", async () => {
  const { headers } = await fetch(`${fixture.address}/v1/liabilities`);
  assert.equal(headers.get("cache-control"), "public, max-age=5");
  const again = await fetch(`${fixture.address}/v1/liabilities`, {
    headers: { "If-None-Match": headers.get("etag") ?? "" },
  });
  assert([200, 304].includes(again.status));
  const own = await fetch(`${fixture.address}/v1/liabilities/me`, {
    headers: { Authorization: `Bearer ${user.token}` },
  });
  assert.equal(own.headers.get("cache-control"), "private, no-store");
});

test("LIA-31 LIA-32 a member gets the leaves of his account, which verify, and no others", async () => {
  const epoch = await stated([...members, ...many]);
  const path = `/v1/liabilities/me?epoch=${epoch}`;
  const own = await sealed(path);
  assert.deepEqual([own.epoch, own.account], [`${epoch}`, members[0].account]);
  const verdict = await verified(own, { fingerprint: members[0].fingerprint });
  assert.deepEqual(verdict.balances, [
    { asset: "USDC", amount: "1250.5" },
    { asset: "CC", amount: "0.000007" },
  ]);
  // The same amount of another member: another key, other leaves.
  const theirs = await sealed(path, other);
  assert.deepEqual((await verified(theirs)).balances, [{ asset: "USDC", amount: "1250.5" }]);
  assert.notEqual(theirs.key, own.key);
  const hashes = (document: { assets: { leaves: { path: object[] }[] }[] }) =>
    document.assets.flatMap(({ leaves }) => leaves.map((leaf) => JSON.stringify(leaf)));
  assert(hashes(own).every((leaf) => !hashes(theirs).includes(leaf)));
  assert.equal((await fetch(`${fixture.address}${path}`)).status, 401);
});

test("LIA-32 without an epoch a member gets the newest statement with a sealed entry", async () => {
  const first = await stated(members);
  await sealed("/v1/liabilities");
  const second = await stated(members);
  // The second one's entry is sealed within a second, so both answers are right, but the entry is never missing.
  const { json } = await user.get("/v1/liabilities/me");
  assert([first, second].map(String).includes(json.epoch));
  assert.notEqual(json.entry, null);
  await verified(json);
});

test("LIA-32 a sub-account's leaves are those of its owner's key, and nobody else reads them", async () => {
  const { account: owner, fingerprint } = members[0];
  // Opening one needs some money in the account.
  const money = { asset: "USDC", amount: "1000" };
  await fixture.operator.fund({ account: owner, wallet: "spot", ...money });
  const opened = await user.post("/v1/sub-accounts", { label: "desk" });
  assert.equal(opened.status, 200, opened.text);
  const { id } = JSON.parse(opened.text);
  const [row] = await fixture.venue.database.sql<{ account: number }[]>`
    select max(account) as account from accounts`;
  const account = Number(row?.account);
  const epoch = await stated([...members, { account, fingerprint, amounts: { USDC: 77n } }]);
  const own = await sealed(`/v1/liabilities/me?epoch=${epoch}&account_id=${id}`);
  assert.equal(own.account, account);
  assert.deepEqual((await verified(own, { fingerprint })).balances, [
    { asset: "USDC", amount: "0.000077" },
  ]);
  assert.equal((await other.get(`/v1/liabilities/me?account_id=${id}`)).status, 404);
});

test("LIA-32 a member without an amount gets an empty list, and leaves that are gone are named", async () => {
  const epoch = await stated(many);
  const own = await sealed(`/v1/liabilities/me?epoch=${epoch}`);
  assert.deepEqual(own.assets, []);
  await verified(own);
  await fixture.venue.database.sql`delete from liability_tiles where epoch = ${epoch}`;
  const gone = await user.get(`/v1/liabilities/me?epoch=${epoch}`);
  assert.equal(gone.status, 404);
  assert.match(gone.text, /leaves are kept for the newest two/);
});
