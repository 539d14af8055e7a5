// A market that falls by 40 % on the threaded venue, in real time: a crowd of leveraged accounts, a thin book around
// the price, and a chosen number of orders at distant prices. Meanwhile one account sends orders at a fixed rate, far
// below the venue's capacity. The scene records their latency from the time each was due, separately before, during and
// after the fall.

import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { AccountType, SystemAccount, Wallet } from "../../../src/core/accounts.ts";
import { CommandKind, type PlaceOrder } from "../../../src/core/generated/commands.ts";
import type { Reply } from "../../../src/core/generated/messages.ts";
import { noOptions, OrderType, Side, TimeInForce } from "../../../src/core/orders.ts";
import { IndexOrigin } from "../../../src/core/perpetuals/index-price.ts";
import { RiskTerm } from "../../../src/core/perpetuals/risk-terms.ts";
import { RejectReason } from "../../../src/core/reject-reason.ts";
import { Latencies, type LatencySummary } from "../../../src/tools/load/latencies.ts";
import { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import type { Venue } from "../../../src/venue/venue.ts";
import { marketId, oneUsdc } from "../../support/machine/test-markets.ts";

const { btcPerp } = marketId;
const startPrice = 6_000_000;
const fund = SystemAccount.insurance;
/** Amount that the operator deposits into the fund each time the maker finds trading paused. */
const refill = 50_000n * oneUsdc;
/** Concurrent requests while the scene is set up. */
const clients = 256;
/** Most open orders of an account in a market. */
const restingPerAccount = 200;
/** Seconds after the fall within which all positions of the crowd must be closed. */
const aftermathSecondsMax = 180;

export interface CrashTerms {
  /** Number of accounts with longs at ten to twenty times leverage. */
  readonly crowd: number;
  /** Number of resting orders, each at its own price beyond the reach of the fall. */
  readonly restingOrders: number;
  /** Seconds of constant price before the fall. */
  readonly stillSeconds: number;
  /** Duration of the fall in seconds. */
  readonly fallSeconds: number;
  /** Measured orders per second; each is cancelled once it is answered. */
  readonly ordersPerSecond: number;
}

/** The full crash: two thousand liquidations in a minute, with as many distant orders as a deep market has. */
export const fullCrash: CrashTerms = {
  crowd: 2000,
  restingOrders: 100_000,
  stillSeconds: 20,
  fallSeconds: 60,
  ordersPerSecond: 100,
};

/** Latency of orders that rested, from due time to answer. An answered order is durable. */
export interface CrashTimes {
  readonly still: LatencySummary;
  readonly falling: LatencySummary;
  readonly afterwards: LatencySummary;
}

type Order = Pick<PlaceOrder, "account" | "market" | "side" | "price" | "qty">;

export class CrashScene {
  readonly #venue: Venue;
  readonly #terms: CrashTerms;

  constructor(venue: Venue, terms: CrashTerms) {
    this.#venue = venue;
    this.#terms = terms;
  }

  /** Sets up the scene, lets the market fall, and waits until the crowd has no positions. */
  async run(): Promise<CrashTimes> {
    const { stillSeconds, fallSeconds } = this.#terms;
    await this.#credit(fund, 20_000n * oneUsdc);
    // Switch off the fund's loss limit: at the limit the market would stop for the rest of the hour, and refused orders
    // are not measured.
    const term = { market: btcPerp, term: RiskTerm.fundLossPerHour, value: 0 };
    await this.#send({ kind: CommandKind.setRiskTerm, account: 0, ...term });
    const maker = await this.#open(50_000_000n);
    const prober = await this.#open(100_000n);
    const longs = await this.#gather();
    await this.#quote(maker, startPrice);
    await this.#stand();
    const parts = { still: new Latencies(), falling: new Latencies(), afterwards: new Latencies() };
    let counting: Latencies | null = parts.still;
    const probing = this.#probe(prober, () => counting);
    for (let second = -stillSeconds; ; second++) {
      if (second >= 0) counting = second <= fallSeconds ? parts.falling : parts.afterwards;
      const fallen = Math.min(Math.max(second, 0), fallSeconds) / fallSeconds;
      const isPaused = await this.#quote(maker, Math.round(startPrice * (1 - 0.4 * fallen)));
      if (isPaused) await this.#credit(fund, refill);
      if (second > fallSeconds && (await this.#stillOpen(longs)) === 0) break;
      assert(
        second < fallSeconds + aftermathSecondsMax,
        "All longs must be liquidated within the time limit",
      );
      await sleep(1000);
    }
    counting = null;
    await probing;
    const { still, falling, afterwards } = parts;
    return {
      still: still.summary(),
      falling: falling.summary(),
      afterwards: afterwards.summary(),
    };
  }

  #send(command: Parameters<Venue["clearing"]["send"]>[0]): Promise<Reply> {
    return this.#venue.clearing.send(command);
  }

  #place(order: Order): Promise<Reply> {
    return this.#send({
      kind: CommandKind.placeOrder,
      type: OrderType.limit,
      timeInForce: TimeInForce.gtc,
      ...noOptions,
      reusesClientId: false,
      clientId: "",
      attached: null,
      ...order,
    });
  }

  #credit(account: number, amount: bigint): Promise<Reply> {
    const money = { account, wallet: Wallet.perp, asset: 0, amount, isFromFaucet: true };
    return this.#send({ kind: CommandKind.credit, ...money });
  }

  async #open(usdc: bigint): Promise<number> {
    const command = {
      kind: CommandKind.openAccount,
      account: 0,
      accountType: AccountType.standard,
    };
    const { subject: account } = await this.#send(command);
    await this.#credit(account, usdc * oneUsdc);
    return account;
  }

  /** Opens the crowd's longs against twenty short accounts. */
  async #gather(): Promise<number[]> {
    const random = new SeededRandom(40);
    const terms = Array.from({ length: this.#terms.crowd }, () => {
      return { leverage: 10 + random.below(10), qty: 50 + random.below(60) };
    });
    const shorts = await each(20, () => this.#open(1_000_000n));
    const longs = await each(terms.length, () => this.#open(700n));
    const order = { market: btcPerp, price: startPrice };
    await each(terms.length, async (at) => {
      const account = shorts[at % shorts.length] ?? 0;
      await this.#rest({ ...order, account, side: Side.sell, qty: terms[at]?.qty ?? 0 });
    });
    await each(terms.length, async (at) => {
      const { qty = 0, leverage = 0 } = terms[at] ?? {};
      const account = longs[at] ?? 0;
      const command = { kind: CommandKind.setLeverage, account, market: btcPerp, leverage };
      await this.#send(command);
      await this.#rest({ ...order, account, side: Side.buy, qty });
    });
    return longs;
  }

  /** Places distant bids and asks, each at its own price. */
  async #stand(): Promise<void> {
    const { restingOrders } = this.#terms;
    const owners = await each(Math.ceil(restingOrders / restingPerAccount), () =>
      this.#open(100_000n),
    );
    await each(restingOrders, async (at) => {
      const account = owners[at % owners.length] ?? 0;
      const step = at >> 1;
      const place =
        at % 2 === 0
          ? { side: Side.buy, price: 1_250_000 + 17 * step }
          : { side: Side.sell, price: 6_500_000 + 400 * step };
      await this.#rest({ account, market: btcPerp, qty: 10, ...place });
    });
  }

  async #rest(order: Order): Promise<void> {
    const { reason } = await this.#place(order);
    assert.equal(reason, RejectReason.none);
  }

  /** Publishes a feed price and quotes a thin book around it; returns whether trading is paused. */
  async #quote(account: number, price: number): Promise<boolean> {
    await this.#send({ kind: CommandKind.cancelAllOrders, account, market: btcPerp });
    await this.#send({
      kind: CommandKind.setReference,
      ...{ account: 0, market: btcPerp, origin: IndexOrigin.feed, price },
      untilUs: this.#venue.clock.nowUs() + 86_400_000_000,
    });
    const order = { account, market: btcPerp, qty: 300 };
    const asks = [3000, 6000, 9000, 12_000].flatMap((away) => [
      this.#place({ ...order, side: Side.buy, price: price - away }),
      this.#place({ ...order, side: Side.sell, price: price + away }),
    ]);
    const replies = await Promise.all(asks);
    return replies.some(({ reason }) => reason === RejectReason.tradingPaused);
  }

  /**
   * Sends orders at a fixed rate. `countsIn`, called when an order is due, returns the histogram for its latency, or
   * null when the measurement is over.
   */
  async #probe(account: number, countsIn: () => Latencies | null): Promise<void> {
    const everyMs = 1000 / this.#terms.ordersPerSecond;
    const waiting: Promise<void>[] = [];
    let dueMs = performance.now();
    for (let counts = countsIn(); counts !== null; counts = countsIn()) {
      waiting.push(this.#probeOnce(account, dueMs, counts));
      dueMs += everyMs;
      const leftMs = dueMs - performance.now();
      if (leftMs > 0) await sleep(leftMs);
    }
    await Promise.all(waiting);
  }

  async #probeOnce(account: number, dueMs: number, counts: Latencies): Promise<void> {
    const order = { account, market: btcPerp, side: Side.buy, price: 1_200_000, qty: 5 };
    const { reason, subject: orderId } = await this.#place(order);
    if (reason !== RejectReason.none) return;
    counts.record(performance.now() - dueMs);
    const cancel = { kind: CommandKind.cancelOrder, account, market: btcPerp, orderId };
    await this.#send({ ...cancel, clientId: "" });
  }

  /** Returns how many accounts of the crowd have an open position in the database. */
  async #stillOpen(longs: readonly number[]): Promise<number> {
    const [row] = await this.#venue.database.sql<{ count: string }[]>`
      select count(*) as count from positions where market = ${btcPerp} and qty <> 0
        and account between ${Math.min(...longs)} and ${Math.max(...longs)}`;
    return Number(row?.count);
  }
}

/** Runs `count` tasks, some of them concurrently; returns their results in order. */
async function each<T>(count: number, what: (place: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const client = async () => {
    for (let at = next++; at < count; at = next++) results[at] = await what(at);
  };
  await Promise.all(Array.from({ length: clients }, client));
  return results;
}
