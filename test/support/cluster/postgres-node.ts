// One PostgreSQL server of a synchronous pair: the embedded package's program with a data folder of its own, listening
// on a loopback port that stays the same. It knows how to become a standby of another server; which of two servers
// should be the primary is the pair's business.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { appendFile, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { openPostgres, type Sql } from "../../../src/adapters/postgres/connection.ts";
import { withDatabase } from "../../../src/adapters/postgres/connection-options.ts";
import {
  type PostgresHome,
  preparePostgresHome,
} from "../../../src/adapters/postgres/server/postgres-home.ts";
import { freePort } from "../free-port.ts";
import type { HostCertificate } from "./certificates.ts";
import { killAllIn, processesIn, signalAllIn } from "./process-folder.ts";

const run = promisify(execFile);

/**
 * Longest start of a server in ms. After a kill it first syncs each file of its data, which takes milliseconds on a quiet
 * disk; on one that many processes write, minutes.
 */
const readyDeadlineMs = 240_000;
const pollMs = 20;
const loginName = "rialto";
const host = "127.0.0.1";

/** Connection options of a server on loopback. */
export interface NodeAddress {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** Durable as the embedded server, and replicated to any one standby before a commit is acknowledged. */
const serverSettings: Readonly<Record<string, string>> = {
  listen_addresses: host,
  unix_socket_directories: "",
  jit: "off",
  fsync: "on",
  synchronous_commit: "on",
  synchronous_standby_names: "*",
  wal_level: "replica",
  wal_keep_size: "256MB",
  hot_standby: "on",
  // A standby that was away tries again at once; the default is five seconds.
  wal_retrieve_retry_interval: "100ms",
  // Both ends notice a broken link soon, so that no test waits for the default of a minute.
  wal_sender_timeout: "5s",
  wal_receiver_timeout: "5s",
  shared_buffers: "64MB",
  min_wal_size: "80MB",
  max_wal_size: "1GB",
};

/** Names of the files as a certificate authority issues them, in the data folder. */
const tlsSettings: Readonly<Record<string, string>> = {
  ssl: "on",
  ssl_ca_file: "ca.pem",
  ssl_cert_file: "host.pem",
  ssl_key_file: "host.key",
};

export class PostgresNode {
  readonly name: string;
  readonly #home: PostgresHome;
  readonly #address: NodeAddress;

  private constructor(name: string, home: PostgresHome, address: NodeAddress) {
    this.name = name;
    this.#home = home;
    this.#address = address;
  }

  /** Prepares a server in `<root>/<name>` that has no data yet. Servers that copy each other share the password. */
  static async prepare(root: string, name: string, password: string): Promise<PostgresNode> {
    const folder = join(root, name);
    await mkdir(folder, { mode: 0o711 });
    const home = await preparePostgresHome(folder);
    await writeFile(home.passwordFile, password);
    const port = await freePort();
    const address = { host, port, user: loginName, password, database: "postgres" };
    return new PostgresNode(name, home, address);
  }

  get address(): NodeAddress {
    return this.#address;
  }

