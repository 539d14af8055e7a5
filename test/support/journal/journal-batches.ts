// Makes journal batches like those of a busy venue: every order is accepted, and some orders cross and fill an older
// one. The same seed gives the same batches. Bodies are bytes of realistic length, not encoded events.

import type { CommitBatch } from "../../../src/ports/journal/event-store.ts";
import { emptyCommitBatch } from "../../../src/services/journal/batch-records.ts";

/** Encoded lengths in bytes: an acceptance with a client id of 22 characters, and a trade. */
const acceptedBytes = 104;
const tradedBytes = 112;
const accountCount = 256;
const marketCount = 7;

export interface BatchShape {
  readonly orders: number;
  /** Of 100 orders, the number that cross and fill one resting order. */
  readonly crossingPercent: number;
  /** Balance and position rows in each batch, per 100 orders. */
  readonly stateRowsPercent: number;
}

/** An endless source of batches: each `next` continues the previous batch. */
export class BatchSource {
  #seq: number;
  #orderId = 1;
  #tradeId = 1;
  #tsUs = 1_763_700_000_000_000;
  #random: number;

  constructor(options: { seed: number; firstSeq: number }) {
    this.#random = options.seed;
    this.#seq = options.firstSeq;
  }

  next(shape: BatchShape): CommitBatch {
    const batch = emptyCommitBatch(this.#seq);
    const touched = new Map<string, number>();
    for (let order = 0; order < shape.orders; order += 1) {
      this.#accept(batch);
      if (this.#below(100) < shape.crossingPercent) this.#trade(batch, touched);
    }
    const stateRows = Math.floor((shape.orders * shape.stateRowsPercent) / 100);
    for (let row = 0; row < stateRows; row += 1) this.#state(batch, row);
    batch.bytes = new Uint8Array(batch.lengths.reduce((sum, length) => sum + length, 0)).map(
      (_, index) => (index * 31 + this.#seq) & 0xff,
    );
    batch.count = batch.lengths.length;
    this.#seq += batch.count;
    return batch;
  }

  #event(batch: CommitBatch, kind: number, account: number, length: number): void {
    this.#tsUs += 37;
    batch.tsUs.push(this.#tsUs);
    batch.kinds.push(kind);
    batch.accounts.push(account);
    batch.lengths.push(length);
  }

  #accept(batch: CommitBatch): void {
    const { orders } = batch;
    const account = 1001 + this.#below(accountCount);
    this.#event(batch, 16, account, acceptedBytes);
    orders.orderId.push(this.#orderId);
    orders.account.push(account);
    orders.market.push(this.#below(marketCount));
    orders.clientId.push(`x-${this.#orderId.toString().padStart(20, "0")}`);
    orders.side.push(this.#below(2));
    orders.type.push(0);
    orders.timeInForce.push(0);
    orders.price.push(6_000_000 + this.#below(100_000));
    orders.qty.push(1 + this.#below(10_000));
    orders.createdUs.push(this.#tsUs);
    orders.filledQty.push(0);
    orders.filledQuote.push(0n);
    orders.status.push(0);
    orders.updatedUs.push(this.#tsUs);
    this.#orderId += 1;
  }

  #trade(batch: CommitBatch, touched: Map<string, number>): void {
    const { orders, orderStates, fills } = batch;
    const taker = orders.orderId.length - 1;
    const market = orders.market[taker] ?? 0;
    const price = orders.price[taker] ?? 0;
    const qty = orders.qty[taker] ?? 0;
    const quote = BigInt(price) * BigInt(qty) * 10n;
    const maker = 1 + this.#below(this.#orderId - 1);
    const account = orders.account[taker] ?? 0;
    this.#event(batch, 17, account, tradedBytes);
    orders.filledQty[taker] = qty;
    orders.filledQuote[taker] = quote;
    orders.status[taker] = 1;
    fills.tradeId.push(this.#tradeId);
    fills.tsUs.push(this.#tsUs);
    fills.market.push(market);
    fills.takerSide.push(orders.side[taker] ?? 0);
    fills.price.push(price);
    fills.qty.push(qty);
    fills.quote.push(quote);
    fills.takerOrderId.push(this.#orderId - 1);
    fills.makerOrderId.push(maker);
    fills.takerAccount.push(account);
    fills.makerAccount.push(1001 + this.#below(accountCount));
    fills.takerFee.push(quote / 1000n);
    fills.makerFee.push(quote / 2500n);
    fills.takerPnl.push(0n);
    fills.makerPnl.push(-3n);
    this.#tradeId += 1;
    const isNewOrder = maker >= (orders.orderId[0] ?? 0);
    if (!isNewOrder && !orderStates.orderId.includes(maker)) {
      orderStates.orderId.push(maker);
      orderStates.price.push(price + 1);
      orderStates.qty.push(qty + 1);
      orderStates.filledQty.push(qty);
      orderStates.filledQuote.push(quote);
      orderStates.status.push(1);
      orderStates.updatedUs.push(this.#tsUs);
    }
    for (const intervalMs of [60_000, 3_600_000, 86_400_000])
      this.#candle(batch, touched, { market, intervalMs, price, qty, quote });
  }

  #candle(
    { candles }: CommitBatch,
    touched: Map<string, number>,
    trade: { market: number; intervalMs: number; price: number; qty: number; quote: bigint },
  ): void {
    const openTimeMs = Math.floor(this.#tsUs / 1000 / trade.intervalMs) * trade.intervalMs;
    const key = `${trade.market} ${trade.intervalMs} ${openTimeMs}`;
    const row = touched.get(key);
    if (row === undefined) {
      touched.set(key, candles.market.length);
      candles.market.push(trade.market);
      candles.intervalMs.push(trade.intervalMs);
      candles.openTimeMs.push(openTimeMs);
      for (const column of [candles.open, candles.high, candles.low, candles.close])
        column.push(trade.price);
      candles.volume.push(trade.qty);
      candles.quote.push(trade.quote);
      candles.count.push(1);
      candles.takerBuyVolume.push(trade.qty);
      candles.takerBuyQuote.push(trade.quote);
      return;
    }
    candles.high[row] = Math.max(candles.high[row] ?? 0, trade.price);
    candles.low[row] = Math.min(candles.low[row] ?? trade.price, trade.price);
    candles.close[row] = trade.price;
    candles.volume[row] = (candles.volume[row] ?? 0) + trade.qty;
    candles.quote[row] = (candles.quote[row] ?? 0n) + trade.quote;
    candles.count[row] = (candles.count[row] ?? 0) + 1;
    candles.takerBuyVolume[row] = candles.volume[row] ?? 0;
    candles.takerBuyQuote[row] = candles.quote[row] ?? 0n;
  }

  /** Adds a balance and, if `row` is odd, a position. The rows of a batch have distinct accounts. */
  #state({ balances, positions }: CommitBatch, row: number): void {
    const account = 1001 + ((this.#seq + row) % (4 * accountCount));
    balances.account.push(account);
    balances.wallet.push(1);
    balances.asset.push(0);
    balances.total.push(BigInt(this.#below(1_000_000_000)));
    balances.reserved.push(0n);
    if (row % 2 === 0) return;
    positions.account.push(account);
    positions.market.push(4);
    positions.qty.push(this.#below(2000) - 1000);
    positions.entryValue.push(BigInt(this.#below(1_000_000)) - 500_000n);
    positions.realisedPnl.push(-5n);
    positions.leverage.push(10);
  }

  /** Returns an integer from 0 to below `bound`, from a 32-bit linear congruential generator. */
  #below(bound: number): number {
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#random / 2 ** 32) * bound);
  }
}
