// Proves what an operator sees of a venue on its command line, with embedded defaults, from the first start to the
// second Ctrl-C. All tests share one data folder, because the first start is slow; each builds on the previous ones.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import { findPostmaster, type Postmaster } from "../../src/adapters/postgres/server/postmaster.ts";
import { callControl, controlSocketPath } from "../../src/adapters/runtime/control-socket.ts";
import { readConfig } from "../../src/venue/config/config.ts";
import { Venue } from "../../src/venue/venue.ts";
import { until } from "../epochs/epoch-waits.ts";
import { withLock } from "../support/journal/held-journal.ts";
import { quietLog } from "../support/quiet-log.ts";
import { CliProcess, runCli } from "../support/venue/cli-process.ts";

let dataDir: string;
let settings: { DATA_DIR: string; PORT: string; DEV_PROVIDER: string };
let venue: CliProcess;
let address = "";
let key = "";
let secret = "";

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "rialto-cli-"));
  settings = { DATA_DIR: dataDir, PORT: "0", DEV_PROVIDER: "0" };
});

after(async () => {
  venue?.signal("SIGTERM");
  await venue?.ended;
  // A killed venue leaves its database running, so start and stop once more to end it.
  await start();
  venue.signal("SIGTERM");
  await venue.ended;
  await rm(dataDir, { recursive: true, force: true });
});

async function start(): Promise<void> {
  venue = new CliProcess(["start"], settings);
  [, address = ""] = await venue.untilPrinted(/^Rialto is open at (http:\S+)$/m);
}

async function postmaster(): Promise<Postmaster> {
  const found = await findPostmaster(join(dataDir, "postgres", "cluster"));
  if (typeof found === "string") throw new Error(`the venue's PostgreSQL: ${found}`);
  return found;
}

async function signed(method: string, path: string, query: string) {
  const text = `${query}&recvWindow=60000&timestamp=${Date.now()}`;
  const signature = createHmac("sha256", secret).update(text).digest("hex");
  const headers = { "X-MBX-APIKEY": key };
  const url = `${address}${path}?${text}&signature=${signature}`;
  const response = await fetch(url, { method, headers });
  return { status: response.status, json: await response.json() };
}

function place(clientId: string) {
  const order = "symbol=CC-USDC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=100&price=0.1";
  return signed("POST", "/api/v3/order", `${order}&newClientOrderId=${clientId}`);
}

const statusNow = async () => JSON.parse((await runCli(["status", "--json"], settings)).printed);

async function isOpen(clientId: string): Promise<boolean> {
  const { json } = await signed("GET", "/api/v3/openOrders", "symbol=CC-USDC");
  return (json as { clientOrderId: string }[]).some((row) => row.clientOrderId === clientId);
}

/** How to open a session on the venue's database. */
async function ownDatabase() {
  const { host, port } = await postmaster();
  const password = (await readFile(join(dataDir, "postgres", "password"), "utf8")).trim();
  return { options: { host, port, user: "rialto", password, database: "rialto" } };
}

/** A lock that every commit waits for, so that no request is acknowledged. */
const ofCommits = "lock table journal_head in access exclusive mode";

const metrics = async () => (await fetch(`${address}/metrics`)).text();

/** Resolves when a command waits in the venue for its commit. */
async function untilTaken(): Promise<void> {
  const waiting = /^rialto_front_commands_in_flight(\{[^}]*\})? [1-9]/m;
  await until("a command waits for its commit", async () => waiting.test(await metrics()) || null);
}

test("OPS-1 bad settings are reported all at once with exit code 2, and nothing starts", async () => {
  const nowhere = join(dataDir, "nowhere");
  const { code, complained } = await runCli(["start"], {
    PORT: "eighty",
    MATCHERS: "0",
    DATA_DIR: nowhere,
  });
  assert.equal(code, 2);
  assert.equal(
    complained,
    'PORT="eighty": expected an integer from 0 to 65535\nMATCHERS="0": expected an integer from 1 to 16\n',
  );
  await assert.rejects(stat(nowhere), { code: "ENOENT" });
});

test("OPS-22 an unusable data folder is reported with the name of its setting", async () => {
  const file = join(dataDir, "a-file");
  await writeFile(file, "");
  const nowhere: readonly (readonly [string, RegExp])[] = [
    [
      file,
      /^DATA_DIR cannot be .*a-file: .*a-file is not a folder; set it to a folder you can write to/,
    ],
    [join(file, "below"), /^DATA_DIR cannot be .*below: ENOTDIR/],
    ["/proc/x/y", /^DATA_DIR cannot be \/proc\/x\/y: ENOENT/],
  ];
  for (const [folder, args] of nowhere) {
    for (const command of ["start", "migrate"]) {
      const { code, complained } = await runCli([command], { ...settings, DATA_DIR: folder });
      assert.equal(code, 1);
      assert.match(complained, args);
    }
  }
});

