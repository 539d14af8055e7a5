// Proves `rialto replay --verify` as an operator runs it on a stopped venue: it finds nothing on a sound database,
// and names the row that somebody changed.

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

test("CHN-11 replay --verify of an unchanged database reports how far it compared", async () => {
  const { code, result, complained } = await verify();
  assert.equal(code, 0, complained);
  assert.deepEqual(result.differences, []);
  assert(result.seq >= seq);
  assert(result.epochs_compared >= 1);
  assert.match(result.head_root, /^[0-9a-f]{64}$/);
});

test("CHN-17 a venue does not start if a sealed row was changed, and names the row", async () => {
  const sql = openPostgres(fixture.database.options, "queries");
  const shift = (us: number) =>
    sql.begin(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await tx`update journal set ts_us = ts_us + ${us} where seq = ${seq}`;
    });
  await shift(1);
  // The setting limits how many sealed entries a start checks. With 100,000 it checks the newest epochs whole, with 1
  // only the end of the newest epoch.
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

test("CHN-11 replay --verify names the changed row, although the row makes recovery impossible", async () => {
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
