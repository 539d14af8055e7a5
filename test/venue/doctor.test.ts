// Proves what `rialto doctor` finds on installations with common faults, and its output on a terminal.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { progressText } from "../../src/venue/cli/terminal/progress-bar.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { CliProcess, runCli } from "../support/venue/cli-process.ts";

interface Finding {
  readonly check: string;
  readonly verdict: string;
  readonly found: string;
  readonly mend: string;
}

let folder: string;
let database: TestDatabase;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "rialto-doctor-"));
  database = await createTestDatabase();
});
after(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

/** Runs doctor; returns its findings and its exit code. */
async function examined(settings: Readonly<Record<string, string>>) {
  const { code, printed } = await runCli(["doctor", "--json"], { DATA_DIR: folder, ...settings });
  const findings = JSON.parse(printed) as Finding[];
  return { code, of: (check: string) => findings.find((one) => one.check === check) };
}

test("OPS-26 OPS-114 a correct installation has no findings to fix; without its venue doctor says what it skipped, and exits with 3", async () => {
  const { code, of } = await examined({ DATABASE_URL: database.url, PORT: "0" });
  assert.equal(code, 3);
  const { verdict, found, mend } = of("venue") ?? {};
  assert.equal(verdict, "skipped");
  assert.match(found ?? "", /^not running: the installation is checked; state, .* are not$/);
  assert.match(mend ?? "", /rialto start/);
  assert.equal((await examined({ PORT: "0" })).of("database")?.verdict, "skipped");
  const help = (await runCli(["doctor", "--help"], {})).printed;
  assert.match(help, /Exit codes: 0 .*; 1 there is a fault;\n3 .* does not run/);
  for (const check of ["settings", "data folder", "master key", "port", "database", "db clock"])
    assert.deepEqual([of(check)?.verdict, of(check)?.mend], ["ok", ""], check);
});

test("OPS-26 a taken port, a missing server and a bad setting are reported with a remedy", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? String(address?.port) : "";
  const nowhere = `postgres://nobody@127.0.0.1:${port}/none?connect_timeout=1`;
  server.on("connection", (socket) => socket.destroy());
  const { code, of } = await examined({ PORT: port, DATABASE_URL: nowhere });
  server.close();
  assert.equal(code, 1);
  assert.match(of("port")?.mend ?? "", /set PORT to a free port/);
  assert.equal(of("database")?.verdict, "fault");
  assert.match(of("database")?.mend ?? "", /check DATABASE_URL/);
  const bad = await examined({ PORT: "eighty" });
  assert.match(bad.of("settings")?.found ?? "", /PORT="eighty"/);
});

test("OPS-26 impossible folders, and keys that are missing or readable by others, are reported", async () => {
  const proc = await examined({ DATA_DIR: "/proc/x/y" });
  assert.equal(proc.code, 1);
  assert.match(proc.of("data folder")?.mend ?? "", /set DATA_DIR to one/);
  const file = join(folder, "a-file");
  await writeFile(file, "");
  assert.match(
    (await examined({ DATA_DIR: file })).of("data folder")?.found ?? "",
    /is not a folder/,
  );
  const started = join(folder, "started");
  await mkdir(join(started, "postgres"), { recursive: true });
  const gone = await examined({ DATA_DIR: started });
  assert.match(gone.of("master key")?.found ?? "", /master\.key is missing/);
  assert.match(gone.of("master key")?.mend ?? "", /restore .* from your backup/);
  const key = join(started, "master.key");
  await writeFile(key, `${"ab".repeat(32)}\n`, { mode: 0o600 });
  assert.equal((await examined({ DATA_DIR: started })).of("master key")?.verdict, "ok");
  await chmod(key, 0o644);
  const open = await examined({ DATA_DIR: started });
  assert.deepEqual([open.code, open.of("master key")?.mend], [3, `chmod 600 ${key}`]);
  await chmod(key, 0o600);
  await writeFile(key, "spoilt\n");
  assert.equal((await examined({ DATA_DIR: started })).of("master key")?.verdict, "fault");
});

test("OPS-25 output has colours on a terminal unless NO_COLOR is set, and never in a pipe", async () => {
  const settings = { DATA_DIR: folder, PORT: "0" };
  assert(!(await runCli(["doctor"], settings)).printed.includes("\x1b["));
  const cli = new URL("../../bundle/src/venue/rialto.js", import.meta.url).pathname;
  const command = `${process.execPath} ${cli} doctor`;
  const onTerminal = async (more: Readonly<Record<string, string>>) => {
    const env = { PATH: process.env["PATH"], TERM: "xterm-256color", ...settings, ...more };
    const args = ["-qec", command, "/dev/null"];
    // Without a venue doctor exits with 3, which `script` passes on.
    const ended = promisify(execFile)("script", args, { env });
    return (await ended.catch((fault: { readonly stdout: string }) => fault)).stdout;
  };
  assert((await onTerminal({})).includes("\x1b[32mok"));
  assert(!(await onTerminal({ NO_COLOR: "1" })).includes("\x1b["));
});

test("OPS-25 OPS-66 a start on a terminal shows the progress of the replay", async () => {
  const own = { DATABASE_URL: database.url, DATA_DIR: join(folder, "replayed"), PORT: "0" };
  const quick = { LEDGER_PROFILE: "none", DEV_PROVIDER: "0", WARM_UP: "0" };
  const settings = { ...own, DEV_TOOLS: "1", ...quick };
  const first = new CliProcess(["start"], settings);
  await first.untilPrinted(/^Rialto is open at/m);
  // Kill the venue so that it has no last snapshot and must replay the journal.
  first.signal("SIGKILL");
  await first.ended;
  const cli = new URL("../../bundle/src/venue/rialto.js", import.meta.url).pathname;
  const env = { PATH: process.env["PATH"], TERM: "xterm-256color", ...settings };
  const args = ["-qec", `${process.execPath} ${cli} start`, "/dev/null"];
  const terminal = spawn("script", args, { env });
  let seen = "";
  let isOpen = false;
  terminal.stdout.on("data", (bytes: Buffer) => {
    seen += bytes.toString("utf8");
    if (isOpen || !seen.includes("journal at event")) return;
    isOpen = true;
    // Send Ctrl-C as from a keyboard; a second one would end the process at once.
    terminal.stdin.write("\x03");
  });
  await once(terminal, "close");
  assert.match(seen, /\[#{24}\] 100 % {2}(\d+) of \1 entries replayed/);
});

test("OPS-25 a bar shows the progress of the work, and the time left", () => {
  const what = "rows";
  assert.equal(
    progressText({ what, done: 1_000, total: 4_000, seconds: 2 }),
    "[######------------------]  25 %  1,000 of 4,000 rows, 500/s, 6 s left",
  );
  assert.equal(
    progressText({ what, done: 4_000, total: 4_000, seconds: 8 }),
    "[########################] 100 %  4,000 of 4,000 rows, 500/s",
  );
  assert.equal(progressText({ what, done: 12, total: 0, seconds: 0 }), "12 rows, 0/s");
});
