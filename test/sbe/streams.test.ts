// Proves what the SBE streams send: frames that the published schema decodes, with the same trades, prices and levels as
// the JSON streams and REST show, and update ids from which a client keeps a book. Requests and notices are JSON.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { WebSocket } from "ws";
import { Wallet } from "../../src/core/accounts.ts";
import type { Json } from "../support/client/json.ts";
import type { Decoded, Rows } from "../support/sbe/published-schema.ts";
import { decimalText } from "../support/sbe/same-as-json.ts";
import { FrontFixture, type TestKey } from "../surface/front-fixture.ts";
import { streamSchema } from "./sbe-client.ts";

let front: FrontFixture;
let maker: TestKey;
let taker: TestKey;
const symbol = "CC-USDC";
const limit = { symbol, type: "LIMIT", timeInForce: "GTC" };
const clients: SbeStream[] = [];

/** A connection that collects binary frames decoded and text frames parsed. */
class SbeStream {
  readonly frames: Decoded[] = [];
  readonly sizes: number[] = [];
  readonly texts: Json[] = [];
  readonly socket: WebSocket;
  closed: number | null = null;

  constructor(path: string, headers: Record<string, string> = {}) {
    this.socket = new WebSocket(`${front.base.replace("http", "ws")}/compat/sbe${path}`, {
      headers,
    });
    this.socket.on("message", (data: Buffer, isBinary: boolean) => {
      if (!isBinary) this.texts.push(JSON.parse(data.toString()));
      else {
        this.frames.push(streamSchema.decode(data));
        this.sizes.push(data.length);
      }
    });
    this.socket.on("close", (code: number) => {
      this.closed = code;
    });
    clients.push(this);
  }

  static async open(path: string, headers: Record<string, string> = {}): Promise<SbeStream> {
    const stream = new SbeStream(path, headers);
    await new Promise((resolve, reject) => {
      stream.socket.on("open", resolve);
      stream.socket.on("error", reject);
    });
    return stream;
  }

  /** The first frame from index `from` on for which `is` holds. */
  async next(is: (frame: Decoded) => boolean, from = 0): Promise<Decoded> {
    return until(() => this.frames.slice(from).find(is));
  }

  async text(is: (text: Json) => boolean): Promise<Json> {
    return until(() => this.texts.find(is));
  }
}

