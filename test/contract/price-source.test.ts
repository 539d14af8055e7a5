// Proves that the fake price source and the HTTP price source, with a feed in another process, fulfil the same
// contract, and that a hostile feed cannot harm the venue.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { rangesHold } from "../../src/adapters/network/address-ranges.ts";
import { specialAddresses } from "../../src/adapters/network/special-addresses.ts";
import { HttpPriceSource } from "../../src/adapters/prices/http-price-source.ts";
import { systemClock } from "../../src/adapters/runtime/system-clock.ts";
import { FakePriceSource } from "../support/prices/fake-price-source.ts";
import { PriceFeed } from "../support/prices/price-feed.ts";
import type { FeedBehaviour } from "../support/prices/price-feed-process.ts";
import { judgePriceSource } from "./price-source.ts";

let feed: PriceFeed;
before(async () => {
  feed = await PriceFeed.open();
});
after(() => feed.close());

const isSpecial = rangesHold(specialAddresses);

function sourceOf(
  url = feed.url,
  mayReach: (address: string) => boolean = () => true,
  timeoutMs = 60_000,
) {
  const limits = { timeoutMs, bytesMax: 10_000 };
  return new HttpPriceSource({ url, ...limits, mayReach, clock: systemClock });
}

judgePriceSource("fake", () => {
  const source = new FakePriceSource();
  return {
    source,
    say: async (prices, atMs) => source.say(prices, atMs),
    fail: async () => source.fail("away"),
  };
});

judgePriceSource("http", () => ({
  source: sourceOf(),
  say: (prices, atMs) => feed.say(prices, atMs),
  fail: () => feed.tell({ status: 500 }),
}));

async function faultOf(behaviour: FeedBehaviour, source = sourceOf()): Promise<string> {
  await feed.tell(behaviour);
  const answer = await source.read();
  return answer.kind === "fault" ? answer.message : "believed";
}

test("RSK-19 an answer that does not match the request is a fault", async () => {
  const price = (of: object) => JSON.stringify([{ symbol: "BTCUSDT", price: "1", ...of }]);
  const twice = '[{"symbol":"A","price":"1"},{"symbol":"A","price":"2"}]';
  for (const body of [
    "",
    "null",
    "{",
    '{"price":"1"}',
    price({ price: 1 }),
    price({ price: "-1" }),
    price({ price: "0.000" }),
    price({ price: "1e9" }),
    price({ price: "1".repeat(40) }),
    price({ symbol: "" }),
    price({ time: "now" }),
    price({ time: -1 }),
    twice,
  ]) {
    assert.notEqual(await faultOf({ body }), "believed", body);
  }
});

test("RSK-19 a feed may answer for one symbol only, and an answer without a time counts from now", async () => {
  await feed.tell({ body: '{"symbol":"BTCUSDT","price":"60000.10","more":1}' });
  const from = Date.now();
  const answer = await sourceOf().read();
  assert(answer.kind === "prices");
  const [reading] = answer.readings;
  assert(reading !== undefined && reading.atMs >= from && reading.atMs <= Date.now());
});

test("RSK-19 RSK-52 a faulty feed costs at most one deadline and an answer of limited size, and its redirects are not followed", async () => {
  const elsewhere = await PriceFeed.open();
  try {
    await elsewhere.say({ BTCUSDT: "1" });
    const moved = { status: 302, headers: { location: elsewhere.url } };
    assert.match(await faultOf(moved), /answered 302/);
    assert.equal(elsewhere.requests, 0, "the redirect must not be followed");
    assert.match(await faultOf({ isEndless: true }), /longer than 10000 bytes/);
    assert.match(
      await faultOf(
        { isSilent: true },
        sourceOf(feed.url, () => true, 500),
      ),
      /in time/,
    );
    assert.match(await faultOf({ body: " ".repeat(10_001) }), /longer/);
  } finally {
    elsewhere.close();
  }
});

test("RSK-19 RSK-52 the venue sends no request to an address of the operator's own network, given by number or by name", async () => {
  await feed.say({ BTCUSDT: "1" });
  const before = feed.requests;
  const { port } = new URL(feed.url);
  const mayReach = (address: string) => !isSpecial(address);
  for (const host of ["127.0.0.1", "2130706433", "0x7f.1", "localhost", "[::ffff:127.0.0.1]"]) {
    const answer = await sourceOf(`http://${host}:${port}/`, mayReach).read();
    assert(answer.kind === "fault", host);
    assert.match(answer.message, /public/, host);
  }
  assert.equal(feed.requests, before, "no request may be sent");
  for (const address of [
    "169.254.169.254",
    "10.1.2.3",
    "fe80::1",
    "fd00::1",
    "64:ff9b::a9fe:a9fe",
  ]) {
    assert(isSpecial(address), address);
  }
  for (const address of ["8.8.8.8", "2606:4700::1111"]) assert(!isSpecial(address), address);
});
