// The venues, the gateways and the clients' load balancer of a cluster, each on a host of its own, with the files of
// deploy/. The environment adds what differs between machines, as the guide tells an operator to do.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { startingEnvironment } from "../../../src/venue/config/process-settings.ts";
import { projectRoot } from "../tidy/tree.ts";
import type { Cluster } from "./cluster.ts";
import { environmentOf, ports } from "./cluster-programs.ts";
import type { Host, Program } from "./host.ts";
import { processesIn } from "./process-folder.ts";
import { programs } from "./programs.ts";

const bundle = join(projectRoot, "dist/bundle/src/venue/rialto.js");

/** The same for all venues and gateways of a cluster. */
export interface VenueSecrets {
  readonly masterKey: string;
  readonly publicUrl: string;
}

/** Adds a venue's host; `settings` are added to those of deploy/. */
export async function addVenue(
  cluster: Cluster,
  name: string,
  secrets: VenueSecrets,
  settings: Readonly<Record<string, string>> = {},
): Promise<Host> {
  const host = await cluster.addHost(name);
  await cluster.giveNatsSeed(host, "venue");
  const shared = await environmentOf("venue/venue.env");
  const own = ownSettings(cluster, host, secrets);
  const environment = { ...shared, ...own, DATABASE_URL: cluster.databaseUrl(host), ...settings };
  await host.run([rialto("start", environment)]);
  return host;
}

/**
 * Adds a gateway's host; `settings` are added to those of deploy/. Ports differ: the hosts share this machine's name,
 * and a gateway's name has both.
 */
export async function addGateway(
  cluster: Cluster,
  name: string,
  {
    secrets,
    port,
    settings = {},
  }: {
    readonly secrets: VenueSecrets;
    readonly port: number;
    readonly settings?: Readonly<Record<string, string>>;
  },
): Promise<Host> {
  const host = await cluster.addHost(name);
  await cluster.giveNatsSeed(host, "gateway");
  const shared = await environmentOf("venue/gateway.env");
  const own = { ...ownSettings(cluster, host, secrets), PORT: String(port) };
  const database = { DATABASE_URL: cluster.gatewayDatabaseUrl(host) };
  await host.run([rialto("gateway", { ...shared, ...own, ...database, ...settings })]);
  return host;
}

/** Adds the load balancer in front of the gateways, whose addresses are given as host:port. */
export async function addBalancer(
  cluster: Cluster,
  gateways: readonly [a: string, b: string],
): Promise<Host> {
  const host = await cluster.addHost("balancer");
  const { certFile, keyFile } = host.certificate;
  const pem = await Promise.all([certFile, keyFile].map((file) => readFile(file, "utf8")));
  await writeFile(join(host.folder, "tls/clients.pem"), pem.join(""), { mode: 0o600 });
  await host.run([balancerProgram(host, gateways)]);
  return host;
}

export function balancerProgram(host: Host, [a, b]: readonly [a: string, b: string]): Program {
  const environment = {
    GATEWAY_A: a,
    GATEWAY_B: b,
    CLIENTS_LISTEN: `${host.address}:${ports.clients}`,
    BALANCER_HEALTH_LISTEN: `${host.address}:${ports.proxyHealth}`,
  };
  const file = join(projectRoot, "deploy/haproxy/clients.cfg");
  return { command: programs.haproxy, args: ["-db", "-f", file], environment };
}

/** Runs an operator's command on a venue's host; returns what it prints. */
export function operate(host: Host, ...words: readonly string[]): Promise<string> {
  return host.call(process.execPath, [bundle, ...words]);
}

/** Starts the program again one second after it ended, as its unit and its container do. */
const supervisor = 'while :; do "$@"; sleep 1; done';

function rialto(verb: "start" | "gateway", given: Readonly<Record<string, string>>): Program {
  const environment = { ...startingEnvironment, ...given };
  const program = [process.execPath, "--enable-source-maps", bundle, verb];
  return { command: "/bin/sh", args: ["-c", supervisor, "supervisor", ...program], environment };
}

/** Sends a signal to the venue or the gateway of a host, and not to its supervisor. */
export async function signalRialto(host: Host, signal: NodeJS.Signals): Promise<void> {
  for (const pid of await processesIn(host.folder)) {
    const line = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (line.startsWith(process.execPath)) process.kill(pid, signal);
  }
}

function ownSettings(
  cluster: Cluster,
  host: Host,
  { masterKey, publicUrl }: VenueSecrets,
): Record<string, string> {
  return {
    DATA_DIR: join(host.folder, "data"),
    NATS_URL: cluster.natsUrls.join(","),
    MASTER_KEY: masterKey,
    PUBLIC_URL: publicUrl,
    HOST: host.address,
    PORT: String(ports.venue),
    TRUSTED_PROXIES: "10.0.0.0/8,127.0.0.0/8",
  };
}
