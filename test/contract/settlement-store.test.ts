// What the settler's tables guarantee by themselves: each step is guarded by the state it leaves.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresSettledCoins } from "../../src/adapters/postgres/queries/settled-coins.ts";
import { PostgresSettlement } from "../../src/adapters/postgres/queries/settlement.ts";
import {
  BatchPhase,
  batchSettledBy,
  commandIdOf,
} from "../../src/services/settlement/batch-phases.ts";
import { BatchState } from "../../src/services/settlement/batch-states.ts";
import { createTestDatabase, type TestDatabase } from "../support/postgres.ts";

let database: TestDatabase;
let sql: Sql;
let store: PostgresSettlement;
let lastTrade = 0;

before(async () => {
  database = await createTestDatabase();
  sql = openPostgres(database.options, "queries");
  store = new PostgresSettlement(sql);
});

after(async () => {
  await sql.end();
  await database.drop();
});

const [a, b] = ["alice::1220", "custody::1220"];

/** A batch of one new fill of the pair, as `gather` makes it. */
async function openBatch(): Promise<string> {
  lastTrade += 1;
  await sql`
    insert into fills values (${lastTrade}, ${lastTrade}, 1500, 10, 150, 1, 2, 3, 0, 0, 0, 1001, 1002, 0, 0)`;
  const { fills, through } = await store.nextFills([0], 10);
  assert.equal(through, lastTrade);
  const placed = fills.map((fill) => ({ fill, a, b }));
  await store.takeFills(placed, through, 1);
  const [open] = await store.openBatches();
  return open?.batchId ?? "";
}

const leg = { asset: 0, sender: a, receiver: b, amount: 150n };
const sealed = { netHash: "hash", receipts: [] };
const attempt = { dedupOffset: 5, deadlineMs: 100, submissionId: "s", inputs: ["coin"] };

async function stateOf(batchId: string) {
  return (await store.batch(batchId))?.state;
}

test("a fill is taken into one batch, with buyer, seller and their fees", async () => {
  const batchId = await openBatch();
  const [fill] = await store.fillsOf(batchId);
  assert.deepEqual(
    [fill?.buyer, fill?.seller, fill?.buyerFee, fill?.sellerFee],
    [1001, 1002, 3n, 0n],
  );
  assert.deepEqual((await store.nextFills([0], 10)).fills, []);
});

test("SET-4 a batch that nets to zero is confirmed when it is sealed, without an update", async () => {
  const [open] = await store.openBatches();
  const batchId = open?.batchId ?? "";
  await store.seal(batchId, { ...sealed, legs: [] });
  const batch = await store.batch(batchId);
  assert.deepEqual([batch?.state, batch?.updateId], [BatchState.confirmed, null]);
});

test("SET-8 while an attempt may still commit a batch neither fails nor is skipped", async () => {
  const batchId = await openBatch();
  await store.seal(batchId, { ...sealed, legs: [leg] });
  await store.begin({ batchId, ...attempt });
  assert.equal(await store.end(batchId, "skipped", "word", 1), false);
  await store.nextRound(batchId, { phase: BatchPhase.direct, dueMs: 0, reason: "refused" });
  const batch = await store.batch(batchId);
  assert.deepEqual([batch?.round, batch?.dedupOffset, batch?.isUnknown], [2, null, false]);
  assert.equal(await store.end(batchId, "skipped", "word", 1), true);
  assert.equal(await store.confirm(batchId, "update-late", 9), false);
  assert.equal(await stateOf(batchId), BatchState.skipped);
});

test("SET-7 a batch is confirmed by one update: the same again is fine, another is not", async () => {
  const batchId = await openBatch();
  await store.seal(batchId, { ...sealed, legs: [leg] });
  await store.begin({ batchId, ...attempt });
  assert.equal(await store.confirm(batchId, "update-1", 9), true);
  assert.equal(await store.confirm(batchId, "update-1", 9), true);
  assert.equal(await store.confirm(batchId, "update-2", 10), false);
  assert.equal((await store.batch(batchId))?.updateId, "update-1");
});

