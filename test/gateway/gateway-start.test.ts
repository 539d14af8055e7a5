// Proves that a gateway which cannot work says what is missing, and that the bus is used with TLS and keys as the
// settings say.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { nkeys } from "@nats-io/transport-node";
import { NatsBus, type NatsSettings } from "../../src/adapters/nats/nats-bus.ts";
import { openPostgres } from "../../src/adapters/postgres/connection.ts";
import type { Log } from "../../src/ports/log.ts";
import { ConfigError, readConfig } from "../../src/venue/config/config.ts";
import { GatewayProcess } from "../../src/venue/gateway/gateway-process.ts";
import { busProtocol } from "../../src/wire/bus-message.ts";
import { until } from "../epochs/epoch-waits.ts";
import { lacksNats, NatsServer } from "../support/bus/nats-server.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/postgres.ts";
import { quietLog } from "../support/quiet-log.ts";
import { CliProcess, runCli } from "../support/venue/cli-process.ts";

const skip = lacksNats();
let folder: string;
let database: TestDatabase;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "rialto-start-"));
  database = await createTestDatabase();
});
after(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

function opening(settings: Readonly<Record<string, string>>): Promise<GatewayProcess> {
  const config = readConfig({ DATA_DIR: join(folder, "data"), PORT: "0", ...settings });
  return GatewayProcess.open(config, quietLog);
}

test("GWY-11 a gateway without a bus, a database or the schema says so", async () => {
  const bus = { NATS_URL: "nats://127.0.0.1:1" };
  await assert.rejects(opening({ DATABASE_URL: database.url }), /needs NATS_URL/);
  await assert.rejects(opening(bus), /needs DATABASE_URL/);
  const sql = openPostgres(database.options, "migrations");
  const newest = "(select max(version) from schema_migrations)";
  await sql.unsafe(`delete from schema_migrations where version = ${newest}`);
  await sql.end();
  await assert.rejects(
    opening({ ...bus, DATABASE_URL: database.url }),
    /lacks migration .*: start the leader of this version first/,
  );
});

test("GWY-11 a database that cannot be used, or not by this login, is named with what to do", async () => {
  const bus = { NATS_URL: "nats://127.0.0.1:1" };
  await assert.rejects(
    opening({ ...bus, DATABASE_URL: "postgres://a@127.0.0.1:1/venue" }),
    /^Error: the database of DATABASE_URL \(127\.0\.0\.1:1\/venue\) cannot be used: .*ECONNREFUSED/,
  );
  const sql = openPostgres(database.options, "migrations");
  const stranger = `stranger_${process.pid}`;
  await sql.unsafe(`create role ${stranger} login password 'stranger'`);
  const url = new URL(database.url);
  [url.username, url.password] = [stranger, "stranger"];
  try {
    await assert.rejects(
      opening({ ...bus, DATABASE_URL: url.href }),
      /lacks a right of a gateway: permission denied for table schema_migrations; run docs\/ops\/gateway-rights\.sql/,
    );
  } finally {
    await sql.unsafe(`drop role ${stranger}`);
    await sql.end();
  }
});

test("GWY-11 a gateway whose VENUE_NAME is not the leader's says so", async () => {
  const named = await createTestDatabase();
  const sql = openPostgres(named.options, "queries");
  await sql`insert into epoch_chain (venue, epoch_ms, first_epoch, nonce_key_check)
            values ('right', 60000, 1, '')`;
  await sql.end();
  const bus = { NATS_URL: "nats://127.0.0.1:1", VENUE_NAME: "wrong" };
  await assert.rejects(
    opening({ ...bus, DATABASE_URL: named.url }),
    /^Error: VENUE_NAME=wrong: this venue's epochs carry the name right$/,
  );
  await named.drop();
});

test("GWY-11 missing and malformed settings of a gateway end with the same exit code", async () => {
  const data = { DATA_DIR: join(folder, "unset") };
  const missing = await runCli(["gateway"], data);
  assert.match(missing.complained, /needs NATS_URL.*needs DATABASE_URL/s);
  const malformed = await runCli(["gateway"], { ...data, NATS_URL: "bus.internal:4222" });
  assert.match(
    malformed.complained,
    /NATS_URL=.*: expected tls:\/\/ or nats:\/\/ before each address/,
  );
  assert.doesNotMatch(malformed.complained, /without a user/);
  assert.deepEqual([missing.code, malformed.code], [2, 2]);
});

test("GWY-18 the status of a gateway that waits names the venue it waits for", {
  skip,
}, async () => {
  const nats = await NatsServer.open();
  const own = await createTestDatabase();
  const key = { MASTER_KEY: "5a".repeat(32), PORT: "0" };
  const place = { DATABASE_URL: own.url, NATS_URL: nats.url, DATA_DIR: join(folder, "waits") };
  const settings = { ...key, ...place, VENUE_NAME: "elsewhere" };
  const gateway = new CliProcess(["gateway"], settings);
  try {
    await gateway.untilPrinted(/Waiting for the leader of the venue called elsewhere/);
    const { code, printed } = await runCli(["status", "--json"], settings);
    const { role, state, venue } = JSON.parse(printed);
    assert.deepEqual(
      [code, role, state, venue],
      [0, "gateway", "waits for the leader", "elsewhere"],
    );
    const refused = await runCli(["markets", "list"], settings);
    assert.match(refused.complained, /this is a gateway: run the command where the leader runs/);
  } finally {
    gateway.signal("SIGKILL");
    await gateway.ended;
    await nats.kill();
    await own.drop();
  }
});

test("GWY-8 a gateway that starts beside a leader of another version names both versions, and waits", {
  skip,
}, async () => {
  const nats = await NatsServer.open();
  const own = await createTestDatabase();
  const bus = { urls: [nats.url], caFile: null, credentialsFile: null, nkeyFile: null };
  const stranger = new NatsBus({ settings: bus, name: "stranger", log: quietLog });
  const message = new Uint8Array(64);
  message[0] = busProtocol + 1;
  const sign = setInterval(() => stranger.publish("rialto.rialto.groups", message.slice()), 100);
  const place = { DATABASE_URL: own.url, NATS_URL: nats.url, DATA_DIR: join(folder, "older") };
  const settings = { ...place, MASTER_KEY: "5a".repeat(32), PORT: "0" };
  const gateway = new CliProcess(["gateway"], settings);
  try {
    const words = `version ${busProtocol + 1} of its messages, this program version ${busProtocol}`;
    for (const endMs = performance.now() + 60_000; ; await sleep(50)) {
      if ((gateway.printed + gateway.complained).includes(words)) break;
      assert(performance.now() < endMs, `${gateway.printed} ${gateway.complained}`);
    }
    const { printed } = await runCli(["status", "--json"], settings);
    assert.equal(JSON.parse(printed).state, "waits for the leader");
  } finally {
    clearInterval(sign);
    gateway.signal("SIGKILL");
    await Promise.all([gateway.ended, stranger.close()]);
    await nats.kill();
    await own.drop();
  }
});

test("GWY-11 a gateway that is older than the schema of its database says so", async () => {
  const own = await createTestDatabase();
  const sql = openPostgres(own.options, "migrations");
  await sql.unsafe(
    `insert into schema_migrations (version, name, checksum)
     select max(version) + 1, '9999_later.sql', '' from schema_migrations`,
  );
  await sql.end();
  await assert.rejects(
    opening({ NATS_URL: "nats://127.0.0.1:1", DATABASE_URL: own.url }),
    /9999_later\.sql was applied to this database but is not part of this program/,
  );
  await own.drop();
});

test("GWY-10 settings of the bus that contradict or have no effect are refused", () => {
  const faultsOf = (settings: Readonly<Record<string, string>>) => {
    try {
      readConfig(settings);
      return "";
    } catch (error) {
      assert(error instanceof ConfigError);
      return error.message;
    }
  };
  const url = { NATS_URL: "tls://bus.internal:4222" };
  const key = { NATS_NKEY_FILE: fileURLToPath(import.meta.url) };
  assert.equal(faultsOf({ ...url, ...key }), "");
  assert.match(faultsOf(key), /NATS_NKEY_FILE=.*without NATS_URL/);
  assert.match(faultsOf({ ...url, ...key, NATS_CREDENTIALS_FILE: "/b" }), /NATS_NKEY_FILE/);
  for (const name of ["NATS_CA_FILE", "NATS_NKEY_FILE", "NATS_CREDENTIALS_FILE"])
    assert.match(
      faultsOf({ ...url, [name]: "/no/such/file" }),
      new RegExp(`${name}=.*can be read`),
    );
  assert.match(faultsOf({ NATS_URL: "nats://user:secret@bus:4222" }), /NATS_URL=.*without a user/);
  assert.doesNotMatch(faultsOf({ NATS_URL: "nats://user:secret@bus:4222" }), /secret/);
});

/** Makes an authority and a certificate of a server that it signed; returns their files. */
function certificateOf(name: string): { ca: string; cert: string; key: string } {
  const file = (kind: string) => join(folder, `${name}.${kind}`);
  const run = (...args: string[]) => execFileSync("openssl", args, { stdio: "ignore" });
  const ec = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "1"];
  const own = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  run("req", "-x509", ...ec, ...own, "-keyout", file("key"), "-out", file("pem"));
  return { ca: file("pem"), cert: file("pem"), key: file("key") };
}

