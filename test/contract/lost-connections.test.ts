// Proves that a lost connection never leaves a change of money half done. Each change that takes several statements
// is interrupted at each statement, once before the server gets the statement and once when its answer is lost. The
// next change must succeed.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { ConnectionLost, OutcomeUnknown } from "../../src/adapters/postgres/pg-session.ts";
import { PostgresCustody } from "../../src/adapters/postgres/queries/custody/custody.ts";
import { PostgresPayments } from "../../src/adapters/postgres/queries/custody/payments.ts";
import { PostgresSettlement } from "../../src/adapters/postgres/queries/settlement/settlement.ts";
import { PostgresSwaps } from "../../src/adapters/postgres/queries/swaps/swaps.ts";
import { isRetryable } from "../../src/adapters/postgres/retryable.ts";
import { Side } from "../../src/core/orders.ts";
import { SwapReason, SwapState } from "../../src/core/swaps.ts";
import { SwapPhase, type SwapRecord } from "../../src/ports/swaps/swap-store.ts";
import { BatchPhase } from "../../src/services/settlement/batches/batch-phases.ts";
import { CuttingProxy } from "../support/database/cutting-proxy.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";

const [alice, custody] = ["alice::1220", "custody::1220"];

let database: TestDatabase;
let proxy: CuttingProxy;
/** Connects to the server directly, to read tables and prepare changes. */
let beside: Sql;
/** Connects through the proxy that interrupts connections. */
let sql: Sql;

before(async () => {
  database = await createTestDatabase();
  proxy = await CuttingProxy.open(database.options);
  beside = openPostgres(database.options, "queries");
  sql = openPostgres(proxy.options, "queries");
});

after(async () => {
  await sql.end({ timeout: 1 });
  await proxy.close();
  await beside.end();
  await database.drop();
});

/** The last number that `next` gave out; each number is used once. */
let last = 0;
const next = () => {
  last += 1;
  return last;
};

type Change = () => Promise<unknown>;

/** Prepares the rows for a change and returns the change. Each call prepares new rows. */
type Scene = () => Promise<Change>;

/**
 * Creates a settlement batch with one fill, sealed with one leg, and returns its id. With `isBegun` its first
 * attempt has begun.
 */
async function sealedBatch(isBegun = false): Promise<string> {
  const store = new PostgresSettlement(beside);
  const tradeId = next();
  await beside`
    insert into fills values (${tradeId}, ${tradeId}, 1500, 10, 150, 1, 2, 3, 0, 0, 0, 1001, 1002, 0, 0)`;
  const { fills, through } = await store.nextFills([0], 10);
  const pair = { a: `${alice}${tradeId}`, b: custody };
  const [taken] = await store.takeFills(
    fills.map((fill) => ({ fill, ...pair })),
    through,
    1,
  );
  const batchId = taken?.batchId ?? "";
  const legs = [{ asset: 0, sender: pair.a, receiver: custody, amount: 150n }];
  await store.seal(batchId, { netHash: "hash", receipts: [], legs });
  const inputs = [await coin(pair.a)];
  const attempt = { dedupOffset: 5, deadlineMs: 100, submissionId: "s", inputs };
  if (isBegun) await store.begin({ batchId, round: 1, attempts: 0, ...attempt });
  return batchId;
}

async function coin(party: string): Promise<string> {
  const contractId = `coin${next()}`;
  await beside`
    insert into settlement_holdings (contract_id, party, asset, amount, is_locked)
    values (${contractId}, ${party}, 0, 500, false)`;
  return contractId;
}

async function withdrawal(isBegun: boolean): Promise<{ paymentId: number; inputs: string[] }> {
  const [row] = await beside<{ id: string }[]>`
    insert into withdrawals (account, idempotency_key, asset, amount, fee, destination, created_ms, state)
    values (1001, ${`w${next()}`}, 0, 10, 1, 'bob::1220', 1, 1) returning withdrawal_id as id`;
  const [paymentId, inputs] = [Number(row?.id), [await coin(custody)]];
  const attempt = { dedupOffset: 1, deadlineMs: 2, submissionId: "s", inputs };
  if (isBegun) await new PostgresPayments(beside, "withdrawal").begin({ paymentId, ...attempt });
  return { paymentId, inputs };
}

async function newSwap(store: PostgresSwaps): Promise<SwapRecord> {
  const trader = { account: 1000 + next(), party: alice, publicKey: "key" };
  const request = { market: 0, side: Side.sell, askedLots: 5, askedQuote: null };
  const swap = await store.add({ trader, ...request, createdMs: next(), windowEndsMs: 9 }, 100);
  assert(swap !== null);
  return swap;
}

