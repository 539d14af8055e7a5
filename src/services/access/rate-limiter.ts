// Fixed-window counters in shared memory, so that all fronts count together: weight and orders per
// key, weight and signed requests per address. A counter is one 32-bit word that names its own
// window, so a new window needs no clearing and no lock:
//
//   │ window number mod 4096 (12 bits) │ count (20 bits) │
//
// A key idle for exactly 4096 windows could meet its old count once; it would wait one window.
// Refused requests are not counted; nothing here knows a clock or what a request is.

import { assert } from "../../core/assert.ts";
import { apiKeysMax } from "../../core/limits.ts";
import { publicWeightPerMinute, type RateLimits, signedRequestsPerMinute } from "./rate-tiers.ts";

const minuteMs = 60_000;
const tenSecondsMs = 10_000;

const countBits = 20;
const countMask = (1 << countBits) - 1;
const windowMask = (1 << (32 - countBits)) - 1;

/** Words of one key: weight, orders in 10 s, orders in a minute, spare. */
const keyWords = 4;
/** Words of one address: fingerprint, public weight, signed requests, spare. */
const addressWords = 4;
/** Addresses seen within a minute; beyond it some share a row, which only makes limits stricter. */
const addressRows = 2 ** 16;
/** Rows tried before an address shares one. */
const probesMax = 16;

const headWords = 4;
const addressFrom = headWords;
const keyFrom = addressFrom + addressRows * addressWords;

/** Counts of a key after an admission, for the answer's headers. */
export interface OrderCounts {
  readonly per10s: number;
  readonly perMinute: number;
}

export class RateLimiter {
  readonly #words: Int32Array;
  readonly #seed: number;

  /** Shared memory for the counters of a venue. `seed` is unpredictable, so that nobody can aim at a row. */
  static allocate(seed: number): SharedArrayBuffer {
    const buffer = new SharedArrayBuffer(4 * (keyFrom + apiKeysMax * keyWords));
    new Int32Array(buffer)[0] = seed;
    return buffer;
  }

  /** The counters in `buffer`, which `allocate` made. */
  constructor(buffer: SharedArrayBuffer) {
    this.#words = new Int32Array(buffer);
    assert(this.#words.length === keyFrom + apiKeysMax * keyWords, "a rate limiter's memory");
    this.#seed = this.#words[0] ?? 0;
  }

  /** Adds `weight` to a key's minute; false, and nothing added, beyond its tier's limit. */
  takeWeight(keyId: number, weight: number, limits: RateLimits, nowMs: number): boolean {
    const word = this.#keyWord(keyId);
    return this.#take(word, weight, limits.weightPerMinute, Math.floor(nowMs / minuteMs));
  }

  /** Adds `count` orders to both of a key's windows; false, and nothing added, beyond either limit. */
  takeOrders(keyId: number, count: number, limits: RateLimits, nowMs: number): boolean {
    const word = this.#keyWord(keyId);
    const minute = Math.floor(nowMs / minuteMs);
    if (!this.#take(word + 2, count, limits.ordersPerMinute, minute)) return false;
    if (this.#take(word + 1, count, limits.ordersPer10s, Math.floor(nowMs / tenSecondsMs))) {
      return true;
    }
    this.#giveBack(word + 2, count, minute);
    return false;
  }

  /** Weight a key has used in the minute of `nowMs`. */
  weightOf(keyId: number, nowMs: number): number {
    return this.#countOf(this.#keyWord(keyId), Math.floor(nowMs / minuteMs));
  }

  /** Orders a key has placed in the windows of `nowMs`. */
  ordersOf(keyId: number, nowMs: number): OrderCounts {
    const word = this.#keyWord(keyId);
    return {
      per10s: this.#countOf(word + 1, Math.floor(nowMs / tenSecondsMs)),
      perMinute: this.#countOf(word + 2, Math.floor(nowMs / minuteMs)),
    };
  }

  /** Adds `weight` of an unsigned request from an address; false beyond the public limit. */
  takePublicWeight(addressHash: number, weight: number, nowMs: number): boolean {
    const minute = Math.floor(nowMs / minuteMs);
    return this.#take(this.#row(addressHash, minute) + 1, weight, publicWeightPerMinute, minute);
  }

  /** Counts a signed request before it is believed; false beyond the brake. */
  takeSignedRequest(addressHash: number, nowMs: number): boolean {
    const minute = Math.floor(nowMs / minuteMs);
    return this.#take(this.#row(addressHash, minute) + 2, 1, signedRequestsPerMinute, minute);
  }

  /** Unsigned weight an address has used in the minute of `nowMs`. */
  publicWeightOf(addressHash: number, nowMs: number): number {
    const minute = Math.floor(nowMs / minuteMs);
    return this.#countOf(this.#row(addressHash, minute) + 1, minute);
  }

  #keyWord(keyId: number): number {
    assert(keyId > 0 && keyId < apiKeysMax, "key id within its bound");
    return keyFrom + keyId * keyWords;
  }

  #countOf(word: number, window: number): number {
    // Untorn is enough: the figure is a header or a check that `#take` repeats.
    const value = Atomics.load(this.#words, word);
    return value >>> countBits === (window & windowMask) ? value & countMask : 0;
  }

  #take(word: number, amount: number, limit: number, window: number): boolean {
    const tag = (window & windowMask) << countBits;
    let seen = Atomics.load(this.#words, word);
    for (;;) {
      const count = (seen >>> countBits === (window & windowMask) ? seen & countMask : 0) + amount;
      if (count > limit) return false;
      // Exchange only what was seen: another front may count the same key at this moment.
      const found = Atomics.compareExchange(this.#words, word, seen, tag | count);
      if (found === seen) return true;
      seen = found;
    }
  }

  #giveBack(word: number, amount: number, window: number): void {
    // The subtraction stays inside the count: the same window was counted up just before. If the
    // window has moved on since, there is nothing left to give back.
    const seen = Atomics.load(this.#words, word);
    if (seen >>> countBits === (window & windowMask) && (seen & countMask) >= amount) {
      Atomics.compareExchange(this.#words, word, seen, seen - amount);
    }
  }

  /** First word of the address's row, claiming a free or a stale one for a newcomer. */
  #row(addressHash: number, minute: number): number {
    const fingerprint = Math.imul(addressHash ^ this.#seed, 0x9e3779b1) || 1;
    const start = fingerprint >>> 16;
    let stale = -1;
    for (let probe = 0; probe < probesMax; probe++) {
      const word = addressFrom + ((start + probe) % addressRows) * addressWords;
      // The fingerprint alone says whose row it is; the counters carry their own windows.
      const holder = Atomics.load(this.#words, word);
      if (holder === fingerprint) return word;
      if (holder === 0 || this.#isStale(word, minute)) {
        stale = word;
        if (holder === 0) break;
      }
    }
    const home = addressFrom + (start % addressRows) * addressWords;
    return stale < 0 ? home : this.#claim(stale, fingerprint);
  }

  #isStale(word: number, minute: number): boolean {
    return this.#countOf(word + 1, minute) === 0 && this.#countOf(word + 2, minute) === 0;
  }

  #claim(word: number, fingerprint: number): number {
    // Whoever loses the exchange shares the row for this minute, which only makes the limit stricter.
    Atomics.compareExchange(this.#words, word, Atomics.load(this.#words, word), fingerprint);
    return word;
  }
}
