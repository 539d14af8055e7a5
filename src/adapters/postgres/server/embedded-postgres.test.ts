// Tests the embedded server: first start, clean stop, adoption of a server left by a killed venue, a killed server, and
// wrong pid files. All tests use one data folder, because the first start is slow.

import assert from "node:assert/strict";
import { mkdtemp, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive } from "../../process-life.ts";
import { openPostgres } from "../connection.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./embedded-postgres.ts";
import { findPostmaster } from "./postmaster.ts";

let dataDir: string;
let logged: string[] = [];
const started: EmbeddedPostgres[] = [];

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "rialto-pg-"));
});

afterEach(async () => {
  for (const server of started.splice(0)) await server.stop("fast");
  logged = [];
});

after(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

async function start(folder: string = dataDir): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({
    dataDir: folder,
    holderFile: null,
    log: (message) => logged.push(message),
  });
  started.push(server);
  return server;
}

async function queryOne(server: EmbeddedPostgres, text: string): Promise<string> {
  const sql = openPostgres(server.connection, "queries");
  try {
    const [row] = await sql.unsafe(text);
    return String(Object.values(row ?? {})[0]);
  } finally {
    await sql.end();
  }
}

test("a first start creates a durable UTF-8 database on a private socket", async () => {
  const server = await start();
  assert.match(logged.join(), /creating the database/);
  for (const [setting, value] of [
    ["fsync", "on"],
    ["synchronous_commit", "on"],
    ["full_page_writes", "on"],
    ["data_checksums", "on"],
    ["server_encoding", "UTF8"],
    ["listen_addresses", ""],
  ])
    assert.equal(await queryOne(server, `show ${setting}`), value, setting);
  const socket = await stat(join(await realpath(join(dataDir, "postgres")), "socket"));
  assert.equal(socket.mode & 0o777, 0o700);
  await queryOne(server, "create table kept (x int)");
});

test("a second start finds the data, and stopping twice is harmless", async () => {
  const server = await start();
  assert.doesNotMatch(logged.join(), /creating the database/);
  assert.equal(await queryOne(server, "select count(*) from kept"), "0");
  assert.equal(server.redoMs, 0);
  await server.stop("fast");
  await server.stop("fast");
  assert.equal(isAlive(server.pid), false);
});

test("a running server is adopted, and stopping it ends the server", async () => {
  const left = await start();
  const adopting = await start();
  assert.equal(adopting.pid, left.pid);
  assert.match(logged.join(), /adopted/);
  assert.equal(await queryOne(adopting, "select 1"), "1");
  await adopting.stop("fast");
  // The server is a child of this process, so its pid is released only after its exit status was read.
  for (const endMs = performance.now() + 60_000; isAlive(left.pid) && performance.now() < endMs; )
    await sleep(10);
  assert.equal(isAlive(left.pid), false);
});

test("a killed server is detected and restarted, and keeps all committed rows", async () => {
  const server = await start();
  const killed = server.pid;
  const exited = new Promise<void>((resolve) => server.onExit(resolve));
  await queryOne(server, "insert into kept values (1)");
  process.kill(killed, "SIGKILL");
  // The server does not keep this process alive, so a timer must.
  const awake = setInterval(() => undefined, 1_000);
  await exited;
  clearInterval(awake);
  await server.restart();
  assert.notEqual(server.pid, killed);
  assert.equal(await queryOne(server, "select count(*) from kept"), "1");
});

test("a requested stop is not reported as an exit", async () => {
  const server = await start();
  let exits = 0;
  server.onExit(() => {
    exits += 1;
  });
  await server.stop("immediate");
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(exits, 0);
});

test("JRN-12 a stop during a restart leaves no server running", async () => {
  const server = await start();
  const exited = new Promise<void>((resolve) => server.onExit(resolve));
  process.kill(server.pid, "SIGKILL");
  const awake = setInterval(() => undefined, 1_000);
  await exited;
  clearInterval(awake);
  const restarting = assert.rejects(server.restart(), { code: "embedded", message: /is stopped/ });
  await server.stop("fast");
  await restarting;
  const cluster = join(await realpath(join(dataDir, "postgres")), "cluster");
  assert.equal(typeof (await findPostmaster(cluster)), "string");
});

test("JRN-12 a server that ends while its database is created is not queried again", async () => {
  const { pid } = await start();
  // A process stopped by SIGSTOP accepts the connection but does not answer.
  process.kill(pid, "SIGSTOP");
  const adopting = assert.rejects(start(), {
    code: "embedded",
    message: /ended before its database/,
  });
  while (!logged.some((message) => message.startsWith("adopted"))) await sleep(10);
  process.kill(pid, "SIGKILL");
  await adopting;
});

test("a pid file that names another program or no process does not prevent a start", async () => {
  const cluster = join(await realpath(join(dataDir, "postgres")), "cluster");
  for (const pid of [String(process.pid), "999999999", "nonsense", ""]) {
    await writeFile(join(cluster, "postmaster.pid"), pid === "" ? "" : `${pid}\n${cluster}\n`);
    const server = await start();
    assert.equal(await queryOne(server, "select 1"), "1", pid);
    await server.stop("fast");
  }
  assert.equal(isAlive(process.pid), true);
});

test("a folder whose socket path would be too long is served on loopback with a password", async () => {
  const deep = join(dataDir, "d".repeat(90));
  const server = await start(deep);
  assert.ok(!("url" in server.connection));
  assert.equal(server.connection.host, "127.0.0.1");
  assert.equal(await queryOne(server, "select 1"), "1");
  const withoutPassword = openPostgres({ ...server.connection, password: "wrong" }, "queries");
  await assert.rejects(withoutPassword`select 1`, { code: "28P01" });
  await withoutPassword.end();
});

test("a server that cannot start reports why", async () => {
  const server = await start();
  await server.stop("fast");
  const cluster = join(await realpath(join(dataDir, "postgres")), "cluster");
  const version = join(cluster, "PG_VERSION");
  const text = await readFile(version, "utf8");
  await writeFile(version, "9\n");
  try {
    await assert.rejects(start(), { code: "embedded", message: /PostgreSQL version 9/ });
  } finally {
    await writeFile(version, text);
  }
});
