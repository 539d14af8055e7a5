// A venue of threads with a price feed in a process of its own: its prices become the index, and when it
// falls silent the index is forgotten. Every step is in the journal, so that replay gives the same state.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { PriceFeed } from "../support/price-feed.ts";
import { VenueFixture } from "../support/venue-fixture.ts";

let feed: PriceFeed;
let fixture: VenueFixture;

before(async () => {
  feed = await PriceFeed.open();
  fixture = await VenueFixture.open({
    PRICE_FEEDS: `${feed.url} http://127.0.0.1:1/nobody`,
    PRICE_FEED_NETWORKS: "127.0.0.0/8",
    PRICE_FEED_INTERVAL_MS: "50",
    PRICE_STALE_MS: "1500",
    MARK_INTERVAL_MS: "50",
  });
});

after(async () => {
  await fixture.close();
  feed.close();
});

/** Waits until the index is as expected, for at most ten seconds. */
async function untilIndex(symbol: string, expected: string): Promise<void> {
  let seen = "";
  for (let turn = 0; turn < 200; turn++) {
    const { json } = await fixture.get(`/fapi/v1/premiumIndex?symbol=${symbol}`);
    seen = json.indexPrice;
    if (Number(seen) === Number(expected)) return;
    await sleep(50);
  }
  assert.equal(seen, expected);
}

test("RSK-19 what a feed says becomes the index, rounded down to a tick, until it is stale", async () => {
  await feed.say({ BTCUSDT: "60000.129", "ETH-PERP": "3000.5", DOGEUSDT: "1" }, null);
  await untilIndex("BTCUSDT", "60000.12");
  await untilIndex("ETHUSDT", "3000.5");
  await feed.say({ BTCUSDT: "60100" }, null);
  await untilIndex("BTCUSDT", "60100");
  await untilIndex("ETHUSDT", "0");
  await feed.tell({ status: 500 });
  await untilIndex("BTCUSDT", "0");
  await feed.say({ BTCUSDT: "61000" }, null);
  await untilIndex("BTCUSDT", "61000");
});
