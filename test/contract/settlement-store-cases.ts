// The guarantees of every settlement store, as cases that run for each implementation. A change succeeds only if the
// row is still in the state that the change starts from.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { BatchState } from "../../src/ports/ledger/batch-states.ts";
import type { SettledCoinStore } from "../../src/ports/ledger/settled-coins.ts";
import type { SettlementStore } from "../../src/ports/ledger/settlement-store.ts";
import {
  BatchPhase,
  batchSettledBy,
  commandIdOf,
} from "../../src/services/settlement/batches/batch-phases.ts";

export interface StoreSubject {
  readonly store: SettlementStore;
  readonly coins: SettledCoinStore;
  /** Commits a fill of market 0: account 1001 buys 10 lots for 150 from account 1002 and pays a fee of 3. */
  trade(tradeId: number): Promise<void>;
  close(): Promise<void>;
}

/** The cases, each with its name. */
const cases: (readonly [name: string, run: () => Promise<void>])[] = [];
let subject: StoreSubject;
let lastTrade = 0;

function define(name: string, run: () => Promise<void>): void {
  cases.push([name, run]);
}

/** Defines a test for each case. The tests run in order on the same tables. */
export function settlementStoreCases(open: () => Promise<StoreSubject>): void {
  before(async () => {
    subject = await open();
  });
  after(() => subject.close());
  for (const [name, run] of cases) test(name, run);
}

const [a, b] = ["alice::1220", "custody::1220"];

/** Opens a settlement batch with one new fill between `a` and `b`, and returns its id. */
export async function openBatch(): Promise<string> {
  lastTrade += 1;
  await subject.trade(lastTrade);
  const { fills, through } = await subject.store.nextFills([0], 10);
  assert.equal(through, lastTrade);
  const placed = fills.map((fill) => ({ fill, a, b }));
  await subject.store.takeFills(placed, through, 1);
  const [open] = await subject.store.openBatches();
  return open?.batchId ?? "";
}

export const leg = { asset: 0, sender: a, receiver: b, amount: 150n };
export const sealed = { netHash: "hash", receipts: [] };
const attempt = { dedupOffset: 5, deadlineMs: 100, submissionId: "s", inputs: ["coin"] };

async function stateOf(batchId: string) {
  return (await subject.store.batch(batchId))?.state;
}

/** Records the start of an attempt for a batch in its current state; returns false if the store refuses it. */
async function begin(batchId: string, own: Partial<typeof attempt> = {}): Promise<boolean> {
  const { round = 0, attempts = 0 } = (await subject.store.batch(batchId)) ?? {};
  return subject.store.begin({ batchId, round, attempts, ...attempt, ...own });
}

define("a fill is added to exactly one batch, with buyer, seller and their fees", async () => {
  const batchId = await openBatch();
  const [fill] = await subject.store.fillsOf(batchId);
  assert.deepEqual(
    [fill?.buyer, fill?.seller, fill?.buyerFee, fill?.sellerFee],
    [1001, 1002, 3n, 0n],
  );
  assert.deepEqual((await subject.store.nextFills([0], 10)).fills, []);
});

define(
  "SET-4 a batch that nets to zero is confirmed when it is sealed, without an update on the ledger",
  async () => {
    const [open] = await subject.store.openBatches();
    const batchId = open?.batchId ?? "";
    await subject.store.seal(batchId, { ...sealed, legs: [] });
    const batch = await subject.store.batch(batchId);
    assert.deepEqual([batch?.state, batch?.updateId], [BatchState.confirmed, null]);
  },
);

define(
  "SET-8 a batch neither fails nor is skipped while one of its attempts may still commit",
  async () => {
    const batchId = await openBatch();
    await subject.store.seal(batchId, { ...sealed, legs: [leg] });
    await begin(batchId);
    assert.equal(await subject.store.end(batchId, "skipped", "word", 1), false);
    await subject.store.nextRound(batchId, {
      phase: BatchPhase.direct,
      dueMs: 0,
      reason: "refused",
    });
    const batch = await subject.store.batch(batchId);
    assert.deepEqual([batch?.round, batch?.dedupOffset, batch?.isUnknown], [2, null, false]);
    assert.equal(await subject.store.end(batchId, "skipped", "word", 1), true);
    assert.equal(await subject.store.confirm(batchId, "update-late", 9), false);
    assert.equal(await stateOf(batchId), BatchState.skipped);
  },
);