test("a second attempt of a round keeps its offset and deadline", async () => {
  const batchId = await openBatch();
  await store.seal(batchId, { ...sealed, legs: [leg] });
  await store.begin({ batchId, ...attempt });
  await store.begin({ batchId, dedupOffset: 77, deadlineMs: 777, submissionId: "t", inputs: [] });
  const batch = await store.batch(batchId);
  assert.deepEqual([batch?.dedupOffset, batch?.deadlineMs, batch?.submissionId], [5, 100, "t"]);
});

test("a coin that one batch may be spending is free to no other until the ledger's log has passed", async () => {
  const [first, second] = [await openBatch(), "another"];
  await store.seal(first, { ...sealed, legs: [leg] });
  const coin = { contractId: "coin", party: a, asset: 0, amount: 5n, isLocked: false };
  const none = { locked: [], archived: [], confirmed: [], paid: [] };
  await store.advance({ through: 1, created: [coin], ...none });
  await store.begin({ batchId: first, ...attempt });
  const free = async (batchId: string) => (await store.freeCoins(a, 0, batchId)).length;
  assert.deepEqual([await free(first), await free(second)], [1, 0]);
  await store.confirm(first, "update-3", 20);
  assert.equal(await free(second), 0);
  await store.advance({ through: 19, created: [], ...none });
  assert.equal(await free(second), 0);
  await store.advance({ through: 20, created: [], ...none });
  assert.equal(await free(second), 1);
});

test("SET-9 while payments of a batch are locked it does not end, and what they lock counts as held", async () => {
  const batchId = await openBatch();
  await store.seal(batchId, { ...sealed, legs: [leg] });
  await store.begin({ batchId, ...attempt, inputs: [] });
  const alloc = { phase: BatchPhase.alloc, dueMs: 0, reason: "" };
  await store.nextRound(batchId, alloc);
  await store.begin({ batchId, ...attempt, inputs: [] });
  await store.nextRound(batchId, { ...alloc, phase: BatchPhase.exec, keepsDeadline: true });
  const batch = await store.batch(batchId);
  assert.deepEqual([batch?.phase, batch?.deadlineMs, batch?.dedupOffset], [3, 100, null]);
  const holding = { contractId: "lent", party: a, asset: 0, amount: 7n, isLocked: true };
  const locked = { contractId: "lock", admin: "x", holdings: ["lent"] };
  const foreign = { ...locked, contractId: "foreign", batchId: "somebody else's", holdings: [] };
  const progress = { through: 21, created: [holding], archived: [], confirmed: [], paid: [] };
  await store.advance({ ...progress, locked: [{ ...locked, batchId }, foreign] });
  const shown = { contractId: "lock", admin: "x", sender: a };
  assert.deepEqual(await store.allocationsOf(batchId), [shown]);
  assert.deepEqual(await store.allocationsOf("somebody else's"), []);
  await store.nextRound(batchId, { ...alloc, phase: BatchPhase.direct });
  assert.equal(await store.end(batchId, "failed", "reason", 1), false);
  const gone = { through: 22, created: [], locked: [], confirmed: [], paid: [] };
  await store.advance({ ...gone, archived: ["lock", "lent"] });
  assert.equal(await store.end(batchId, "failed", "reason", 1), true);
});

test("SET-16 a batch that only has to give back ends as lapsed, one that may settle does not", async () => {
  const batchId = await openBatch();
  await store.seal(batchId, { ...sealed, legs: [leg] });
  await store.begin({ batchId, ...attempt, inputs: [] });
  const exec = { phase: BatchPhase.exec, dueMs: 0, reason: "" };
  await store.nextRound(batchId, exec);
  await store.begin({ batchId, ...attempt, inputs: [] });
  const locked = { contractId: "left", admin: "x", holdings: ["gone"], batchId };
  const none = { created: [], archived: [], confirmed: [], paid: [] };
  await store.advance({ through: 23, locked: [locked], ...none });
  assert.equal(await store.endLapsed(batchId, "reason", 1), false);
  await store.nextRound(batchId, { ...exec, phase: BatchPhase.cancel });
  const left = { contractId: "left", admin: "x", sender: null };
  assert.deepEqual(await store.allocationsOf(batchId), [left]);
  assert.equal(await store.end(batchId, "failed", "reason", 1), false);
  assert.equal(await store.endLapsed(batchId, "reason", 1), true);
  assert.equal(await store.endLapsed(batchId, "reason", 1), false);
  const batch = await store.batch(batchId);
  assert.deepEqual([batch?.state, batch?.reason], [6, "reason"]);
});

