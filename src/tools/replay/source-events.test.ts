// Importers read recordings of every format exactly, on samples that a script makes; bad rows are named by file and line.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import {
  binanceAggTradesText,
  binanceTradesText,
  lobsterTexts,
  sampleMarket,
  tardisDepthText,
  tardisSnapshotsText,
  tardisTradesText,
  zipOf,
} from "../../../test/support/replay/sample-recording.ts";
import type { PastEvent } from "./past-events.ts";
import { SourceEvents, type SourceOptions, sourceOf } from "./source-events.ts";

const events = sampleMarket(11, 60);
const options: SourceOptions = {
  ...{ tickDecimals: 1, lotDecimals: 3, levels: 10, depthUs: 0 },
  ...{ roundsLots: false, skipsBad: false },
};
let folder = "";

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "rialto-sources-"));
});
after(() => rm(folder, { recursive: true, force: true }));

async function write(name: string, content: string | Buffer): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

async function read(paths: readonly string[], change: Partial<SourceOptions> = {}) {
  const sources = await Promise.all(paths.map((path) => sourceOf(path, undefined)));
  const reader = new SourceEvents({ ...options, ...change });
  const found: PastEvent[] = [];
  for await (const block of reader.read(sources)) found.push(...block);
  return { found, reader, formats: sources.map(({ format }) => format) };
}

const trades = events.filter(({ kind }) => kind === "trade");
const firstLevels = events.map((event) =>
  event.kind === "trade"
    ? event
    : { ...event, bids: event.bids.slice(0, 10), asks: event.asks.slice(0, 10) },
);

test("REW-52 trades of Binance are read with and without header, in milliseconds and microseconds, plain and packed", async () => {
  const packed = (name: string, text: string) =>
    [
      [`${name}.csv`, text],
      [`${name}.csv.gz`, gzipSync(text)],
      [`${name}.zip`, zipOf(`${name}.csv`, text)],
    ] as const;
  for (const kind of ["spot", "usdm"] as const)
    for (const [format, text] of [
      ["binance-trades", binanceTradesText(events, kind)],
      ["binance-agg-trades", binanceAggTradesText(events, kind)],
    ] as const)
      for (const [name, content] of packed(`${kind}-${format}`, text)) {
        const { found, formats } = await read([await write(name, content)]);
        assert.deepEqual(formats, [format], name);
        assert.deepEqual(found, trades, name);
      }
});

test("REW-53 depth snapshots and incremental depth of Tardis, merged with its trades, give the same history", async () => {
  const traded = await write("tardis-trades.csv", tardisTradesText(events));
  const snapshots = await write("book_snapshot_25.csv.gz", gzipSync(tardisSnapshotsText(events)));
  const depth = await write("incremental.csv", tardisDepthText(events));
  assert.deepEqual((await read([traded, snapshots])).found, firstLevels);
  assert.deepEqual((await read([depth, traded])).found, firstLevels);
});

test("REW-53 LOBSTER's messages and order books are read in pairs", async () => {
  const { message, orderbook } = lobsterTexts(events);
  const path = await write("AAPL_2025-06-03_34200000_57600000_message_10.csv", message);
  await write("AAPL_2025-06-03_34200000_57600000_orderbook_10.csv", orderbook);
  const { found, formats } = await read([path], { tickDecimals: 1, lotDecimals: 0 });
  assert.deepEqual(formats, ["lobster"]);
  assert.deepEqual(
    found.filter(({ kind }) => kind === "trade"),
    trades,
  );
  const books = found.filter(({ kind }) => kind === "book");
  assert.deepEqual(books.at(-1), firstLevels.at(-1));
});

test("REW-54 a bad row is named by file and line, or counted with the first one told", async () => {
  const text = binanceTradesText(events, "usdm").split("\n");
  text[3] = "3,95800.1,0.5,1.0,noon,true";
  text[5] = "4,95800.1,0.00012,1.0,1748908800100,true";
  const path = await write("bad.csv", text.join("\n"));
  await assert.rejects(read([path]), {
    message: `${path}:4: expected a time, not "noon" (--skip-bad counts bad rows)`,
  });
  const { found, reader } = await read([path], { skipsBad: true });
  assert.equal(reader.bad, 2);
  assert.match(reader.firstBad ?? "", /bad\.csv:4: expected a time/);
  assert.equal(found.length, trades.length - 2);
});

test("REW-55 a figure finer than the market's step does not fit, and quantities are rounded if that is wanted", async () => {
  const path = await write("fine.csv", "1,100.05,0.00012,1.0,1748908800000,true\n");
  const fits = { tickDecimals: 2 };
  await assert.rejects(read([path]), /the price "100.05" is finer than the market's tick 0.1/);
  await assert.rejects(
    read([path], fits),
    /the quantity "0.00012" is finer than the market's lot 0.001/,
  );
  const { found } = await read([path], { ...fits, roundsLots: true });
  assert.deepEqual(found, [
    { kind: "trade", atUs: 1_748_908_800_000_000, isBuy: false, price: 10_005, qty: 1 },
  ]);
});

test("REW-54 an archive with no or several files, a cut one, an empty file and an unknown format are refused", async () => {
  const zip = zipOf("a.csv", "1,2\n");
  const two = Buffer.from(zip);
  two.writeUInt16LE(2, two.length - 12);
  for (const [name, content, message] of [
    ["two.zip", two, /one file, not 2/],
    ["cut.zip", zip.subarray(0, 40), /not complete/],
    ["empty.csv", "", /empty/],
    ["other.csv", "a,b,c\n1,2,3\n", /no known format/],
  ] as const)
    await assert.rejects(read([await write(name, content)]), message);
});
