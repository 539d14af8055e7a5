// The drill of docs/guides/backup-and-restore.md, with the scripts of deploy/backup on a whole cluster: a base backup
// and the archived log give back the venue as it was at a moment, with the same state hash and the same epochs, and
// nothing of what came later. Then the restored database becomes the cluster's, and the operator accepts what is lost.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { callControl, controlSocketPath } from "../../src/adapters/runtime/control-socket.ts";
import { until } from "../epochs/epoch-waits.ts";
import type { Json } from "../support/client/json.ts";
import { signedFetch } from "../support/client/signed-fetch.ts";
import { Cluster } from "../support/cluster/cluster.ts";
import { installPrograms, programs } from "../support/cluster/programs.ts";
import { projectRoot } from "../support/tidy/tree.ts";
import { CliProcess, runCli, type Settings } from "../support/venue/cli-process.ts";

const run = promisify(execFile);

const missing = process.platform === "linux" ? await installPrograms() : ["Linux"];
const skip = missing.length === 0 ? false : `missing: ${missing.join(", ")}`;
/** PostgreSQL refuses to run as root. */
const isRoot = process.getuid?.() === 0;
const as = isRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] : [];

let cluster: Cluster;
let folder: string;
const started: CliProcess[] = [];

before(async () => {
  if (skip !== false) return;
  cluster = await Cluster.start();
  folder = await mkdtemp(join(tmpdir(), "rialto-drill-"));
  await chmod(folder, 0o711);
  await mkdir(join(folder, "database"));
  if (isRoot) await run("chown", ["postgres:", join(folder, "database")]);
});
after(async () => {
  for (const process of started) {
    process.signal("SIGKILL");
    await process.ended;
  }
  await cluster?.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** Runs a command as the user that owns the data. */
async function asOwner(...command: readonly string[]): Promise<string> {
  const [first = "", ...rest] = [...as, ...command];
  const path = `${programs.postgresFolder}:/usr/bin:/bin`;
  const { stdout } = await run(first, rest, { env: { PATH: path }, cwd: "/" });
  return stdout;
}

function script(name: string, ...args: readonly string[]): Promise<string> {
  return asOwner("sh", join(projectRoot, "deploy/backup", name), ...args);
}

interface Verified {
  readonly seq: number;
  readonly state_hash: string;
  readonly head_epoch: number;
  readonly head_root: string;
  readonly differences: readonly string[];
}

async function verified(settings: Settings): Promise<Verified> {
  const { code, printed, complained } = await runCli(["replay", "--verify", "--json"], settings);
  assert.equal(code, 0, printed + complained);
  return JSON.parse(printed) as Verified;
}

/** A venue that runs as a process of its own. */
interface RunningVenue {
  readonly settings: Settings;
  readonly address: string;
  readonly process: CliProcess;
}

async function start(settings: Settings): Promise<RunningVenue> {
  const process = new CliProcess(["start"], settings);
  started.push(process);
  const [, address = ""] = await process.untilPrinted(/^Rialto is open at (http:\S+)$/m);
  return { settings, address, process };
}

/** Two accounts trade with each other on the running venue, and an epoch is sealed over it. */
async function trade(venue: RunningVenue): Promise<void> {
  const call = async (name: string, parameters: object) => {
    const answer = (await callControl(
      controlSocketPath(venue.settings["DATA_DIR"] ?? ""),
      name,
      parameters,
    )) as Json;
    assert(answer.isOk, JSON.stringify(answer));
    return answer.result;
  };
  for (const side of ["SELL", "BUY"] as const) {
    const { account } = await call("accounts/create", { type: "standard" });
    for (const asset of ["USDC", "CC"])
      await call("accounts/fund", { account, wallet: "spot", asset, amount: "10000" });
    const { api_key: key, secret } = await call("keys/create", { account, tier: "house" });
    const parameters = {
      symbol: "CC-USDC",
      side,
      type: "LIMIT",
      timeInForce: "GTC",
      price: "0.15",
      quantity: "100",
    };
    const order = { method: "POST" as const, path: "/api/v3/order", parameters };
    const { status, json } = await signedFetch<Json>(venue.address, { key, secret }, order);
    assert.equal(status, 200, JSON.stringify(json));
  }
  const health = (await (await fetch(`${venue.address}/health`)).json()) as Json;
  assert(health.committed_seq > 0, JSON.stringify(health));
  await until("an epoch over the trades", async () => {
    const { status } = await fetch(`${venue.address}/v1/chain/proof?seq=${health.committed_seq}`);
    return status === 200 ? status : null;
  });
}

/** Stops the venue, so that the journal stands still, and returns what it is then. */
async function stopAndVerify(venue: RunningVenue): Promise<Verified> {
  venue.process.signal("SIGTERM");
  await venue.process.ended;
  return verified(venue.settings);
}

async function onPrimary<T>(statement: string): Promise<T> {
  const primary = await cluster.untilPrimary();
  const sql = openPostgres({ url: cluster.administrationUrlAt(primary, "postgres") }, "queries");
  try {
    return (await sql.unsafe(statement))[0] as T;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

test("OPS-48 a backup is restored to a moment with its state hash and epochs, and serves the cluster", {
  skip,
}, async (t) => {
  const venue = await start({
    ...{ DATABASE_URL: cluster.databaseUrl(), DATA_DIR: join(folder, "venue"), PORT: "0" },
    ...{ DEV_TOOLS: "1", EPOCH_SECONDS: "1", LEDGER_PROFILE: "none", OPENS_WITHOUT_INDEX: "1" },
  });
  const { standby } = await cluster.untilReplicated();
  // Part of the history is in the base backup, part only in the log.
  await trade(venue);
  const backup = join(folder, "database", "base");
  await script(
    "base-backup.sh",
    cluster.administrationUrlAt(standby, "replicator", standby),
    backup,
  );
  await trade(venue);
  const wanted = await stopAndVerify(venue);
  assert(wanted.seq > 0 && wanted.head_epoch > 0);
  const { now } = await onPrimary<{ now: string }>("select now()::text as now");
  await sleep(1_000);

  // What came after the moment must not come back.
  const later = await start(venue.settings);
  await trade(later);
  const lost = await stopAndVerify(later);
  assert(lost.seq > wanted.seq);
  await onPrimary("select pg_switch_wal()");
  await until("the archived log", async () => {
    const row = await onPrimary<{ done: boolean }>(
      "select last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 1) as done from pg_stat_archiver",
    );
    return row.done || null;
  });
  assert((await readdir(cluster.archiveFolder)).length > 0);

  const data = join(folder, "database", "restored");
  const printed = await script("restore.sh", backup, cluster.archiveFolder, data, now);
  const url = /postgres:\S+/.exec(printed)?.[0] ?? "";
  const restored = await verified({ ...venue.settings, DATABASE_URL: url });
  t.diagnostic(JSON.stringify({ wanted, restored }));
  for (const field of ["seq", "state_hash", "head_epoch", "head_root"] as const)
    assert.equal(restored[field], wanted[field], field);
  const whole = join(folder, "database", "whole");
  const end = await script("restore.sh", backup, cluster.archiveFolder, whole);
  const newest = await verified({
    ...venue.settings,
    DATABASE_URL: /postgres:\S+/.exec(end)?.[0] ?? "",
  });
  assert.deepEqual([newest.seq, newest.state_hash], [lost.seq, lost.state_hash]);
  await asOwner("pg_ctl", "-D", whole, "stop");

  await putIntoService(data);
  const serving = await verified(venue.settings);
  assert.deepEqual([serving.seq, serving.state_hash], [wanted.seq, wanted.state_hash]);
  await cluster.untilReplicated();
  // The venue has acknowledged later events, so the operator must accept that they are gone.
  const refused = await runCli(["start"], venue.settings);
  assert.equal(refused.code, 5, refused.complained);
  assert.match(refused.complained, new RegExp(`ends at event ${wanted.seq}, .* ${lost.seq} `));
  const accepted = await runCli(["journal", "accept", String(lost.seq)], venue.settings);
  assert.equal(accepted.code, 0, accepted.complained);
  const again = await start(venue.settings);
  await trade(again);
});

/** Makes the restored data the cluster's: the old data go away, and Patroni starts from one node's folder. */
async function putIntoService(data: string): Promise<void> {
  const [first, ...others] = cluster.databases;
  assert(first !== undefined);
  for (const host of cluster.databases) {
    await host.kill();
    await host.call("rm", ["-rf", "data"]);
  }
  await asOwner("pg_ctl", "-D", data, "stop");
  await rename(data, join(first.folder, "data"));
  // Patroni's memory of the old data: the answers are those that it wants from a careful operator.
  const leader = (await first.call("patronictl", ["-c", "patroni.yml", "list"])).match(
    /pg-. (?=.*Leader)/,
  );
  const answers = `rialto\nYes I am aware\n${leader?.[0].trim() ?? ""}\n`;
  await first.call("patronictl", ["-c", "patroni.yml", "remove", "rialto"], answers);
  await first.start();
  await cluster.untilPrimary();
  for (const host of others) await host.start();
}
