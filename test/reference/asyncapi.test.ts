// Proves that the served AsyncAPI document equals the one that the build writes, has no broken references, and
// describes every frame that a running front sends.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { marketPayloads, userPayloads } from "../../schemas/streams/payloads.ts";
import { Wallet } from "../../src/core/accounts.ts";
import { StreamClient } from "../streams/stream-client.ts";
import { crashTo, openLongs, tickSecond } from "../support/machine/small-crash.ts";
import { oneUsdc } from "../support/machine/test-markets.ts";
import { projectRoot } from "../support/tidy/tree.ts";
import { FrontFixture } from "../surface/front-fixture.ts";

const built = join(projectRoot, "dist/reference/asyncapi.json");
let front: FrontFixture;
const clients: StreamClient[] = [];

before(async () => {
  front = await FrontFixture.open({ isLive: true });
});
after(() => {
  for (const client of clients) client.close();
  front.close();
});

test("OPS-12 the build writes the document that the venue serves at /asyncapi.json", async () => {
  const answer = await front.fetch("/asyncapi.json");
  assert.equal(answer.status, 200);
  assert.ok(
    readFileSync(built, "utf8") === answer.text,
    "the built document differs from the served one",
  );
});

test("OPS-12 every reference in the document resolves, and every operation has its channel", async () => {
  const { json } = await front.fetch("/asyncapi.json");
  assert.equal(json.asyncapi, "3.0.0");
  const references = [...JSON.stringify(json).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
    ([, path = ""]) => path,
  );
  assert.ok(references.length > 50);
  for (const path of references) {
    const found = path.split("/").reduce((node, name) => node?.[name], json);
    assert.equal(typeof found, "object", path);
  }
  for (const [name, { action, channel, messages }] of Object.entries<{
    action: string;
    channel: { $ref: string };
    messages: { $ref: string }[];
  }>(json.operations)) {
    assert.match(action, /^(send|receive)$/, name);
    assert.ok(messages.length > 0, name);
    for (const { $ref } of messages) assert.ok($ref.startsWith(`${channel.$ref}/messages/`), name);
  }
  for (const [name, { payload }] of Object.entries<{ payload: { type: string } }>(
    json.components.messages,
  )) {
    assert.equal(payload.type, "object", name);
  }
});

/** Returns the names of the schemas that the frame matches. */
function fitting(frame: unknown): string[] {
  return Object.entries({ ...marketPayloads, ...userPayloads })
    .filter(([, schema]) => schema.safeParse(frame).success)
    .map(([name]) => name);
}

const oco = {
  ...{ symbol: "CC-USDC", side: "SELL", quantity: "200" },
  ...{ aboveType: "LIMIT_MAKER", abovePrice: "0.3" },
  ...{ belowType: "STOP_LOSS", belowStopPrice: "0.1" },
};

/** The feeds of both kinds of market. */
const feeds = [
  ...["trade", "aggTrade", "depth", "depth5", "order", "bookTicker"],
  ...["ticker", "miniTicker", "kline_1m"],
];

test("OPS-12 the document describes every frame of every stream", async () => {
  const trader = await front.newTrader();
  front.venue.credit(trader.account, Wallet.spot, 1, 10n ** 14n);
  const other = front.venue.fund(10n ** 13n);
  const base = `${front.base.replace("http", "ws")}/compat`;
  const names = ["cc-usdc", "ethusdt"].flatMap((symbol) =>
    feeds.map((feed) => `${symbol}@${feed}`),
  );
  names.push("cc-usdc@ticker_1h", "cc-usdc@avgPrice", "ethusdt_perpetual@continuousKline_5m");
  const listen = async (path: string) => {
    const headers = { "X-MBX-APIKEY": trader.value };
    const { json } = await front.fetch(`/compat${path}`, { method: "POST", headers });
    return json.listenKey as string;
  };
  const keys = [await listen("/api/v3/userDataStream"), await listen("/fapi/v1/listenKey")];
  const paths = [
    `/ws/${[...names, "ethusdt@markPrice", "btcusdt@forceOrder"].join("/")}`,
    ...keys.map((key) => `/ws/${key}?resume=987654321`),
  ];
  for (const path of paths) clients.push(await StreamClient.open(base + path));
  // User data begins with a snapshot, because the clients resume from a frame that was never sent.
  for (const client of clients.slice(1)) await client.until(() => client.frames.length > 0);
  const leverage = { symbol: "ETHUSDT", leverage: 5 };
  await front.send("POST", "/fapi/v1/leverage", leverage, { key: trader });
  for (const [market, price, qty] of [
    [0, 1500, 2000],
    [5, 300_000, 200],
  ] as const) {
    const orderId = front.venue.sell(trader.account, market, price + 10, qty);
    front.venue.sell(trader.account, market, price, qty);
    front.venue.buy(other, market, price, qty / 2);
    await front.send(
      "DELETE",
      market === 0 ? "/api/v3/order" : "/fapi/v1/order",
      { symbol: market === 0 ? "CC-USDC" : "ETHUSDT", orderId },
      { key: trader },
    );
  }
  const stop = {
    symbol: "ETHUSDT",
    side: "BUY",
    type: "STOP_MARKET",
    quantity: 1,
    stopPrice: 9000,
  };
  await front.send("POST", "/fapi/v1/order", stop, { key: trader });
  await front.send("POST", "/api/v3/orderList/oco", oco, { key: trader });
  front.venue.credit(trader.account, Wallet.spot, 0, 1n);
  front.venue.credit(trader.account, Wallet.perp, 0, 1n);
  const [maker, small, large] = [10_000_000n, 620n, 6330n].map((usdc) =>
    front.venue.fund(usdc * oneUsdc),
  ) as [number, number, number];
  openLongs(front.venue, maker, small, large);
  crashTo(front.venue, maker, 5_300_000);
  tickSecond(front.venue);
  const all = [...Object.keys(marketPayloads), ...Object.keys(userPayloads)];
  let missing = all;
  // Some frames are sent only once a second.
  for (const endMs = Date.now() + 60_000; missing.length > 0 && Date.now() < endMs; ) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    const seen = new Set<string>();
    for (const frame of clients.flatMap(({ frames }) => frames)) {
      const fits = fitting(frame);
      assert.ok(fits.length > 0, JSON.stringify(frame));
      for (const name of fits) seen.add(name);
    }
    missing = all.filter((name) => !seen.has(name));
  }
  assert.deepEqual(missing, []);
});