define(
  "SET-7 a batch is confirmed by one update: the same update may be reported again, another is refused",
  async () => {
    const batchId = await openBatch();
    await subject.store.seal(batchId, { ...sealed, legs: [leg] });
    await begin(batchId);
    assert.equal(await subject.store.confirm(batchId, "update-1", 9), true);
    assert.equal(await subject.store.confirm(batchId, "update-1", 9), true);
    assert.equal(await subject.store.confirm(batchId, "update-2", 10), false);
    assert.equal((await subject.store.batch(batchId))?.updateId, "update-1");
  },
);

define(
  "SET-7 an attempt is stored only if the batch has not changed since it was read",
  async () => {
    const batchId = await openBatch();
    const { store } = subject;
    assert.equal(await begin(batchId), false, "a batch that is not sealed must refuse an attempt");
    await store.seal(batchId, { ...sealed, legs: [leg] });
    const asRead = { batchId, round: 1, attempts: 0, ...attempt, inputs: [] };
    assert.equal(await store.begin(asRead), true);
    assert.equal(
      await store.begin(asRead),
      false,
      "an attempt must be refused after another one has begun",
    );
    await store.nextRound(batchId, { phase: BatchPhase.direct, dueMs: 0, reason: "refused" });
    assert.equal(
      await store.begin({ ...asRead, attempts: 1 }),
      false,
      "an attempt of a finished round must be refused",
    );
    assert.equal(await begin(batchId, { inputs: [] }), true);
    await store.nextRound(batchId, { phase: BatchPhase.direct, dueMs: 0, reason: "refused" });
    assert.equal(await store.end(batchId, "skipped", "word", 1), true);
    assert.equal(await begin(batchId), false, "a skipped batch must refuse an attempt");
    assert.equal(await stateOf(batchId), BatchState.skipped);
  },
);

define("a second attempt in the same round keeps the first one's offset and deadline", async () => {
  const batchId = await openBatch();
  await subject.store.seal(batchId, { ...sealed, legs: [leg] });
  await begin(batchId);
  await begin(batchId, { dedupOffset: 77, deadlineMs: 777, submissionId: "t", inputs: [] });
  const batch = await subject.store.batch(batchId);
  assert.deepEqual([batch?.dedupOffset, batch?.deadlineMs, batch?.submissionId], [5, 100, "t"]);
});

define(
  "a coin that a batch may be spending is not available to another batch until the ledger's log is read past it",
  async () => {
    const [first, second] = [await openBatch(), "another"];
    await subject.store.seal(first, { ...sealed, legs: [leg] });
    const coin = { contractId: "coin", party: a, asset: 0, amount: 5n, isLocked: false };
    const none = { locked: [], archived: [], confirmed: [], paid: [] };
    await subject.store.advance({ through: 1, created: [coin], ...none });
    await begin(first);
    const free = async (batchId: string) => (await subject.store.freeCoins(a, 0, batchId)).length;
    assert.deepEqual([await free(first), await free(second)], [1, 0]);
    await subject.store.confirm(first, "update-3", 20);
    assert.equal(await free(second), 0);
    await subject.store.advance({ through: 19, created: [], ...none });
    assert.equal(await free(second), 0);
    await subject.store.advance({ through: 20, created: [], ...none });
    assert.equal(await free(second), 1);
  },
);

