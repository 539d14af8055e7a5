// Proves that existing clients which name streams in the address work at the root. Only their base address is changed.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
// biome-ignore lint/correctness/noUnresolvedImports: a package of the older kind, without an index.
import { WebsocketStream } from "@binance/connector";
import { Spot } from "@binance/spot";
// biome-ignore lint/suspicious/noDeprecatedImports: the venue also serves traders who still use the old client.
import { WebsocketClientV1 } from "binance";
import binanceApiNode from "binance-api-node";
import { Wallet } from "../../src/core/accounts.ts";
import { FrontFixture } from "../surface/front-fixture.ts";
import type { Frame } from "./stream-client.ts";

let front: FrontFixture;
let base: string;

before(async () => {
  front = await FrontFixture.open({ isLive: true });
  base = front.base.replace("http", "ws");
});
after(() => front.close());

const quiet = { info() {}, warn() {}, error() {}, debug() {}, log() {}, trace() {} };

/** Trades until `isDone`, because a client may still be connecting when the first trades happen. */
async function tradeUntil(isDone: () => boolean): Promise<void> {
  const seller = front.venue.fund(10n ** 13n);
  front.venue.credit(seller, Wallet.spot, 1, 10n ** 15n);
  const buyer = front.venue.fund(10n ** 13n);
  const endMs = Date.now() + 120_000;
  while (!isDone()) {
    assert.ok(Date.now() < endMs, "The client received nothing in time");
    front.venue.sell(seller, 0, 1500, 1000);
    front.venue.buy(buyer, 0, 1500, 900);
    front.venue.buy(buyer, 0, 1400, 1000);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test("STR-1 STR-2 CNF-18 @binance/connector reads bare and combined streams", async () => {
  for (const combinedStreams of [false, true]) {
    const frames: Frame[] = [];
    const client = new WebsocketStream({
      wsURL: base,
      combinedStreams,
      logger: quiet,
      callbacks: { message: (text) => frames.push(JSON.parse(text)) },
    });
    client.subscribe(["cc-usdc@trade", "cc-usdc@depth5"]);
    const payloads = () => frames.map((frame) => frame.data ?? frame);
    await tradeUntil(
      () => payloads().some(({ e }) => e === "trade") && payloads().some(({ bids }) => bids),
    );
    client.disconnect();
  }
});

test("STR-1 CNF-18 binance-api-node reads trades, depth, candles and tickers", async () => {
  const client = binanceApiNode.default({ httpBase: front.base, wsBase: `${base}/ws` });
  const heard = new Set<string>();
  const stops = [
    client.ws.trades(["cc-usdc"], ({ quantity }) => void heard.add(`trade ${quantity}`)),
    client.ws.partialDepth({ symbol: "cc-usdc", level: 10 }, ({ bids }) => {
      if (bids.length > 0) heard.add("depth");
    }),
    client.ws.candles("cc-usdc", "1m", ({ trades }) => void (trades > 0 && heard.add("candle"))),
    client.ws.ticker("cc-usdc", ({ curDayClose }) => void heard.add(`ticker ${curDayClose}`)),
  ];
  const wanted = ["trade 90.0", "depth", "candle", "ticker 0.1500"];
  await tradeUntil(() => wanted.every((each) => heard.has(each)));
  for (const stop of stops) stop({ delay: 0, fastClose: true, keepClosed: true });
});

test("STR-1 STR-8 CNF-18 @binance/spot reads streams that the address names, and its SUBSCRIBE changes nothing", async () => {
  const configurationWebsocketStreams = { wsURL: base, reconnectDelay: 60_000 };
  const client = new Spot({ configurationWebsocketStreams });
  const connection = await client.websocketStreams.connect({ stream: ["cc-usdc@trade"] });
  const quantities: (string | undefined)[] = [];
  connection.trade({ symbol: "cc-usdc" }).on("message", ({ q }) => void quantities.push(q));
  await tradeUntil(() => quantities.includes("90.0"));
  await connection.disconnect();
});

test("STR-1 CNF-18 the older client of the binance package reads trades named by the address", async () => {
  const client = new WebsocketClientV1({ wsUrl: base }, quiet);
  const frames: Frame[] = [];
  client.on("message", (frame) => frames.push(frame as Frame));
  client.on("error", () => {});
  client.subscribeSpotTrades("cc-usdc");
  await tradeUntil(() => frames.some(({ e }) => e === "trade"));
  client.closeAll(false);
});
