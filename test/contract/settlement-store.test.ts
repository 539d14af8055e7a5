// Runs the cases of every settlement store on PostgreSQL, and proves what only its tables guarantee.

import assert from "node:assert/strict";
import { test } from "node:test";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresSettledCoins } from "../../src/adapters/postgres/queries/settlement/settled-coins.ts";
import { PostgresSettlement } from "../../src/adapters/postgres/queries/settlement/settlement.ts";
import { commandIdOf } from "../../src/services/settlement/batches/batch-phases.ts";
import { createTestDatabase } from "../support/database/postgres.ts";
import {
  leg,
  openBatch,
  type StoreSubject,
  sealed,
  settlementStoreCases,
} from "./settlement-store-cases.ts";

let sql: Sql;
let store: PostgresSettlement;

async function open(): Promise<StoreSubject> {
  const database = await createTestDatabase();
  sql = openPostgres(database.options, "queries");
  store = new PostgresSettlement(sql);
  return {
    store,
    coins: new PostgresSettledCoins(sql),
    trade: async (id) => {
      await sql`
        insert into fills values (${id}, ${id}, 1500, 10, 150, 1, 2, 3, 0, 0, 0, 1001, 1002, 0, 0)`;
    },
    close: async () => {
      await sql.end();
      await database.drop();
    },
  };
}

settlementStoreCases(open);

test("SET-15 a batch without a token, stored by an earlier version, keeps its command id", async () => {
  const batchId = await openBatch();
  await store.seal(batchId, { ...sealed, legs: [leg] });
  await sql`update settlement_batches set token = null where batch_id = ${batchId}`;
  const batch = await store.batch(batchId);
  assert(batch !== null);
  assert.equal(commandIdOf(batch), `stl:${batchId}:1:direct`);
});

test("SET-15 an update that names a withdrawal pays it only if it spends the withdrawal's coins", async () => {
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
