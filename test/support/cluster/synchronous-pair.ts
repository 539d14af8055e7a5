// A primary with one synchronous standby, as two processes on loopback: the smallest thing on which a test can lose a
// machine. The standby is synchronous in the strict sense, so without a connected standby no commit is acknowledged.
// Servers are the embedded package's, so nothing needs to be installed; processes are found in /proc, so it needs Linux.
// Nobody watches the servers: a test decides who is promoted.
//
//   primary ══ WAL ══▶ standby        killPrimary, promote:   dead        primary (commits wait)
//      ▲                              rejoin:                 standby ◀══ primary
//   address (relay)

import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openPostgres } from "../../../src/adapters/postgres/connection.ts";
import { migrate } from "../../../src/adapters/postgres/migrate.ts";
import { AddressRelay } from "./address-relay.ts";
import { CertificateAuthority, type HostCertificate } from "./certificates.ts";
import { type NodeAddress, PostgresNode } from "./postgres-node.ts";
import { guardFolder } from "./process-folder.ts";

/** The migrated database that every pair has. */
const databaseName = "rialto";
const attachDeadlineMs = 120_000;
const pollMs = 20;

export interface SynchronousPairOptions {
  /** Whether the database `rialto` has the venue's schema; by default it has. */
  readonly isMigrated?: boolean;
  /** Whether `url` uses TLS and checks the server's certificate; by default it does not. */
  readonly isTls?: boolean;
}

export class SynchronousPair {
  readonly #folder: string;
  readonly #relay: AddressRelay;
  readonly #endGuard: () => void;
  /** Certificate of both servers, for 127.0.0.1, which clients may show too; null without TLS. */
  readonly certificate: HostCertificate | null;
  #primary: PostgresNode;
  #standby: PostgresNode;

  /** Starts both servers, waits until the standby is synchronous, and creates the database `rialto`. */
  static async start(options: SynchronousPairOptions = {}): Promise<SynchronousPair> {
    const folder = await mkdtemp(join(tmpdir(), "rialto-pair-"));
    const endGuard = guardFolder(folder);
    // The servers' user must be able to enter the folder.
    await chmod(folder, 0o711);
    const password = randomBytes(18).toString("hex");
    const a = await PostgresNode.prepare(folder, "a", password);
    const b = await PostgresNode.prepare(folder, "b", password);
    const certificate = options.isTls === true ? await issueCertificate(folder) : null;
    await a.initialise(certificate);
    await b.copyStopped(a);
    await Promise.all([a.start(), b.start()]);
    const relay = await AddressRelay.open(a.address.port);
    const pair = new SynchronousPair({
      folder,
      relay,
      endGuard,
      certificate,
      primary: a,
      standby: b,
    });
    await pair.#untilAttached();
    await a.query((sql) => sql.unsafe(`create database ${databaseName}`));
    if (options.isMigrated !== false) await pair.#migrate();
    return pair;
  }

  private constructor(parts: {
    readonly folder: string;
    readonly relay: AddressRelay;
    readonly endGuard: () => void;
    readonly certificate: HostCertificate | null;
    readonly primary: PostgresNode;
    readonly standby: PostgresNode;
  }) {
    this.#folder = parts.folder;
    this.#relay = parts.relay;
    this.#endGuard = parts.endGuard;
    this.certificate = parts.certificate;
    this.#primary = parts.primary;
    this.#standby = parts.standby;
  }

