// Sends orders at a steady rate to several endpoints in turn, whatever these do (an open loop), and remembers when each
// was acknowledged. The longest time without an acknowledgement is what clients see of an outage.

import { setTimeout as sleep } from "node:timers/promises";
import {
  type Endpoint,
  HttpConnection,
  type LoadConnection,
} from "../../src/tools/load/http-connection.ts";
import type { LoadKey } from "../../src/tools/load/signed-requests.ts";
import { SpotFlow } from "../../src/tools/load/spot-flow.ts";
import { standardMarkets } from "./standard-markets.ts";

/** Longest wait in ms for acknowledgements after an outage. */
const backMsMax = 30_000;
const pollMs = 5;

export interface SteadyPlan {
  readonly endpoints: readonly Endpoint[];
  readonly keys: readonly LoadKey[];
  /** Orders a second at all endpoints together. */
  readonly rate: number;
  /** Connections to each endpoint; an order that finds none free waits for one. */
  readonly connections: number;
}

export class SteadyOrders {
  readonly #flow: SpotFlow;
  readonly #idle: LoadConnection[][] = [];
  readonly #all: LoadConnection[] = [];
  readonly #acknowledgedMs: number[] = [];
  /** How often each other status came. */
  readonly others = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  #due = 0;

  static async start(plan: SteadyPlan): Promise<SteadyOrders> {
    const orders = new SteadyOrders(plan.keys);
    await orders.#open(plan);
    return orders;
  }

  private constructor(keys: readonly LoadKey[]) {
    // Without cancels, resting orders would pile up until their accounts may place no more.
    const shares = { crossingShare: 0.3, cancelShare: 0.4 };
    const ground = { keys, markets: standardMarkets, host: "127.0.0.1", seed: 20260101 };
    this.#flow = new SpotFlow({ ...ground, ...shares });
  }

  async #open({ endpoints, connections, rate }: SteadyPlan): Promise<void> {
    for (const [place, endpoint] of endpoints.entries()) {
      const idle: LoadConnection[] = [];
      for (let one = 0; one < connections; one++) {
        const connection = await HttpConnection.open(endpoint, this.#all.length, {
          onResponse: (answered, status, body) => {
            this.#answered(answered, status, body);
            idle.push(answered);
          },
          onLost: () => this.#count("lost"),
        });
        this.#all.push(connection);
        idle.push(connection);
      }
      this.#idle[place] = idle;
    }
    const beganMs = performance.now();
    let sent = 0;
    this.#timer = setInterval(() => {
      const due = Math.floor(((performance.now() - beganMs) / 1000) * rate);
      for (; sent < due; sent++) this.#send(sent % endpoints.length);
    }, 1);
  }

  #send(place: number): void {
    // The one that has rested longest, so that none is closed because it rests.
    const connection = this.#idle[place]?.shift();
    if (connection === undefined) this.#due++;
    else connection.send(this.#flow.next(connection.index));
  }

  #answered({ index }: LoadConnection, status: number, body: Buffer): void {
    const { counts } = this.#flow;
    const before = counts.cancelsLate;
    this.#flow.answered(index, status, body);
    // An order that was filled before its cancel came is decided too.
    if (status === 200 || counts.cancelsLate > before) this.#acknowledgedMs.push(performance.now());
    else this.#count(String(status));
  }

  #count(status: string): void {
    this.others.set(status, (this.others.get(status) ?? 0) + 1);
  }

  get acknowledged(): number {
    return this.#acknowledgedMs.length;
  }

  /** Number of orders that found no free connection and were not sent. */
  get unsent(): number {
    return this.#due;
  }

  /** Waits until `count` more orders are acknowledged. */
  async untilMore(count: number): Promise<void> {
    const wanted = this.acknowledged + count;
    for (const endMs = performance.now() + backMsMax; this.acknowledged < wanted; ) {
      if (performance.now() > endMs) throw new Error("no order is acknowledged any more");
      await sleep(pollMs);
    }
  }

  /** The longest time in ms without an acknowledgement since `sinceMs`. */
  longestGapMs(sinceMs: number): number {
    const times = this.#acknowledgedMs.filter((atMs) => atMs >= sinceMs);
    return Math.max(0, ...times.map((atMs, index) => atMs - (times[index - 1] ?? sinceMs)));
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    for (const connection of this.#all) connection.close();
  }
}
