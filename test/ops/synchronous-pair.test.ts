// Proves what tests of failover rely on: a commit is on the standby when it is acknowledged, waits while there is no
// standby, and survives the loss of the primary.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../epochs/epoch-waits.ts";
import type { NodeAddress } from "../support/cluster/postgres-node.ts";
import { SynchronousPair } from "../support/cluster/synchronous-pair.ts";
import { onDatabase } from "../support/database/on-database.ts";

let pair: SynchronousPair;
before(async () => {
  pair = await SynchronousPair.start();
  await onDatabase(pair.address, (sql) => sql.unsafe("create table noted (n integer primary key)"));
});
after(() => pair?.close());

/** Waits for the standby however long its start takes: statements of migrations have no time limit. */
const note = (n: number) =>
  onDatabase(pair.address, (sql) => sql`insert into noted values (${n})`, "migrations").then(
    () => "noted" as const,
  );

async function notedOn(address: NodeAddress): Promise<number[]> {
  const rows = await onDatabase(
    address,
    (sql) => sql<{ n: number }[]>`select n from noted order by n`,
  );
  return rows.map(({ n }) => Number(n));
}

test("an acknowledged row is on the standby, which has the venue's schema and refuses writes", async () => {
  assert.equal(await note(1), "noted");
  await pair.pausePrimary();
  // The standby flushes before the acknowledgement, and shows table and row a moment later.
  const shown = await until("the row", async () => {
    const rows = await notedOn(pair.standby).catch(() => []);
    return rows.length > 0 ? rows : null;
  }).finally(() => pair.resume());
  assert.deepEqual(shown, [1]);
  const [{ count } = { count: "0" }] = await onDatabase(
    pair.standby,
    (sql) => sql<{ count: string }[]>`select count(*) from schema_migrations`,
  );
  assert(Number(count) > 0, "the standby has no schema");
  await assert.rejects(
    onDatabase(pair.standby, (sql) => sql`insert into noted values (0)`),
    /read-only/,
  );
});

for (const [how, lose, restore] of [
  ["stopped", () => pair.stopStandby(), () => pair.startStandby()],
  ["paused", () => pair.pauseStandby(), () => pair.resumeStandby()],
] as const) {
  test(`a commit waits while the standby is ${how}, and is acknowledged when it is back`, async () => {
    await lose();
    const noting = note(how === "stopped" ? 2 : 3);
    assert.equal(await Promise.race([noting, sleep(500, "waits")]), "waits");
    await restore();
    assert.equal(await noting, "noted");
  });
}

test("after the loss of the primary, the promoted standby has every acknowledged row", async () => {
  await pair.killPrimary();
  await pair.promote();
  assert.deepEqual(await notedOn(pair.address), [1, 2, 3]);
  const noting = note(4);
  assert.equal(await Promise.race([noting, sleep(500, "waits")]), "waits");
  await pair.rejoin();
  assert.equal(await noting, "noted");
});

test("a paused primary that wakes after a promotion acknowledges nothing", async () => {
  const old = pair.primary;
  await pair.pausePrimary();
  await pair.promote();
  await pair.resume();
  const noting = onDatabase(old, (sql) => sql`insert into noted values (5)`).catch(
    () => "lost" as const,
  );
  assert.equal(await Promise.race([noting, sleep(500, "waits")]), "waits");
  await pair.rejoin();
  assert.equal(await noting, "lost");
  assert.deepEqual(await notedOn(pair.address), [1, 2, 3, 4]);
});

test("without its standby's name, a primary commits alone", async () => {
  await pair.stopStandby();
  await pair.commitAlone();
  assert.equal(await note(6), "noted");
});
