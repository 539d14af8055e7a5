// The machines of a campaign in network namespaces: three PostgreSQL under Patroni, three etcd, two NATS, HAProxy, two
// venues, two gateways and their load balancer, by the files of deploy/. Whatever a fault kills, pauses or cuts off is
// mended after it, and the next fault strikes only when everything is whole again.

import { cp, mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PostgresConnectionOptions } from "../../../src/adapters/postgres/connection.ts";
import { Cluster } from "../../support/cluster/cluster.ts";
import { ports } from "../../support/cluster/cluster-programs.ts";
import { DeployedVenues, dataFolderOf, endpointOf } from "../../support/cluster/deployed-venues.ts";
import type { Host } from "../../support/cluster/host.ts";
import { signalRialto } from "../../support/cluster/venue-programs.ts";
import { Acknowledgements } from "../acknowledgements.ts";
import type { FailoverWorld } from "../failover-world.ts";
import { CampaignTraffic } from "../traffic/campaign-traffic.ts";

/** Small snapshots often, so that starts begin at different ones; development tools for test funds. */
const shared = { DEV_TOOLS: "1" };
const venueSettings = {
  ...shared,
  OPENS_WITHOUT_INDEX: "1",
  SNAPSHOT_EVENTS: "3000",
  SNAPSHOT_INTERVAL_MS: "2000",
};
/** Streams and sessions through the load balancer all come from one address. */
const gatewaySettings = { ...shared, LOG_LEVEL: "debug", RATE_LIMIT_WS_CONNS_PER_IP: "64" };

export class ClusterWorld implements FailoverWorld {
  readonly cluster: Cluster;
  readonly deployed: DeployedVenues;
  readonly acknowledgements = new Acknowledgements();
  readonly traffic: CampaignTraffic;
  readonly #killed = new Set<Host>();
  readonly #paused = new Set<Host>();

  /** Starts everything and creates the clients, which do not trade yet. */
  static async open(options: {
    readonly traders: number;
    readonly seed: number;
  }): Promise<ClusterWorld> {
    const cluster = await Cluster.start();
    try {
      const settings = { venue: venueSettings, gateway: gatewaySettings };
      const deployed = await DeployedVenues.start(cluster, settings);
      const { leader } = await deployed.untilBoth();
      const { balancer, gateways } = deployed;
      const traffic = await CampaignTraffic.open({
        dataDir: dataFolderOf(leader),
        gateways: gateways.map((host) => endpointOf(host)),
        balancer: {
          host: balancer.address,
          port: ports.clients,
          ca: await readFile(balancer.certificate.caFile),
        },
        ...options,
      });
      return new ClusterWorld(cluster, deployed, traffic);
    } catch (error) {
      const words = await keepLogs(cluster);
      await cluster.close();
      throw new Error(`${error}\n${words}`, { cause: error });
    }
  }

  private constructor(cluster: Cluster, deployed: DeployedVenues, traffic: CampaignTraffic) {
    this.cluster = cluster;
    this.deployed = deployed;
    this.traffic = traffic;
    for (const gateway of deployed.gateways)
      this.acknowledgements.follow(gateway.name, () => readFile(gateway.logFile, "utf8"));
  }

  get database(): PostgresConnectionOptions {
    return { url: this.cluster.databaseUrl() };
  }

  /** Ends all processes of a host, which stays down until the fault is over. */
  async kill(host: Host): Promise<void> {
    this.#killed.add(host);
    await host.kill();
  }

  /** Stops all processes of a host until the fault is over, or until `wake`. */
  async pause(host: Host): Promise<void> {
    this.#paused.add(host);
    await host.pause();
  }

  async wake(host: Host): Promise<void> {
    this.#paused.delete(host);
    await host.resume();
  }

  /** Kills the venue or the gateway of a host, which its supervisor starts again. */
  killRialto(host: Host): Promise<void> {
    return signalRialto(host, "SIGKILL");
  }

  async mend(): Promise<void> {
    await this.cluster.heal();
    for (const host of this.#paused) await this.wake(host);
    for (const host of this.#killed) await host.start();
    this.#killed.clear();
    await this.cluster.untilWhole();
    await this.deployed.untilBoth();
    await this.deployed.untilServing();
  }

  complaints(): Promise<string> {
    return keepLogs(this.cluster);
  }

  async close(): Promise<void> {
    await this.traffic.close();
    await this.cluster.close();
  }
}

/** Keeps the logs of all hosts, which are too long to show; says where. */
async function keepLogs({ hosts }: Cluster): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "failover-logs-"));
  for (const { name, logFile } of hosts)
    await cp(logFile, join(folder, `${name}.log`)).catch(() => undefined);
  return `the logs of all hosts are in ${folder}`;
}
