// The crash of market-crash.test.ts on the threaded venue, in real time: two thousand leveraged accounts, a
// thin book, an index that falls by 40 % in a minute. The venue stays up and answers, and its journal
// explains every liquidation. CRASH_SECONDS shortens the minute.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresEventStore } from "../../src/adapters/postgres/event-store.ts";
import { createLog } from "../../src/adapters/telemetry/log.ts";
import { AccountType, SystemAccount, Wallet } from "../../src/core/accounts.ts";
import { CommandKind, type PlaceOrder } from "../../src/core/commands.ts";
import { noOptions, OrderType, Side, TimeInForce } from "../../src/core/orders.ts";
import { IndexOrigin } from "../../src/core/perpetuals/index-price.ts";
import { RejectReason } from "../../src/core/reject-reason.ts";
import type { Reply } from "../../src/core/replies.ts";
import { foldChunk } from "../../src/services/journal/replay.ts";
import { Latencies } from "../../src/tools/load/latencies.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";
import { verifyReplay } from "../../src/venue/verification/verification.ts";
import { LiquidationAudit } from "../model/liquidation-audit.ts";
import { marketId, oneUsdc } from "../support/test-markets.ts";
import { VenueFixture } from "../support/venue-fixture.ts";

const { btcPerp } = marketId;
const accounts = 2000;
const seconds = Number(process.env["CRASH_SECONDS"] ?? 60);
const startPrice = 6_000_000;
const fund = SystemAccount.insurance;
/** What the operator adds while trading is paused. */
const refill = 50_000n * oneUsdc;
/** Asks at once while the crowd is set up. */
const askers = 64;

let fixture: VenueFixture;

before(async () => {
  fixture = await VenueFixture.open();
});
after(() => fixture.close());

type Order = Pick<PlaceOrder, "account" | "market" | "side" | "price" | "qty">;

function place(order: Order): Promise<Reply> {
  return fixture.venue.desk.ask({
    kind: CommandKind.placeOrder,
    type: OrderType.limit,
    timeInForce: TimeInForce.gtc,
    ...noOptions,
    clientId: "",
    attached: null,
    ...order,
  });
}

function credit(account: number, wallet: Wallet, asset: number, amount: bigint): Promise<Reply> {
  const money = { account, wallet, asset, amount, isFromFaucet: true };
  return fixture.venue.desk.ask({ kind: CommandKind.credit, ...money });
}

async function open(perp: bigint): Promise<number> {
  const ask = { kind: CommandKind.openAccount, account: 0, accountType: AccountType.standard };
  const { subject: account } = await fixture.venue.desk.ask(ask);
  await credit(account, Wallet.perp, 0, perp * oneUsdc);
  return account;
}