define(
  "SET-9 a batch does not end while its payments are locked, and the locked coins count as holdings",
  async () => {
    const batchId = await openBatch();
    await subject.store.seal(batchId, { ...sealed, legs: [leg] });
    await begin(batchId, { inputs: [] });
    const alloc = { phase: BatchPhase.alloc, dueMs: 0, reason: "" };
    await subject.store.nextRound(batchId, alloc);
    await begin(batchId, { inputs: [] });
    await subject.store.nextRound(batchId, {
      ...alloc,
      phase: BatchPhase.exec,
      keepsDeadline: true,
    });
    const batch = await subject.store.batch(batchId);
    assert.deepEqual([batch?.phase, batch?.deadlineMs, batch?.dedupOffset], [3, 100, null]);
    const holding = { contractId: "lent", party: a, asset: 0, amount: 7n, isLocked: true };
    const locked = { contractId: "lock", admin: "x", holdings: ["lent"] };
    const foreign = { ...locked, contractId: "foreign", batchId: "somebody else's", holdings: [] };
    const progress = { through: 21, created: [holding], archived: [], confirmed: [], paid: [] };
    await subject.store.advance({ ...progress, locked: [{ ...locked, batchId }, foreign] });
    const shown = { contractId: "lock", admin: "x", sender: a, isSpent: false };
    assert.deepEqual(await subject.store.allocationsOf(batchId), [shown]);
    assert.deepEqual(await subject.store.allocationsOf("somebody else's"), []);
    await subject.store.nextRound(batchId, { ...alloc, phase: BatchPhase.direct });
    assert.equal(await subject.store.end(batchId, "failed", "reason", 1), false);
    const gone = { through: 22, created: [], locked: [], confirmed: [], paid: [] };
    await subject.store.advance({ ...gone, archived: ["lock", "lent"] });
    assert.equal(await subject.store.end(batchId, "failed", "reason", 1), true);
  },
);

define(
  "SET-9 SET-24 a lock is ignored after its sender has spent its coins, and a lock that names no coins counts",
  async () => {
    const { store } = subject;
    const batchId = await openBatch();
    await store.seal(batchId, { ...sealed, legs: [leg] });
    const coin = { contractId: "lapsed", party: a, asset: 0, amount: 7n, isLocked: true };
    const none = { created: [], locked: [], archived: [], confirmed: [], paid: [] };
    const locked = [
      { contractId: "lock-1", admin: "x", holdings: ["lapsed"], batchId },
      { contractId: "lock-2", admin: "x", holdings: [], batchId },
    ];
    const isSpent = async () => {
      return (await store.allocationsOf(batchId)).map((each) => [each.sender, each.isSpent]);
    };
    await store.advance({ ...none, through: 22, created: [coin], locked });
    assert.deepEqual(await isSpent(), [
      [a, false],
      [null, false],
    ]);
    await store.advance({ ...none, through: 22, archived: ["lapsed"] });
    assert.deepEqual(await isSpent(), [
      [null, true],
      [null, false],
    ]);
    assert.equal(await store.end(batchId, "failed", "reason", 1), false);
    await store.advance({ ...none, through: 22, archived: ["lock-2"] });
    assert.equal(await store.end(batchId, "failed", "reason", 1), true);
  },
);

define(
  "SET-9 SET-24 a lock is ignored after its sender has spent one of its coins, and its other coins are not available",
  async () => {
    const { store } = subject;
    const held = async () => {
      const [row] = await store.mirror([1003]);
      return row?.external ?? 0n;
    };
    const carol = "carol::1220";
    await store.addMember(1003, carol, []);
    const batchId = await openBatch();
    await store.seal(batchId, { ...sealed, legs: [leg] });
    const coin = { party: carol, asset: 0, amount: 40_000n, isLocked: true };
    const created = ["kept", "spent"].map((contractId) => ({ ...coin, contractId }));
    const none = { created: [], locked: [], archived: [], confirmed: [], paid: [] };
    const lock = { contractId: "of-two", admin: "x", holdings: ["kept", "spent"], batchId };
    await store.advance({ ...none, through: 22, created, locked: [lock] });
    const shown = { contractId: "of-two", admin: "x", sender: carol };
    assert.deepEqual(await store.allocationsOf(batchId), [{ ...shown, isSpent: false }]);
    assert.equal(await held(), 8n, "coins locked for a batch must still count for the member");
    assert.equal(await store.end(batchId, "failed", "reason", 1), false);
    await store.advance({ ...none, through: 22, archived: ["spent"] });
    assert.deepEqual(await store.allocationsOf(batchId), [{ ...shown, isSpent: true }]);
    assert.equal(await held(), 0n, "locked coins must not count once one of them is spent");
    assert.equal(await store.end(batchId, "failed", "reason", 1), true);
    const free = { ...coin, contractId: "unlocked", isLocked: false };
    await store.advance({ ...none, through: 22, created: [free], archived: ["kept", "of-two"] });
    assert.equal(await held(), 4n, "coins must count again once their sender has unlocked them");
  },
);

