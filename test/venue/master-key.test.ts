// Proves that an operator can change the master key of a venue without loss: during operation with two fronts, with
// kills between any two steps and in the middle of many rows, and with wrong or missing keys. Keys and proofs from
// before and after stay valid.

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { PostgresSealedRows } from "../../src/adapters/postgres/queries/access/sealed-rows.ts";
import { keyOwner, masterKeyCheck } from "../../src/services/access/secret-box.ts";
import { verifyDocument } from "../../src/services/epochs/proof-verifier.ts";
import { verifyEpochs } from "../../src/venue/verification/epoch-verification.ts";
import { until } from "../epochs/epoch-waits.ts";
import { withLock } from "../support/journal/held-journal.ts";
import { CliProcess, runCli } from "../support/venue/cli-process.ts";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";

const sha256 = (data: Uint8Array) => createHash("sha256").update(data).digest();
const checkOf = (key: string) => masterKeyCheck(Buffer.from(key, "hex"));

let fixture: VenueFixture;
let first: Trader;

before(async () => {
  fixture = await VenueFixture.open({ EPOCH_SECONDS: "1", FRONT_THREADS: "2" });
  first = await fixture.trader();
});
after(() => fixture.close());

const keyFile = () => join(fixture.dataDir, "master.key");
const keptKeys = async () => (await readFile(keyFile(), "utf8")).trim().split("\n");
const cliSettings = () => ({ DATABASE_URL: fixture.database.url, DATA_DIR: fixture.dataDir });

async function versionsInUse(): Promise<number[]> {
  const { sql } = fixture.venue.database;
  const rows = await sql<{ seal_version: number }[]>`
    select seal_version from api_keys union select seal_version from venue_secrets order by 1`;
  return rows.map(({ seal_version }) => seal_version);
}

/** Sends enough requests, each over a new connection, that both fronts answer some. */
async function opensEverywhere(...traders: readonly Trader[]): Promise<void> {
  for (const trader of traders) {
    for (let requested = 0; requested < 12; requested++) {
      const { status, json } = await fixture.signed(trader, "GET", "/api/v3/account");
      assert.equal(status, 200, JSON.stringify(json));
    }
  }
}

async function stepUntilNoneLeft(): Promise<void> {
  const { masterKeys } = fixture.venue;
  for (;;) {
    const { left } = (await masterKeys.step()) as { left: number };
    if (left === 0) return;
  }
}

async function rotate(): Promise<void> {
  const { masterKeys } = fixture.venue;
  await masterKeys.begin(null);
  await stepUntilNoneLeft();
  await masterKeys.finish();
}

async function proofText(seq: number): Promise<string> {
  return until("a proof", async () => {
    const answer = await fetch(`${fixture.address}/v1/chain/proof?seq=${seq}`);
    return answer.status === 200 ? answer.text() : null;
  });
}

async function holds(text: string): Promise<void> {
  for (const { isValid, steps } of await verifyDocument(JSON.parse(text), { sha256 })) {
    assert(isValid, JSON.stringify(steps.at(-1)));
  }
}

test("AUT-23 AUT-25 keys and proofs from before and after a rotation are valid on every front", async () => {
  const [before] = await keptKeys();
  const { committedSeq } = fixture.venue;
  const proof = await proofText(committedSeq);
  const { masterKeys } = fixture.venue;
  assert.deepEqual(await masterKeys.begin(null), { version: 2, resumed: false });
  const between = await fixture.trader();
  await opensEverywhere(first, between);
  assert.deepEqual(await versionsInUse(), [1, 2]);
  await stepUntilNoneLeft();
  await masterKeys.finish();
  const behind = await fixture.trader();
  await opensEverywhere(first, between, behind);
  assert.deepEqual(await versionsInUse(), [2]);
  const kept = await keptKeys();
  assert.equal(kept.length, 1);
  assert.notEqual(kept[0], before);
  assert.equal(await proofText(committedSeq), proof);
  await fixture.crashAndRestart();
  await opensEverywhere(first, between, behind);
  assert.equal(await proofText(committedSeq), proof);
  await holds(proof);
  await holds(await proofText(fixture.venue.committedSeq));
  const { database, keys, table, committedSeq: untilSeq } = fixture.venue;
  const audit = { connection: database.connection, table, nonceKey: keys.nonceKey, untilSeq };
  const verified = await verifyEpochs({ ...audit, isAtRest: false, onProgress: () => undefined });
  assert.deepEqual(verified.differences, []);
  assert(verified.epochs > 0);
});