const accepted = { to: SwapState.accepted, reason: SwapReason.none, dueMs: 1_000, atMs: 1 };
const submission = { transaction: "dHg=", hash: "aGFzaA==", hashingScheme: "V2" };

const settlement: Readonly<Record<string, Scene>> = {
  "adding a member with its first coins": async () => {
    const account = 5_000 + next();
    const own = {
      contractId: `coin${next()}`,
      party: alice,
      asset: 0,
      amount: 5n,
      isLocked: false,
    };
    return () => new PostgresSettlement(sql).addMember(account, `p${account}`, [own]);
  },
  "adding fills to a batch": async () => {
    const tradeId = next();
    await beside`
      insert into fills values (${tradeId}, ${tradeId}, 1500, 10, 150, 1, 2, 3, 0, 0, 0, 1001, 1002, 0, 0)`;
    const { fills } = await new PostgresSettlement(beside).nextFills([0], 10);
    const placed = fills.map((fill) => ({ fill, a: `${alice}${tradeId}`, b: custody }));
    return () => new PostgresSettlement(sql).takeFills(placed, tradeId, 1);
  },
  "sealing a batch": async () => {
    const batchId = await sealedBatch();
    await beside`delete from settlement_legs where batch_id = ${batchId}`;
    await beside`update settlement_batches set state = 1 where batch_id = ${batchId}`;
    const legs = [{ asset: 0, sender: alice, receiver: custody, amount: 150n }];
    const receipts = [{ account: 1001, asset: 0, amount: 5n }];
    return () => new PostgresSettlement(sql).seal(batchId, { netHash: "new", receipts, legs });
  },
  "beginning an attempt": async () => {
    const batchId = await sealedBatch();
    const inputs = [await coin(alice)];
    const attempt = { dedupOffset: 7, deadlineMs: 100, submissionId: "s", inputs };
    return () => new PostgresSettlement(sql).begin({ batchId, round: 1, attempts: 0, ...attempt });
  },
  "beginning the next round": async () => {
    const batchId = await sealedBatch(true);
    const round = { phase: BatchPhase.direct, dueMs: 5, reason: `refused ${next()}` };
    return () => new PostgresSettlement(sql).nextRound(batchId, round);
  },
  "abandoning a batch": async () => {
    const batchId = await sealedBatch();
    return () => new PostgresSettlement(sql).end(batchId, "failed", "word", 1);
  },
  "queueing a batch again": async () => {
    const batchId = await sealedBatch();
    await new PostgresSettlement(beside).end(batchId, "skipped", "word", 1);
    return () => new PostgresSettlement(sql).requeue(batchId, `again${next()}`, 1);
  },
  "reading a page of the ledger": async () => {
    const batchId = await sealedBatch(true);
    const batch = await new PostgresSettlement(beside).batch(batchId);
    const through = next();
    const own = {
      contractId: `coin${next()}`,
      party: alice,
      asset: 0,
      amount: 5n,
      isLocked: false,
    };
    return () =>
      new PostgresSettlement(sql).advance({
        ...{ through, created: [own], locked: [], archived: [own.contractId], paid: [] },
        confirmed: [
          { batchId, token: batch?.token ?? null, updateId: `u${through}`, offset: through },
        ],
      });
  },
};

const payments: Readonly<Record<string, Scene>> = {
  "beginning a payment": async () => {
    const { paymentId, inputs } = await withdrawal(false);
    const attempt = { paymentId, dedupOffset: 1, deadlineMs: 2, submissionId: "s", inputs };
    return () => new PostgresPayments(sql, "withdrawal").begin(attempt);
  },
  "beginning a payment's next round": async () => {
    const { paymentId } = await withdrawal(true);
    return () =>
      new PostgresPayments(sql, "withdrawal").endRound(paymentId, 5, `refused ${next()}`);
  },
  "abandoning a payment": async () => {
    const { paymentId } = await withdrawal(true);
    return () => new PostgresPayments(sql, "withdrawal").giveUp(paymentId, "refused");
  },
  "storing received deposits": async () => {
    const [contractId, offset] = [`paid${next()}`, next()];
    const paid = { contractId, updateId: "u", offset, recordedMs: 1, sender: alice, asset: 0 };
    const money = { units: 5n, amount: 5n, reference: null, account: null, state: 4 } as const;
    return () => new PostgresCustody(sql).addReceipts([{ ...paid, ...money }], offset);
  },
};