test("SET-2 what a party brought is its coins without what confirmed batches moved", async () => {
  await store.addMember(1001, a, []);
  const rows = await store.mirror([1001]);
  const own = rows.find(({ account, asset }) => account === 1001 && asset === 0);
  // Units of 10^-10 are floored to the asset's minor units; two confirmed batches sent 150 each.
  assert.deepEqual([own?.external, own?.credited], [300n, 0n]);
  const credit = { account: 1001, asset: 0, amount: 300n, seqBefore: 4 };
  const creditId = await store.prepareCredit(credit);
  assert.deepEqual(await store.openCredits(), [{ ...credit, creditId }]);
  await store.finishCredit(creditId, true);
  assert.deepEqual(await store.openCredits(), []);
  const after = (await store.mirror([1001])).find(({ asset }) => asset === 0);
  assert.equal(after?.credited, 300n);
  assert.deepEqual(await store.mirror([1002]), [], "of nobody else");
});

test("SET-2 reading on tells whose coins came or went, and what a party took away is booked back", async () => {
  const coin = { contractId: "moved", party: a, asset: 0, amount: 7_000_000n, isLocked: false };
  const none = { locked: [], confirmed: [], paid: [] };
  const before = (await store.mirror([1001])).find(({ asset }) => asset === 0)?.external ?? 0n;
  const come = await store.advance({ through: 24, created: [coin], archived: [], ...none });
  assert.deepEqual([...come], [a]);
  const credit = { account: 1001, asset: 0, amount: 700n, seqBefore: 5 };
  await store.finishCredit(await store.prepareCredit(credit), true);
  const gone = await store.advance({ through: 25, created: [], archived: ["moved", "x"], ...none });
  assert.deepEqual([...gone], [a]);
  const away = { ...credit, amount: -700n };
  await store.finishCredit(await store.prepareCredit(away), true);
  const row = (await store.mirror([1001])).find(({ asset }) => asset === 0);
  assert.deepEqual([row?.external, row?.credited], [before, 300n]);
});

test("SET-12 what a batch brought is to be freed once, when it is confirmed and not before", async () => {
  const coins = new PostgresSettledCoins(sql);
  const receipts = [{ account: 1001, asset: 1, amount: 70n }];
  const shown = async () => {
    const releases = await coins.prepareReleases(9);
    return releases.map(({ account, asset, amount, seqBefore }) => [
      account,
      asset,
      amount,
      seqBefore,
    ]);
  };
  const settled = async (updateId: string) => {
    const batchId = await openBatch();
    await store.seal(batchId, { ...sealed, legs: [leg], receipts });
    await store.begin({ batchId, ...attempt });
    await store.confirm(batchId, updateId, 20);
  };
  await store.seal(await openBatch(), { ...sealed, legs: [leg], receipts });
  assert.deepEqual(await shown(), [], "not before it is confirmed");
  await settled("update-coins-1");
  await settled("update-coins-2");
  assert.deepEqual(await shown(), [[1001, 1, 140n, 9]], "both batches in one release");
  assert.deepEqual(await shown(), [], "written down once");
  const [asked] = await coins.openReleases();
  await settled("update-coins-3");
  assert.deepEqual(await shown(), [], "one at a time an account and asset");
  await coins.finishReleases([], [asked?.releaseId ?? 0]);
  assert.deepEqual(await shown(), [[1001, 1, 210n, 9]], "what was not done is asked for again");
  const [again] = await coins.openReleases();
  await coins.finishReleases([again?.releaseId ?? 0], []);
  assert.deepEqual([await shown(), await coins.openReleases()], [[], []], "done is done");
});