test("OPS-22 an unknown command is an error, even with --help", async () => {
  for (const args of [
    ["nosuch", "--help"],
    ["nosuch"],
    ["keys", "nosuch", "--help"],
    ["--nosuch"],
  ]) {
    const { code, printed, complained } = await runCli(args, settings);
    assert.deepEqual([code, printed], [2, ""], args.join(" "));
    assert.match(complained, /nosuch/);
  }
  const { complained } = await runCli(["accounts", "list"], settings);
  assert.match(complained, /rialto accounts has no command 'list'; 'rialto accounts --help' lists/);
  const { code, printed } = await runCli(["keys", "create", "--help"], settings);
  assert.equal(code, 0);
  assert.match(printed, /Example:/);
});

test("OPS-22 a usage error names the argument and where to read more, and a proof that cannot be read says why", async () => {
  const { code, complained } = await runCli(["keys", "create"], settings);
  assert.equal(code, 2);
  assert.match(complained, /missing required argument 'account'\nRun the command with --help/);
  const unread = await runCli(["verify-proof", join(dataDir, "nothing.json")], settings);
  assert.equal(unread.code, 1);
  assert.match(unread.complained, /^cannot read .*nothing\.json: ENOENT/);
  const unanswered = await runCli(["verify-proof", "http://127.0.0.1:9"], settings);
  assert.equal(unanswered.code, 1);
  assert.match(unanswered.complained, /^no answer from http:\/\/127\.0\.0\.1:9: /);
});

test("a file in the data folder that cannot be opened is reported with the setting's name", async () => {
  const folder = join(dataDir, "half");
  await mkdir(folder);
  await symlink(join(dataDir, "nothing"), join(folder, "master.key"));
  const { code, complained } = await runCli(["start"], { ...settings, DATA_DIR: folder });
  assert.equal(code, 1);
  assert.match(complained, /^DATA_DIR cannot be .*half: ENOENT: .*master\.key/);
});

test("a query does not turn a folder into a venue", async () => {
  const nowhere = join(dataDir, "nowhere");
  const { code, complained } = await runCli(["status"], { ...settings, DATA_DIR: nowhere });
  assert.equal(code, 1);
  assert.match(complained, /^no venue has been started in .*nowhere: start one/);
  await assert.rejects(stat(nowhere), { code: "ENOENT" });
});

