// Proves how changes of orders are noted and put into frames: none while nobody follows the market, and all of them once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, testMarkets } from "../../../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../../../test/support/machine/test-venue.ts";
import { FakeHistory } from "../../../../../test/surface/fake-history.ts";
import { orderChangesPerFrameMax } from "../../../../core/limits.ts";
import { Side } from "../../../../core/orders.ts";
import { VenueState } from "../../../../engine/state/venue-state.ts";
import { DepthTexts } from "../../market-data/depth-texts.ts";
import { MarketStatistics } from "../../market-data/market-statistics.ts";
import { ReadModel } from "../../read-model.ts";
import type { FeedName } from "../stream-name.ts";
import { StreamTopics } from "../stream-topics.ts";
import { MarketFeed } from "./market-feed.ts";
import { OrderFeed } from "./order-feed.ts";

interface Told {
  readonly U: number;
  readonly u: number;
  readonly o: readonly { readonly u: number; readonly i: number; readonly x: string }[];
}

/** A market and its feed, and an account that buys there. */
function followed() {
  const state = new VenueState(testMarkets, { remembersClientIds: false });
  const model = new ReadModel(state, { isAwaited: () => false, fundingIntervalMs: 28_800_000 });
  const venue = new TestVenue({ onEvent: (event) => model.fold(event) });
  const view = model.view(testMarkets.market(marketId.ccUsdc));
  const frames: Told[] = [];
  const shown = { market: view.market, now: view };
  const feed = new OrderFeed(shown, (text) => frames.push(JSON.parse(text)));
  const account = venue.fund(10n ** 15n);
  const seller = venue.fund(10n ** 12n);
  const buy = (qty = 1000, more = {}) => venue.buy(account, marketId.ccUsdc, 1000, qty, more);
  const sell = (qty: number) => venue.sell(seller, marketId.ccUsdc, 1000, qty);
  venue.credit(seller, 1, 1, 10n ** 16n);
  return { model, view, feed, frames, buy, sell };
}

test("MBO-1 changes are noted only while the market is followed, and are published once", () => {
  const { view, feed, frames, buy } = followed();
  buy();
  assert.equal(view.changes, null);
  feed.begin();
  const orderId = buy();
  feed.publish(0);
  feed.publish(0);
  assert.deepEqual(
    frames.flatMap(({ o }) => o.map(({ i, x }) => [i, x])),
    [[orderId, "NEW"]],
  );
  feed.end();
  buy();
  assert.equal(view.changes, null);
});

test("MBO-3 MBO-13 frames have a bounded number of changes, and each continues the one before", () => {
  const { view, feed, frames, buy, sell } = followed();
  buy();
  feed.begin();
  const opening: Told = JSON.parse(feed.openingText(0));
  assert.deepEqual([opening.u, opening.o], [view.depthSeq, []]);
  // Each leaves again, with a change of its own, before the next one joins.
  sell(1000);
  feed.publish(0);
  const before = frames.length;
  const ids = Array.from({ length: orderChangesPerFrameMax - 50 }, () => {
    const orderId = buy();
    sell(1000);
    return orderId;
  });
  feed.publish(0);
  assert.ok(frames.length > before + 1);
  assert.deepEqual(
    frames.flatMap(({ o }) => o.filter(({ x }) => x === "NEW").map(({ i }) => i)),
    ids,
  );
  for (const [index, { U, u, o }] of frames.entries()) {
    assert.equal(U, (frames[index - 1] ?? opening).u + 1);
    assert.equal(u, o.at(-1)?.u);
    assert.ok(o.length <= orderChangesPerFrameMax);
  }
});

test("MBO-7 the changes of one event are in one frame, also where a frame would be full", () => {
  const { view, feed, frames, buy, sell } = followed();
  feed.begin();
  buy(10_000, { icebergQty: 1000 });
  feed.publish(0);
  // The slice leaves and joins again in one event, at the last place of a full frame.
  const left = { seq: view.depthSeq, execution: "CANCELED", orderId: 1, side: Side.buy } as const;
  for (let count = 1; count < orderChangesPerFrameMax; count++)
    view.changes?.push({ ...left, price: 1, qty: 0, tradeId: 0, tradedQty: 0 });
  sell(1000);
  feed.publish(0);
  const last = frames.at(-1)?.o ?? [];
  assert.deepEqual(
    last.slice(-2).map(({ x }) => x),
    ["TRADE", "NEW"],
  );
  assert.equal(last.length, orderChangesPerFrameMax + 1);
  assert.equal(last.at(-1)?.u, last.at(-2)?.u);
});

/** Feeds of a market in both views, and what they publish. */
function twoViews() {
  const { model, view, buy, sell } = followed();
  const texts: string[] = [];
  const nothing = () => undefined;
  const topics = new StreamTopics({
    publish: (_topic, text) => texts.push(String(text)),
    began: nothing,
    ended: nothing,
  });
  const statistics = new MarketStatistics(model, new FakeHistory(testMarkets));
  const standInPrice = () => 0;
  const more = { depthTexts: new DepthTexts(), onFault: nothing, candleMs: 1000, standInPrice };
  const feedOf = (surface: "compat" | "root", names: readonly FeedName[]) => {
    const feed = new MarketFeed(view, surface, { topics, statistics, ...more });
    for (const name of names) {
      const key = `0@${name}@${surface}`;
      const stream = { feed: name, market: view.market, kind: view.market.kind, view: surface };
      const form = { topic: key, requested: null, usesMicroseconds: false, connections: 1 };
      feed.begin({ ...stream, isSbe: false, key, forms: new Map([[key, form]]) });
    }
    return feed;
  };
  return { texts, feedOf, buy, sell };
}

test("MBO-1 a listener of the root view takes no changes from those who follow the orders", () => {
  const { texts, feedOf, buy, sell } = twoViews();
  const compat = feedOf("compat", ["order"]);
  const root = feedOf("root", ["kline_1m"]);
  const first = buy();
  // Candles have their own timer, which may come before the end of the turn.
  root.publishCandles(0);
  compat.pump(0, 256);
  sell(1000);
  root.publishChanges(0);
  root.pump(0, 256);
  compat.pump(0, 256);
  const told: Told[] = texts.map((text) => JSON.parse(text)).filter(({ e }) => e === "orderUpdate");
  assert.deepEqual(
    told.flatMap(({ o }) => o.map(({ i, x }) => [i, x])),
    [
      [first, "NEW"],
      [first, "TRADE"],
    ],
  );
});

test("MBO-3 the changes come before any depth frame that contains them", () => {
  const { texts, feedOf, buy } = twoViews();
  const feed = feedOf("compat", ["order", "depth", "depth5"]);
  for (const publishDepth of ["publishLevels", "publishChanges"] as const) {
    texts.length = 0;
    buy();
    feed[publishDepth](0);
    assert.ok(texts.length === 2 && texts[0]?.includes('"orderUpdate"'), publishDepth);
  }
});