test("AUT-24 a venue that is killed between any two steps continues, and so does the rotation", async () => {
  // The venue was killed after the new key was written to the file and before the database knew it.
  const written = randomBytes(32).toString("hex");
  await writeFile(keyFile(), `${written}\n${(await keptKeys()).join("\n")}\n`);
  await fixture.crashAndRestart();
  await opensEverywhere(first);
  assert.deepEqual(await fixture.venue.masterKeys.begin(null), { version: 3, resumed: false });
  assert.equal((await keptKeys())[0], written, "The key in the file must become the new one");
  await fixture.crashAndRestart();
  await opensEverywhere(first, await fixture.trader());
  assert.deepEqual(await fixture.venue.masterKeys.begin(null), { version: 3, resumed: true });
  await assert.rejects(fixture.venue.masterKeys.finish(), /still encrypted under an older/);
  await fixture.venue.masterKeys.step();
  await fixture.crashAndRestart();
  await opensEverywhere(first);
  await fixture.venue.masterKeys.begin(null);
  await stepUntilNoneLeft();
  await fixture.venue.masterKeys.finish();
  // The venue was killed after the old version was retired and before its removal from the file.
  await writeFile(keyFile(), `${written}\n${"ab".repeat(32)}\n`);
  await fixture.crashAndRestart();
  assert.deepEqual(await fixture.venue.masterKeys.begin(null), { version: 3, resumed: true });
  await fixture.venue.masterKeys.step();
  await fixture.venue.masterKeys.finish();
  assert.deepEqual(await keptKeys(), [written]);
  await opensEverywhere(first);
});

test("AUT-24 a rotation continues if its new version is stored but the answer was lost", async (context) => {
  const { register } = PostgresSealedRows.prototype;
  const lost = async function (this: PostgresSealedRows, version: number, check: string) {
    await register.call(this, version, check);
    throw new Error("the connection is gone");
  };
  context.mock.method(PostgresSealedRows.prototype, "register", lost, { times: 1 });
  const { masterKeys } = fixture.venue;
  const { version } = fixture.venue.keys.box;
  await assert.rejects(masterKeys.begin(null), /the connection is gone/);
  const kept = await keptKeys();
  await opensEverywhere(first, await fixture.trader());
  // A command that started earlier and got no answer tries to finish.
  await assert.rejects(masterKeys.finish(), /has begun meanwhile/);
  assert.deepEqual(await keptKeys(), kept);
  assert.deepEqual(await masterKeys.begin(null), { version: version + 1, resumed: true });
  await stepUntilNoneLeft();
  await masterKeys.finish();
  assert.deepEqual(await versionsInUse(), [version + 1]);
  assert.deepEqual(await keptKeys(), kept.slice(0, 1));
  await fixture.crashAndRestart();
  await opensEverywhere(first);
});

test("AUT-24 a rotation whose new key is missing changes nothing", async () => {
  const { sql } = fixture.venue.database;
  const { masterKeys, keys } = fixture.venue;
  const version = keys.box.version + 1;
  const strange = checkOf("ba".repeat(32));
  // A key of this version exists and differs from the registered one.
  keys.box.use([...keys.box.keys, { version, key: randomBytes(32) }]);
  await sql`insert into master_keys (version, key_check) values (${version}, ${strange})`;
  const before = [await keptKeys(), keys.box.keys, await versionsInUse()];
  const missing = new RegExp(`version ${version} \\(check ${strange}\\), is not at hand`);
  await assert.rejects(masterKeys.begin(null), missing);
  await assert.rejects(masterKeys.finish(), /has begun meanwhile/);
  assert.deepEqual([await keptKeys(), keys.box.keys, await versionsInUse()], before);
  await sql`delete from master_keys where version = ${version}`;
  await fixture.crashAndRestart();
  await opensEverywhere(first);
});

test("AUT-23 AUT-29 a rotation leaves out the secrets of revoked keys, and names damaged secrets", async () => {
  const { sql } = fixture.venue.database;
  const { key } = await fixture.trader();
  const [row] = await sql<{ key_id: number }[]>`
    select key_id from api_keys where api_key = ${key}`;
  const keyId = row?.key_id ?? 0;
  await sql`update api_keys set sealed_secret = sealed_secret || '\\x00'::bytea where key_id = ${keyId}`;
  await fixture.venue.masterKeys.begin(null);
  const stuck = new RegExp(`API key ${keyId} cannot be decrypted .* rialto keys revoke ${keyId}`);
  await assert.rejects(stepUntilNoneLeft(), stuck);
  await opensEverywhere(first);
  await fixture.operator.revokeKey(keyId);
  await fixture.venue.settle();
  await stepUntilNoneLeft();
  await fixture.venue.masterKeys.finish();
  const [emptied] = await sql<{ bytes: number }[]>`
    select length(sealed_secret) as bytes from api_keys where key_id = ${keyId}`;
  assert.equal(emptied?.bytes, 0);
  await opensEverywhere(first, await fixture.trader());
});

