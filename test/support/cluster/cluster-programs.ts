// What runs on each host of a cluster: the programs with the files of deploy/, unchanged, and the environment that a
// deployment also sets. Only addresses, names and secrets are decided here.

import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { projectRoot } from "../tidy/tree.ts";
import type { Host, Program } from "./host.ts";
import type { Nkey } from "./nkeys.ts";
import { programs } from "./programs.ts";

export const ports = {
  venue: 8080,
  clients: 8443,
  database: 5432,
  patroni: 8008,
  etcdClients: 2379,
  etcdPeers: 2380,
  nats: 4222,
  natsRoutes: 6222,
  natsHealth: 8222,
  proxyHealth: 8404,
} as const;

export type NatsRole = "venue" | "gateway";

export interface ClusterSecrets {
  readonly superuser: string;
  readonly replication: string;
  readonly venue: string;
  readonly gateway: string;
  readonly nkeys: Readonly<Record<NatsRole, Nkey>>;
}

const deploy = join(projectRoot, "deploy");

/** Reads a file of `NAME=value` lines, as systemd and compose do. */
export async function environmentOf(file: string): Promise<Record<string, string>> {
  const lines = (await readFile(join(deploy, file), "utf8")).split("\n");
  const pairs = lines.filter((line) => /^\w+=/.test(line)).map((line) => line.split("="));
  return Object.fromEntries(pairs.map(([name = "", ...value]) => [name, value.join("=")]));
}

export async function etcdProgram(host: Host, all: readonly Host[]): Promise<Program> {
  const place = (port: number, address = host.address) => `https://${address}:${port}`;
  const own = {
    ETCD_NAME: host.name,
    ETCD_LISTEN_CLIENT_URLS: place(ports.etcdClients),
    ETCD_ADVERTISE_CLIENT_URLS: place(ports.etcdClients),
    ETCD_LISTEN_PEER_URLS: place(ports.etcdPeers),
    ETCD_INITIAL_ADVERTISE_PEER_URLS: place(ports.etcdPeers),
    ETCD_INITIAL_CLUSTER: all
      .map(({ name, address }) => `${name}=${place(ports.etcdPeers, address)}`)
      .join(","),
  };
  const environment = { ...(await environmentOf("etcd/etcd.env")), ...own };
  return { command: programs.etcd, args: [], environment };
}

/** Puts Patroni's files into the host's folder and returns its program. */
export async function patroniProgram(
  host: Host,
  etcd: readonly Host[],
  secrets: ClusterSecrets,
): Promise<Program> {
  await cp(join(deploy, "patroni"), host.folder, { recursive: true });
  const environment = patroniEnvironment(host, etcd, secrets);
  // A killed postmaster counts as running until its entry is collected, which systemd and a container's first process do
  // at once. The first process of the machine that runs the tests may look for such entries only every second or two.
  const args = ["-s", "--", programs.patroni, "patroni.yml"];
  return { command: programs.tini, args, environment };
}

export function patroniEnvironment(
  host: Host,
  etcd: readonly Host[],
  secrets: ClusterSecrets,
): Record<string, string> {
  const environment: Record<string, string> = {
    // Patroni's own log must not wait in a buffer when the host is killed.
    PYTHONUNBUFFERED: "1",
    PATRONI_NAME: host.name,
    PATRONI_RESTAPI_LISTEN: `${host.address}:${ports.patroni}`,
    PATRONI_RESTAPI_CONNECT_ADDRESS: `${host.address}:${ports.patroni}`,
    PATRONI_POSTGRESQL_LISTEN: `${host.address}:${ports.database}`,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${host.address}:${ports.database}`,
    PATRONI_POSTGRESQL_BIN_DIR: programs.postgresFolder,
    PGSERVICE: "node",
    PGSERVICEFILE: join(host.folder, "pg_service.conf"),
    PATRONI_ETCD_HOSTS: etcd.map(({ address }) => `${address}:${ports.etcdClients}`).join(","),
    RIALTO_DB_PASSWORD: secrets.venue,
    RIALTO_GATEWAY_DB_PASSWORD: secrets.gateway,
  };
  const logins = {
    SUPERUSER: ["postgres", secrets.superuser],
    REPLICATION: ["replicator", secrets.replication],
  };
  for (const [role, [username = "", password = ""]] of Object.entries(logins)) {
    const { caFile, certFile, keyFile } = host.certificate;
    Object.assign(environment, {
      [`PATRONI_${role}_USERNAME`]: username,
      [`PATRONI_${role}_PASSWORD`]: password,
      [`PATRONI_${role}_SSLMODE`]: "verify-full",
      [`PATRONI_${role}_SSLROOTCERT`]: caFile,
      [`PATRONI_${role}_SSLCERT`]: certFile,
      [`PATRONI_${role}_SSLKEY`]: keyFile,
    });
  }
  return environment;
}

export function proxyProgram(host: Host, databases: readonly Host[]): Program {
  const environment: Record<string, string> = {
    DATABASE_LISTEN: `${host.address}:${ports.database}`,
    HEALTH_LISTEN: `${host.address}:${ports.proxyHealth}`,
  };
  for (const { name, address } of databases)
    environment[name.toUpperCase().replace("-", "_")] = `${address}:${ports.database}`;
  return {
    command: programs.haproxy,
    args: ["-db", "-f", join(deploy, "haproxy/haproxy.cfg")],
    environment,
  };
}

export function natsProgram(host: Host, all: readonly Host[], secrets: ClusterSecrets): Program {
  const peer = all.find(({ name }) => name !== host.name) ?? host;
  const quoted = (text: string) => `"${text}"`;
  return {
    command: programs.nats,
    args: ["-c", join(deploy, "nats/nats.conf")],
    environment: {
      NATS_NAME: quoted(host.name),
      NATS_LISTEN: quoted(`${host.address}:${ports.nats}`),
      NATS_HEALTH_LISTEN: quoted(`${host.address}:${ports.natsHealth}`),
      NATS_ROUTES_LISTEN: quoted(`${host.address}:${ports.natsRoutes}`),
      NATS_PEER: quoted(`nats://${peer.address}:${ports.natsRoutes}`),
      NATS_VENUE_NKEY: secrets.nkeys.venue.publicKey,
      NATS_GATEWAY_NKEY: secrets.nkeys.gateway.publicKey,
    },
  };
}
