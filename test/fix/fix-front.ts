// A front with both FIX listeners, and clients that trade over it.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { FixPorts } from "../../src/adapters/gateway/fix/fix-listeners.ts";
import { FrontFixture, type TestKey } from "../surface/front-fixture.ts";
import {
  type Fields,
  FixClient,
  type FixKey,
  fixKey,
  type Pairs,
  pairsOf,
  utcNow,
} from "./fix-client.ts";

/** The fields of a buy order for 100 CC at 0.15 that rests. */
export function order(clOrdId: string, more: Record<number, string | number> = {}): Pairs {
  const fields = { 11: clOrdId, 38: "100.0", 40: 2, 44: "0.1500", 54: 1, 55: "CC-USDC", 59: 1 };
  return pairsOf({ ...fields, ...more });
}

/** Whether a message is an ExecutionReport of that type. */
export const report = (execType: string) => (fields: Fields) =>
  fields[35] === "8" && fields[150] === execType;

export class FixFront {
  readonly front: FrontFixture;
  readonly #clients: { drop(): void }[] = [];

  private constructor(front: FrontFixture) {
    this.front = front;
  }

  static async open(more: Parameters<typeof FrontFixture.open>[0] = {}): Promise<FixFront> {
    const fix = { port: 0, marketDataPort: 0, tls: null };
    const usual = { isLive: true, connectionsPerAddressMax: 500, fix };
    return new FixFront(await FrontFixture.open({ ...usual, ...more }));
  }

  close(): void {
    for (const client of this.#clients) client.drop();
    this.front.close();
  }

  open(name = "CLIENT", port: keyof FixPorts = "orders"): FixClient {
    return this.keep(new FixClient(this.front.gateway.fixPorts[port], name));
  }

  /** The header field of a Logon that is sent now, by the venue's time. */
  get sendingTime(): Fields {
    return { 52: utcNow(Math.floor(this.front.nowUs() / 1000)) };
  }

  /** Drops the client when the front is closed. */
  keep<Client extends { drop(): void }>(client: Client): Client {
    this.#clients.push(client);
    return client;
  }

  /** A funded account with a key for REST and one for FIX. */
  async trader(): Promise<{ rest: TestKey; key: FixKey }> {
    const rest = await this.front.newTrader();
    return { rest, key: await fixKey(this.front, rest.account) };
  }

  async loggedOn(
    key: FixKey,
    more: Record<number, string | number> = {},
    name = "CLIENT",
    port: keyof FixPorts = "orders",
  ): Promise<FixClient> {
    const client = this.open(name, port);
    client.logon(key, more, this.sendingTime);
    const answer = await client.ofType("A");
    assert.equal(answer[34], "1");
    return client;
  }

  /** Places an order that rests; returns its report. */
  async placed(client: FixClient, clOrdId: string, more = {}): Promise<Fields> {
    client.send("D", order(clOrdId, more));
    return client.next(report("0"));
  }

  /** The open connections as the front counts them. */
  async connections(): Promise<number> {
    const { text } = await this.front.fetch("/metrics");
    return Number(/rialto_front_fix_connections{.*} (\d+)/.exec(text)?.[1]);
  }

  /** Waits until the front has at most so many connections. */
  async untilConnections(max: number): Promise<void> {
    const endMs = Date.now() + 60_000;
    while ((await this.connections()) > max) {
      assert(Date.now() < endMs, `more than ${max} connections are open`);
      await sleep(5);
    }
  }

  /** Waits until so many commands are held. */
  async untilHeld(count: number): Promise<void> {
    const endMs = Date.now() + 60_000;
    while (this.front.held.length < count) {
      assert(Date.now() < endMs, `fewer than ${count} commands are held`);
      await sleep(5);
    }
  }
}