async function until<T>(read: () => T | undefined): Promise<T> {
  for (const endMs = Date.now() + 60_000; Date.now() < endMs; ) {
    const value = read();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return assert.fail("waited too long");
}

before(async () => {
  front = await FrontFixture.open({ isLive: true });
  maker = await front.newTrader();
  taker = await front.newTrader();
  for (const { account } of [maker, taker]) front.venue.credit(account, Wallet.spot, 1, 10n ** 14n);
});
after(() => {
  for (const { socket } of clients) socket.terminate();
  front.close();
});

async function place(key: TestKey, side: string, price: string, quantity: string): Promise<Json> {
  const order = { ...limit, side, price, quantity, recvWindow: 60_000 };
  const { status, json, text } = await front.send("POST", "/compat/api/v3/order", order, { key });
  assert.equal(status, 200, text);
  return json;
}

/** The price and quantity of a row as JSON shows them, without zeros at the end. */
function shown(rows: Rows, { priceExponent, qtyExponent }: Decoded["values"]): string[][] {
  return rows.map((row) => [
    decimalText(row["price"] as bigint, Number(priceExponent)),
    decimalText(row["qty"] as bigint, Number(qtyExponent)),
  ]);
}

function trimmed(levels: string[][]): string[][] {
  return levels.map((level) => level.map((text) => String(Number(text))));
}

async function restDepth(): Promise<Json> {
  return (await front.send("GET", "/compat/api/v3/depth", { symbol, limit: 5000 })).json;
}

test("SBE-12 SBE-13 a frame of trades has all trades of one order, with the ids and figures of REST", async () => {
  const stream = await SbeStream.open("/ws/cc-usdc@trade");
  await place(maker, "SELL", "0.2", "500");
  await place(maker, "SELL", "0.21", "500");
  await place(taker, "BUY", "0.21", "800");
  const { template, version, values } = await stream.next(() => true);
  assert.deepEqual([template, version, values["symbol"]], ["TradesStreamEvent", 0, symbol]);
  const trades = (await front.send("GET", "/compat/api/v3/trades", { symbol })).json;
  const rows = values["trades"] as Rows;
  assert.deepEqual(
    rows.map((row) => Number(row["id"])),
    trades.map(({ id }: Json) => id),
  );
  assert.deepEqual(
    shown(rows, values),
    trimmed(trades.map(({ price, qty }: Json) => [price, qty])),
  );
  assert.ok(rows.every((row) => row["isBuyerMaker"] === false));
  assert.equal(Math.floor(Number(values["transactTime"]) / 1000), trades[0].time);
  assert.ok(Number(values["eventTime"]) >= Number(values["transactTime"]) - 1000);
});

test("SBE-14 best prices are sent when they change, with the update id of the book", async () => {
  const stream = await SbeStream.open("/stream?streams=ccusdc@bestBidAsk");
  await place(maker, "BUY", "0.15", "400");
  const frame = await stream.next(({ values }) => values["bidPrice"] !== 0n);
  const { json } = await front.send("GET", "/compat/api/v3/ticker/bookTicker", { symbol });
  const { priceExponent, qtyExponent, ...values } = frame.values;
  const text = (name: string, exponent: unknown) =>
    decimalText(values[name] as bigint, Number(exponent));
  assert.deepEqual(
    [text("bidPrice", priceExponent), text("bidQty", qtyExponent)],
    trimmed([[json.bidPrice, json.bidQty]])[0],
  );
  const from = stream.frames.length;
  await place(maker, "BUY", "0.14", "400");
  await place(maker, "BUY", "0.16", "400");
  const later = await stream.next(() => true, from);
  assert.equal(later.values["bidPrice"], 1600n, "The second order changed no best price");
  assert.ok((later.values["bookUpdateId"] as bigint) > (frame.values["bookUpdateId"] as bigint));
});

/** A book that a client keeps as Binance describes it: from REST depth and the diff frames that follow. */
class KeptBook {
  readonly bids: Map<string, string>;
  readonly asks: Map<string, string>;
  lastId: bigint;

  constructor({ bids, asks, lastUpdateId }: Json) {
    this.bids = new Map(trimmed(bids) as [string, string][]);
    this.asks = new Map(trimmed(asks) as [string, string][]);
    this.lastId = BigInt(lastUpdateId);
  }

  apply({ template, values }: Decoded): void {
    assert.equal(template, "DepthDiffStreamEvent");
    const first = values["firstBookUpdateId"] as bigint;
    const last = values["lastBookUpdateId"] as bigint;
    if (last <= this.lastId) return;
    assert.ok(first <= this.lastId + 1n, "no update is missing");
    this.lastId = last;
    for (const side of ["bids", "asks"] as const) {
      for (const [price = "", qty = ""] of shown(values[side] as Rows, values)) {
        if (qty === "0") this[side].delete(price);
        else this[side].set(price, qty);
      }
    }
  }

  /** The levels of a side, best first. */
  levels(side: "bids" | "asks"): string[][] {
    const sign = side === "bids" ? -1 : 1;
    return [...this[side]].sort(([a], [b]) => sign * (Number(a) - Number(b)));
  }
}

test("SBE-15 SBE-16 a book kept from diff depth equals the snapshots and REST, without a gap", async () => {
  const diffs = await SbeStream.open("/ws/ccusdc@depth");
  const snapshots = await SbeStream.open("/ws/ccusdc@depth20");
  const book = new KeptBook(await restDepth());
  for (let step = 0; step < 30; step++) {
    const [side, price] = step % 2 === 0 ? ["BUY", `0.1${step}`] : ["SELL", `0.3${step}`];
    await place(maker, side as string, price as string, "1000");
    await new Promise((resolve) => setTimeout(resolve, 8));
  }
  const end = await restDepth();
  await diffs.next(({ values }) => values["lastBookUpdateId"] === BigInt(end.lastUpdateId));
  for (const frame of diffs.frames) book.apply(frame);
  const { template, values } = await snapshots.next(
    (frame) => frame.values["bookUpdateId"] === BigInt(end.lastUpdateId),
  );
  assert.equal(template, "DepthSnapshotStreamEvent");
  for (const side of ["bids", "asks"] as const) {
    assert.deepEqual(book.levels(side), trimmed(end[side]));
    assert.deepEqual(shown(values[side] as Rows, values), trimmed(end[side].slice(0, 20)));
  }
});

test("SBE-16 a subscriber of an unchanged book still gets a snapshot", async () => {
  const first = await SbeStream.open("/ws/ccusdc@depth20");
  await first.next(() => true);
  const second = await SbeStream.open("/ws/ccusdc@depth20");
  assert.equal((await second.next(() => true)).template, "DepthSnapshotStreamEvent");
});

test("SBE-11 SBE-17 streams are subscribed to by JSON requests, and a key is not needed", async () => {
  const stream = await SbeStream.open("/stream", { "X-MBX-APIKEY": "anything" });
  stream.socket.send('{"method":"SUBSCRIBE","params":["cc-usdc@trade"],"id":1}');
  assert.deepEqual(await stream.text(({ id }) => id === 1), { result: null, id: 1 });
  for (const [name, id] of [
    ["cc-usdc@aggTrade", 2],
    ["cc-usdc@depth5", 3],
    ["btcusdt@trade", 4],
    ["!bookTicker", 5],
    ["nope@trade", 6],
  ] as const) {
    stream.socket.send(JSON.stringify({ method: "SUBSCRIBE", params: [name], id }));
    assert.equal((await stream.text((text) => text.id === id)).error.code, 2, name);
  }
  stream.socket.send('{"method":"LIST_SUBSCRIPTIONS","id":7}');
  assert.deepEqual((await stream.text(({ id }) => id === 7)).result, ["cc-usdc@trade"]);
  await place(maker, "SELL", "0.17", "100");
  await place(taker, "BUY", "0.17", "100");
  assert.equal((await stream.next(() => true)).template, "TradesStreamEvent");
  stream.socket.send('{"method":"UNSUBSCRIBE","params":["cc-usdc@trade"],"id":8}');
  assert.deepEqual(await stream.text(({ id }) => id === 8), { result: null, id: 8 });
});

test("SBE-18 binary and broken frames of a client get an error, and other subscribers lose nothing", async () => {
  const well = await SbeStream.open("/ws/ccusdc@trade");
  const broken = await SbeStream.open("/ws/ccusdc@trade");
  for (const frame of [Buffer.alloc(0), Buffer.from([50, 0, 1, 2, 3]), Buffer.alloc(1000, 255)])
    broken.socket.send(frame);
  broken.socket.send("{");
  await until(() => (broken.texts.length >= 4 ? true : undefined));
  assert.ok(broken.texts.every(({ error }) => error.code === 2));
  const from = well.frames.length;
  await place(maker, "SELL", "0.17", "100");
  await place(taker, "BUY", "0.17", "100");
  await well.next(() => true, from);
  assert.equal(well.closed, null);
});

test("SBE-17 an unknown stream in the URL ends the connection with its name", async () => {
  const stream = await SbeStream.open("/ws/ccusdc@kline_1m");
  assert.equal(await until(() => stream.closed ?? undefined), 1008);
});