const swaps: Readonly<Record<string, Scene>> = {
  "requesting a swap": async () => () => newSwap(new PostgresSwaps(sql)),
  "accepting a quote": async () => {
    const store = new PostgresSwaps(beside);
    const { swapNo } = await newSwap(store);
    const provider = { provider: `lp${next()}`, providerParty: "lp::1220", quoteId: "q" };
    await store.addQuote(swapNo, { ...provider, priceTicks: 5, lots: 5, validUntilMs: 9 }, 1);
    const [swap, [quote]] = await Promise.all([store.swap(swapNo), store.quotes(swapNo)]);
    assert(swap !== null && quote !== undefined);
    const times = { allocateBeforeMs: 1, settleBeforeMs: 2, signBeforeMs: 1_000 };
    const taken = { quote, isWallet: true, ...times, unkept: { max: 5, sinceMs: 0 } };
    const body = { reason: "taken elsewhere" };
    const notices = [{ provider: provider.provider, kind: "cancel", body } as const];
    return () => new PostgresSwaps(sql).step({ swap, ...accepted, details: {}, notices, taken });
  },
  "preparing a lock": async () => {
    const swap = await acceptedSwap();
    return () => new PostgresSwaps(sql).prepared(swap, submission, [`coin${next()}`]);
  },
  "signing a lock": async () => {
    const swap = await acceptedSwap();
    await new PostgresSwaps(beside).prepared(swap, submission, [`coin${next()}`]);
    return () => new PostgresSwaps(sql).sign(swap, submission.hash, "c2ln", 1);
  },
  "storing the ledger's updates of swaps": async () => {
    const { swapId, trader } = await newSwap(new PostgresSwaps(beside));
    await beside`update swaps set provider_party = 'lp::1220' where swap_id = ${swapId}`;
    const who = { trader: trader.party, provider: "lp::1220", executor: null };
    const terms = { legs: [], allocateBeforeMs: null, settleBeforeMs: null };
    const [contractId, offset] = [`c${next()}`, next()];
    const made = { contractId, kind: "trade", swapId, offset, ...who, ...terms } as const;
    return () => new PostgresSwaps(sql).advance([made], [contractId], offset);
  },
};

async function acceptedSwap(): Promise<SwapRecord> {
  const store = new PostgresSwaps(beside);
  const swap = await newSwap(store);
  const step = await store.step({ swap, ...accepted, details: {}, notices: [] });
  assert(step !== null);
  await beside`update swaps set sign_before_ms = 1000 where swap_no = ${swap.swapNo}`;
  assert.equal(await store.requestPrepare(step, SwapPhase.lock), true);
  return step;
}

const tables = [
  ...["settlement_members", "settlement_batches", "settlement_fills", "settlement_legs"],
  ...["settlement_receipts", "settlement_holdings", "settlement_audit", "settlement_cursor"],
  ...["withdrawals", "deposits", "custody_cursor"],
  ...["swaps", "swap_quotes", "swap_moves", "swap_notices", "swap_contracts", "swap_cursor"],
];

/** Returns all rows of all tables that a change may touch, as text. */
async function written(): Promise<string> {
  const parts: string[] = [];
  for (const table of tables) {
    const [row] = await beside<{ all: string | null }[]>`
      select string_agg(t::text, e'\\n' order by t::text) as all from ${beside.identifier(table)} t`;
    parts.push(`${table}\n${row?.all ?? ""}`);
  }
  return parts.join("\n\n");
}

/** Returns how many statements a change takes, counted by making the change once. */
async function statementsOf(scene: Scene): Promise<number> {
  const change = await scene();
  const [asWas, sent] = [await written(), proxy.statements];
  await change();
  assert.notEqual(await written(), asWas, "the change must alter some row");
  return proxy.statements - sent;
}

for (const [name, scene] of Object.entries({ ...settlement, ...payments, ...swaps }))
  test(`JRN-16 ${name} is done completely or not at all, wherever its connection is lost`, async () => {
    const statements = await statementsOf(scene);
    assert(statements > 3, "the change must take more than three statements");
    for (let at = 1; at <= statements; at++)
      for (const place of ["asked", "answered"] as const) {
        const when = `statement ${at} of ${statements}, ${place}`;
        const change = await scene();
        const [asWas, cuts] = [await written(), proxy.cuts];
        proxy.cutAt(at, place);
        const error = await change().then(
          () => assert.fail(`${when}: the lost connection was not reported`),
          (fault: unknown) => fault,
        );
        assert.equal(proxy.cuts, cuts + 1, when);
        assert(error instanceof ConnectionLost && isRetryable(error), `${when}: ${error}`);
        const isCommit = at === statements;
        assert.equal(error instanceof OutcomeUnknown, isCommit, `${when}: ${error}`);
        const isDone = (await written()) !== asWas;
        assert.equal(isDone, isCommit && place === "answered", when);
        // If the change was rolled back, make it again; if it was committed, make another one.
        const asLeft = await written();
        await (isDone ? await scene() : change)();
        assert.notEqual(await written(), asLeft, `${when}: the next change must succeed`);
      }
  });
