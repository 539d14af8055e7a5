// Open orders of the whole venue, one slot each in parallel typed arrays that are reserved for `ordersOpenMax` orders
// (memory is touched only as slots are used). A slot is
//
//   free ──allocate──▶ pending (with a matcher, volatile) ──accepted──▶ open ──closed──▶ free
//                        └──accepted──▶ waiting ──▶ sent (volatile) ──triggered──▶ open
//
// A waiting order is conditional and on no book. A sent order has triggered and is in flight; only clearing's
// own table uses that state.
//
// Freed slots are reused last in, first out, with a new generation. Slots are private: only this table and
// the matcher depend on which slot an order has.

import { accountSlot } from "../../../core/accounts.ts";
import { ascendingOrder } from "../../../core/ascending-order.ts";
import { amountAt, assert, byteAt, numberAt, shortAt, wordAt } from "../../../core/assert.ts";
import { accountsMax, clientIdBytesMax, marketsMax, ordersOpenMax } from "../../../core/limits.ts";
import {
  derivedClientId,
  noOptions,
  type OrderOptions,
  type Peg,
  quoteSideOf,
  type StpMode,
  type WorkingPrice,
} from "../../../core/orders.ts";
import { reservedMemory } from "../../../core/reserved-memory.ts";
import { type ClientIdKey, clientIdKey, clientIdKeyOfBytes } from "./client-id-key.ts";
import { SlotIndex } from "./slot-index.ts";

export const SlotState = { free: 0, pending: 1, open: 2, waiting: 3, sent: 4 } as const;

/** Bits of an order's `flags`. Option columns are valid only if `special` is set. */
export const OrderFlag = {
  reduceOnly: 1,
  closesPosition: 2,
  special: 4,
  requeued: 8,
  /** The order belongs to a list. */
  listed: 16,
  /** It waits for the working order of its list, on no book and without a hold. */
  pending: 32,
  /** It shows its book one slice at a time. */
  iceberg: 64,
  /** It was refused when it was to go to its book. Set as the order closes, so no open order has it. */
  refused: 128,
} as const;

/** Client ids of several orders: their lengths, 0 for none, and their concatenated codes. */
export interface ClientIdTexts {
  lengths: Uint8Array;
  codes: Uint8Array;
}

const none = -1;