test("AUT-24 a rotation command that is killed among many rows completes when it is repeated", async () => {
  const { sql } = fixture.venue.database;
  const { keys } = fixture.venue;
  const rows = 1_000;
  for (let from = 0; from < rows; from += 500) {
    const made = Array.from({ length: 500 }, (_, at) => {
      const keyId = 1_000_000 + from + at;
      const owner = keyOwner({ keyId, account: first.account });
      const sealed = Buffer.from(keys.box.seal(`secret ${keyId}`, owner)).toString("hex");
      return `(${keyId}, ${first.account}, 'many-${keyId}', 0, '\\x${sealed}', ${keys.box.version}, 0, true)`;
    });
    await sql.unsafe(`insert into api_keys (key_id, account, api_key, key_type, sealed_secret,
      seal_version, created_us, is_registered) values ${made.join(", ")}`);
  }
  const from = keys.box.version;
  await fixture.venue.close();
  const watch = openPostgres(fixture.database.options, "migrations");
  const resealed = async () => {
    const [row] = await watch<{ rows: number }[]>`
      select count(*)::integer as rows from api_keys where seal_version > ${from}`;
    return row?.rows ?? 0;
  };
  let killedAt = 0;
  // A row in the middle is locked, so that the command cannot end before it is killed.
  const lock = `select from api_keys where key_id = ${1_000_000 + rows / 2} for update`;
  await withLock(fixture.database, lock, async () => {
    const command = new CliProcess(["master-key", "rotate"], cliSettings());
    await until("a row is under the new key", async () => {
      assert.equal(command.complained, "");
      return (await resealed()) > 0 || null;
    });
    command.signal("SIGKILL");
    assert.equal(await command.ended, null);
    killedAt = await resealed();
  });
  assert(
    killedAt > 0 && killedAt < rows,
    `the command must be killed between the rows, not at ${killedAt} of ${rows}`,
  );
  const again = await runCli(["master-key", "rotate", "--json"], cliSettings());
  assert.equal(again.code, 0, again.complained);
  const done = JSON.parse(again.printed) as Record<string, unknown>;
  assert.equal(done["resumed"], true);
  assert.equal(done["version"], from + 1);
  assert(Number(done["verified"]) > rows);
  await watch`delete from api_keys where api_key like 'many-%'`;
  await watch.end();
  await fixture.crashAndRestart();
  assert.deepEqual(await versionsInUse(), [from + 1]);
  await opensEverywhere(first);
});

