// Proves that ccxt, unchanged, can trade on the spot surface at the root (SPT-2, SPT-7 to SPT-13) of a venue that was
// started by its command line. test/clients covers all routes that ccxt uses.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { binance, type Order } from "ccxt";
import { VenueProcess } from "../../bench/venue/venue-process.ts";
import { createLoadKeys } from "../../src/tools/load/load-accounts.ts";
import type { LoadKey } from "../../src/tools/load/signed-requests.ts";

// No other account trades in this market; the demo account trades in another.
const symbol = "CETH/USDC";
const base = "CETH";

/** Returns the client of the guide, with every address directed to the venue. */
function clientOf(address: string, { key, secret }: LoadKey): binance {
  const exchange = new binance({
    apiKey: key,
    secret,
    rateLimit: 5,
    // A busy machine may need longer for an answer than ccxt's own ten seconds.
    timeout: 60_000,
    options: {
      ...{ fetchCurrencies: false, fetchMargins: false, recvWindow: 60_000 },
      fetchMarkets: { types: ["spot"] },
    },
  });
  const api = exchange.urls["api"] as Record<string, unknown>;
  for (const [name, url] of Object.entries(api)) {
    if (typeof url === "string") api[name] = url.replace(/^https:\/\/[^/]+/, address);
  }
  return exchange;
}

function idOf({ id }: Order): string {
  assert(typeof id === "string");
  return id;
}

let dataDir = "";
let venue: VenueProcess;
let maker: binance;
let taker: binance;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "rialto-ccxt-"));
  venue = await VenueProcess.start({ dataDir, settings: { WARM_UP: "0" } });
  const { host, port } = venue.endpoint;
  const [one, other] = await createLoadKeys(dataDir, 2);
  assert(one !== undefined && other !== undefined);
  maker = clientOf(`http://${host}:${port}`, one);
  taker = clientOf(`http://${host}:${port}`, other);
  await maker.loadMarkets();
  await taker.loadMarkets();
});

after(async () => {
  await venue.stop();
  await rm(dataDir, { recursive: true, force: true });
});

test("loadMarkets finds the spot markets with their steps", () => {
  const market = maker.market(symbol);
  assert.equal(market.spot, true);
  assert.equal(market.active, true);
  assert.deepEqual([market.precision.price, market.precision.amount], [0.01, 0.001]);
  assert.equal(market.limits.cost?.min, 10);
});

test("fetchBalance shows the account's initial balance", async () => {
  const balance = await maker.fetchBalance();
  assert.equal(balance[base]?.free, 400);
  assert.equal(balance["USDC"]?.used, 0);
});

test("an order exists from createOrder to cancelOrder", async () => {
  const placed = await maker.createOrder(symbol, "limit", "sell", 2, 3100);
  assert.equal(placed.status, "open");
  const fetched = await maker.fetchOrder(idOf(placed), symbol);
  assert.deepEqual(
    [fetched.price, fetched.amount, fetched.filled, fetched.side],
    [3100, 2, 0, "sell"],
  );
  const open = await maker.fetchOpenOrders(symbol);
  assert.deepEqual(
    open.map(({ id }) => id),
    [placed.id],
  );
  const book = await maker.fetchOrderBook(symbol);
  assert.deepEqual(book.asks.at(-1), [3100, 2], "The order must be behind the demo's asks");
  assert.equal((await maker.fetchBalance())[base]?.used, 2);
  const cancelled = await maker.cancelOrder(idOf(placed), symbol);
  assert.equal(cancelled.status, "canceled");
  assert.deepEqual(await maker.fetchOpenOrders(symbol), []);
  assert.equal((await maker.fetchOrder(idOf(placed), symbol)).status, "canceled");
  assert.equal((await maker.fetchBalance())[base]?.used, 0);
});

test("both sides of a trade see it with their fees", async () => {
  const resting = await maker.createOrder(symbol, "limit", "sell", 2, 3000);
  const incoming = await taker.createOrder(symbol, "limit", "buy", 2, 3050);
  assert.equal(incoming.status, "closed");
  assert.equal(incoming.average, 3000);
  assert.equal((await maker.fetchOrder(idOf(resting), symbol)).status, "closed");
  const [sold] = await maker.fetchMyTrades(symbol);
  const [bought] = await taker.fetchMyTrades(symbol);
  assert(sold !== undefined && bought !== undefined);
  assert.equal(sold.id, bought.id);
  assert.deepEqual(
    [sold.side, sold.takerOrMaker, sold.price, sold.amount],
    ["sell", "maker", 3000, 2],
  );
  assert.deepEqual([bought.side, bought.takerOrMaker], ["buy", "taker"]);
  assert.deepEqual(sold.fee, { cost: 2.4, currency: "USDC" });
  assert.deepEqual(bought.fee, { cost: 0.002, currency: base });
});

test("refusals arrive as ccxt's own errors", async () => {
  await assert.rejects(taker.createOrder("CBTC/USDC", "limit", "buy", 1000, 60_000), {
    name: "InsufficientFunds",
  });
  await assert.rejects(taker.cancelOrder("999999", symbol), { name: "OrderNotFound" });
});
