// A whole cluster on one machine, as deploy/ describes it: three etcd, three PostgreSQL under Patroni, two NATS and
// HAProxy, each on a host of its own, with TLS between all of them. Tests add hosts for venues, gateways and clients,
// and break things by methods. Everything ends with `close`, and also when the test process dies.

import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { CertificateAuthority } from "./certificates.ts";
import {
  type ClusterSecrets,
  etcdProgram,
  type NatsRole,
  natsProgram,
  patroniProgram,
  ports,
  proxyProgram,
} from "./cluster-programs.ts";
import { Host, type HostUser } from "./host.ts";
import { probeNats } from "./nats-probe.ts";
import { type Network, type NetworkKind, openNetwork } from "./network.ts";
import { createUserNkey } from "./nkeys.ts";
import { guardFolder, killAllIn } from "./process-folder.ts";

const run = promisify(execFile);

const startDeadlineMs = 240_000;
const pollMs = 100;
const requestMsMax = 1_000;

/** A database node as Patroni describes it. */
interface PatroniMember {
  readonly name: string;
  readonly role: string;
  readonly state: string;
}

export interface ClusterParts {
  readonly folder: string;
  readonly network: Network;
  readonly authority: CertificateAuthority;
  readonly secrets: ClusterSecrets;
  readonly endGuard: () => void;
}

export class Cluster {
  readonly #parts: ClusterParts;
  readonly #hosts = new Map<string, Host>();
  /** This process as a client: its certificate opens connections to all servers. */
  #client: Host | null = null;

  /** Starts all servers; resolves when there is a primary with a synchronous standby and HAProxy leads to it. */
  static async start(): Promise<Cluster> {
    const folder = await mkdtemp(join(tmpdir(), "rialto-cluster-"));
    const endGuard = guardFolder(folder);
    await chmod(folder, 0o711);
    const secret = () => randomBytes(18).toString("hex");
    const secrets: ClusterSecrets = {
      superuser: secret(),
      replication: secret(),
      venue: secret(),
      gateway: secret(),
      nkeys: { venue: await createUserNkey(), gateway: await createUserNkey() },
    };
    const authority = new CertificateAuthority(join(folder, "authority"));
    const network = await openNetwork(folder);
    const cluster = new Cluster({ folder, network, authority, secrets, endGuard });
    try {
      await cluster.#startAll();
    } catch (error) {
      await cluster.close();
      throw error;
    }
    return cluster;
  }

  private constructor(parts: ClusterParts) {
    this.#parts = parts;
  }

  /** `namespaces`, or `loopback` without root: then links cannot be cut, and a test should say so. */
  get kind(): NetworkKind {
    return this.#parts.network.kind;
  }

  get databases(): Host[] {
    return ["pg-a", "pg-b", "pg-c"].map((name) => this.host(name));
  }

  get etcd(): Host[] {
    return ["etcd-a", "etcd-b", "etcd-c"].map((name) => this.host(name));
  }

  get nats(): Host[] {
    return ["nats-a", "nats-b"].map((name) => this.host(name));
  }

  get proxy(): Host {
    return this.host("proxy");
  }

