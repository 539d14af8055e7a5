// Proves that a cluster of deploy/ keeps what it acknowledged: a row committed through HAProxy is on the synchronous
// standby, the loss of a primary promotes a standby, and without a standby commits wait. Also that each role may use
// only its own subjects of NATS, and that the network's faults are what their names say.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { until } from "../epochs/epoch-waits.ts";
import { Cluster } from "../support/cluster/cluster.ts";
import { ports } from "../support/cluster/cluster-programs.ts";
import type { Host } from "../support/cluster/host.ts";
import { installPrograms, programs } from "../support/cluster/programs.ts";
import { onDatabase } from "../support/database/on-database.ts";

const run = promisify(execFile);

const missing = process.platform === "linux" ? await installPrograms() : ["Linux"];
const skip = missing.length === 0 ? false : `missing: ${missing.join(", ")}`;
let cluster: Cluster;

before(async () => {
  if (skip !== false) return;
  const startedMs = performance.now();
  cluster = await Cluster.start();
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  process.stdout.write(`a cluster of ${cluster.kind} in ${seconds} s\n`);
  await onDatabase({ url: cluster.databaseUrl() }, (sql) =>
    sql.unsafe("create table noted (n integer primary key)"),
  );
});
after(() => cluster?.close());

/** Waits for a standby however long its start takes: statements of migrations have no time limit. */
const note = (n: number) =>
  onDatabase(
    { url: cluster.databaseUrl() },
    (sql) => sql`insert into noted values (${n})`,
    "migrations",
  ).then(() => "noted" as const);

async function notedAt(url: string): Promise<number[]> {
  const rows = await onDatabase(
    { url },
    (sql) => sql<{ n: number }[]>`select n from noted order by n`,
  );
  return rows.map(({ n }) => Number(n));
}

test("a row committed through HAProxy is on the synchronous standby", { skip }, async () => {
  assert.equal(await note(0), "noted");
  const { primary, standby } = await cluster.untilReplicated();
  await primary.pause();
  // The standby has flushed the row before the acknowledgement and shows it a moment later.
  const shown = await until("the row", async () => {
    const rows = await notedAt(cluster.databaseUrlAt(standby)).catch(() => []);
    return rows.length > 0 ? rows : null;
  }).finally(() => primary.resume());
  assert.deepEqual(shown, [0]);
  // On a busy machine another primary may have been chosen meanwhile.
  await cluster.untilWhole();
});

test("a gateway's login reads what the venue writes, and cannot write", { skip }, async () => {
  const url = cluster.gatewayDatabaseUrl();
  assert((await notedAt(url)).length > 0);
  await assert.rejects(
    onDatabase({ url }, (sql) => sql`insert into noted values (-1)`),
    /permission denied/,
  );
});

test("each role of NATS may use only its own subjects, and nobody comes in without a key", {
  skip,
}, async () => {
  const [server] = cluster.nats;
  assert(server !== undefined);
  const publish = (subject: string) => `PUB ${subject} 2\r\nhi`;
  const subscribe = (subject: string) => `SUB ${subject} 1`;
  const allowed = {
    venue: [
      publish("rialto.main.groups"),
      publish("rialto.main.replies.0"),
      subscribe("rialto.main.commands.*"),
    ],
    gateway: [
      publish("rialto.main.commands.0"),
      publish("rialto.main.join"),
      subscribe("rialto.main.replies.0"),
    ],
  } as const;
  const refused = {
    venue: [publish("rialto.main.commands.0"), subscribe("rialto.main.groups")],
    gateway: [
      publish("rialto.main.groups"),
      publish("rialto.main.replies.0"),
      subscribe("rialto.main.commands.0"),
    ],
  } as const;
  for (const role of ["venue", "gateway"] as const) {
    assert.doesNotMatch(await cluster.probeNats(server, role, allowed[role]), /-ERR/, role);
    for (const line of refused[role])
      assert.match(
        await cluster.probeNats(server, role, [line]),
        /-ERR 'Permissions Violation/,
        line,
      );
  }
  assert.match(await cluster.probeNats(server, null, []), /-ERR 'Authorization Violation'/);
});

test("a cut, a partition of one way and a loss are what they say, until they are healed", {
  skip,
}, async (t) => {
  if (cluster.kind === "loopback") return t.skip("without root no link can be cut");
  const [one, other] = cluster.nats;
  assert(one !== undefined && other !== undefined);
  const isReached = (from: Host, to: Host) =>
    until("an answer", async () => ((await reaches(from, to)) ? true : null));
  await isReached(one, other);
  await cluster.cut(other);
  assert.equal(await reaches(one, other), false);
  await cluster.mend(other);
  await isReached(one, other);
  // An answer is a packet of the other direction, so one blocked way is enough to get none; a third host gets it.
  await cluster.partitionOneWay(other, one);
  assert.equal(await reaches(one, other), false);
  await isReached(cluster.proxy, other);
  await cluster.heal();
  // Twice: one packet in ten thousand still passes.
  await cluster.lose(99, other);
  await cluster.lose(99, other);
  assert.equal(await reaches(one, other), false);
  await cluster.heal();
  await isReached(one, other);
});