test("SET-12 a batch brings to many accounts at once, and as many are freed", async () => {
  const coins = new PostgresSettledCoins(sql);
  const accounts = Array.from({ length: 1_200 }, (_, place) => 2_000 + place);
  const receipts = accounts.map((account) => ({ account, asset: 1, amount: 2n ** 62n }));
  const batchId = await openBatch();
  await store.seal(batchId, { ...sealed, legs: [leg], receipts });
  await store.begin({ batchId, ...attempt });
  await store.confirm(batchId, "update-of-many", 20);
  const freed: number[] = [];
  for (;;) {
    const releases = await coins.prepareReleases(9);
    if (releases.length === 0) break;
    assert.ok(releases.every(({ amount }) => amount === 2n ** 62n));
    freed.push(...releases.map(({ account }) => account));
    await coins.finishReleases(
      releases.map(({ releaseId }) => releaseId),
      [],
    );
  }
  assert.deepEqual(freed, accounts);
});

test("SET-12 what a failed batch was to bring goes with its fills to the new one", async () => {
  const coins = new PostgresSettledCoins(sql);
  const batchId = await openBatch();
  const receipts = [{ account: 1001, asset: 1, amount: 70n }];
  await store.seal(batchId, { ...sealed, legs: [leg], receipts });
  await store.begin({ batchId, ...attempt });
  await store.nextRound(batchId, { phase: BatchPhase.direct, dueMs: 0, reason: "refused" });
  assert.equal(await store.end(batchId, "failed", "refused", 1), true);
  assert.deepEqual(await coins.prepareReleases(9), []);
  await store.requeue(batchId, `${batchId}-r1`, 2);
  await store.begin({ batchId: `${batchId}-r1`, ...attempt });
  await store.confirm(`${batchId}-r1`, "update-coins-requeued", 30);
  const [release] = await coins.prepareReleases(9);
  assert.equal(release?.amount, 70n);
});

test("SET-15 an update that only bears a batch's name confirms nothing", async () => {
  const batchId = await openBatch();
  await store.seal(batchId, { ...sealed, legs: [leg] });
  await store.begin({ batchId, ...attempt });
  const batch = await store.batch(batchId);
  const progress = { through: 40, created: [], locked: [], archived: [], paid: [] };
  const seen = async (token: string | null) => {
    assert(batch !== null);
    const commandId = commandIdOf({ ...batch, token });
    const named = batchSettledBy(commandId);
    assert(named !== null);
    const confirmed = [{ ...named, updateId: `update-${token}`, offset: 40 }];
    await store.advance({ ...progress, confirmed });
    return stateOf(batchId);
  };
  assert.match(batch?.token ?? "", /^[0-9a-f]{32}$/);
  assert.equal(await seen(null), BatchState.processing);
  assert.equal(await seen("0".repeat(32)), BatchState.processing);
  assert.equal(await seen(batch?.token ?? null), BatchState.confirmed);
});

test("SET-15 a batch of before has the name it had", async () => {
  const batchId = await openBatch();
  await store.seal(batchId, { ...sealed, legs: [leg] });
  await sql`update settlement_batches set token = null where batch_id = ${batchId}`;
  const batch = await store.batch(batchId);
  assert(batch !== null);
  assert.equal(commandIdOf(batch), `stl:${batchId}:1:direct`);
});

test("SET-15 an update that only bears a withdrawal's name pays nothing", async () => {
  const [row] = await sql<{ id: string }[]>`
    insert into withdrawals (account, idempotency_key, asset, amount, fee, destination, created_ms,
                             state, inputs)
    values (1001, 'w', 0, 10, 1, 'bob::1220', 1, 2, '["coin-of-custody"]')
    returning withdrawal_id as id`;
  const withdrawalId = Number(row?.id);
  const seen = async (through: number, archived: readonly string[]) => {
    const made = { kind: "withdrawal", paymentId: withdrawalId } as const;
    const paid = [{ ...made, updateId: `update-${through}`, offset: through }];
    await store.advance({ through, created: [], locked: [], archived, confirmed: [], paid });
    const [own] =
      await sql`select update_id from withdrawals where withdrawal_id = ${withdrawalId}`;
    return own?.["update_id"];
  };
  assert.equal(await seen(50, []), null);
  assert.equal(await seen(51, ["another"]), null);
  assert.equal(await seen(52, ["coin-of-custody"]), "update-52");
});
