// Two venue processes on one database with a synchronous standby, and clients that place orders at whichever of them
// answers. Each client keeps what it was told, so that a test can compare that with the database.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createLoadKeys } from "../../../src/tools/load/load-accounts.ts";
import type { LoadKey } from "../../../src/tools/load/signed-requests.ts";
import { SignedClient } from "../../crash/signed-client.ts";
import { until } from "../../epochs/epoch-waits.ts";
import { freePort } from "../free-port.ts";
import { SynchronousPair } from "./synchronous-pair.ts";
import { VenueNode } from "./venue-node.ts";

const clientCount = 8;
/** A key may place twenty orders a second; this leaves room for the retries of an outage. */
const restMs = 80;
const retryMs = 5;
/** A client waits so long for an answer before it tries the other venue, which a paused one makes it do. */
const answerMsMax = 3_000;

/** An acknowledged order. */
export interface Acknowledged {
  readonly clientId: string;
  readonly atMs: number;
}

export class TwoVenues {
  readonly acknowledged: Acknowledged[] = [];
  readonly pair: SynchronousPair;
  readonly #folder: string;
  readonly #nodes: readonly [VenueNode, VenueNode];
  #leader = 0;
  #isTrading = false;
  #trading: Promise<unknown> = Promise.resolve();
  #orders = 0;

  private constructor(
    folder: string,
    pair: SynchronousPair,
    nodes: readonly [VenueNode, VenueNode],
  ) {
    this.#folder = folder;
    this.pair = pair;
    this.#nodes = nodes;
  }

  static async start(settings: Readonly<Record<string, string>> = {}): Promise<TwoVenues> {
    const folder = await mkdtemp(join(tmpdir(), "rialto-two-"));
    const pair = await SynchronousPair.start();
    const all = {
      DATABASE_URL: pair.url,
      ROLE: "auto",
      SYNCHRONOUS_STANDBY: "required",
      MASTER_KEY: "11".repeat(32),
      LEDGER_PROFILE: "none",
      DEV_TOOLS: "1",
      LOG_LEVEL: "warn",
      // Longer than a busy machine stalls, so that only the test changes the leader.
      LEASE_MS: "10000",
      ...settings,
    };
    const node = async (name: string) => new VenueNode(join(folder, name), await freePort(), all);
    const venues = new TwoVenues(folder, pair, [await node("a"), await node("b")]);
    venues.leader.start();
    await venues.leader.untilRole("leader");
    venues.follower.start();
    await venues.follower.untilRole("follower");
    return venues;
  }

  get leader(): VenueNode {
    return this.#nodes[this.#leader] as VenueNode;
  }

  get follower(): VenueNode {
    return this.#nodes[1 - this.#leader] as VenueNode;
  }

  /** Waits until the follower leads, and calls it the leader. */
  async untilChanged(): Promise<void> {
    await this.follower.untilRole("leader");
    this.#leader = 1 - this.#leader;
  }

  /** Creates the clients' accounts at the leader, and begins to trade. */
  async trade(): Promise<void> {
    const keys = await createLoadKeys(this.leader.dataDir, clientCount);
    this.#isTrading = true;
    this.#trading = Promise.all(keys.map((key, index) => this.#placeOrders(key, index)));
    await this.#untilAcknowledged(4 * clientCount);
  }

  /** Ends trading when every request in flight is answered. */
  async stopTrading(): Promise<void> {
    this.#isTrading = false;
    await this.#trading;
  }

  /** Resolves when an order sent from now on is acknowledged; returns the largest gap between acknowledgements in ms. */
  async outage(since: number): Promise<number> {
    await this.#untilAcknowledged(this.acknowledged.length + 2 * clientCount);
    const times = this.acknowledged.map(({ atMs }) => atMs).filter((atMs) => atMs > since - 500);
    let longest = 0;
    for (const [index, atMs] of times.entries())
      longest = Math.max(longest, atMs - (times[index - 1] ?? atMs));
    return longest;
  }

  #untilAcknowledged(orders: number): Promise<true> {
    const isSo = async () => this.acknowledged.length >= orders || null;
    return until(`${orders} acknowledged orders`, isSo);
  }

  async close(): Promise<void> {
    this.#isTrading = false;
    for (const { process } of this.#nodes) process?.signal("SIGCONT");
    for (const { process } of this.#nodes) process?.signal("SIGKILL");
    await Promise.all([this.#trading, ...this.#nodes.map(({ process }) => process?.ended)]);
    await this.pair.close();
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #placeOrders(key: LoadKey, index: number): Promise<void> {
    let at = this.#leader;
    const client = new SignedClient(key, index, `10.0.0.${index + 1}`, () => {
      return (this.#nodes[at] as VenueNode).endpoint;
    });
    while (this.#isTrading) {
      const clientId = `o${++this.#orders}`;
      // An account may have 200 open orders in a market, so these do not rest.
      const query = `symbol=CCUSDC&side=BUY&type=LIMIT&timeInForce=IOC&quantity=100&price=0.1&newClientOrderId=${clientId}`;
      // A paused venue answers nothing: its clients give up and try the other one.
      const answer = await Promise.race([
        client.send("POST", "/api/v3/order", query),
        sleep(answerMsMax, null, { ref: false }),
      ]);
      if (answer?.status === 200) {
        this.acknowledged.push({ clientId, atMs: performance.now() });
        await sleep(restMs);
        continue;
      }
      client.close();
      at = 1 - at;
      await sleep(retryMs);
    }
    client.close();
  }
}
