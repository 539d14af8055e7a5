// Asks a venue of its own for messages and tags of Binance's FIX API. A tag that a message does not have is rejected
// before its values are looked at, so each tag is sent with the ones that the message requires; within a group, also with
// what its entry begins with.

import assert from "node:assert/strict";
import { type Fields, FixClient, type FixKey, venueKey } from "../../fix/fix-client.ts";
import { freePort } from "../../support/free-port.ts";
import { VenueFixture } from "../../support/venue/venue-fixture.ts";
import type { Refusal } from "./venue-probe.ts";

type Port = "orders" | "marketData";
type Pairs = ReadonlyArray<readonly [number, string | number]>;

/** A tag that no message has. */
const unknownTag = 9999;
/** SessionRejectReason of a tag that the message does not have, and of a message type that is not taken. */
const undefinedTag = "2";
const requiredTag = "1";
/** More than any message requires. */
const tagsMax = 20;
const symbol = [55, "CC-USDC"] as const;

/** The beginning of an entry of each group. */
const entries: Readonly<Record<string, Pairs>> = {
  NoOrders: [
    [73, 1],
    [11, "probe"],
  ],
  NoListTriggeringInstructions: [
    [25010, 1],
    [25011, 1],
  ],
  NoRelatedSym: [[146, 1], symbol],
  NoMDEntryTypes: [
    [267, 1],
    [269, 2],
  ],
};

function typeOf(name: string): string {
  return /<(\w+)>$/.exec(name)?.[1] ?? "";
}

/** The fields that carry a tag, which is written as `name=tag` or `group/name=tag`. */
function fieldsOf(tag: string): Pairs {
  const [path = "", number = ""] = tag.split("=");
  const around = path
    .split("/")
    .slice(0, -1)
    .flatMap((group) => entries[group] ?? []);
  const own = [Number(number), 1] as const;
  return around.some(([known]) => known === own[0]) ? around : [...around, own];
}

/** A field that carries this tag, with an entry if it counts those of a group. */
function beginningOf(tag: number): Pairs {
  return Object.values(entries).find(([first]) => first?.[0] === tag) ?? [[tag, 1]];
}

export class FixProbe {
  readonly #venue: VenueFixture;
  readonly #clients: Readonly<Record<Port, FixClient>>;
  readonly #silent: FixClient;
  #settled = 0;

  /** Opens a venue with both ports, and a session on each; a third one says nothing. */
  static async open(): Promise<FixProbe> {
    const [orders, marketData] = [await freePort(), await freePort()];
    const ports = { FIX_PORT: `${orders}`, FIX_MARKET_DATA_PORT: `${marketData}` };
    const venue = await VenueFixture.open(ports);
    const key = await venueKey(venue, (await venue.trader()).account);
    // The longest heartbeat interval, because one session says nothing while the other is probed.
    const logged = async (client: FixClient, owner: FixKey, seconds = 60) => {
      client.logon(owner, { 108: seconds });
      await client.ofType("A");
      return client;
    };
    return new FixProbe(
      venue,
      {
        orders: await logged(new FixClient(orders, "ORDERS"), key),
        marketData: await logged(new FixClient(marketData, "MARKET"), key),
      },
      await logged(new FixClient(orders, "SILENT"), key, 5),
    );
  }

  private constructor(
    venue: VenueFixture,
    clients: Readonly<Record<Port, FixClient>>,
    silent: FixClient,
  ) {
    this.#venue = venue;
    this.#clients = clients;
    this.#silent = silent;
  }

  /** Undefined if messages of this name are taken. */
  async message(port: Port, name: string): Promise<Refusal> {
    const reject = await this.#rejectOf(port, name, [[unknownTag, 1]]);
    assert.ok(reject !== undefined, `${name}: a tag that no message has was taken`);
    return isUndefined(reject, unknownTag) ? undefined : (reject[58] ?? "");
  }

  /** The tags that a message does not have here, and how they are refused. */
  async tags(port: Port, name: string, tags: readonly string[]): Promise<Map<string, string>> {
    const refused = new Map<string, string>();
    for (const tag of tags) {
      const reject = await this.#rejectOf(port, name, fieldsOf(tag));
      if (reject !== undefined && isUndefined(reject, Number(tag.split("=")[1])))
        refused.set(tag, `rejected (${reject[373]})`);
    }
    return refused;
  }

  /** Makes the venue send each of its messages, but for those of its stop. */
  async makeEverythingSent(): Promise<void> {
    const { orders, marketData } = this.#clients;
    const stream: Pairs = [[262, "book"], [263, 1], [264, 10], [146, 1], symbol, [267, 2]];
    const both: Pairs = [
      [269, 0],
      [269, 1],
    ];
    for (let times = 0; times < 2; times++) marketData.send("V", [...stream, ...both]);
    await marketData.ofType("Y");
    marketData.send("x", [
      [320, "all"],
      [559, 4],
    ]);
    await orders.bid("rests", "0.0900");
    await marketData.ofType("X");
    const unknown: Pairs = [[11, "none"], [41, "nothing"], symbol];
    orders.send("F", unknown);
    orders.send("XAK", [...unknown, [38, "100.0"]]);
    orders.send("q", [symbol, [11, "all"], [530, 1]]);
    orders.send("XLQ", [[6136, "limits"]]);
    const leg = (id: string, price: string): Pairs => [
      [11, id],
      ...([symbol, [38, "300.0"], [40, 2], [54, 1], [59, 1], [44, price]] as const),
    ];
    const then: Pairs = [
      [25010, 1],
      [25011, 3],
      [25012, 0],
      [25013, 1],
    ];
    const legs = [...leg("first", "0.0900"), ...leg("then", "0.0800"), ...then];
    orders.send("E", [[25014, "list"], [1385, 2], [73, 2], ...legs]);
    await orders.ofType("N");
    await this.#settle("orders");
    await this.#silent.ofType("1");
  }

  /** Undefined if the venue has sent a message of this name. */
  sent(name: string): Refusal {
    const all = [...Object.values(this.#clients), this.#silent];
    const isSent = all.some(({ messages }) =>
      messages.some(({ 35: type }) => type === typeOf(name)),
    );
    return isSent ? undefined : "not sent";
  }

  /** Stops the venue, which tells its sessions. */
  async close(): Promise<void> {
    await this.#venue.close();
  }

  /** Sends fields, and those that are required, in a message of that name; returns the Reject of it, if there is one. */
  async #rejectOf(port: Port, name: string, fields: Pairs): Promise<Fields | undefined> {
    const client = this.#clients[port];
    const required: (readonly [number, string | number])[] = [];
    for (;;) {
      const seq = String(client.seq);
      client.send(typeOf(name), [...required, ...fields]);
      await this.#settle(port);
      const reject = client.messages.find(
        ({ 35: type, 45: refSeq }) => type === "3" && refSeq === seq,
      );
      if (reject?.[373] !== requiredTag || required.length >= tagsMax) return reject;
      required.push(...beginningOf(Number(reject[371])));
    }
  }

  /** Resolves once everything that was sent before is answered. */
  async #settle(port: Port): Promise<void> {
    const id = `settled-${this.#settled++}`;
    this.#clients[port].send("1", [[112, id]]);
    await this.#clients[port].next(({ 35: type, 112: heard }) => type === "0" && heard === id);
  }
}

function isUndefined({ 371: tag, 373: reason }: Fields, wanted: number): boolean {
  return reason === undefinedTag && tag === String(wanted);
}
