// Everything that a failover test needs, as processes on loopback: two venues that may lead, on a primary with a
// synchronous standby, one NATS server, two gateways, and clients that trade at the gateways. Each venue and each gateway
// has a way of its own to the database and to NATS, so that a test can cut it off.
//
//   clients ─▶ gateway 0, 1 ──way──▶ NATS ◀──way── venue 0, 1 ──way──▶ address of the pair ─▶ primary ══ standby

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PostgresConnectionOptions } from "../../../src/adapters/postgres/connection.ts";
import { present } from "../../../src/core/assert.ts";
import { NatsServer } from "../../support/bus/nats-server.ts";
import { AddressRelay } from "../../support/cluster/address-relay.ts";
import { SynchronousPair } from "../../support/cluster/synchronous-pair.ts";
import { VenueNode } from "../../support/cluster/venue-node.ts";
import { freePort } from "../../support/free-port.ts";
import { Acknowledgements } from "../acknowledgements.ts";
import type { FailoverWorld } from "../failover-world.ts";
import { CampaignTraffic } from "../traffic/campaign-traffic.ts";

const placesOf = [0, 1] as const;

/** A venue or a gateway, with its ways to the database and to NATS. */
export interface Machine {
  readonly node: VenueNode;
  readonly toDatabase: AddressRelay;
  readonly toNats: AddressRelay;
}

export class LoopbackWorld implements FailoverWorld {
  readonly pair: SynchronousPair;
  readonly nats: NatsServer;
  readonly venues: readonly Machine[];
  readonly gateways: readonly Machine[];
  readonly acknowledgements = new Acknowledgements();
  readonly #folder: string;
  #traffic: CampaignTraffic | null = null;
  #leader = 0;

  private constructor(parts: {
    readonly folder: string;
    readonly pair: SynchronousPair;
    readonly nats: NatsServer;
    readonly venues: readonly Machine[];
    readonly gateways: readonly Machine[];
  }) {
    this.#folder = parts.folder;
    this.pair = parts.pair;
    this.nats = parts.nats;
    this.venues = parts.venues;
    this.gateways = parts.gateways;
  }

  /** Starts everything and creates the clients, which do not trade yet. */
  static async open(options: {
    readonly traders: number;
    readonly seed: number;
    /** How long the leader's lease lasts in ms; as usual if it is left out. */
    readonly leaseMs?: number;
  }): Promise<LoopbackWorld> {
    const folder = await mkdtemp(join(tmpdir(), "rialto-failover-"));
    const pair = await SynchronousPair.start();
    const nats = await NatsServer.open();
    const { leaseMs } = options;
    const machine = (name: string, command: "start" | "gateway") =>
      openMachine({ pair, nats, dataDir: join(folder, name), command, leaseMs });
    const all = (name: string, command: "start" | "gateway") =>
      Promise.all(placesOf.map((place) => machine(`${name}-${place}`, command)));
    const venues = await all("venue", "start");
    const gateways = await all("gateway", "gateway");
    const world = new LoopbackWorld({ folder, pair, nats, venues, gateways });
    try {
      await world.#start(options);
    } catch (error) {
      await world.close();
      throw error;
    }
    return world;
  }

  async #start({ traders, seed }: { readonly traders: number; readonly seed: number }) {
    this.leader.node.start();
    await this.leader.node.untilRole("leader");
    this.follower.node.start();
    await Promise.all([
      this.follower.node.untilRole("follower"),
      ...placesOf.map((place) => this.startGateway(place)),
    ]);
    this.#traffic = await CampaignTraffic.open({
      dataDir: this.leader.node.dataDir,
      gateways: this.gateways.map(({ node }) => node.endpoint),
      balancer: null,
      traders,
      seed,
    });
  }

  get traffic(): CampaignTraffic {
    return present(this.#traffic, "the traffic of an open world");
  }

  get database(): PostgresConnectionOptions {
    return this.pair.primary;
  }

  /** Each fault mends itself. */
  async mend(): Promise<void> {}

  get leader(): Machine {
    return present(this.venues[this.#leader], "the venue that leads");
  }

  get follower(): Machine {
    return present(this.venues[1 - this.#leader], "the venue that follows");
  }

  async startGateway(place: number): Promise<void> {
    const { node } = present(this.gateways[place], "a gateway");
    node.start();
    const process = present(node.process, "its process");
    this.acknowledgements.follow(`gateway ${place}`, () => process.complained);
    await node.untilOpen();
  }

  async killGateway(place: number): Promise<void> {
    const { node } = present(this.gateways[place], "a gateway");
    node.process?.signal("SIGKILL");
    await node.process?.ended;
  }

  /** Waits until the follower leads; the former leader is then called the follower, whatever it does. */
  async untilChanged(): Promise<void> {
    await this.follower.node.untilRole("leader");
    this.#leader = 1 - this.#leader;
  }

  /** Starts the venue that does not lead, and waits until it follows. */
  async restartFollower(): Promise<void> {
    await this.follower.node.process?.ended;
    this.follower.node.start();
    await this.follower.node.untilRole("follower");
  }

  async complaints(): Promise<string> {
    const machines = [...this.venues, ...this.gateways];
    const shown = machines.map(({ node }, index) => {
      const lines = (node.process?.complained ?? "").split("\n");
      const words = lines.filter((line) => !line.includes('"msg":"answered"')).slice(-12);
      return `process ${index}:\n${words.join("\n")}`;
    });
    return shown.join("\n");
  }

  async close(): Promise<void> {
    await this.#traffic?.close();
    const machines = [...this.venues, ...this.gateways];
    for (const { node } of machines) {
      node.process?.signal("SIGCONT");
      node.process?.signal("SIGKILL");
    }
    await Promise.all(machines.map(({ node }) => node.process?.ended));
    const relays = machines.flatMap(({ toDatabase, toNats }) => [toDatabase, toNats]);
    await Promise.all(relays.map((relay) => relay.close()));
    await this.nats.kill();
    await this.pair.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function openMachine({
  pair,
  nats,
  dataDir,
  command,
  leaseMs,
}: {
  readonly pair: SynchronousPair;
  readonly nats: NatsServer;
  readonly dataDir: string;
  readonly command: "start" | "gateway";
  readonly leaseMs: number | undefined;
}): Promise<Machine> {
  const toDatabase = await AddressRelay.open(pair.address.port);
  const toNats = await AddressRelay.open(nats.port);
  const database = new URL(pair.url);
  database.port = String(toDatabase.port);
  const lease = leaseMs === undefined ? {} : { LEASE_MS: String(leaseMs) };
  const role = { ROLE: "auto", SYNCHRONOUS_STANDBY: "required", ...lease };
  const settings = {
    DATABASE_URL: database.href,
    NATS_URL: `nats://127.0.0.1:${toNats.port}`,
    MASTER_KEY: "11".repeat(32),
    LEDGER_PROFILE: "none",
    DEV_TOOLS: "1",
    OPENS_WITHOUT_INDEX: "1",
    HOST: "127.0.0.1",
    // Each client states an address of its own, which has its own limits.
    TRUSTED_PROXIES: "127.0.0.1",
    SNAPSHOT_EVENTS: "3000",
    SNAPSHOT_INTERVAL_MS: "2000",
    EPOCH_SECONDS: "1",
    ...(command === "start" ? { ...role, LOG_LEVEL: "info" } : { LOG_LEVEL: "debug" }),
  };
  return { node: new VenueNode(dataDir, await freePort(), settings, command), toDatabase, toNats };
}
