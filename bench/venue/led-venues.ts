// Two venues that may lead, on a primary with a synchronous standby, with a NATS server and two gateways, all on this
// machine. A row hands over or kills the leader and looks at what clients of the gateways see.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { present } from "../../src/core/assert.ts";
import type { Endpoint } from "../../src/tools/load/http-connection.ts";
import { NatsServer } from "../../test/support/bus/nats-server.ts";
import { SynchronousPair } from "../../test/support/cluster/synchronous-pair.ts";
import { VenueNode } from "../../test/support/cluster/venue-node.ts";
import { freePort } from "../../test/support/free-port.ts";

const host = "127.0.0.1";
/** Longest wait until the leader knows of its follower. */
const followMsMax = 5_000;
/** Longest wait until a follower has read what was committed before its start. */
const warmMsMax = 60_000;
/** Number of events that a follower may be behind. */
const distanceMax = 500;
/** How long a venue follows before the next change: its threads then have folded what it read at its start. */
const followedMs = 8_000;
const pollMs = 50;

export class LedVenues {
  readonly #pair: SynchronousPair;
  readonly #nats: NatsServer;
  readonly #venues: readonly VenueNode[];
  readonly gatewayNodes: readonly VenueNode[];
  #leader = 0;

  /** Starts everything in `folder`; resolves when a venue leads, the other follows and both gateways are open. */
  static async start(folder: string): Promise<LedVenues> {
    const pair = await SynchronousPair.start();
    const nats = await NatsServer.open();
    const settings = {
      DATABASE_URL: pair.url,
      NATS_URL: nats.url,
      MASTER_KEY: "5a".repeat(32),
      LEDGER_PROFILE: "none",
      DEV_TOOLS: "1",
      OPENS_WITHOUT_INDEX: "1",
      HOST: host,
      // Each client states an address of its own, which has its own limits.
      TRUSTED_PROXIES: host,
      LOG_LEVEL: "info",
    };
    const node = async (name: string, command: "start" | "gateway", more = {}) =>
      new VenueNode(join(folder, name), await freePort(), { ...settings, ...more }, command);
    const role = { ROLE: "auto", SYNCHRONOUS_STANDBY: "required" };
    const venues = [await node("a", "start", role), await node("b", "start", role)];
    const gateways = [await node("c", "gateway"), await node("d", "gateway")];
    const all = new LedVenues(pair, nats, venues, gateways);
    try {
      await all.#open();
    } catch (error) {
      await all.stop();
      throw error;
    }
    return all;
  }

  private constructor(
    pair: SynchronousPair,
    nats: NatsServer,
    venues: readonly VenueNode[],
    gateways: readonly VenueNode[],
  ) {
    this.#pair = pair;
    this.#nats = nats;
    this.#venues = venues;
    this.gatewayNodes = gateways;
  }

  async #open(): Promise<void> {
    this.leader.start();
    await this.leader.untilRole("leader");
    this.follower.start();
    for (const gateway of this.gatewayNodes) gateway.start();
    await Promise.all([
      this.follower.untilRole("follower"),
      ...this.gatewayNodes.map((gateway) => gateway.untilOpen()),
    ]);
  }

  get leader(): VenueNode {
    return present(this.#venues[this.#leader], "the venue that leads");
  }

  get follower(): VenueNode {
    return present(this.#venues[1 - this.#leader], "the venue that follows");
  }

  get endpoints(): readonly Endpoint[] {
    return this.gatewayNodes.map(({ endpoint }) => endpoint);
  }

  /** Hands the leadership over; resolves when the other venue leads. */
  async handOver(): Promise<void> {
    // A follower may be handed to once the leader has read that it is there.
    for (const endMs = performance.now() + followMsMax; ; await sleep(pollMs)) {
      const answer = await this.leader.call("handover");
      if (answer.isOk) break;
      if (performance.now() > endMs) throw new Error(`handover: ${answer.error}`);
    }
    await this.#changed();
  }

  /** Kills the leader; resolves when the other venue leads. */
  async killLeader(): Promise<void> {
    this.leader.process?.signal("SIGKILL");
    await this.#changed();
  }

  async #changed(): Promise<void> {
    await this.follower.untilRole("leader");
    this.#leader = 1 - this.#leader;
  }

  /** Starts the venue that led before; resolves when it has followed closely for a while. */
  async restartFollower(): Promise<void> {
    await this.follower.process?.ended;
    this.follower.start();
    await this.follower.untilRole("follower");
    for (const endMs = performance.now() + warmMsMax; ; await sleep(pollMs)) {
      const distance = (await this.follower.status())?.["distance"];
      if (typeof distance === "number" && distance < distanceMax) break;
      if (performance.now() > endMs) throw new Error("the follower has not come close");
    }
    await sleep(followedMs);
  }

  async stop(): Promise<void> {
    const nodes = [...this.#venues, ...this.gatewayNodes];
    for (const { process } of nodes) process?.signal("SIGKILL");
    await Promise.all(nodes.map(({ process }) => process?.ended));
    await this.#nats.kill();
    await this.#pair.close();
  }
}
