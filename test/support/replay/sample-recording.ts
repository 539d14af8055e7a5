// Makes small recordings of a market that never existed, for tests: a random walk with depth and trades that agree, written
// in the public formats. Prices are whole tenths, quantities whole thousandths, so that every market takes them.

import { crc32, deflateRawSync } from "node:zlib";
import { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import type { PastBook, PastEvent, PastTrade } from "../../../src/tools/replay/past-events.ts";

/** 2025-06-03T00:00:00Z in microseconds. */
export const sampleStartUs = 1_748_908_800_000_000;
const momentUs = 100_000;
const sides = ["bids", "asks"] as const;

/** A price in tenths and a quantity in thousandths as texts. */
const priceText = (tenths: number) => (tenths / 10).toFixed(1);
const qtyText = (thousandths: number) => (thousandths / 1000).toFixed(3);

/** Moments of depth with `levels` a side, and before each but the first some trades that explain a part of it. */
export function sampleMarket(seed: number, moments: number, levels = 25): PastEvent[] {
  const random = new SeededRandom(seed);
  const events: PastEvent[] = [];
  let bid = 958_000;
  const size = () => 60 + random.below(4_000);
  const book = { bids: new Map<number, number>(), asks: new Map<number, number>() };
  for (let moment = 0; moment < moments; moment++) {
    const atUs = sampleStartUs + moment * momentUs;
    if (moment > 0) events.push(...sampleTrades(random, book, atUs - momentUs));
    if (random.next() < 0.3) bid += random.below(7) - 3;
    const best = { bids: bid, asks: bid + 1 + random.below(2) };
    for (const side of sides) {
      const away = side === "bids" ? -1 : 1;
      const prices = Array.from({ length: levels }, (_, level) => best[side] + away * level);
      const kept = (price: number) => (random.next() < 0.7 ? book[side].get(price) : undefined);
      book[side] = new Map(prices.map((price) => [price, kept(price) ?? size()]));
    }
    events.push({ kind: "book", atUs, bids: [...book.bids], asks: [...book.asks] });
  }
  return events;
}

type SampleBook = Record<(typeof sides)[number], Map<number, number>>;

/** Up to three incoming orders in the time after `fromUs`, the last of which may take two levels. */
function sampleTrades(random: SeededRandom, book: SampleBook, fromUs: number): PastTrade[] {
  const trades: PastTrade[] = [];
  const count = random.below(4);
  for (let turn = 0; turn < count; turn++) {
    const isBuy = random.next() < 0.5;
    const side = book[isBuy ? "asks" : "bids"];
    const atUs = fromUs + (turn + 1) * 20_000;
    const [first, second] = [...side];
    if (first === undefined || second === undefined) break;
    const part = (open: number) => Math.max(55, Math.floor(open * random.next() * 0.9));
    if (turn === 2) {
      trades.push({ kind: "trade", atUs, isBuy, price: first[0], qty: first[1] });
      side.delete(first[0]);
    }
    const [price, open] = turn === 2 ? second : first;
    const qty = Math.min(part(open), open);
    trades.push({ kind: "trade", atUs, isBuy, price, qty });
    if (qty === open) side.delete(price);
    else side.set(price, open - qty);
  }
  return trades;
}

const tradesOf = (events: readonly PastEvent[]) =>
  events.filter((event): event is PastTrade => event.kind === "trade");
const booksOf = (events: readonly PastEvent[]) =>
  events.filter((event): event is PastBook => event.kind === "book");
const lines = (rows: readonly string[]) => `${rows.join("\n")}\n`;

/** Binance's trades: of spot without a header, in microseconds and with a last column; of USD-M with a header. */
export function binanceTradesText(events: readonly PastEvent[], kind: "spot" | "usdm"): string {
  const rows = tradesOf(events).map(({ atUs, isBuy, price, qty }, id) => {
    const maker = kind === "spot" ? (isBuy ? "False" : "True") : String(!isBuy);
    const time = kind === "spot" ? atUs : atUs / 1000;
    const row = `${id},${priceText(price)},${qtyText(qty)},1.0,${time},${maker}`;
    return kind === "spot" ? `${row},True` : row;
  });
  return lines(kind === "spot" ? rows : ["id,price,qty,quote_qty,time,is_buyer_maker", ...rows]);
}

export function binanceAggTradesText(events: readonly PastEvent[], kind: "spot" | "usdm"): string {
  const header =
    "agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker";
  const rows = tradesOf(events).map(({ atUs, isBuy, price, qty }, id) => {
    const time = kind === "spot" ? atUs : atUs / 1000;
    const row = `${id},${priceText(price)}00,${qtyText(qty)}0,${id},${id},${time},${!isBuy}`;
    return kind === "spot" ? `${row},true` : row;
  });
  return lines(kind === "spot" ? rows : [header, ...rows]);
}

const tardisHead = "binance-futures,BTCUSDT";

export function tardisTradesText(events: readonly PastEvent[]): string {
  const rows = tradesOf(events).map(
    ({ atUs, isBuy, price, qty }, id) =>
      `${tardisHead},${atUs - 5},${atUs},${id},${isBuy ? "buy" : "sell"},${priceText(price)},${qtyText(qty)}`,
  );
  return lines(["exchange,symbol,timestamp,local_timestamp,id,side,price,amount", ...rows]);
}

export function tardisSnapshotsText(events: readonly PastEvent[], levels = 25): string {
  const columns = Array.from({ length: levels }, (_, at) =>
    ["asks", "bids"].map((side) => `${side}[${at}].price,${side}[${at}].amount`),
  ).flat();
  const rows = booksOf(events).map(({ atUs, bids, asks }) => {
    const figures = Array.from({ length: levels }, (_, at) =>
      [asks[at], bids[at]].map((one) => (one ? `${priceText(one[0])},${qtyText(one[1])}` : ",")),
    ).flat();
    return `${tardisHead},${atUs - 5},${atUs},${figures.join(",")}`;
  });
  const header = `exchange,symbol,timestamp,local_timestamp,${columns.join(",")}`;
  return lines([header, ...rows]);
}

/** Incremental depth: the first moment as a snapshot, then what changed. */
export function tardisDepthText(events: readonly PastEvent[]): string {
  const rows: string[] = [];
  const before = { bids: new Map<number, number>(), asks: new Map<number, number>() };
  for (const [moment, book] of booksOf(events).entries())
    for (const side of sides) {
      const now = new Map(book[side]);
      const head = `${tardisHead},${book.atUs - 5},${book.atUs},${moment === 0},${side.slice(0, 3)}`;
      const gone = [...before[side].keys()].filter((price) => !now.has(price));
      const changed = [...now].filter(([price, qty]) => before[side].get(price) !== qty);
      for (const [price, qty] of [...gone.map((price) => [price, 0] as const), ...changed])
        rows.push(`${head},${priceText(price)},${qtyText(qty)}`);
      before[side] = now;
    }
  return lines([
    "exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount",
    ...rows,
  ]);
}

/** LOBSTER's two files; each event is a row of both, and a price in tenths is one of ten thousandths. */
export function lobsterTexts(events: readonly PastEvent[], levels = 10) {
  const messages: string[] = [];
  const books: string[] = [];
  let book = "";
  for (const event of events) {
    const seconds = ((event.atUs - sampleStartUs) / 1e6).toFixed(9);
    if (event.kind === "trade") {
      const { isBuy, price, qty } = event;
      messages.push(`${seconds},4,77,${qty},${price * 1000},${isBuy ? -1 : 1}`);
    } else {
      messages.push(`${seconds},1,78,5,9580000,1`);
      const figures = Array.from({ length: levels }, (_, at) =>
        [event.asks[at], event.bids[at]].map((one, side) =>
          one ? `${one[0] * 1000},${one[1]}` : `${side === 0 ? 9999999999 : -9999999999},0`,
        ),
      );
      book = figures.flat().join(",");
    }
    books.push(book);
  }
  return { message: lines(messages), orderbook: lines(books) };
}

/** A ZIP archive with one deflated file. */
export function zipOf(name: string, text: string): Buffer {
  const [body, title] = [Buffer.from(text), Buffer.from(name)];
  const packed = deflateRawSync(body);
  const common = Buffer.alloc(26);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(8, 4);
  common.writeUInt32LE(crc32(body), 10);
  common.writeUInt32LE(packed.length, 14);
  common.writeUInt32LE(body.length, 18);
  common.writeUInt16LE(title.length, 22);
  const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, title, packed]);
  const entry = Buffer.concat([
    Buffer.from("PK\x01\x02\x14\x00", "latin1"),
    common,
    Buffer.alloc(14),
    title,
  ]);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(entry.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, entry, end]);
}