test("OPS-2 OPS-4 OPS-99 a first start makes its own PostgreSQL and prints addresses that answer", async () => {
  await start();
  assert.equal((await fetch(`${address}/api/v3/ping`)).status, 200);
  await venue.untilPrinted(/PostgreSQL \S+ \(embedded in /);
  for (const name of ["terminal", "documentation", "operations"]) {
    const [, page = ""] = await venue.untilPrinted(new RegExp(`^ {2}${name} +(http:\\S+)$`, "m"));
    assert.equal((await fetch(page)).status, 200, name);
  }
});

test("OPS-5 RSK-15 the first start funds insurance and prints a demo account, its key, and a bash line that places an order", async () => {
  await venue.untilPrinted(/^The insurance fund holds 1000000 USDC from the faucet\.$/m);
  [, key = ""] = await venue.untilPrinted(/^ {2}key {5}(\w{64})$/m);
  [, secret = ""] = await venue.untilPrinted(/^ {2}secret {2}(\w{64})$/m);
  const [line] = await venue.untilPrinted(/^q=.*$/m);
  const { stdout } = await promisify(execFile)("bash", ["-c", line]);
  const answer = JSON.parse(stdout);
  assert.equal(answer.status, "FILLED");
  assert.equal(answer.fills.length, 1);
  for (const symbol of ["CC-USDC", "CBTC-USDC", "CETH-USDC", "BTCUSDT", "ETHUSDT", "CCUSDT"]) {
    const surface = symbol.includes("-") ? "api/v3" : "fapi/v1";
    await until(`quotes of ${symbol}`, async () => {
      const depth = await fetch(`${address}/compat/${surface}/depth?symbol=${symbol}&limit=5`);
      const { bids, asks } = (await depth.json()) as { bids: unknown[]; asks: unknown[] };
      return (bids.length >= 3 && asks.length >= 3) || null;
    });
  }
  const fund = await runCli(["accounts", "show", "2", "--json"], settings);
  const { type, balances } = JSON.parse(fund.printed);
  assert.deepEqual([type, balances[0].total], ["system", "1000000.000000"]);
});

test("OPS-26 while the venue runs, doctor shows its address, whatever PORT is", async () => {
  const { code, printed } = await runCli(["doctor", "--json"], { DATA_DIR: dataDir });
  const findings = JSON.parse(printed) as { check: string; verdict: string; found: string }[];
  const { verdict, found } = findings.find(({ check }) => check === "port") ?? {};
  assert.deepEqual([code, verdict, found], [0, "ok", `the running venue listens at ${address}`]);
});

test("LED-20 OPS-127 OPS-135 the ledger is reported, and the venue trades while it is away", async () => {
  const requested = await untilLedger("open");
  // The end of the ledger is read before it is stopped.
  await until(
    "the ledger's end is read",
    async () => /^rialto_ledger_silent_seconds/m.test(await metrics()) || null,
  );
  assert.match((await runCli(["ledger"], settings)).printed, /state +open\n/);
  assert.match(requested.operator ?? "", /^operator::1220/);
  const pid = await ledgerPid();
  process.kill(pid, "SIGSTOP");
  const { ledger_end: end, not_read_since: since = "" } = await untilLedger("not reached");
  assert.deepEqual([end, Date.parse(since) <= Date.now()], [undefined, true], since);
  process.kill(pid, "SIGKILL");
  const placed = await place("without-ledger");
  assert.equal(placed.status, 200);
  // The venue reports the killed ledger as open until it has noticed the kill.
  await until("the next ledger runs", async () => (await ledgerPid()) !== pid || null);
  assert.match((await untilLedger("open")).api_version ?? "", /devnet/);
});

async function ledgerPid(): Promise<number> {
  const place = await readFile(join(dataDir, "ledger", "place.json"), "utf8");
  return (JSON.parse(place) as { pid: number }).pid;
}

type LedgerField = "state" | "operator" | "api_version" | "ledger_end" | "not_read_since";
type LedgerStatus = Readonly<Partial<Record<LedgerField, string>>>;

/** Polls the running venue until its ledger is in `state`. */
function untilLedger(state: string): Promise<LedgerStatus> {
  return until(`a ledger that is ${state}`, async () => {
    const answer = await callControl(controlSocketPath(dataDir), "ledger", {});
    const result = (answer.isOk ? answer.result : {}) as LedgerStatus;
    return result.state === state ? result : null;
  });
}

test("RSK-17 RSK-21 the insurance fund and reference prices are managed from the command line", async () => {
  const fund = await runCli(["insurance", "show", "--json"], settings);
  assert.equal(JSON.parse(fund.printed).threshold, "10000");
  const refused = await runCli(["insurance", "refill", "5", "--from", "2"], settings);
  assert.equal(refused.code, 1);
  assert.match(refused.complained, /account 2 is not a house account/);
  const args = ["markets", "reference", "CC-PERP", "0.15", "--for"];
  const said = await runCli([...args, "1m", "--json"], settings);
  assert.equal(JSON.parse(said.printed).reference, "0.1500");
  assert.equal((await runCli([...args, "soon"], settings)).code, 2);
  const listed = await runCli(["markets", "list", "--json"], settings);
  assert.equal(JSON.parse(listed.printed).length, 7);
});

test("DEP-6 terms of deposits and withdrawals are read and changed from the command line", async () => {
  const terms = JSON.parse((await runCli(["custody", "terms", "--json"], settings)).printed);
  assert.deepEqual(terms[0], {
    asset: "USDC",
    deposit_min: "1.000000",
    withdrawal_min: "2.000000",
    withdrawal_fee: "0.500000",
  });
  const given = ["custody", "set-terms", "USDC", "--withdrawal-fee", "0.25", "--json"];
  const changed = JSON.parse((await runCli(given, settings)).printed);
  assert.equal(changed.withdrawal_fee, "0.250000");
  const refused = await runCli([...given.slice(0, 4), "9"], settings);
  assert.equal(refused.code, 1);
  assert.match(refused.complained, /withdrawal-min must be above withdrawal-fee/);
  assert.match((await runCli(["custody", "audit"], settings)).printed, /terms/);
  assert.match((await runCli(["deposits", "list"], settings)).printed, /^none$/m);
  const unknown = await runCli(["deposits", "return", "7"], settings);
  assert.match(
    unknown.complained,
    /deposit 7 does not exist, or is already credited or being returned/,
  );
});

test("a second start on the same folder is refused, and the first keeps its database", async () => {
  const { pid } = await postmaster();
  const second = await runCli(["start"], settings);
  assert.equal(second.code, 1);
  assert.match(second.complained, /^a venue is already running on \S+/);
  assert.equal((await postmaster()).pid, pid);
});

test("JRN-8 a second venue is refused by the database, and leaves it running", async () => {
  const { pid, host, port } = await postmaster();
  // Another data folder with the same keys, so that only the database can detect the conflict.
  const folder = await mkdtemp(join(tmpdir(), "rialto-second-"));
  await copyFile(join(dataDir, "master.key"), join(folder, "master.key"));
  const password = (await readFile(join(dataDir, "postgres", "password"), "utf8")).trim();
  const DATABASE_URL = `postgres://rialto:${password}@${encodeURIComponent(host)}:${port}/rialto`;
  const environment = { ...settings, DATA_DIR: folder, DATABASE_URL, LEDGER_PROFILE: "none" };
  const second = Venue.open(readConfig(environment), quietLog);
  await assert.rejects(second, { code: "second-venue" });
  assert.equal((await postmaster()).pid, pid);
  assert.equal((await place("undisturbed")).status, 200);
  await rm(folder, { recursive: true });
});

test("an invalid IP range is refused before a key is created or changed with it", async () => {
  for (const range of ["1.2.3", "10.0.0.0/99", "::1/129", "office"]) {
    for (const args of [
      ["keys", "create", "1002", "--allow-ip", range],
      ["keys", "allow-ip", "1", range],
    ]) {
      const { code, complained } = await runCli(args, settings);
      assert.equal(code, 2, args.join(" "));
      assert.match(complained, new RegExp(`^not an address range: ${range} `));
    }
  }
  const wide = await runCli(["keys", "create", "1002", "--allow-ip", "10.0.0.5/8"], settings);
  assert.equal(wide.code, 2);
  assert.match(wide.complained, /^10\.0\.0\.5\/8 is an address in the network 10\.0\.0\.0\/8/);
  const { printed } = await runCli(["keys", "list", "--json"], settings);
  const keys = JSON.parse(printed) as { key_id: number; allowed_ips: string[] }[];
  assert.deepEqual(
    keys.map((one) => one.allowed_ips),
    [[]],
  );
});

test("OPS-33 all keys are listed, whatever their number", async () => {
  const sql = openPostgres((await ownDatabase()).options, "queries");
  const listed = async () => {
    const { code, printed, complained } = await runCli(["keys", "list", "--json"], settings);
    assert.equal(code, 0, complained);
    return (JSON.parse(printed) as { key_id: number }[]).map(({ key_id }) => key_id);
  };
  const before = await listed();
  await sql`
    insert into api_keys select (row).* from (
      select jsonb_populate_record(
        one, jsonb_build_object('key_id', 100000 + i, 'api_key', 'listed-' || i)) as row
      from api_keys one, generate_series(1, 1200) i where key_id = ${before[0] ?? 0}) as rows`;
  try {
    const keys = await listed();
    assert.equal(keys.length, before.length + 1_200);
    assert.equal(new Set(keys).size, keys.length);
  } finally {
    await sql`delete from api_keys where key_id > 100000`;
    await sql.end();
  }
});

test("AUT-26 a venue whose master key is missing does not start, and creates no other", async () => {
  venue.signal("SIGTERM");
  await venue.ended;
  const path = join(dataDir, "master.key");
  const key = await readFile(path);
  await rm(path);
  for (const args of [["start"], ["keys", "list"]]) {
    const refused = await runCli(args, settings);
    assert.equal(refused.code, 1);
    assert.match(refused.complained, /master\.key is missing.*restore the file/);
    await assert.rejects(stat(path), { code: "ENOENT" });
  }
  await writeFile(path, key, { mode: 0o600 });
  await start();
});

test("OPS-112 a value that no venue would take has exit code 2, a refusal of this venue 1, with a message", async () => {
  const cases: readonly (readonly [words: string, code: number, complaint: RegExp])[] = [
    ["keys tier seven house", 2, /^key-id: expected a whole number above 0, not seven/],
    ["load --rate none", 2, /expected an integer from 1 to 100000/],
    ["accounts show ten", 2, /^account: expected a whole number above 0, not ten/],
    ["keys tier 1 gold", 2, /for argument 'tier'\. Allowed choices are standard, ext-mm, house/],
    [
      "markets risk BTC-PERP stale-after soon",
      2,
      /^stale-after: expected 1 to 86400000, 0 or usual/,
    ],
    ["markets risk NO-PERP", 1, /^NO-PERP is not a perpetual; perpetuals: BTC-PERP, /],
    ["accounts fund 1002 USDC much", 2, /^much is not an amount of USDC/],
    ["accounts show", 2, /missing required argument 'account'/],
    ["accounts show 9999", 1, /^no account 9999$/m],
    [
      "accounts create --type system",
      2,
      /option '--type <type>' argument 'system' is invalid\. Allowed choices are standard, wallet, house/,
    ],
    [`keys create 1002 --label ${"x".repeat(65)}`, 2, /^label: Too big/],
    ["load --data-dir /nowhere", 1, /^no venue is running on \/nowhere: start one/],
  ];
  for (const [args, expected, complaint] of cases) {
    const { code, complained } = await runCli(args.split(" "), settings);
    assert.equal(code, expected, args);
    assert.match(complained, complaint);
  }
});

test("OPS-6 OPS-8 after a signal the venue refuses new orders, commits and answers accepted ones, and ends", async () => {
  await withLock(await ownDatabase(), ofCommits, async (release) => {
    const accepted = place("accepted");
    await untilTaken();
    venue.signal("SIGINT");
    await venue.untilPrinted(/^Stopping: /m);
    assert.equal((await place("late")).status, 503);
    assert.equal((await fetch(`${address}/health`)).status, 503);
    await release();
    assert.equal((await accepted).status, 200);
  });
  assert.equal(await venue.ended, 0);
  await start();
  assert.equal(await isOpen("accepted"), true);
  assert.equal(await isOpen("late"), false);
  assert.doesNotMatch(venue.printed, /Demo account/);
});

/** Whether an order is in the last snapshot, and open after it; a busy machine may leave a stop no time for one. */
async function isKept(clientId: string, stop: () => Promise<void>): Promise<boolean> {
  for (let tries = 1; tries <= 3; tries++) {
    assert.equal((await place(`${clientId}-${tries}`)).status, 200);
    const { committed_seq: last } = await statusNow();
    await stop();
    await start();
    // Only what was journaled while the venue stopped may follow the snapshot.
    if ((await statusNow()).snapshot_seq >= last) return isOpen(`${clientId}-${tries}`);
  }
  return false;
}

test("OPS-34 a venue that was stopped in order replays almost nothing at its next start", async () => {
  const stop = async () => {
    venue.signal("SIGINT");
    assert.equal(await venue.ended, 0);
  };
  assert.equal(await isKept("in-the-snapshot", stop), true);
});

test("OPS-8 OPS-34 a venue whose terminal closes stops in order, with its snapshot and its database", async () => {
  const close = async () => {
    venue.hangUp();
    // Closing a terminal sends SIGHUP to each process of its group.
    venue.signal("SIGHUP");
    assert.equal(await venue.ended, 0);
    assert.equal(await findPostmaster(join(dataDir, "postgres", "cluster")), "none");
  };
  assert.equal(await isKept("closed", close), true);
});

test("OPS-8 OPS-62 a second Ctrl-C ends a venue at once despite outstanding work, and repeats of the first do not", async () => {
  await withLock(await ownDatabase(), ofCommits, async () => {
    const cut = place("cut").catch(() => null);
    await untilTaken();
    // The venue may get one signal twice: from the terminal, and again from make, npm or a service manager. The second
    // one comes soon, because after a second it counts as another Ctrl-C.
    venue.signal("SIGINT");
    await sleep(5);
    venue.signal("SIGINT");
    await venue.untilPrinted(/^Stopping: /m);
    for (let times = 0; times < 3; times++) {
      venue.signal("SIGTERM");
      const early = await Promise.race([venue.ended, sleep(500, "still running")]);
      assert.equal(early, "still running");
    }
    venue.signal("SIGINT");
    assert.equal(await venue.ended, null);
    assert.equal(await cut, null);
  });
});

test("OPS-2 the PostgreSQL left running by a killed venue is adopted, with all acknowledged data", async () => {
  const { pid } = await postmaster();
  await start();
  assert.equal((await postmaster()).pid, pid);
  assert.equal(await isOpen("accepted"), true);
});

test("a signal during the start stops the venue in order, with its database", async () => {
  venue.signal("SIGTERM");
  assert.equal(await venue.ended, 0);
  // On a busy machine the signal may come when the start is over; then the next start is signalled.
  for (let starts = 1; ; starts++) {
    const opening = new CliProcess(["start"], settings);
    await until("a server runs", async () => {
      const found = await findPostmaster(join(dataDir, "postgres", "cluster"));
      return typeof found === "string" ? null : found;
    });
    opening.signal("SIGINT");
    assert.equal(await opening.ended, 0);
    if (!/Rialto is open/.test(opening.printed)) break;
    assert(starts < 5, "a start must end before the venue is open");
  }
  assert.equal(await findPostmaster(join(dataDir, "postgres", "cluster")), "none");
});