/** Resolves once a bus with these settings is connected. */
async function assertConnects(settings: NatsSettings): Promise<void> {
  const bus = new NatsBus({ settings, name: "test", log: quietLog });
  await until("a connection", async () => bus.isConnected || null, 60_000);
  await bus.close();
}

/** Asserts that no connection comes of these settings; returns what the bus says about that. */
async function complaintOf(settings: NatsSettings): Promise<string> {
  const lines: unknown[] = [];
  const keep = (...line: unknown[]) => void lines.push(line);
  const log: Log = { debug: keep, info: keep, warn: keep, error: keep };
  const bus = new NatsBus({ settings, name: "test", log });
  await until("an outcome", async () => bus.isConnected || lines.length > 0 || null, 60_000);
  assert.equal(bus.isConnected, false);
  await bus.close();
  return JSON.stringify(lines);
}

test("GWY-10 only a server with the right certificate is used, and only with the right key", {
  skip,
}, async () => {
  const [right, wrong] = [certificateOf("right"), certificateOf("wrong")];
  const user = nkeys.createUser();
  const stranger = nkeys.createUser();
  const seedFile = (name: string, seed: Uint8Array) => {
    writeFileSync(join(folder, name), seed, { mode: 0o600 });
    return join(folder, name);
  };
  const nkeyFile = seedFile("user.nk", user.getSeed());
  const text = `authorization { users = [ { nkey: ${user.getPublicKey()} } ] }
tls { cert_file: "${right.cert}", key_file: "${right.key}" }`;
  writeFileSync(join(folder, "nats.conf"), text);
  const server = await NatsServer.open(["--config", join(folder, "nats.conf")]);
  try {
    const urls = [`tls://127.0.0.1:${server.port}`];
    const good = { urls, caFile: right.ca, credentialsFile: null, nkeyFile };
    await assertConnects(good);
    for (const caFile of [wrong.ca, null]) await complaintOf({ ...good, caFile });
    const other = seedFile("other.nk", stranger.getSeed());
    const complaint = await complaintOf({ ...good, nkeyFile: other });
    assert.ok(!complaint.includes(new TextDecoder().decode(stranger.getSeed())));
  } finally {
    await server.kill();
  }
});
