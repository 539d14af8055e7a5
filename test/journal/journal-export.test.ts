// Proves that `rialto journal export` and `rialto journal verify` work on a running and on a stopped venue, and that
// the venue serves the events' schema over HTTP. docs/guides/journal-export.md describes all three.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { eventSchema } from "../../src/wire/generated/event-schema.ts";
import { projectRoot } from "../support/tidy/tree.ts";
import { type GuideReader, typescriptReader } from "./guide-readers.ts";
import { TradedVenue } from "./traded-venue.ts";

const run = promisify(execFile);
const cli = join(projectRoot, "dist/bundle/src/venue/rialto.js");

let traded: TradedVenue;
let reader: GuideReader;

before(async () => {
  traded = await TradedVenue.start();
});
after(async () => {
  await traded?.close();
  await reader?.close();
});

const at = (name: string) => join(traded.venue.dataDir, name);

/** Runs one export and returns what it printed. */
async function exported(...args: readonly string[]) {
  const { code, printed, complained } = await traded.venue.run(["journal", "export", ...args]);
  assert.equal(code, 0, complained);
  return printed;
}

async function refused(code: number, says: RegExp, ...args: readonly string[]) {
  const ended = await traded.venue.run(["journal", ...args]);
  assert.match(ended.complained, says);
  assert.equal(ended.code, code, ended.complained);
}

interface ExportedFile {
  readonly header: { readonly from: number; readonly to: number; readonly [name: string]: unknown };
  /** The events as in the file, each with its length in front. */
  readonly records: Buffer;
  readonly events: readonly Buffer[];
}

function parsed(file: Buffer): ExportedFile {
  const start = 16 + file.readUInt32LE(12);
  const events: Buffer[] = [];
  let end = start;
  for (let length = file.readUInt32LE(end); length > 0; length = file.readUInt32LE(end)) {
    events.push(file.subarray(end + 4, end + 4 + length));
    end += 4 + length;
  }
  const header = JSON.parse(file.toString("utf8", 16, start));
  return { header, records: file.subarray(start, end), events };
}

test("JRN-19 JRN-24 the schema is served as text with an ETag, so that clients may cache it", async () => {
  const address = `${traded.venue.address}/v1/journal/event.fbs`;
  const answer = await fetch(address);
  const text = await answer.text();
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-type"), "text/plain; charset=utf-8");
  assert.equal(answer.headers.get("cache-control"), "public, max-age=3600");
  const mark = answer.headers.get("etag") ?? "";
  const known = await fetch(address, { headers: { "if-none-match": mark } });
  assert.equal(known.status, 304);
  assert.equal(text, eventSchema);
  reader = await typescriptReader(text);
});

test("JRN-17 JRN-19 an export from a running venue gives the balances that the venue shows for each account", async () => {
  const file = at("running.rialto");
  const printed = await exported("--out", file);
  assert.match(printed, /^events +\d+$/m);
  let lines = 0;
  for (const account of traded.accounts) {
    const read = (await reader.balances(file, account)).sort();
    lines += read.length;
    assert.deepEqual(read, await traded.shown(account), `account ${account}`);
  }
  assert.ok(lines > 12, "the balances must be in several wallets and assets");
  const { account } = traded.taker;
  const told = await traded.signed(traded.taker, "GET", "/api/v3/account");
  const rows = told.balances as { asset: string; free: string; locked: string }[];
  const read = await reader.balances(file, account);
  for (const { asset, free, locked } of rows) {
    const line = read.find((one) => one.startsWith(`${account} spot ${asset} `));
    const units = (amount: string) => BigInt(amount.replace(".", ""));
    const found = units(line?.split(" ")[3] ?? "0");
    assert.equal(found, units(free) + units(locked), asset);
  }
});

test("JRN-17 JRN-23 every exported byte equals the journal's, and any range is a part of the whole", async () => {
  const whole = parsed(readFileSync(at("running.rialto")));
  const { from, to, count, first_us, last_us, schema, schema_sha256, network } = whole.header;
  assert.deepEqual([from, to, count], [1, whole.events.length, whole.events.length]);
  assert.equal(schema, eventSchema);
  assert.equal(schema_sha256, createHash("sha256").update(eventSchema).digest("hex"));
  assert.ok(network === "devnet" || network === null);
  const sql = openPostgres({ url: traded.venue.settings["DATABASE_URL"] ?? "" }, "queries");
  const rows = await sql<{ body: Buffer; ts_us: string }[]>`
    select body, ts_us::text from journal where seq <= ${to} order by seq`;
  await sql.end();
  assert.deepEqual(
    [first_us, last_us],
    [rows[0], rows.at(-1)].map((row) => Number(row?.ts_us)),
  );
  assert.ok(Buffer.concat(rows.map(({ body }) => body)).equals(Buffer.concat(whole.events)));
  await exported("--from", "7", "--to", "19", "--out", at("part.rialto"));
  const part = parsed(readFileSync(at("part.rialto")));
  assert.deepEqual([part.header.from, part.header.to, part.events.length], [7, 19, 13]);
  assert.ok(Buffer.concat(whole.events.slice(6, 19)).equals(Buffer.concat(part.events)));
  await exported("--from", `${to}`, "--to", `${to}`, "--out", at("last.rialto"));
  assert.equal(parsed(readFileSync(at("last.rialto"))).events.length, 1);
});

