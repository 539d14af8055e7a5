// The records of one commit batch: the concatenated bytes of its events, as the store needs them; the replies; and the
// order in which sources must receive all records after the commit. Records are copied out of the ring immediately, so
// that the ring never waits for a commit. Also creates an empty batch, which the projection fills and the event store
// writes.

import { commitBatchBytesMax, eventBytesMax, eventsPerTransactionMax } from "../../core/limits.ts";
import type { CommitBatch } from "../../ports/journal/event-store.ts";
import { emptyOrderStates } from "./order-states.ts";

/** Size of a batch's buffer. A batch may exceed its limit by one transaction, because transactions are never split. */
const eventBytesRoom = commitBatchBytesMax + eventsPerTransactionMax * eventBytesMax;
const replyBytesAtFirst = 2 ** 16;

/** Receives the records of a batch in order. */
export interface RecordTaker {
  event(bytes: Uint8Array, start: number, length: number): void;
  reply(bytes: Uint8Array, start: number, length: number): void;
}

export class BatchRecords {
  readonly #events = new Uint8Array(eventBytesRoom);
  #replies = new Uint8Array(replyBytesAtFirst);
  /** Lengths of the records in order: positive for an event, negative for a reply. */
  #order: number[] = [];
  #eventBytes = 0;
  #replyBytes = 0;
  #eventCount = 0;

  get eventCount(): number {
    return this.#eventCount;
  }

  get eventBytes(): number {
    return this.#eventBytes;
  }

  get isEmpty(): boolean {
    return this.#order.length === 0;
  }

  /** The events, concatenated; valid until `clear`. */
  get events(): Uint8Array {
    return this.#events.subarray(0, this.#eventBytes);
  }

  addEvent(from: Uint8Array, start: number, length: number): void {
    copy(from, start, this.#events, this.#eventBytes, length);
    this.#eventBytes += length;
    this.#eventCount++;
    this.#order.push(length);
  }

  addReply(from: Uint8Array, start: number, length: number): void {
    if (this.#replyBytes + length > this.#replies.length) {
      const larger = new Uint8Array(this.#replies.length * 2);
      larger.set(this.#replies);
      this.#replies = larger;
    }
    copy(from, start, this.#replies, this.#replyBytes, length);
    this.#replyBytes += length;
    this.#order.push(-length);
  }

  /** Passes on every record in order. */
  deliver(taker: RecordTaker): void {
    let event = 0;
    let reply = 0;
    for (const length of this.#order) {
      if (length > 0) {
        taker.event(this.#events, event, length);
        event += length;
      } else {
        taker.reply(this.#replies, reply, -length);
        reply -= length;
      }
    }
  }

  clear(): void {
    this.#order = [];
    this.#eventBytes = 0;
    this.#replyBytes = 0;
    this.#eventCount = 0;
  }
}

/** Copies in a loop, because `set` needs a subarray, which costs more than copying a record's hundred bytes. */
function copy(from: Uint8Array, start: number, to: Uint8Array, at: number, length: number): void {
  for (let index = 0; index < length; index++) to[at + index] = from[start + index] as number;
}

/** An empty batch whose first event will be `firstSeq`. */
export function emptyCommitBatch(firstSeq: number): CommitBatch {
  return {
    firstSeq,
    count: 0,
    bytes: new Uint8Array(),
    lengths: [],
    tsUs: [],
    kinds: [],
    accounts: [],
    orders: emptyOrders(),
    orderStates: emptyOrderStates(),
    orderDetails: emptyDetails(),
    fills: emptyFills(),
    candles: emptyCandles(),
    accountRows: { account: [], type: [], flags: [], openedUs: [] },
    keyStates: { keyId: [], tier: [], permissions: [], revokedUs: [] },
    marketStates: { market: [], status: [] },
    balances: { account: [], wallet: [], asset: [], total: [], reserved: [] },
    positions: {
      account: [],
      market: [],
      qty: [],
      entryValue: [],
      realisedPnl: [],
      leverage: [],
    },
    stated: { epoch: [], digest: [], entrySeq: [] },
  };
}

function emptyOrders(): CommitBatch["orders"] {
  return {
    orderId: [],
    account: [],
    market: [],
    clientId: [],
    side: [],
    type: [],
    timeInForce: [],
    price: [],
    qty: [],
    createdUs: [],
    filledQty: [],
    filledQuote: [],
    status: [],
    updatedUs: [],
  };
}

function emptyDetails(): CommitBatch["orderDetails"] {
  return {
    orderId: [],
    flags: [],
    stpMode: [],
    quoteQty: [],
    goodTillUs: [],
    triggerPrice: [],
    workingPrice: [],
    trailingBps: [],
    activationPrice: [],
    triggeredUs: [],
    listId: [],
    icebergQty: [],
  };
}

function emptyFills(): CommitBatch["fills"] {
  return {
    tradeId: [],
    tsUs: [],
    market: [],
    takerSide: [],
    price: [],
    qty: [],
    quote: [],
    takerOrderId: [],
    makerOrderId: [],
    takerAccount: [],
    makerAccount: [],
    takerFee: [],
    makerFee: [],
    takerPnl: [],
    makerPnl: [],
  };
}

function emptyCandles(): CommitBatch["candles"] {
  return {
    market: [],
    intervalMs: [],
    openTimeMs: [],
    open: [],
    high: [],
    low: [],
    close: [],
    volume: [],
    quote: [],
    count: [],
    takerBuyVolume: [],
    takerBuyQuote: [],
  };
}
