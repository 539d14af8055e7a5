// A whole deployment on a cluster, as docs/guides/run-on-three-machines.md builds it: two venues, two gateways and the
// load balancer in front of them, each on a host of its own.

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { callControl, controlSocketPath } from "../../../src/adapters/runtime/control-socket.ts";
import { present } from "../../../src/core/assert.ts";
import { until } from "../../epochs/epoch-waits.ts";
import type { Json } from "../client/json.ts";
import { projectRoot } from "../tidy/tree.ts";
import type { Cluster } from "./cluster.ts";
import type { Host } from "./host.ts";
import { addBalancer, addGateway, addVenue } from "./venue-programs.ts";

const gatewayPorts = { "gateway-a": 8081, "gateway-b": 8082 } as const;
const venueNames = ["venue-a", "venue-b"] as const;
const answerMsMax = 1_000;
/** Longest wait for a state that comes by itself, in ms: also of venues that wait for their database. */
const waitMsMax = 120_000;

type Settings = Readonly<Record<string, string>>;

export class DeployedVenues {
  readonly cluster: Cluster;
  readonly balancer: Host;

  /** `settings` of venues and of gateways are added to those of deploy/. */
  static async start(
    cluster: Cluster,
    settings: { readonly venue?: Settings; readonly gateway?: Settings } = {},
  ): Promise<DeployedVenues> {
    const secrets = {
      masterKey: randomBytes(32).toString("hex"),
      publicUrl: "https://venue.example",
    };
    for (const name of venueNames) await addVenue(cluster, name, secrets, settings.venue);
    const { leader } = await untilBothOf(cluster);
    const rights = await readFile(join(projectRoot, "docs/ops/gateway-rights.sql"), "utf8");
    const login = cluster.databaseUrl();
    await leader.call("psql", ["-qX", "-v", "gateway=rialto_gateway", login], rights);
    for (const [name, port] of Object.entries(gatewayPorts))
      await addGateway(cluster, name, { secrets, port, settings: settings.gateway ?? {} });
    const [a = "", b = ""] = Object.entries(gatewayPorts).map(
      ([name, port]) => `${cluster.host(name).address}:${port}`,
    );
    const venues = new DeployedVenues(cluster, await addBalancer(cluster, [a, b]));
    await venues.untilServing();
    return venues;
  }

  private constructor(cluster: Cluster, balancer: Host) {
    this.cluster = cluster;
    this.balancer = balancer;
  }

  get venues(): Host[] {
    return venueNames.map((name) => this.cluster.host(name));
  }

  get gateways(): Host[] {
    return Object.keys(gatewayPorts).map((name) => this.cluster.host(name));
  }

  /** Waits until one venue leads and the other follows. */
  untilBoth(): Promise<{ readonly leader: Host; readonly follower: Host }> {
    return untilBothOf(this.cluster);
  }

  /** Waits until the gateways, or one of them, serve clients. */
  async untilServing(...gateways: readonly Host[]): Promise<void> {
    for (const gateway of gateways.length === 0 ? this.gateways : gateways)
      await until(
        `${gateway.name} to serve`,
        async () => ((await this.healthOf(gateway)) === 200 ? true : null),
        waitMsMax,
      );
  }

  /** Status of a gateway's health; null if it does not answer. */
  async healthOf(gateway: Host): Promise<number | null> {
    const options = { signal: AbortSignal.timeout(answerMsMax) };
    const { host, port } = endpointOf(gateway);
    const answer = await fetch(`http://${host}:${port}/health`, options).catch(() => null);
    return answer?.status ?? null;
  }
}

/** Where a gateway serves clients. */
export function endpointOf({ name, address }: Host): {
  readonly host: string;
  readonly port: number;
} {
  const port = Object.entries(gatewayPorts).find(([gateway]) => gateway === name)?.[1];
  return { host: address, port: present(port, "the port of a gateway") };
}

export function dataFolderOf({ folder }: Host): string {
  return join(folder, "data");
}

/** The role of a venue as it says itself; null if it does not answer. */
export async function roleOf(host: Host): Promise<string | null> {
  const socket = controlSocketPath(dataFolderOf(host));
  const answer = await callControl(socket, "status").catch(() => null);
  return answer?.isOk ? (answer.result as Json).role : null;
}

/** Waits until this venue leads. */
export async function untilLeading(host: Host): Promise<void> {
  const isLeading = async () => ((await roleOf(host)) === "leader" ? true : null);
  await until(`${host.name} to lead`, isLeading, waitMsMax);
}

function untilBothOf(
  cluster: Cluster,
): Promise<{ readonly leader: Host; readonly follower: Host }> {
  const look = async () => {
    const [a, b] = venueNames.map((name) => cluster.host(name));
    if (a === undefined || b === undefined) return null;
    const roles = await Promise.all([roleOf(a), roleOf(b)]);
    if (roles[0] === "leader" && roles[1] === "follower") return { leader: a, follower: b };
    if (roles[1] === "leader" && roles[0] === "follower") return { leader: b, follower: a };
    return null;
  };
  return until("a leader and a follower", look, waitMsMax);
}