  /** Where the database nodes archive their write-ahead log. */
  get archiveFolder(): string {
    return join(this.#parts.folder, "archive");
  }

  get hosts(): Host[] {
    return [...this.#hosts.values()];
  }

  host(name: string): Host {
    const host = this.#hosts.get(name);
    if (host === undefined) throw new Error(`no host ${name}`);
    return host;
  }

  /** Adds a host with a certificate. `names` are further names or addresses that the certificate must have. */
  async addHost(
    name: string,
    {
      user = null,
      names = [],
    }: { readonly user?: HostUser; readonly names?: readonly string[] } = {},
  ): Promise<Host> {
    const { network, authority, folder } = this.#parts;
    const address = await network.join(name);
    const place = join(folder, name);
    await mkdir(place, { mode: 0o700 });
    // On loopback every connection comes from 127.0.0.1, and etcd compares that with its peers' certificates.
    const source = network.kind === "loopback" ? ["127.0.0.1"] : [];
    const known = [name, address, ...names, ...source];
    const certificate = await authority.issue(join(place, "tls"), known);
    const host = new Host({ name, address, folder: place, certificate, network, user });
    await host.prepare();
    this.#hosts.set(name, host);
    return host;
  }

  async #startAll(): Promise<void> {
    const { secrets } = this.#parts;
    // PostgreSQL refuses to run as root.
    const user = process.getuid?.() === 0 ? "postgres" : null;
    this.#client = await this.addHost("client");
    const etcd = [];
    for (const name of ["etcd-a", "etcd-b", "etcd-c"])
      etcd.push(await this.addHost(name, { user }));
    for (const host of etcd) await host.run([await etcdProgram(host, etcd)]);
    const proxy = await this.addHost("proxy", { user });
    await mkdir(this.archiveFolder);
    if (user !== null) await run("chown", [`${user}:`, this.archiveFolder]);
    const databases = [];
    // Connections pass through the proxy untouched, so the servers' certificates name it too.
    for (const name of ["pg-a", "pg-b", "pg-c"])
      databases.push(await this.addHost(name, { user, names: [proxy.address] }));
    for (const host of databases) {
      const program = await patroniProgram(host, etcd, secrets);
      await symlink(this.archiveFolder, join(host.folder, "wal-archive"));
      await host.prepare();
      await host.run([program]);
    }
    await proxy.run([proxyProgram(proxy, databases)]);
    const nats = [await this.addHost("nats-a", { user }), await this.addHost("nats-b", { user })];
    for (const host of nats) await host.run([natsProgram(host, nats, secrets)]);
    await this.untilReplicated();
    await this.#until("HAProxy leads to the primary", () => this.#isProxyReady());
  }

  /**
   * Connection string of the venue's login on the present primary, through HAProxy; for a process on `client`, whose
   * certificate it names. Without a host, for this process.
   */
  databaseUrl(client: Host = this.#own()): string {
    return this.#urlOf(this.proxy, client);
  }

  /** As `databaseUrl`, of the login that gateways use: it only reads. */
  gatewayDatabaseUrl(client: Host = this.#own()): string {
    const url = new URL(this.databaseUrl(client));
    [url.username, url.password] = ["rialto_gateway", this.#parts.secrets.gateway];
    return url.href;
  }

  /** Connection string of the venue's login on one database host. */
  databaseUrlAt(server: Host, client: Host = this.#own()): string {
    return this.#urlOf(server, client);
  }

  /** Connection string of the superuser or the replication login on one database host, for libpq and the venue alike. */
  administrationUrlAt(
    server: Host,
    login: "postgres" | "replicator",
    client: Host = this.#own(),
  ): string {
    const { superuser, replication } = this.#parts.secrets;
    const password = login === "postgres" ? superuser : replication;
    const url = new URL(this.#urlOf(server, client));
    [url.username, url.password, url.pathname] = [login, password, "/postgres"];
    return url.href;
  }

  #urlOf({ address }: Host, { certificate }: Host): string {
    const { caFile, certFile, keyFile } = certificate;
    const checks = {
      sslmode: "verify-full",
      sslrootcert: caFile,
      sslcert: certFile,
      sslkey: keyFile,
    };
    const { venue } = this.#parts.secrets;
    return `postgres://rialto:${venue}@${address}:${ports.database}/rialto?${new URLSearchParams(checks)}`;
  }

  #own(): Host {
    if (this.#client === null) throw new Error("the cluster is not started");
    return this.#client;
  }

  /** Addresses of the NATS servers. */
  get natsUrls(): string[] {
    return this.nats.map(({ address }) => `tls://${address}:${ports.nats}`);
  }

  /** What a NATS server says to `role`, or to somebody without a key, after these lines of the protocol. */
  probeNats(server: Host, role: NatsRole | null, lines: readonly string[]): Promise<string> {
    const nkey = role === null ? null : this.#parts.secrets.nkeys[role];
    return probeNats({ address: server.address, port: ports.nats }, this.#own(), nkey, lines);
  }

  /** Writes the NKey seed of a role beside the host's certificate. */
  async giveNatsSeed(host: Host, role: NatsRole): Promise<void> {
    const file = join(host.folder, "tls/bus.nk");
    await writeFile(file, `${this.#parts.secrets.nkeys[role].seed}\n`, { mode: 0o600 });
  }

  /** The database nodes as a reachable node describes them; empty if none answers. */
  async members(): Promise<PatroniMember[]> {
    const asked = this.databases.map(async (host) => {
      const answer = await this.#get(`https://${host.address}:${ports.patroni}/cluster`);
      return (JSON.parse(answer.body) as { members: PatroniMember[] }).members;
    });
    return Promise.any(asked).catch(() => []);
  }

  /** The node that takes writes, by each node's own answer; null if there is none at the moment. */
  async primary(): Promise<Host | null> {
    for (const host of this.databases) {
      const url = `https://${host.address}:${ports.patroni}/primary`;
      const answer = await this.#get(url).catch(() => null);
      if (answer?.status === 200) return host;
    }
    return null;
  }

  /** The standby that the primary waits for; null if there is none at the moment. */
  async synchronousStandby(): Promise<Host | null> {
    for (const { name, role, state } of await this.members()) {
      const isStreaming = state === "running" || state === "streaming";
      if (role === "sync_standby" && isStreaming) return this.host(name);
    }
    return null;
  }

  /** Waits for a primary other than `previous` that takes writes; returns it. */
  untilPrimary(previous: Host | null = null): Promise<Host> {
    return this.#until("a primary", async () => {
      const host = await this.primary();
      return host === previous ? null : host;
    });
  }

  /** Waits until the primary has a synchronous standby; returns both. */
  untilReplicated(): Promise<{ readonly primary: Host; readonly standby: Host }> {
    return this.#until("a synchronous standby", async () => {
      const [primary, standby] = [await this.primary(), await this.synchronousStandby()];
      return primary === null || standby === null ? null : { primary, standby };
    });
  }

  /** Waits until all database nodes run, one of them as the primary and one as its synchronous standby. */
  async untilWhole(): Promise<void> {
    await this.untilReplicated();
    await this.#until("all database nodes", async () => {
      const states = (await this.members()).map(({ state }) => state);
      const isWhole = (state: string) => state === "running" || state === "streaming";
      return states.length === this.databases.length && states.every(isWhole) ? true : null;
    });
    await this.#until("HAProxy leads to the primary", () => this.#isProxyReady());
  }

  async #isProxyReady(): Promise<true | null> {
    const { address } = this.proxy;
    const answer = await fetch(`http://${address}:${ports.proxyHealth}/ready`, {
      signal: AbortSignal.timeout(requestMsMax),
    }).catch(() => null);
    return answer?.status === 200 ? true : null;
  }

  async #until<T>(what: string, look: () => Promise<T | null>): Promise<T> {
    const deadline = performance.now() + startDeadlineMs;
    while (performance.now() < deadline) {
      const found = await look();
      if (found !== null) return found;
      await sleep(pollMs);
    }
    const logs = await Promise.all(
      [...this.#hosts.values()].map(async (host) => `${host.name}: ${await host.lastLines()}`),
    );
    throw new Error(`${what}: not within ${startDeadlineMs / 1000} s\n${logs.join("\n")}`);
  }

  async #get(url: string): Promise<{ readonly status: number; readonly body: string }> {
    const { caFile, certFile, keyFile } = this.#own().certificate;
    const [ca, cert, key] = await Promise.all(
      [caFile, certFile, keyFile].map((file) => readFile(file)),
    );
    return new Promise((resolve, reject) => {
      const agent = new Agent({ keepAlive: false });
      const options = { ca, cert, key, agent, timeout: requestMsMax };
      const asked = request(url, options, (response) => {
        let body = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          body += part;
        });
        response.on("error", reject);
        response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
      });
      asked.on("timeout", () => asked.destroy(new Error("no answer in time")));
      asked.on("error", reject);
      asked.end();
    });
  }

  /** Takes the cable of each host out: it can reach nobody and nobody can reach it. */
  async cut(...hosts: readonly Host[]): Promise<void> {
    for (const { name } of hosts) await this.#parts.network.setLink(name, false);
  }

  /** Puts the cable of each host back. */
  async mend(...hosts: readonly Host[]): Promise<void> {
    for (const { name } of hosts) await this.#parts.network.setLink(name, true);
  }

  /** From now on nothing passes between the two hosts. */
  async partition(one: Host, other: Host): Promise<void> {
    await this.partitionOneWay(one, other);
    await this.partitionOneWay(other, one);
  }

  /** From now on `to` receives nothing from `from`, which still receives from `to`. */
  async partitionOneWay(from: Host, to: Host): Promise<void> {
    await this.#parts.network.block(from.name, to.name);
  }

  /** Each host loses `percent` of the packets that it should receive; an integer from 1 to 99. */
  async lose(percent: number, ...hosts: readonly Host[]): Promise<void> {
    for (const { name } of hosts) await this.#parts.network.lose(name, percent);
  }

  /** Ends all cuts, partitions and losses. Killed hosts stay down, paused ones paused. */
  heal(): Promise<void> {
    return this.#parts.network.heal();
  }

  /** Ends all hosts and removes their files. Idempotent. */
  async close(): Promise<void> {
    const { folder, endGuard } = this.#parts;
    await killAllIn(folder);
    await rm(folder, { recursive: true, force: true });
    endGuard();
  }
}
