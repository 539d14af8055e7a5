// Proves for whoever starts `rialto start --rewind` that the second address is shown, that profiles are applied by the
// command line, that the venue survives the loss of its fault proxy, and that other venues have none.

import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { until } from "../epochs/epoch-waits.ts";
import { blocksIn, type DocumentBlock } from "../guides/document-blocks.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { CliProcess, runCli, type Settings } from "../support/venue/cli-process.ts";

let database: TestDatabase;
let dataDir: string;
let settings: Settings;
let venue: CliProcess;
let address: string;
let faulty: string;

before(async () => {
  database = await createTestDatabase();
  dataDir = await mkdtemp(join(tmpdir(), "rialto-rewind-"));
  settings = {
    ...{ DATABASE_URL: database.url, DATA_DIR: dataDir, PORT: "0" },
    ...{ DEV_TOOLS: "1", LEDGER_PROFILE: "none" },
  };
  venue = new CliProcess(["start", "--rewind"], settings);
  [, address = ""] = await venue.untilPrinted(/^Rialto is open at (http:\S+)$/m);
  [, faulty = ""] = await venue.untilPrinted(/^ {2}with faults +(http:\S+)$/m);
});
after(async () => {
  venue.signal("SIGTERM");
  await venue.ended;
  await database.drop();
  await rm(dataDir, { recursive: true });
});

async function run(...args: readonly string[]) {
  const { code, printed, complained } = await runCli([...args, "--json"], settings);
  return { code, told: JSON.parse(printed), complained };
}

const statusOf = (path: string) => fetch(faulty + path).then(({ status }) => status);

test("REW-30 the second address is in the banner and in status, and profiles are applied and cleared", async () => {
  assert.equal((await run("status")).told.fault_address, faulty);
  assert.equal(await statusOf("/api/v3/ping"), 200);
  const names = (await run("faults", "list")).told.map(
    ({ profile }: { readonly profile: string }) => profile,
  );
  assert.ok(names.includes("flaky-answers"), `${names}`);
  const applied = await run("faults", "apply", "outage", "--seed", "7", "--for", "5m");
  assert.deepEqual([applied.code, applied.told.profile, applied.told.seed], [0, "outage", 7]);
  const path = "/compat/api/v3/allOrders?symbol=CC-USDC";
  assert.equal(await statusOf(path), 503);
  const { told } = await run("faults", "show");
  assert.equal(told.address, faulty);
  assert.deepEqual(told.applied[0].happened, { outage: 1 });
  assert.deepEqual((await run("faults", "clear")).told, { cleared: 1 });
  assert.equal(await statusOf(path), 400);
});

test("REW-31 REW-33 the commands and the profile of the guide work", async () => {
  const commands = blocksIn("docs/guides/faults.md", "sh").flatMap(({ text }) => text.split("\n"));
  assert.ok(commands.length > 4);
  for (const command of commands.filter((line) => line !== "")) {
    const { code, complained } = await run(...command.split(" ").slice(1));
    assert.equal(code, 0, `${command}: ${complained}`);
  }
  const [{ text }] = blocksIn("docs/guides/faults.md", "json") as [DocumentBlock];
  const file = join(dataDir, "my-profile.json");
  await writeFile(file, text);
  const { told } = await run("faults", "apply", file, "--address", "127.0.0.1");
  assert.deepEqual([told.profile, told.address], ["my-profile", "127.0.0.1"]);
  await run("faults", "clear");
});

test("REW-32 compressed pages arrive as the venue sent them", async () => {
  const page = async (base: string): Promise<[string | undefined, Buffer]> => {
    const headers = { "accept-encoding": "br", accept: "text/html" };
    const [answer] = (await once(request(`${base}/docs`, { headers }).end(), "response")) as [
      IncomingMessage,
    ];
    const parts: Buffer[] = [];
    for await (const part of answer) parts.push(part as Buffer);
    return [answer.headers["content-encoding"], Buffer.concat(parts)];
  };
  const direct = await page(address);
  assert.equal(direct[0], "br");
  assert.deepEqual(await page(faulty), direct);
});

test("REW-31 wrong arguments are usage errors that name the argument", async () => {
  const unknown = await run("faults", "apply", "unknown-one");
  assert.equal(unknown.code, 2);
  assert.match(unknown.complained, /no profile unknown-one: expected a file, or one of/);
  const both = await run("faults", "apply", "outage", "--all", "--key", "abc");
  assert.deepEqual([both.code, /one of --key/.test(both.complained)], [2, true]);
  const stranger = await run("faults", "apply", "outage", "--key", "abc");
  assert.deepEqual(
    [stranger.code, stranger.complained],
    [2, "target.key: expected an API key of this venue, not abc\n"],
  );
  const bad = await run("faults", "apply", "outage", "--address", "nowhere");
  assert.match(bad.complained, /target/);
});

test("REW-30 if the fault proxy dies, the venue goes on and starts it again on its port", async () => {
  await run("faults", "apply", "outage");
  const shown = () =>
    run("faults", "show").then(
      ({ told }) => told,
      () => null,
    );
  const { pid } = await shown();
  process.kill(pid, "SIGKILL");
  assert.equal((await fetch(`${address}/api/v3/ping`)).status, 200);
  const isNext = (told: { readonly pid?: number } | null) => ![undefined, pid].includes(told?.pid);
  const next = await until(
    "another proxy answers",
    async () => {
      const told = await shown();
      return isNext(told) ? told : null;
    },
    60_000,
  );
  assert.deepEqual([next.address, next.applied], [faulty, []]);
  assert.equal(await statusOf("/api/v3/ping"), 200);
});

test("REW-30 a venue without --rewind has no second address and refuses faults", async (t) => {
  const other = await createTestDatabase();
  const folder = await mkdtemp(join(tmpdir(), "rialto-plain-"));
  const own = { ...settings, DATABASE_URL: other.url, DATA_DIR: folder };
  const plain = new CliProcess(["start"], own);
  t.after(() => plain.signal("SIGKILL"));
  await plain.untilPrinted(/^Rialto is open at (http:\S+)$/m);
  assert.doesNotMatch(plain.printed, /with faults/);
  const refused = async (...args: readonly string[]) => {
    const { code, complained } = await runCli(["faults", ...args], own);
    assert.equal(code, 1);
    assert.match(complained, /faults need a venue started with 'rialto start --rewind'/);
  };
  const [proxied] = await Promise.all([
    runCli(["fault-proxy"], own),
    ...[refused("list"), refused("show"), refused("apply", "outage"), refused("clear")],
  ]);
  assert.equal(proxied.code, 1);
  assert.match(proxied.complained, /no venue started with 'rialto start --rewind' answers/);
  assert.ok(!existsSync(join(folder, "faults.jsonl")));
  plain.signal("SIGTERM");
  await plain.ended;
  await other.drop();
  await rm(folder, { recursive: true });
});

test("REW-30 the fault proxy ends with its venue", async () => {
  venue.signal("SIGTERM");
  assert.equal(await venue.ended, 0);
  await until(
    "the proxy is gone",
    () =>
      statusOf("/api/v3/ping").then(
        () => null,
        () => true,
      ),
    60_000,
  );
});