test("JRN-17 JRN-22 a range that the journal does not have is refused with the name of the option", async () => {
  const out = ["--out", at("never.rialto")];
  const names = (option: string) => new RegExp(`${option}.*(expected|newest committed|behind)`);
  for (const value of ["0", "1e3", "9007199254740993"]) {
    await refused(2, names("--from"), "export", `--from=${value}`, ...out);
  }
  await refused(2, names("--to"), "export", "--to=0", ...out);
  await refused(2, /--from 9 is after --to 8/, "export", "--from=9", "--to=8", ...out);
  await refused(1, names("--to 900000000"), "export", "--to=900000000", ...out);
  await refused(1, names("--from 900000000"), "export", "--from=900000000", ...out);
  await refused(2, /--out/, "export");
  assert.ok(!existsSync(at("never.rialto")));
});

test("JRN-18 only --force replaces an existing file, and a failed export leaves no partial file", async () => {
  const kept = at("kept.txt");
  writeFileSync(kept, "mine");
  const says = /--out .*kept\.txt: already exists; pass --force to replace it/;
  await refused(1, says, "export", "--out", kept);
  assert.equal(readFileSync(kept, "utf8"), "mine");
  symlinkSync(kept, at("link.rialto"));
  await exported("--to", "3", "--out", at("link.rialto"), "--force");
  assert.equal(parsed(readFileSync(kept)).events.length, 3, "a symbolic link must stay one");
  await refused(1, /is not a regular file/, "export", "--out", traded.venue.dataDir, "--force");
  await refused(1, /no folder/, "export", "--out", at("none/here.rialto"));
  const left = readdirSync(traded.venue.dataDir).filter((name) => name.includes(".part-"));
  assert.deepEqual(left, []);
});

test("JRN-18 only the owner of exported files can read them", async () => {
  const files = ["epochs", "balances", "statements"].map((name) => [`--${name}`, at(name)]);
  await exported("--out", at("all.rialto"), ...files.flat());
  for (const file of [at("all.rialto"), ...files.map(([, path = ""]) => path)])
    assert.equal(statSync(file).mode & 0o777, 0o600, file);
});

test("JRN-18 verify reports what a file contains, and where a truncated or changed file is wrong", async () => {
  const file = at("part.rialto");
  const { code, printed } = await traded.venue.run(["--json", "journal", "verify", file]);
  assert.equal(code, 0);
  const { from, to, events, sha256 } = JSON.parse(printed);
  const bytes = readFileSync(file);
  const digest = createHash("sha256").update(bytes.subarray(0, -44)).digest("hex");
  assert.deepEqual([from, to, events, sha256], [7, 19, 13, digest]);
  writeFileSync(at("cut.rialto"), bytes.subarray(0, -100));
  await refused(3, /cut\.rialto: the file is truncated in/, "verify", at("cut.rialto"));
  const cut = await traded.venue.run(["--json", "journal", "verify", at("cut.rialto")]);
  assert.match(JSON.parse(cut.printed).error, /cut\.rialto: the file is truncated in/);
  const changed = Buffer.from(bytes);
  changed[bytes.length - 60] = (changed[bytes.length - 60] ?? 0) ^ 1;
  writeFileSync(at("changed.rialto"), changed);
  await refused(3, /changed\.rialto: /, "verify", at("changed.rialto"));
  await refused(3, /not a journal export/, "verify", process.execPath);
  await refused(1, /never\.rialto cannot be read: no such file/, "verify", at("never.rialto"));
});

test("JRN-17 JRN-19 a stopped venue exports the same events, also to standard output, and shows the same balances", async () => {
  // The withdrawal is either in flight or paid when the venue stops; the exported events must show which.
  await traded.withdraw("10");
  const { process: running } = traded.venue;
  running.signal("SIGTERM");
  await running.ended;
  const file = at("stopped.rialto");
  await exported("--out", file);
  const [before, now] = [at("running.rialto"), file].map((path) => parsed(readFileSync(path)));
  assert.ok(before !== undefined && now !== undefined && now.header.to > before.header.to);
  assert.ok(now.records.subarray(0, before.records.length).equals(before.records));
  for (const account of traded.accounts) {
    const read = (await reader.balances(file, account)).sort();
    assert.deepEqual(read, await traded.shown(account), `account ${account}`);
  }
  const args = [cli, "journal", "export", "--out", "-"];
  const { settings: env } = traded.venue;
  const { stdout } = await run(process.execPath, args, { env, encoding: "buffer" });
  assert.ok(stdout.equals(readFileSync(file)), "exports of one range must be equal");
});