/** Does all of `count` things, some at once; answers what they came to, in order. */
async function each<T>(count: number, what: (place: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const asker = async () => {
    for (let at = next++; at < count; at = next++) results[at] = await what(at);
  };
  await Promise.all(Array.from({ length: askers }, asker));
  return results;
}

/** Longs at ten to twenty times leverage, against twenty accounts that go short. */
async function crowd(): Promise<number[]> {
  const random = new SeededRandom(40);
  const terms = Array.from({ length: accounts }, () => {
    return { leverage: 10 + random.below(10), qty: 50 + random.below(60) };
  });
  const shorts = await each(20, () => open(1_000_000n));
  const longs = await each(accounts, () => open(700n));
  const order = { market: btcPerp, price: startPrice };
  await each(accounts, async (at) => {
    const { qty = 0 } = terms[at] ?? {};
    const account = shorts[at % shorts.length] ?? 0;
    const reply = await place({ ...order, account, side: Side.sell, qty });
    assert.equal(reply.reason, RejectReason.none);
  });
  await each(accounts, async (at) => {
    const { qty = 0, leverage = 0 } = terms[at] ?? {};
    const account = longs[at] ?? 0;
    const ask = { kind: CommandKind.setLeverage, account, market: btcPerp, leverage };
    await fixture.venue.desk.ask(ask);
    const reply = await place({ ...order, account, side: Side.buy, qty });
    assert.equal(reply.reason, RejectReason.none);
  });
  return longs;
}

/** A feed says the price, and a thin book is quoted around it; true if trading is paused. */
async function quote(account: number, price: number): Promise<boolean> {
  const { desk, clock } = fixture.venue;
  await desk.ask({ kind: CommandKind.cancelAllOrders, account, market: btcPerp });
  await desk.ask({
    kind: CommandKind.setReference,
    ...{ account: 0, market: btcPerp, origin: IndexOrigin.feed, price },
    untilUs: clock.nowUs() + 86_400_000_000,
  });
  const around = (market: number, away: number, qty: number) => [
    place({ account, market, side: Side.buy, price: price - away, qty }),
    place({ account, market, side: Side.sell, price: price + away, qty }),
  ];
  const levels = [3000, 6000, 9000, 12_000];
  const asks = levels.map((away) => around(btcPerp, away, 300));
  const replies = await Promise.all(asks.flat());
  return replies.some(({ reason }) => reason === RejectReason.tradingPaused);
}

/** Places and cancels until told to stop; each answer counts, and each is durable. */
async function probe(account: number, isOver: () => boolean): Promise<Latencies> {
  const latencies = new Latencies();
  while (!isOver()) {
    const began = performance.now();
    const order = { account, market: btcPerp, side: Side.buy, price: 2_000_000, qty: 1 };
    const { reason, subject: orderId } = await place(order);
    latencies.record(performance.now() - began);
    if (reason === RejectReason.none) {
      const cancel = { kind: CommandKind.cancelOrder, account, market: btcPerp, orderId };
      await fixture.venue.desk.ask({ ...cancel, clientId: "" });
    }
    await sleep(5);
  }
  return latencies;
}

/** Accounts of the crowd that still have a position, as its rows say. */
async function stillOpen(longs: readonly number[]): Promise<number> {
  const [row] = await fixture.venue.database.sql<{ count: string }[]>`
    select count(*) as count from positions
    where market = ${btcPerp} and qty <> 0 and account between ${Math.min(...longs)} and ${Math.max(...longs)}`;
  return Number(row?.count);
}

test("a crash of 40 % in a minute passes a venue of threads that goes on answering", async (t) => {
  await credit(fund, Wallet.perp, 0, 20_000n * oneUsdc);
  const maker = await open(50_000_000n);
  const prober = await open(100_000n);
  const longs = await crowd();
  let isOver = false;
  const probing = probe(prober, () => isOver);
  for (let second = 0; ; second++) {
    const fallen = Math.min(second, seconds) / seconds;
    const isPaused = await quote(maker, Math.round(startPrice * (1 - 0.4 * fallen)));
    if (isPaused) await credit(fund, Wallet.perp, 0, refill);
    if (second > seconds && (await stillOpen(longs)) === 0) break;
    assert(second < seconds + 180, "every long has been liquidated by now");
    await sleep(1000);
  }
  isOver = true;
  const latencies = (await probing).summary();
  assert(latencies.count > 500, "orders were answered all the while");
  const { table, database } = fixture.venue;
  await fixture.venue.close();
  const log = createLog("error", "test");
  const { connection } = database;
  const store = new PostgresEventStore({ connection, log, isStopping: () => true });
  const untilSeq = await store.lastSeq();
  const audit = new LiquidationAudit(table);
  await store.readEvents(0, untilSeq, (chunk) => foldChunk(chunk, (event) => audit.take(event)));
  const options = { untilSeq, projections: null, onProgress: () => undefined };
  const { differences } = await verifyReplay(store, table, options);
  await store.close();
  const { begun, closingOrders, takenOver, deleveraged, pauses } = audit;
  t.diagnostic(
    `${begun} liquidations, ${closingOrders} closing orders, ${takenOver} taken over, ` +
      `${deleveraged} deleveraged, gate set ${pauses} times, ${untilSeq} events`,
  );
  t.diagnostic(`acknowledgements during the cascade: ${JSON.stringify(latencies)}`);
  assert.deepEqual(differences, []);
  assert(begun >= accounts && takenOver > 0);
});