define(
  "SET-16 SET-26 a batch that only has to release its locks ends as expired, and a batch that may settle does not",
  async () => {
    const batchId = await openBatch();
    await subject.store.seal(batchId, { ...sealed, legs: [leg] });
    await begin(batchId, { inputs: [] });
    const exec = { phase: BatchPhase.exec, dueMs: 0, reason: "" };
    await subject.store.nextRound(batchId, exec);
    await begin(batchId, { inputs: [] });
    const locked = { contractId: "left", admin: "x", holdings: ["gone"], batchId };
    const none = { created: [], archived: [], confirmed: [], paid: [] };
    await subject.store.advance({ through: 23, locked: [locked], ...none });
    assert.equal(await subject.store.endLapsed(batchId, "reason", 1), false);
    await subject.store.nextRound(batchId, { ...exec, phase: BatchPhase.cancel });
    const left = { contractId: "left", admin: "x", sender: null, isSpent: true };
    assert.deepEqual(await subject.store.allocationsOf(batchId), [left]);
    assert.equal(await subject.store.end(batchId, "failed", "reason", 1), false);
    assert.equal(await subject.store.endLapsed(batchId, "reason", 1), true);
    assert.equal(await subject.store.endLapsed(batchId, "reason", 1), false);
    const batch = await subject.store.batch(batchId);
    assert.deepEqual([batch?.state, batch?.reason], [6, "reason"]);
  },
);

define(
  "SET-2 a party's own coins are its holdings less what confirmed batches sent to it",
  async () => {
    await subject.store.addMember(1001, a, []);
    const rows = await subject.store.mirror([1001]);
    const own = rows.find(({ account, asset }) => account === 1001 && asset === 0);
    // The party still holds a few ledger units of 10^-10, which are less than one minor unit and count as zero. Two
    // confirmed batches sent 150 each from its holdings, so its own coins are 0 + 300.
    assert.deepEqual([own?.external, own?.credited], [300n, 0n]);
    const credit = { account: 1001, asset: 0, amount: 300n, seqBefore: 4 };
    const creditId = await subject.store.prepareCredit(credit);
    assert.deepEqual(await subject.store.openCredits(), [{ ...credit, creditId }]);
    await subject.store.finishCredit(creditId, true);
    assert.deepEqual(await subject.store.openCredits(), []);
    const after = (await subject.store.mirror([1001])).find(({ asset }) => asset === 0);
    assert.equal(after?.credited, 300n);
    assert.deepEqual(await subject.store.mirror([1002]), [], "no other account must have a credit");
  },
);

define(
  "SET-2 reading the ledger further reports the owners of changed coins, and books back coins that a party moved away",
  async () => {
    const { store } = subject;
    const coin = { contractId: "moved", party: a, asset: 0, amount: 7_000_000n, isLocked: false };
    const none = { locked: [], confirmed: [], paid: [] };
    const before = (await store.mirror([1001])).find(({ asset }) => asset === 0)?.external ?? 0n;
    const come = await store.advance({ through: 24, created: [coin], archived: [], ...none });
    assert.deepEqual([...come], [a]);
    const credit = { account: 1001, asset: 0, amount: 700n, seqBefore: 5 };
    await store.finishCredit(await store.prepareCredit(credit), true);
    const gone = await store.advance({
      through: 25,
      created: [],
      archived: ["moved", "x"],
      ...none,
    });
    assert.deepEqual([...gone], [a]);
    const away = { ...credit, amount: -700n };
    await store.finishCredit(await store.prepareCredit(away), true);
    const row = (await store.mirror([1001])).find(({ asset }) => asset === 0);
    assert.deepEqual([row?.external, row?.credited], [before, 300n]);
  },
);

