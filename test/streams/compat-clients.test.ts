// Proves that existing clients which subscribe by requests work unchanged on the compat view (STR-15).

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { WebsocketClient } from "binance";
import { Wallet } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { Side } from "../../src/core/orders.ts";
import { RejectReason } from "../../src/core/reject-reason.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { ccxtProAt } from "../support/client/ccxt-pro.ts";
import { FrontFixture } from "../surface/front-fixture.ts";
import type { Frame } from "./stream-client.ts";

let front: FrontFixture;

before(async () => {
  front = await FrontFixture.open({ isLive: true });
});
after(() => front.close());

const quiet = { info() {}, warn() {}, error() {}, debug() {}, log() {}, trace() {} };

/** Resolves when `holds` returns true; fails after two minutes. */
async function until(what: string, holds: () => boolean): Promise<void> {
  const endMs = Date.now() + 120_000;
  while (!holds()) {
    assert.ok(Date.now() < endMs, `This did not happen in time: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Resolves when the client waits for each of these streams on an open connection. */
async function untilWatched(exchange: Exchange, hashes: readonly string[]): Promise<void> {
  const waiting = () =>
    Object.values(exchange.clients)
      .filter((client) => client.connection?.readyState === 1)
      .flatMap(({ futures }) => Object.keys(futures));
  await until(`${hashes} are watched`, () => hashes.every((hash) => waiting().includes(hash)));
}

/** Makes a trade every tenth of a second until `isDone`. */
async function tradeUntil(isDone: () => boolean): Promise<void> {
  const seller = front.venue.fund(10n ** 13n);
  front.venue.credit(seller, Wallet.spot, 1, 10n ** 15n);
  const buyer = front.venue.fund(10n ** 13n);
  const endMs = Date.now() + 120_000;
  while (!isDone()) {
    assert.ok(Date.now() < endMs, "The client received nothing in time");
    front.venue.sell(seller, 0, 1500, 1000);
    front.venue.buy(buyer, 0, 1500, 900);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

test("STR-15 CNF-18 the client of binance subscribes by request", async () => {
  const base = front.base.replace("http", "ws");
  const client = new WebsocketClient({ wsUrl: `${base}/compat` }, quiet);
  const frames: Frame[] = [];
  client.on("message", (frame) => frames.push(frame));
  client.on("exception", () => {});
  void client.subscribe(["cc-usdc@trade", "cc-usdc@bookTicker", "cc-usdc@depth@100ms"], "main");
  const payloads = () => frames.map((frame) => frame.data ?? frame);
  await tradeUntil(
    () =>
      payloads().some(({ e }) => e === "trade") && payloads().some(({ e }) => e === "depthUpdate"),
  );
  client.closeAll(true);
});

test("STR-15 CNF-18 ccxt.pro watches tickers, trades and candles", async () => {
  const exchange = proOf();
  await exchange.loadHttpProxyAgent();
  const heard: string[] = [];
  void exchange.watchTicker("CC/USDC").then(({ last }) => heard.push(`ticker ${last}`));
  void exchange.watchTrades("CC/USDC").then((trades) => heard.push(`trade ${trades[0]?.amount}`));
  await tradeUntil(() => heard.length === 2);
  assert.equal(heard.sort()[0], "ticker 0.15");
  assert.match(heard[1] ?? "", /^trade \d+$/);
  await exchange.close();
});

/** Trades at random around one price: sends orders that rest or match, and cancels. */
class RandomTrader {
  readonly #account = front.venue.fund(10n ** 15n);
  readonly #side: Side;
  readonly #random: SeededRandom;
  readonly #open: number[] = [];

  constructor(side: Side, seed: number) {
    this.#side = side;
    this.#random = new SeededRandom(seed);
    front.venue.credit(this.#account, Wallet.spot, 2, 10n ** 15n);
  }

  step(): void {
    const random = this.#random;
    const [account, market, side] = [this.#account, 1, this.#side];
    if (this.#open.length > 150 || random.below(3) === 0) {
      const [orderId] = this.#open.splice(random.below(this.#open.length), 1);
      const cancel = { kind: CommandKind.cancelOrder, account, market, clientId: "" } as const;
      if (orderId !== undefined) front.venue.send({ ...cancel, orderId });
      return;
    }
    const price = 6_000_000 + random.below(600) - 300 + (side === Side.buy ? -200 : 200);
    const reply = front.venue.place({ account, market, side, price, qty: 10 + random.below(90) });
    if (reply.reason === RejectReason.none) this.#open.push(reply.subject);
  }
}

test("STR-17 the book that ccxt.pro maintains equals the REST book after 10,000 random order events", async () => {
  const exchange = proOf();
  await exchange.loadHttpProxyAgent();
  let isOver = false;
  const watch = async () => {
    while (!isOver) await exchange.watchOrderBook("CBTC/USDC");
  };
  watch().catch(() => {});
  const kept = () => exchange.orderbooks["CBTC/USDC"];
  await until("the book is subscribed", () => kept() !== undefined);
  const traders = [new RandomTrader(Side.buy, 7), new RandomTrader(Side.sell, 8)];
  for (let events = 0; events < 10_000; events += 2) {
    for (const trader of traders) trader.step();
    if (events % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const rest = await exchange.fetchOrderBook("CBTC/USDC", 1000);
  await until("the client's book equals the REST book", () => kept()?.nonce === rest.nonce);
  const book = kept();
  assert.ok(book !== undefined && book.nonce === rest.nonce);
  assert.deepEqual([[...book.bids], [...book.asks]], [rest.bids, rest.asks]);
  assert.ok(rest.bids.length > 50 && rest.asks.length > 50);
  isOver = true;
  await exchange.close();
});

test("STR-21 STR-28 ccxt.pro watches orders and balances of its account, on spot", async () => {
  const trader = await front.newTrader();
  const exchange = proOf({ apiKey: trader.value, secret: trader.secret });
  await exchange.loadHttpProxyAgent();
  const heard: string[] = [];
  void exchange
    .watchOrders("CC/USDC")
    .then(([order]) => heard.push(`order ${order?.status} ${order?.amount}`));
  void exchange.watchBalance().then((balance) => heard.push(`USDC ${balance["USDC"]?.used}`));
  await untilWatched(exchange, ["orders:CC/USDC", "spot:balance"]);
  front.venue.buy(trader.account, 0, 1400, 1000);
  await until("the client receives every kind of update", () => heard.length > 1);
  assert.deepEqual(heard.sort(), ["USDC 14", "order open 100"]);
  const placed = await exchange.createOrderWs("CC/USDC", "limit", "buy", 100, 0.13);
  assert.equal(placed.status, "open");
  const cancelled = await exchange.cancelOrderWs(placed.id ?? "", "CC/USDC");
  assert.equal(cancelled.id, placed.id);
  await exchange.close();
});

test("STR-22 STR-25 ccxt.pro watches orders and balances of its account, on perpetuals", async () => {
  const trader = await front.newTrader();
  const other = front.venue.fund(10n ** 13n);
  const exchange = proOf({ apiKey: trader.value, secret: trader.secret }, "linear");
  await exchange.loadHttpProxyAgent();
  const heard: string[] = [];
  const orders = async () => {
    for (;;) {
      const [order] = await exchange.watchOrders("ETH/USDT:USDT");
      heard.push(`order ${order?.status}`);
    }
  };
  const balances = async () => {
    for (;;) {
      const balance = await exchange.watchBalance({ type: "swap" });
      heard.push(`USDT ${balance["USDT"]?.total}`);
    }
  };
  for (const watch of [orders, balances]) watch().catch(() => {});
  await untilWatched(exchange, ["orders:ETH/USDT:USDT", "future:balance"]);
  front.venue.sell(other, 5, 300_000, 500);
  front.venue.buy(trader.account, 5, 300_000, 500);
  const wanted = ["order closed", "USDT 999999.25"];
  await until("the client receives every kind of update", () =>
    wanted.every((each) => heard.includes(each)),
  );
  await exchange.close();
});

type Exchange = ReturnType<typeof proOf>;

/** Returns a ccxt.pro client with every address pointed at the compat view. */
function proOf(more: Record<string, string> = {}, type: "spot" | "linear" = "spot") {
  return ccxtProAt(front.base, { more, type });
}
