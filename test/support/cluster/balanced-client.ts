// Clients of a cluster, which place orders through the load balancer by HTTPS and remember what they were told.

import { createHmac } from "node:crypto";
import { Agent, request } from "node:https";
import { setTimeout as sleep } from "node:timers/promises";

const restMs = 80;
const outageMsMax = 60_000;
/** Longer than the venue's deadline of a request. */
const answerMsMax = 35_000;

export interface ClientKey {
  readonly key: string;
  readonly secret: string;
}

/** An acknowledged order, and when its answer came. */
export interface Told {
  readonly clientId: string;
  readonly atMs: number;
}

export interface Place {
  readonly host: string;
  readonly port: number;
  /** Certificate that signs the load balancer's. */
  readonly ca: Buffer;
}

export class BalancedClients {
  readonly told: Told[] = [];
  /** How often each other answer came: a status, or "lost" without one. */
  readonly others = new Map<string, number>();
  readonly #place: Place;
  readonly #agent: Agent;
  readonly #trading: Promise<unknown>;
  #orders = 0;
  #isTrading = true;

  /** Each key's client begins to place orders, one after the other. */
  constructor(place: Place, keys: readonly ClientKey[]) {
    this.#place = place;
    this.#agent = new Agent({ keepAlive: true, ca: place.ca });
    this.#trading = Promise.all(keys.map((key) => this.#trade(key)));
  }

  /** Ends when every request is answered. */
  async stop(): Promise<void> {
    this.#isTrading = false;
    await this.#trading;
    this.#agent.destroy();
  }

  /** Waits until orders sent from now on are acknowledged; returns the longest time without one since `sinceMs`. */
  async outage(sinceMs: number): Promise<number> {
    const known = this.told.length;
    for (
      const endMs = performance.now() + outageMsMax;
      this.told.length < known + 20;
      await sleep(20)
    )
      if (performance.now() > endMs)
        throw new Error(`no acknowledgements: ${JSON.stringify([...this.others])}`);
    const times = this.told.map(({ atMs }) => atMs).filter((atMs) => atMs > sinceMs - 500);
    const rests = times.map((atMs, index) => atMs - (times[index - 1] ?? atMs));
    return Math.round(Math.max(...rests));
  }

  async #trade({ key, secret }: ClientKey): Promise<void> {
    while (this.#isTrading) {
      const clientId = `t${++this.#orders}`;
      const query =
        `symbol=CCUSDC&side=BUY&type=LIMIT&timeInForce=IOC&quantity=100&price=0.1` +
        `&newClientOrderId=${clientId}&timestamp=${Date.now()}`;
      const signature = createHmac("sha256", secret).update(query).digest("hex");
      const status = await this.#post(`/api/v3/order?${query}&signature=${signature}`, key);
      if (status === 200) this.told.push({ clientId, atMs: performance.now() });
      else this.others.set(String(status), (this.others.get(String(status)) ?? 0) + 1);
      await sleep(restMs);
    }
  }

  #post(path: string, key: string): Promise<number | "lost"> {
    const { host, port } = this.#place;
    const options = { host, port, path, agent: this.#agent, timeout: answerMsMax };
    return new Promise((resolve) => {
      const headers = { "X-MBX-APIKEY": key, "Content-Length": 0 };
      const asked = request({ ...options, method: "POST", headers }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode ?? "lost"));
        response.on("error", () => resolve("lost"));
      });
      asked.on("timeout", () => asked.destroy(new Error("no answer in time")));
      asked.on("error", () => resolve("lost"));
      asked.end();
    });
  }
}