define(
  "SET-12 the proceeds of a batch become available once, when the batch is confirmed",
  async () => {
    const { coins } = subject;
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
      await subject.store.seal(batchId, { ...sealed, legs: [leg], receipts });
      await begin(batchId);
      await subject.store.confirm(batchId, updateId, 20);
    };
    await subject.store.seal(await openBatch(), { ...sealed, legs: [leg], receipts });
    assert.deepEqual(await shown(), [], "nothing must be released before the batch is confirmed");
    await settled("update-coins-1");
    await settled("update-coins-2");
    assert.deepEqual(await shown(), [[1001, 1, 140n, 9]], "one release must cover both batches");
    assert.deepEqual(await shown(), [], "the release must be stored only once");
    const [requested] = await coins.openReleases();
    await settled("update-coins-3");
    assert.deepEqual(await shown(), [], "only one release per account and asset must be pending");
    await coins.finishReleases([], [requested?.releaseId ?? 0]);
    assert.deepEqual(
      await shown(),
      [[1001, 1, 210n, 9]],
      "a release that was not done must be offered again",
    );
    const [again] = await coins.openReleases();
    await coins.finishReleases([again?.releaseId ?? 0], []);
    assert.deepEqual(
      [await shown(), await coins.openReleases()],
      [[], []],
      "a release that was done must not be offered again",
    );
  },
);

define(
  "SET-12 one batch can pay many accounts, and each account's proceeds become available",
  async () => {
    const { coins } = subject;
    const accounts = Array.from({ length: 1_200 }, (_, index) => 2_000 + index);
    const receipts = accounts.map((account) => ({ account, asset: 1, amount: 2n ** 62n }));
    const batchId = await openBatch();
    await subject.store.seal(batchId, { ...sealed, legs: [leg], receipts });
    await begin(batchId);
    await subject.store.confirm(batchId, "update-of-many", 20);
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
  },
);

for (const status of ["failed", "skipped"] as const)
  define(
    `SET-12 SET-25 the proceeds of a ${status} batch move with its fills to the new batch`,
    () => requeued(status),
  );

async function requeued(status: "failed" | "skipped"): Promise<void> {
  const { coins } = subject;
  const batchId = await openBatch();
  const receipts = [{ account: 1001, asset: 1, amount: 70n }];
  await subject.store.seal(batchId, { ...sealed, legs: [leg], receipts });
  await begin(batchId);
  await subject.store.nextRound(batchId, { phase: BatchPhase.direct, dueMs: 0, reason: "refused" });
  assert.equal(await subject.store.end(batchId, status, "refused", 1), true);
  assert.deepEqual(await coins.prepareReleases(9), []);
  assert.deepEqual(await subject.store.receiptsOf(batchId), receipts);
  await subject.store.requeue(batchId, `${batchId}-r1`, 2);
  assert.equal(await subject.store.requeue(batchId, `${batchId}-r2`, 3), null);
  assert.deepEqual(await subject.store.receiptsOf(batchId), []);
  await begin(`${batchId}-r1`);
  await subject.store.confirm(`${batchId}-r1`, `update-coins-${status}`, 30);
  const [release] = await coins.prepareReleases(9);
  assert.equal(release?.amount, 70n);
  await coins.finishReleases([release.releaseId], []);
}

define(
  "SET-15 an update with a batch's command id but without its token does not confirm the batch",
  async () => {
    const batchId = await openBatch();
    await subject.store.seal(batchId, { ...sealed, legs: [leg] });
    await begin(batchId);
    const batch = await subject.store.batch(batchId);
    const progress = { through: 40, created: [], locked: [], archived: [], paid: [] };
    const seen = async (token: string | null) => {
      assert(batch !== null);
      const commandId = commandIdOf({ ...batch, token });
      const named = batchSettledBy(commandId);
      assert(named !== null);
      const confirmed = [{ ...named, updateId: `update-${token}`, offset: 40 }];
      await subject.store.advance({ ...progress, confirmed });
      return stateOf(batchId);
    };
    assert.match(batch?.token ?? "", /^[0-9a-f]{32}$/);
    assert.equal(await seen(null), BatchState.processing);
    assert.equal(await seen("0".repeat(32)), BatchState.processing);
    assert.equal(await seen(batch?.token ?? null), BatchState.confirmed);
  },
);
