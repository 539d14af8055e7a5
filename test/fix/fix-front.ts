// A front with a FIX listener for the tests of order entry, with clients that trade over it.

import assert from "node:assert/strict";
import { FrontFixture, type TestKey } from "../surface/front-fixture.ts";
import { type Fields, FixClient, type FixKey, fixKey } from "./fix-client.ts";

export type Pairs = ReadonlyArray<readonly [number, string | number]>;

/** The fields of a buy order for 100 CC at 0.15 that rests. */
export function order(clOrdId: string, more: Record<number, string | number> = {}): Pairs {
  const fields = { 11: clOrdId, 38: "100.0", 40: 2, 44: "0.1500", 54: 1, 55: "CC-USDC", 59: 1 };
  return Object.entries({ ...fields, ...more })
    .filter(([, value]) => value !== "")
    .map(([tag, value]) => [Number(tag), value]);
}

/** Whether a message is an ExecutionReport of that type. */
export const report = (execType: string) => (fields: Fields) =>
  fields[35] === "8" && fields[150] === execType;

export class FixFront {
  readonly front: FrontFixture;
  readonly #clients: FixClient[] = [];

  private constructor(front: FrontFixture) {
    this.front = front;
  }

  static async open(): Promise<FixFront> {
    const fix = { port: 0, marketDataPort: null, tls: null };
    return new FixFront(
      await FrontFixture.open({ isLive: true, connectionsPerAddressMax: 500, fix }),
    );
  }

  close(): void {
    for (const client of this.#clients) client.drop();
    this.front.close();
  }

  open(name = "CLIENT"): FixClient {
    const client = new FixClient(this.front.gateway.fixPorts.orders, name);
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
  ): Promise<FixClient> {
    const client = this.open(name);
    client.logon(key, more);
    const answer = await client.ofType("A");
    assert.equal(answer[34], "1");
    return client;
  }

  /** Places an order that rests; returns its report. */
  async placed(client: FixClient, clOrdId: string, more = {}): Promise<Fields> {
    client.send("D", order(clOrdId, more));
    return client.next(report("0"));
  }
}