export class OrderTable {
  readonly state = new Uint8Array(reservedMemory(ordersOpenMax));
  readonly generation = new Int32Array(reservedMemory(4 * ordersOpenMax));
  readonly orderId = new Float64Array(reservedMemory(8 * ordersOpenMax));
  readonly account = new Int32Array(reservedMemory(4 * ordersOpenMax));
  readonly market = new Uint8Array(reservedMemory(ordersOpenMax));
  readonly side = new Uint8Array(reservedMemory(ordersOpenMax));
  readonly type = new Uint8Array(reservedMemory(ordersOpenMax));
  readonly timeInForce = new Uint8Array(reservedMemory(ordersOpenMax));
  readonly price = new Int32Array(reservedMemory(4 * ordersOpenMax));
  readonly marginPrice = new Int32Array(reservedMemory(4 * ordersOpenMax));
  /** Quantities in lots fit 32 bits, because `positionLotsMax` does; `setQty` asserts it. */
  readonly qty = new Int32Array(reservedMemory(4 * ordersOpenMax));
  readonly filledQty = new Int32Array(reservedMemory(4 * ordersOpenMax));
  readonly filledQuote = new BigInt64Array(reservedMemory(8 * ordersOpenMax));
  readonly marginLots = new Int32Array(reservedMemory(4 * ordersOpenMax));
  /** The order's current hold: quote (spot buys), base (spot sells) or margin (perpetuals). */
  readonly reserved = new BigInt64Array(reservedMemory(8 * ordersOpenMax));
  /** Perpetuals: ticks by which its price was worse than the mark when its terms were set; else 0. */
  readonly lossTicks = new Int32Array(reservedMemory(4 * ordersOpenMax));
  /** If `lossTicks` is not 0: the lots to which this loss applies. */
  readonly lossLots = new Int32Array(reservedMemory(4 * ordersOpenMax));
  /** The part of `reserved` held for that loss. */
  readonly lossHeld = new BigInt64Array(reservedMemory(8 * ordersOpenMax));
  readonly flags = new Uint8Array(reservedMemory(ordersOpenMax));
  readonly stpMode = new Uint8Array(reservedMemory(ordersOpenMax));
  readonly quoteQty = new BigInt64Array(reservedMemory(8 * ordersOpenMax));
  readonly goodTillUs = new Float64Array(reservedMemory(8 * ordersOpenMax));
  readonly triggerPrice = new Int32Array(reservedMemory(4 * ordersOpenMax));
  readonly workingPrice = new Uint8Array(reservedMemory(ordersOpenMax));
  readonly trailingBps = new Uint16Array(reservedMemory(2 * ordersOpenMax));
  readonly activationPrice = new Int32Array(reservedMemory(4 * ordersOpenMax));
  /** Trailing: the best price seen since it was activated, in ticks; 0 before. */
  readonly bestPrice = new Int32Array(reservedMemory(4 * ordersOpenMax));
  /** Microseconds at which a conditional order triggered; 0 before. */
  readonly triggeredUs = new Float64Array(reservedMemory(8 * ordersOpenMax));
  /** If `requeued` is set: microseconds of the order's queue priority. */
  readonly queuedUs = new Float64Array(reservedMemory(8 * ordersOpenMax));
  /** If `iceberg` is set: the lots of one slice. */
  readonly icebergQty = new Int32Array(reservedMemory(4 * ordersOpenMax));
  /** If `iceberg` is set: lots left of the slice that the order shows; 0 while nothing of that slice has traded. */
  readonly shownQty = new Int32Array(reservedMemory(4 * ordersOpenMax));
  /** From which price of the book the order takes, or has taken, its own. */
  readonly peg = new Uint8Array(reservedMemory(ordersOpenMax));
  /** How many levels behind the best price that price is. */
  readonly pegOffset = new Uint8Array(reservedMemory(ordersOpenMax));
  readonly acceptedUs = new Float64Array(reservedMemory(8 * ordersOpenMax));
  readonly updatedUs = new Float64Array(reservedMemory(8 * ordersOpenMax));
  readonly #clientIdFirst = new Int32Array(reservedMemory(4 * ordersOpenMax));
  readonly #clientIdSecond = new Int32Array(reservedMemory(4 * ordersOpenMax));
  readonly #clientIdLength = new Uint8Array(reservedMemory(ordersOpenMax));
  readonly #clientIdBytes = new Uint8Array(reservedMemory(ordersOpenMax * clientIdBytesMax));
  /** Slots of the account's next older and next newer order, adjacent in memory. */
  readonly #links = new Int32Array(reservedMemory(2 * 4 * ordersOpenMax));
  /** Slot + 1 of an account's newest order, so that untouched memory means none. */
  readonly #first = new Int32Array(reservedMemory(4 * accountsMax));
  readonly #perMarket = new Uint16Array(reservedMemory(2 * accountsMax * marketsMax));
  readonly #reducing = new Uint16Array(reservedMemory(2 * accountsMax * marketsMax));
  readonly #slots = new SlotIndex(this.orderId);
  readonly #freed: number[] = [];
  #touched = 0;
  #newestId = 0;

  /** Number of open orders. */
  get openCount(): number {
    return this.#slots.count;
  }

  /** Slots below this have been used at least once. */
  get touched(): number {
    return this.#touched;
  }

  /** Whether `count` orders more can open. */
  hasRoom(count = 1): boolean {
    return this.#freed.length + ordersOpenMax - this.#touched >= count;
  }

  /** Takes a slot for an order in flight; asserts that one is free. */
  allocate(): number {
    assert(this.hasRoom(), "the order table must have a free slot");
    const slot = this.#freed.pop() ?? this.#touched++;
    assert(this.state[slot] === SlotState.free, "an allocated slot must be free");
    assert(this.reserved[slot] === 0n, "a free slot must not reserve an amount");
    this.state[slot] = SlotState.pending;
    return slot;
  }

  /** Takes the first `count` slots for restored orders; asserts that no slot was used. */
  allocateFirst(count: number): void {
    assert(
      this.#touched === 0 && count <= ordersOpenMax,
      "the table must be unused and have room for all orders",
    );
    this.#touched = count;
    this.state.fill(SlotState.pending, 0, count);
    this.#slots.reserve(count);
  }

