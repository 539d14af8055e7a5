// Proves on PostgreSQL that the swap service finds a swap's step in the journal after the answer to that step was
// lost, and that it knows which signature a swap has taken. The test reads journal and rows as the service does.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPostgres, type Sql } from "../../src/adapters/postgres/connection.ts";
import { PostgresSwaps } from "../../src/adapters/postgres/queries/swaps/swaps.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { EventKind } from "../../src/core/generated/events.ts";
import { Side } from "../../src/core/orders.ts";
import { SwapReason, SwapState } from "../../src/core/swaps.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { journalEvents } from "../support/journal/journal-events.ts";
import { oneUsdc } from "../support/machine/test-markets.ts";
import { TestVenue } from "../support/machine/test-venue.ts";

let database: TestDatabase;
let sql: Sql;

before(async () => {
  database = await createTestDatabase();
  sql = openPostgres(database.options, "queries");
});
after(async () => {
  await sql.end();
  await database.drop();
});

const swapNo = 7;
const figures = { account: 0, swapNo, market: 0, side: Side.sell, lots: 34 };
const change = { from: SwapState.accepted, to: SwapState.expired, reason: SwapReason.traderLate };

/**
 * Writes the row of a step. The service stores this row before it records the step, so the journal may or may not
 * have the step.
 */
async function keep(moveNo: number): Promise<void> {
  await sql`
    insert into swap_moves (move_no, swap_no, account, market, side, from_state, to_state, reason,
                            price_ticks, lots, details, at_ms)
    values (${moveNo}, ${swapNo}, 0, 0, ${Side.sell}, ${change.from}, ${change.to}, ${change.reason},
            12, 34, '{}', 0)`;
}

test("RFQ-15 a journaled step of a swap is found after its predecessor, however old it is", async () => {
  const venue = new TestVenue();
  for (let moveNo = 1; moveNo <= 3; moveNo++) {
    venue.fund(1_000n * oneUsdc);
    venue.send({
      kind: CommandKind.recordSwapMove,
      ...figures,
      ...change,
      ...{ moveNo, price: 12, digestHigh: -5n, digestLow: 6n },
    });
  }
  const { events } = venue;
  await journalEvents({
    connection: database.options,
    events,
    batchPercent: 50,
    restarts: 0,
    seed: 3,
  });
  const journaled = events.filter(({ kind }) => kind === EventKind.swapMoved);
  await sql`
    insert into swaps (swap_no, swap_id, account, party, party_key, market, side, asked_lots, state, created_ms,
                       window_ends_ms, due_ms)
    overriding system value
    values (${swapNo}, 'swap', 0, 'party', 'key', 0, ${Side.sell}, 34, ${change.to}, 0, 0, 0)`;
  const store = new PostgresSwaps(sql);
  for (const [index, { seq }] of journaled.entries()) {
    const moveNo = index + 1;
    await keep(moveNo);
    assert.equal(
      await store.seqOfMove(moveNo + 1),
      null,
      "a step must not be found before its predecessor is recorded",
    );
    assert.equal(await store.seqOfMove(moveNo), seq);
    await store.recorded(moveNo, seq);
  }
  assert.equal(
    await store.seqOfMove(4),
    null,
    "a step that is not in the journal must not be found",
  );
});

test("RFQ-13 a taken signature stays known while later phases end, and is forgotten if its own phase ends in vain", async () => {
  const store = new PostgresSwaps(sql);
  const takenAfterPhase = async (signature: string | null) => {
    await sql`
      update swaps set signature = ${signature}, taken_signature = 'signed' where swap_no = ${swapNo}`;
    const end = { lookMs: 0, isRefusal: true, isLockFailed: false, fault: null };
    await store.endPhase(swapNo, end);
    return (await store.swap(swapNo))?.takenSignature;
  };
  assert.equal(await takenAfterPhase(null), "signed");
  assert.equal(await takenAfterPhase("signed"), null);
});
