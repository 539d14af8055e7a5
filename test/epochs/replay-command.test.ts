// `rialto replay --verify` as an operator runs it on a venue that has stopped: nothing found, and then
// the row that somebody changed.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { runCli } from "../support/venue/cli-process.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";
import { until } from "./epoch-waits.ts";

let fixture: VenueFixture;
let seq = 0;

before(async () => {
  fixture = await VenueFixture.open({ EPOCH_SECONDS: "1" });
  await fixture.trader();
  seq = fixture.venue.committedSeq;
  await until("the last entry's epoch", async () => {
    const { status } = await fetch(`${fixture.address}/v1/chain/proof?seq=${seq}`);
    return status === 200 ? status : null;
  });
  await fixture.venue.close();
});

after(() => fixture.close());

async function verify() {
  const settings = { DATABASE_URL: fixture.database.url, DATA_DIR: fixture.dataDir };
  const { code, printed, complained } = await runCli(["replay", "--verify", "--json"], settings);
  return { code, complained, result: JSON.parse(printed === "" ? "{}" : printed) };
}

test("CHN-11 replay --verify of what nobody touched says how far it looked", async () => {
  const { code, result, complained } = await verify();
  assert.equal(code, 0, complained);
  assert.deepEqual(result.differences, []);
  assert(result.seq >= seq);
  assert(result.epochs_compared >= 1);
  assert.match(result.head_root, /^[0-9a-f]{64}$/);
});

test("CHN-17 a venue does not start on a sealed row that was changed, and says which", async () => {
  const sql = openPostgres(fixture.database.options, "queries");
  const shift = (us: number) =>
    sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update journal set ts_us = ts_us + ${us} where seq = ${seq}`;
    });
  await shift(1);
  // All of the newest epochs, and of one that is longer its end.
  for (const EPOCH_CHECK_ENTRIES of ["100000", "1"]) {
    const start = fixture.startWith({ EPOCH_CHECK_ENTRIES });
    const row = `changed after it was sealed: journal row ${seq}`;
    await assert.rejects(start, new RegExp(`${row}(: its column ts_us| differs from the entry)`));
  }
  await fixture.startWith({ EPOCH_CHECK_ENTRIES: "0" });
  await shift(-1);
  for (const EPOCH_CHECK_ENTRIES of ["100000", "1"]) {
    await fixture.startWith({ EPOCH_CHECK_ENTRIES });
  }
  await sql.end();
});

test("CHN-11 replay --verify names the row, though nothing can be recovered from it", async () => {
  const sql = openPostgres(fixture.database.options, "queries");
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`update journal set body = set_byte(body, 20, 200) where seq = ${seq - 1}`;
    await tx`delete from snapshots`;
  });
  await sql.end();
  const { code, result, complained } = await verify();
  assert.equal(code, 3, complained);
  assert.match(result.differences[0], /^the venue cannot be recovered: /);
  assert.match(
    result.differences[1],
    new RegExp(`^journal row ${seq - 1}: its bytes are not an event`),
  );
  assert.match(
    result.differences.at(-1),
    new RegExp(`cannot be replayed after event ${seq - 2}: `),
  );
});