  /** Creates an empty database cluster; with a certificate, a server that serves TLS as well. */
  async initialise(certificate: HostCertificate | null): Promise<void> {
    const { cluster, passwordFile, user } = this.#home;
    const login = [`--username=${loginName}`, `--pwfile=${passwordFile}`];
    const texts = ["--locale=C", "--encoding=UTF8", "--data-checksums", "--no-sync"];
    await this.#run(this.#home.initdb, [
      `--pgdata=${cluster}`,
      ...login,
      "--auth=scram-sha-256",
      ...texts,
    ]);
    const settings = { ...serverSettings, ...(certificate === null ? {} : tlsSettings) };
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'`);
    await appendFile(join(cluster, "postgresql.conf"), `\n${lines.join("\n")}\n`);
    if (certificate === null) return;
    const { caFile, certFile, keyFile } = certificate;
    await run("cp", [caFile, certFile, keyFile, cluster]);
    if (user !== null) await run("chown", ["-R", `${user.uid}:${user.gid}`, cluster]);
  }

  /** Replaces this server's data by a copy of `source` and makes it a standby of that server. Neither may run. */
  async copyStopped(source: PostgresNode): Promise<void> {
    await this.#copyFiles(source);
    await this.#follow(source);
  }

  /** Replaces this server's data by a copy of the running `source`; this server must not run. */
  async copyRunning(source: PostgresNode): Promise<void> {
    // One session starts and stops the copy, because the server ends a copy whose session ends.
    const sql = openPostgres(source.address, "migrations");
    try {
      await sql`select pg_backup_start('copy', true)`;
      await this.#copyFiles(source);
      const [label] = await sql<
        { text: string }[]
      >`select labelfile as text from pg_backup_stop(false)`;
      await writeFile(join(this.#home.cluster, "backup_label"), label?.text ?? "");
    } finally {
      await sql.end({ timeout: 1 });
    }
    await this.#follow(source);
  }

  /** Copies all but the lock file, which names the process of the source. */
  async #copyFiles(source: PostgresNode): Promise<void> {
    const { cluster } = this.#home;
    await rm(cluster, { recursive: true, force: true });
    // Unlike Node's own copy, cp keeps the owner and does not fail if the running server deletes a file meanwhile.
    await run("cp", ["-a", source.#home.cluster, cluster]).catch(() => undefined);
    await rm(join(cluster, "postmaster.pid"), { force: true });
    await rm(join(cluster, "postmaster.opts"), { force: true });
  }

  async #follow({ address }: PostgresNode): Promise<void> {
    const { cluster, user } = this.#home;
    const { port, user: login, password } = address;
    const place = `host=${host} port=${port} user=${login} password=${password}`;
    const line = `primary_conninfo = '${place} application_name=${this.name}'\n`;
    await appendFile(join(cluster, "postgresql.auto.conf"), line);
    await writeFile(join(cluster, "standby.signal"), "");
    if (user !== null) await run("chown", ["-R", `${user.uid}:${user.gid}`, cluster]);
  }

  /** Starts the server on its data; resolves when it answers, as primary or as standby. */
  async start(): Promise<void> {
    const { cluster, logFile } = this.#home;
    await rm(join(cluster, "postmaster.pid"), { force: true });
    const log = openSync(logFile, "a");
    const child = spawn(
      this.#home.postgres,
      ["-D", cluster, "-p", String(this.#address.port)],
      this.#processOptions(log),
    );
    child.on("error", () => undefined);
    child.unref();
    closeSync(log);
    await this.#untilAnswering(child);
  }

  #processOptions(log: number) {
    const { cluster, user } = this.#home;
    const env = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
    const stdio: ("ignore" | number)[] = ["ignore", log, log];
    return { cwd: cluster, env, stdio, detached: true, ...user };
  }

  async #untilAnswering(child: ChildProcess): Promise<void> {
    const deadline = performance.now() + readyDeadlineMs;
    let reason: unknown = null;
    while (performance.now() < deadline && child.exitCode === null) {
      try {
        await this.query((sql) => sql`select 1`);
        return;
      } catch (error) {
        reason = error;
        await sleep(pollMs);
      }
    }
    const log = (await readFile(this.#home.logFile, "utf8")).slice(-2000);
    throw new Error(`server ${this.name} does not answer: ${log}`, { cause: reason });
  }

  /** Runs `work` with a session of its own in database `postgres`. */
  async query<T>(work: (sql: Sql) => Promise<T>): Promise<T> {
    const sql = openPostgres(withDatabase(this.#address, "postgres"), "queries");
    try {
      return await work(sql);
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  /** Makes a standby a primary on a new timeline; resolves when it takes writes. */
  async promote(): Promise<void> {
    await this.query(async (sql) => {
      const [answer] = await sql<{ done: boolean }[]>`select pg_promote(true, 120) as done`;
      if (answer?.done !== true) throw new Error(`server ${this.name} was not promoted`);
    });
  }

  /** Ends the server and all its sessions at once, as a power failure does. */
  kill(): Promise<void> {
    return killAllIn(this.#home.cluster);
  }

  /** Stops all processes of the server without ending them; its connections stay open and silent. */
  pause(): Promise<void> {
    return signalAllIn(this.#home.cluster, "SIGSTOP");
  }

  resume(): Promise<void> {
    return signalAllIn(this.#home.cluster, "SIGCONT");
  }

  async isRunning(): Promise<boolean> {
    return (await processesIn(this.#home.cluster)).length > 0;
  }

  async #run(program: string, args: readonly string[]): Promise<void> {
    const env = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };
    await run(program, [...args], { cwd: "/", env, ...this.#home.user });
  }
}