test("AUT-26 AUT-30 a wrong master key prevents the start, and a missing older key is reported with its rows", async () => {
  const [own = ""] = await keptKeys();
  await fixture.venue.close();
  await writeFile(keyFile(), `${"cd".repeat(32)}\n`);
  await assert.rejects(fixture.startWith({}), /is not the key that encrypts .* \(version \d/);
  await writeFile(keyFile(), "not a key\n");
  await assert.rejects(fixture.startWith({}), /does not hold a master key/);
  await writeFile(keyFile(), `${own}\n`);
  await fixture.crashAndRestart();
  await fixture.venue.masterKeys.begin(null);
  const [newer = "", older = ""] = await keptKeys();
  await stepUntilNoneLeft();
  // Restore a row with the older version, as from a backup of its table.
  const { sql } = fixture.venue.database;
  const [row] = await sql<{ key_id: number; seal_version: number }[]>`
    update api_keys set seal_version = seal_version - 1 where api_key = ${first.key}
    returning key_id, seal_version`;
  await fixture.venue.close();
  await writeFile(keyFile(), `${newer}\n`);
  const shown = await runCli(["master-key", "show", "--json"], cliSettings());
  assert.equal(shown.code, 0, shown.complained);
  assert.match(shown.complained, /the master key of an older version is missing/);
  assert.match(shown.complained, new RegExp(`"first":\\["API key ${row?.key_id}"\\]`));
  const { versions } = JSON.parse(shown.printed) as { versions: Record<string, unknown>[] };
  assert.deepEqual(
    versions.map(({ check, at_hand }) => [check, at_hand]),
    [
      [checkOf(older), false],
      [checkOf(newer), true],
    ],
  );
  const refused = await runCli(["master-key", "rotate"], cliSettings());
  assert.equal(refused.code, 1);
  assert.match(refused.complained, /version \d+ \(check .*\) is missing, and 1 rows are encrypted/);
  await fixture.crashAndRestart();
  const { status, json } = await fixture.signed(first, "GET", "/api/v3/account");
  assert.deepEqual([status, json.code], [401, -2015]);
  await fixture.venue.database.sql`
    update api_keys set seal_version = seal_version + 1 where api_key = ${first.key}`;
  await fixture.venue.masterKeys.finish();
  await fixture.crashAndRestart();
  await opensEverywhere(first);
});

test("AUT-23 a master key stored outside the venue is changed by giving the new and the previous key", async () => {
  const [older = ""] = await keptKeys();
  const newer = randomBytes(32).toString("hex");
  await fixture.venue.close();
  const settings = cliSettings();
  const same = await runCli(["master-key", "rotate"], { ...settings, MASTER_KEY: older });
  assert.match(same.complained, /MASTER_KEY is the key in use/);
  const alone = { MASTER_KEY: newer, MASTER_KEY_EARLIER: "ef".repeat(32) };
  await writeFile(keyFile(), `${"ef".repeat(32)}\n`);
  const wrong = await runCli(["master-key", "rotate"], { ...settings, ...alone });
  assert.equal(wrong.code, 1);
  assert.match(wrong.complained, /is not the key that encrypts/);
  const early = { MASTER_KEY: newer, MASTER_KEY_EARLIER: older };
  await assert.rejects(fixture.startWith(early), /MASTER_KEY is not this venue's key: .* rotate/);
  const both = { MASTER_KEY: newer, MASTER_KEY_EARLIER: older };
  const rotated = await runCli(["master-key", "rotate", "--json"], { ...settings, ...both });
  assert.equal(rotated.code, 0, rotated.complained);
  assert.equal((JSON.parse(rotated.printed) as Record<string, unknown>)["kept_in"], "MASTER_KEY");
  await assert.rejects(fixture.startWith({ MASTER_KEY: older }), /is not the key that encrypts/);
  // The file still has an old key. Doctor reports an error if MASTER_KEY is unset or old, a warning if it is the new
  // key.
  const stale = await keyFinding(settings);
  assert.deepEqual([stale.verdict, stale.mend.slice(0, 19)], ["fault", "set MASTER_KEY to t"]);
  assert.match(stale.found, /master\.key is not the key in use \(check [0-9a-f]+\)/);
  const beside = await keyFinding({ ...settings, MASTER_KEY: newer });
  assert.equal(beside.verdict, "warning");
  assert.match(beside.found, /^given in MASTER_KEY, but .*master\.key holds a different key$/);
  assert.equal((await keyFinding({ ...settings, MASTER_KEY: older })).verdict, "fault");
  await fixture.startWith({ MASTER_KEY: newer });
  await writeFile(keyFile(), `${newer}\n`);
  await fixture.crashAndRestart();
  await opensEverywhere(first);
});

/** Returns doctor's finding about the master key. */
async function keyFinding(settings: Readonly<Record<string, string>>) {
  const { printed } = await runCli(["doctor", "--json"], settings);
  const findings = JSON.parse(printed) as { check: string; [field: string]: string }[];
  const found = findings.find(({ check }) => check === "master key");
  return {
    verdict: found?.["verdict"] ?? "",
    found: found?.["found"] ?? "",
    mend: found?.["mend"] ?? "",
  };
}

test("AUT-27 neither the database nor any output contains a key or a secret", async () => {
  const before = await keptKeys();
  await rotate();
  const secrets = [...before, ...(await keptKeys()), first.secret];
  const nonceKey = Buffer.from(fixture.venue.keys.nonceKey).toString("hex");
  const { sql } = fixture.venue.database;
  const said: string[] = [];
  for (const table of ["api_keys", "venue_secrets", "master_keys", "epoch_chain"]) {
    const rows = await sql<{ row: string }[]>`
      select row_to_json(t)::text as row from ${sql.identifier(table)} as t`;
    said.push(...rows.map(({ row }) => row));
  }
  await fixture.venue.close();
  const loud = { ...cliSettings(), LOG_LEVEL: "trace" };
  for (const message of [["master-key", "show"], ["master-key", "rotate"], ["doctor"]]) {
    const { printed, complained } = await runCli(message, loud);
    said.push(printed, complained);
  }
  secrets.push(nonceKey, ...(await keptKeys()));
  for (const secret of secrets) {
    const bytes = Buffer.from(secret).toString("hex");
    const isSaid = said.some((message) => message.includes(secret) || message.includes(bytes));
    assert(!isSaid, "The output must contain no key and no secret");
  }
  await fixture.crashAndRestart();
  await opensEverywhere(first);
});