/** Whether a request from one host to the health page of a NATS server is answered within half a second. */
async function reaches(from: Host, to: Host): Promise<boolean> {
  const script = `fetch("http://${to.address}:${ports.natsHealth}/healthz", { signal: AbortSignal.timeout(500) })
    .then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))`;
  const [first = process.execPath, ...rest] = [...from.within, process.execPath, "-e", script];
  return run(first, rest).then(
    () => true,
    () => false,
  );
}

test("a killed primary is replaced by a standby that has every acknowledged row", {
  skip,
}, async (t) => {
  const { primary } = await cluster.untilReplicated();
  const acknowledged: number[] = [];
  const startedMs = performance.now();
  let killedMs = Number.POSITIVE_INFINITY;
  let outageMs = 0;
  // One row after another, each until it is acknowledged or its session breaks, as a client without retries.
  for (let n = 1; performance.now() - startedMs < 240_000 && outageMs === 0; n += 1) {
    if (acknowledged.length === 20 && killedMs === Number.POSITIVE_INFINITY) {
      await primary.killData();
      killedMs = performance.now();
    }
    const told = await note(n).catch(() => sleep(50));
    if (told !== "noted") continue;
    acknowledged.push(n);
    if (performance.now() > killedMs) outageMs = performance.now() - killedMs;
  }
  assert(outageMs > 0, "no row was acknowledged after the kill");
  t.diagnostic(`no acknowledgement for ${Math.round(outageMs)} ms`);
  const promoted = await cluster.untilPrimary();
  assert.notEqual(promoted.name, primary.name);
  const kept = new Set(await notedAt(cluster.databaseUrl()));
  assert.deepEqual(
    acknowledged.filter((n) => !kept.has(n)),
    [],
  );
});

test("a primary whose host was cut off follows when it is back, and takes nothing back", {
  skip,
}, async (t) => {
  if (cluster.kind === "loopback") return t.skip("without root no link can be cut");
  const { primary } = await cluster.untilReplicated();
  await cluster.cut(primary);
  const promoted = await cluster.untilPrimary(primary);
  const kept: number[] = [];
  for (let n = 10_000; kept.length < 20; n += 1)
    if ((await note(n).catch(() => sleep(100))) === "noted") kept.push(n);
  await cluster.mend(primary);
  await cluster.untilWhole();
  assert.equal((await cluster.untilPrimary()).name, promoted.name);
  const found = new Set(await notedAt(cluster.databaseUrl()));
  assert.deepEqual(
    kept.filter((n) => !found.has(n)),
    [],
  );
});

test("a program of a node notices soon that another node is cut off, even while it waits for its answer", {
  skip,
}, async (t) => {
  if (cluster.kind === "loopback") return t.skip("without root no link can be cut");
  await cluster.untilWhole();
  const { primary, standby } = await cluster.untilReplicated();
  const other = cluster.databases.find(({ name }) => ![primary.name, standby.name].includes(name));
  assert(other !== undefined);
  // The second query is sent when the file is gone.
  const held = join(standby.folder, "held");
  const script = `select 1;\n\\! touch held; while [ -e held ]; do sleep 0.1; done\nselect 2;\n`;
  const url = cluster.administrationUrlAt(other, "postgres", standby);
  const querying = standby.call(
    join(programs.postgresFolder, "psql"),
    ["-Xv", "ON_ERROR_STOP=1", "-d", url],
    script,
  );
  const refused = assert.rejects(querying, /connection/);
  await until("the first answer", async () => existsSync(held) || null);
  await cluster.cut(other);
  try {
    await rm(held);
    const ended = refused.then(() => "ended" as const);
    assert.equal(await Promise.race([ended, sleep(60_000, "waits")]), "ended");
  } finally {
    await cluster.mend(other);
  }
});

test("each server would wait for a standby from its first commit as a primary, also a former primary", {
  skip,
}, async () => {
  await cluster.untilWhole();
  // A former primary may still restart, so each is asked until it answers.
  const names = cluster.databases.map((host) =>
    until(`an answer of ${host.name}`, () =>
      onDatabase({ url: cluster.databaseUrlAt(host) }, async (sql) => {
        const [row] = await sql<{ names: string }[]>`
          select current_setting('synchronous_standby_names') as names`;
        return `${host.name} waits for ${row?.names || "nobody"}`;
      }).catch(() => null),
    ),
  );
  for (const words of await Promise.all(names)) assert.doesNotMatch(words, /nobody/);
});

test("without a standby a commit waits, until one is back", { skip }, async () => {
  await cluster.untilWhole();
  const { primary } = await cluster.untilReplicated();
  const standbys = cluster.databases.filter(({ name }) => name !== primary.name);
  for (const host of standbys) await host.kill();
  const noting = note(1_000_000);
  assert.equal(await Promise.race([noting, sleep(2_000, "waits")]), "waits");
  await standbys[0]?.start();
  assert.equal(await noting, "noted");
});