  /** Connection options of the database on the present primary, through an address that follows a promotion. */
  get address(): NodeAddress {
    return { ...this.primary, port: this.#relay.port };
  }

  /** `address` as a connection string, for DATABASE_URL. */
  get url(): string {
    const url = urlOf(this.address);
    if (this.certificate === null) return url;
    const { caFile, certFile, keyFile } = this.certificate;
    const files = { sslrootcert: caFile, sslcert: certFile, sslkey: keyFile };
    return `${url}?${new URLSearchParams({ sslmode: "verify-full", ...files })}`;
  }

  /** Connection options of the database on the present primary itself. */
  get primary(): NodeAddress {
    return addressOf(this.#primary);
  }

  /** Connection options of the database on the standby itself, which only reads. */
  get standby(): NodeAddress {
    return addressOf(this.#standby);
  }

  async #migrate(): Promise<void> {
    const sql = openPostgres(this.primary, "migrations");
    try {
      await migrate(sql);
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  /** Ends the standby as a power failure does. Commits of the primary wait from now on. */
  async stopStandby(): Promise<void> {
    await this.#standby.kill();
  }

  /** Starts a stopped standby; resolves when it is synchronous again, so that waiting commits are acknowledged. */
  async startStandby(): Promise<void> {
    await this.#standby.start();
    await this.#untilAttached();
  }

  /** Stops the standby's processes without ending them: commits wait, and no connection breaks for five seconds. */
  pauseStandby(): Promise<void> {
    return this.#standby.pause();
  }

  resumeStandby(): Promise<void> {
    return this.#standby.resume();
  }

  /** Ends the primary and all its sessions as a power failure does. */
  async killPrimary(): Promise<void> {
    await this.#primary.kill();
  }

  /** Stops the primary's processes without ending them, so that it can wake up after a promotion. */
  pausePrimary(): Promise<void> {
    return this.#primary.pause();
  }

  /** Continues the processes of both servers, whatever they are now. */
  async resume(): Promise<void> {
    await Promise.all([this.#primary.resume(), this.#standby.resume()]);
  }

  /** Cuts or resets all connections through `address`, as a change of a load balancer does. */
  cutConnections(how: "cut" | "reset" = "cut"): void {
    this.#relay.cut(how);
  }

  /**
   * Makes the standby the primary, whatever the old primary does, and leads `address` there. Commits wait until
   * `rejoin` or `commitAlone`, because there is no standby.
   */
  async promote(): Promise<void> {
    await this.#standby.promote();
    [this.#primary, this.#standby] = [this.#standby, this.#primary];
    this.#relay.lead(this.#primary.address.port);
  }

  /** Rebuilds the server that is not the primary as a synchronous standby, from a copy of the primary. */
  async rejoin(): Promise<void> {
    await this.#standby.kill();
    await this.#standby.copyRunning(this.#primary);
    await this.startStandby();
  }

  /** Lets the primary commit without a standby: the setting that a deployment must never have. */
  async commitAlone(): Promise<void> {
    await this.#waitFor("");
  }

  /** Makes each commit wait for the standby again; resolves when the standby is synchronous. */
  async commitTogether(): Promise<void> {
    await this.#waitFor("*");
    await this.#untilAttached();
  }

  async #waitFor(standbys: "" | "*"): Promise<void> {
    await this.#primary.query(async (sql) => {
      await sql.unsafe(`alter system set synchronous_standby_names = '${standbys}'`);
      await sql`select pg_reload_conf()`;
    });
  }

  async #untilAttached(): Promise<void> {
    const deadline = performance.now() + attachDeadlineMs;
    while (performance.now() < deadline) {
      const [row] = await this.#primary.query(
        (sql) => sql`select 1 from pg_stat_replication where sync_state = 'sync'`,
      );
      if (row !== undefined) return;
      await sleep(pollMs);
    }
    throw new Error("the standby did not become synchronous in time");
  }

  /** Ends both servers and removes their files. Idempotent. */
  async close(): Promise<void> {
    await this.#relay.close();
    await Promise.all([this.#primary.kill(), this.#standby.kill()]);
    await rm(this.#folder, { recursive: true, force: true });
    this.#endGuard();
  }
}

/** Makes a certificate for the address on which all servers listen. */
async function issueCertificate(folder: string): Promise<HostCertificate> {
  const authority = new CertificateAuthority(join(folder, "authority"));
  return authority.issue(join(folder, "tls"), ["127.0.0.1"]);
}

function addressOf(node: PostgresNode): NodeAddress {
  return { ...node.address, database: databaseName };
}

function urlOf({ host, port, user, password, database }: NodeAddress): string {
  return `postgres://${user}:${password}@${host}:${port}/${database}`;
}