  /** Frees the slot of a refused or closed order. */
  free(slot: number): void {
    assert(this.state[slot] !== SlotState.free, "a slot must be in use when it is freed");
    this.state[slot] = SlotState.free;
    this.generation[slot] = (wordAt(this.generation, slot) + 1) & 0x7fffffff;
    this.#freed.push(slot);
  }

  /** Gives a pending order its state and makes it findable by id and by account. Its fields must be set before. */
  link(
    slot: number,
    state: typeof SlotState.open | typeof SlotState.waiting = SlotState.open,
  ): void {
    assert(
      this.state[slot] === SlotState.pending,
      "the slot of an order that opens must be pending",
    );
    const account = wordAt(this.account, slot);
    const first = this.firstOfAccount(account);
    assert(
      numberAt(this.orderId, slot) > this.#newestId,
      "orders must open in the order of their ids",
    );
    this.#newestId = numberAt(this.orderId, slot);
    this.state[slot] = state;
    this.#links[2 * slot] = first;
    this.#links[2 * slot + 1] = none;
    if (first >= 0) this.#links[2 * first + 1] = slot;
    this.#first[accountSlot(account)] = slot + 1;
    this.#slots.add(slot);
  }

  /** Undoes `link`; the slot stays taken until `free`. */
  unlink(slot: number): void {
    assert(byteAt(this.state, slot) >= SlotState.open, "an order must be open when it is unlinked");
    const account = wordAt(this.account, slot);
    const next = wordAt(this.#links, 2 * slot);
    const previous = wordAt(this.#links, 2 * slot + 1);
    if (previous >= 0) this.#links[2 * previous] = next;
    else this.#first[accountSlot(account)] = next + 1;
    if (next >= 0) this.#links[2 * next + 1] = previous;
    this.#slots.remove(numberAt(this.orderId, slot));
  }

  /** Changes the number of the account's orders in the market by one; open and pending orders count. */
  count(account: number, market: number, change: 1 | -1): void {
    const index = accountSlot(account) * marketsMax + market;
    const count = shortAt(this.#perMarket, index) + change;
    assert(count >= 0, "an order must not be removed twice");
    this.#perMarket[index] = count;
  }

  /** Orders of an account in a market, pending ones included. */
  countOf(account: number, market: number): number {
    assert(
      market >= 0 && market < marketsMax,
      "the market id must be below the maximum number of markets",
    );
    return shortAt(this.#perMarket, accountSlot(account) * marketsMax + market);
  }

  /** Changes the number of the account's reduce-only orders on the book of the market by one. */
  countReducing(account: number, market: number, change: 1 | -1): void {
    const index = accountSlot(account) * marketsMax + market;
    const count = shortAt(this.#reducing, index) + change;
    assert(count >= 0, "an order must not be removed twice");
    this.#reducing[index] = count;
  }

  /** Reduce-only orders of an account that are on the book of a market. */
  reducingOf(account: number, market: number): number {
    return shortAt(this.#reducing, accountSlot(account) * marketsMax + market);
  }

  /** The slot of an open order, or −1. */
  slotOf(orderId: number): number {
    return this.#slots.slotOf(orderId);
  }

  /** The newest open order of an account, or −1. */
  firstOfAccount(account: number): number {
    return wordAt(this.#first, accountSlot(account)) - 1;
  }

  /** The next older open order of the same account, or −1. */
  nextOfAccount(slot: number): number {
    return wordAt(this.#links, 2 * slot);
  }

  /** Whether the order is on its book. */
  isOnBook(slot: number): boolean {
    return this.state[slot] === SlotState.open;
  }

  /** Whether the order waits for its trigger, or has triggered and is in flight. */
  isOffBook(slot: number): boolean {
    return byteAt(this.state, slot) >= SlotState.waiting;
  }

  /** Whether one of the order's flags is set. */
  has(slot: number, flag: number): boolean {
    return (byteAt(this.flags, slot) & flag) !== 0;
  }

  /** Microseconds at which the order joined the queue of its price; the earlier, the higher its priority. */
  rankUs(slot: number): number {
    return numberAt(this.has(slot, OrderFlag.requeued) ? this.queuedUs : this.acceptedUs, slot);
  }

  /** The options of the order in `slot`. */
  optionsOf(slot: number): OrderOptions {
    const isReduceOnly = this.has(slot, OrderFlag.reduceOnly);
    const stpMode = byteAt(this.stpMode, slot) as StpMode;
    if (!this.has(slot, OrderFlag.special)) return { ...noOptions, isReduceOnly, stpMode };
    return {
      isReduceOnly,
      stpMode,
      quoteQty: amountAt(this.quoteQty, slot),
      goodTillUs: numberAt(this.goodTillUs, slot),
      triggerPrice: wordAt(this.triggerPrice, slot),
      workingPrice: byteAt(this.workingPrice, slot) as WorkingPrice,
      trailingBps: shortAt(this.trailingBps, slot),
      activationPrice: wordAt(this.activationPrice, slot),
      closesPosition: this.has(slot, OrderFlag.closesPosition),
      icebergQty: this.icebergQtyOf(slot),
      peg: byteAt(this.peg, slot) as Peg,
      pegOffset: byteAt(this.pegOffset, slot),
    };
  }

  /** Lots of one slice of the order in `slot`; 0 if it is not an iceberg order. */
  icebergQtyOf(slot: number): number {
    return this.has(slot, OrderFlag.iceberg) ? wordAt(this.icebergQty, slot) : 0;
  }

  /** Microseconds at which the order in `slot` triggered; 0 if it has not. */
  triggeredUsOf(slot: number): number {
    return this.has(slot, OrderFlag.special) ? numberAt(this.triggeredUs, slot) : 0;
  }

  /** Sets the quantity in lots; asserts that it fits the column. */
  setQty(slot: number, qty: number): void {
    assert(qty === (qty | 0), "the quantity of an order must fit its column");
    this.qty[slot] = qty;
  }

  /** Lots still open. */
  remaining(slot: number): number {
    return wordAt(this.qty, slot) - wordAt(this.filledQty, slot);
  }

  /** Lots that an order on a book shows there. */
  shownLots(slot: number): number {
    if (!this.has(slot, OrderFlag.iceberg)) return this.remaining(slot);
    const left = wordAt(this.shownQty, slot);
    assert(left <= this.remaining(slot), "an order must not show more lots than are open");
    return left === 0 ? Math.min(wordAt(this.icebergQty, slot), this.remaining(slot)) : left;
  }

  /** Whether the order in `slot` is an iceberg order that shows a slice of which nothing has traded. */
  showsNewSlice(slot: number): boolean {
    return this.has(slot, OrderFlag.iceberg) && wordAt(this.shownQty, slot) === 0;
  }

  /** Called after an order has lost lots without a fill: hidden lots are lost first. */
  keepShown(slot: number): void {
    if (!this.has(slot, OrderFlag.iceberg)) return;
    this.shownQty[slot] = Math.min(wordAt(this.shownQty, slot), this.remaining(slot));
  }

  /** Moves the order to the end of the queue of its price; it shows a new slice there if it is an iceberg order. */
  requeue(slot: number, tsUs: number): void {
    assert(this.isOnBook(slot), "an order must be on its book when it joins a queue");
    this.flags[slot] = byteAt(this.flags, slot) | OrderFlag.requeued;
    this.queuedUs[slot] = tsUs;
    this.updatedUs[slot] = tsUs;
    if (this.has(slot, OrderFlag.iceberg)) this.shownQty[slot] = 0;
  }

  /**
   * Stores the client order id, empty for none, and the key derived from it and from the order's account, which must
   * be set before. Asserts that the id is ASCII and not too long.
   */
  setClientId(slot: number, clientId: string): void {
    assert(clientId.length <= clientIdBytesMax, "the client id must not exceed the maximum length");
    this.#clientIdLength[slot] = clientId.length;
    if (clientId === "") return;
    const { first, second } = clientIdKey(wordAt(this.account, slot), clientId);
    this.#clientIdFirst[slot] = first;
    this.#clientIdSecond[slot] = second;
    const from = slot * clientIdBytesMax;
    for (let at = 0; at < clientId.length; at++) {
      const code = clientId.charCodeAt(at);
      assert(code < 128, "the client id must be ASCII text");
      this.#clientIdBytes[from + at] = code;
    }
  }

  /** The clients' ids of the orders in `slots`, in order. */
  captureClientIds(slots: Int32Array): ClientIdTexts {
    const lengths = new Uint8Array(slots.length);
    let total = 0;
    for (let place = 0; place < slots.length; place++) {
      const length = byteAt(this.#clientIdLength, wordAt(slots, place));
      lengths[place] = length;
      total += length;
    }
    const codes = new Uint8Array(total);
    let end = 0;
    for (let place = 0; place < slots.length; place++) {
      const from = wordAt(slots, place) * clientIdBytesMax;
      for (let at = from; at < from + byteAt(lengths, place); at++) {
        codes[end++] = byteAt(this.#clientIdBytes, at);
      }
    }
    return { lengths, codes };
  }

  /** Loads what `captureClientIds` returned into the slots from 0 on. Their accounts must be set before. */
  restoreClientIds({ lengths, codes }: ClientIdTexts): void {
    let start = 0;
    for (let slot = 0; slot < lengths.length; slot++) {
      const length = byteAt(lengths, slot);
      assert(length <= clientIdBytesMax, "the client id must not exceed the maximum length");
      this.#clientIdLength[slot] = length;
      if (length === 0) continue;
      const to = slot * clientIdBytesMax;
      for (let at = 0; at < length; at++) {
        const code = byteAt(codes, start + at);
        assert(code < 128, "the client id must be ASCII text");
        this.#clientIdBytes[to + at] = code;
      }
      const account = wordAt(this.account, slot);
      const { first, second } = clientIdKeyOfBytes(account, codes, start, start + length);
      this.#clientIdFirst[slot] = first;
      this.#clientIdSecond[slot] = second;
      start += length;
    }
    assert(start === codes.length, "every character code must belong to a client id");
  }

  /** Length of the client's id; 0 for none. */
  clientIdLength(slot: number): number {
    return byteAt(this.#clientIdLength, slot);
  }

  /** One character code of the client's id. */
  clientIdCode(slot: number, at: number): number {
    return byteAt(this.#clientIdBytes, slot * clientIdBytesMax + at);
  }

  /** The key of the client's id; null for none. */
  clientIdKey(slot: number): ClientIdKey | null {
    if (byteAt(this.#clientIdLength, slot) === 0) return null;
    return {
      first: wordAt(this.#clientIdFirst, slot),
      second: wordAt(this.#clientIdSecond, slot),
    };
  }

  /** The side of a mass quote that the order is, 0 … quoteSidesMax − 1 and even for bids; −1 for any other order. */
  quoteSide(slot: number): number {
    const length = byteAt(this.#clientIdLength, slot);
    return quoteSideOf(this.#clientIdBytes, slot * clientIdBytesMax, length);
  }

  /** Whether the client has given the order this id, which must not be empty. */
  hasClientId(slot: number, clientId: string): boolean {
    if (byteAt(this.#clientIdLength, slot) !== clientId.length) return false;
    const from = slot * clientIdBytesMax;
    for (let at = 0; at < clientId.length; at++) {
      if (this.#clientIdBytes[from + at] !== clientId.charCodeAt(at)) return false;
    }
    return true;
  }

  /** The client's id, or empty. */
  chosenClientId(slot: number): string {
    const length = byteAt(this.#clientIdLength, slot);
    const from = slot * clientIdBytesMax;
    let text = "";
    for (let at = from; at < from + length; at++) {
      text += String.fromCharCode(byteAt(this.#clientIdBytes, at));
    }
    return text;
  }

  /** The id by which the client knows the order: chosen, or derived from the order id. */
  clientId(slot: number): string {
    return this.chosenClientId(slot) || derivedClientId(numberAt(this.orderId, slot));
  }

  /** Whether the client knows the order by this id. */
  isNamed(slot: number, clientId: string): boolean {
    return this.hasClientId(slot, clientId) || this.clientId(slot) === clientId;
  }

  /**
   * Slots of all open orders, also of those that wait for a trigger, by ascending order id. For snapshots, hashes
   * and starts; too slow for the hot path.
   */
  openSlots(): Int32Array {
    const slots = new Int32Array(this.openCount);
    const ids = new Float64Array(this.openCount);
    let found = 0;
    for (let slot = 0; slot < this.#touched; slot++) {
      if (byteAt(this.state, slot) < SlotState.open) continue;
      slots[found] = slot;
      ids[found++] = numberAt(this.orderId, slot);
    }
    assert(found === slots.length, "every open order must have a slot");
    return ascendingOrder(ids).map((place) => wordAt(slots, place));
  }
}
