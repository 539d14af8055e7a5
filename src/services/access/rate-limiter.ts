// Fixed-window counters in shared memory, across all fronts: weight and orders per key, orders per account,
// weight and signed requests per address, new accounts per network. A counter is one 32-bit word that contains
// the number of its window, so a new window needs no clearing and no lock:
//
//   │ window number mod 4096 (12 bits) │ count (20 bits) │
//
// After exactly 4096 idle windows a key's old count can be read as current; the key may then be limited for one window.
// A request that a limit refuses is not counted, so a client that floods orders keeps weight for cancels. A decision
// allocates no memory: its counts stay in the limiter's fields until the next decision. The caller supplies the time
// and the weight of each request.

import { accountSlot, RateTier } from "../../core/accounts.ts";
import { assert } from "../../core/assert.ts";
import {
  accountNumbersMax,
  accountsMax,
  apiKeysMax,
  countedNetworksMax,
  limitedAddressesMax,
} from "../../core/limits.ts";
import type { OrderOwners } from "../../engine/state/tables/order-owners.ts";

/** Limits of a tier (specification: Limits). A key has a tier; only the operator changes it. */
export interface RateLimits {
  readonly weightPerMinute: number;
  readonly ordersPer10s: number;
  readonly ordersPerMinute: number;
}

const tiers: Readonly<Record<RateTier, RateLimits>> = {
  [RateTier.standard]: { weightPerMinute: 1200, ordersPer10s: 50, ordersPerMinute: 200 },
  [RateTier.extMm]: { weightPerMinute: 2400, ordersPer10s: 100, ordersPerMinute: 600 },
  [RateTier.house]: { weightPerMinute: 6000, ordersPer10s: 200, ordersPerMinute: 1200 },
};

/** The limits of `tier`. */
export function limitsOf(tier: RateTier): RateLimits {
  return tiers[tier];
}

/** Largest weight of unsigned requests from one address in a minute. */
export const publicWeightPerMinute = 6000;

/** Largest number of signed requests from one address in a minute, counted before the signature is verified. */
export const signedRequestsPerMinute = 24_000;

const minuteMs = 60_000;
const tenSecondsMs = 10_000;
const hourMs = 3_600_000;

const countBits = 20;
const countMask = (1 << countBits) - 1;
const windowMask = (1 << (32 - countBits)) - 1;

/** Words of one key: weight, orders in 10 s, orders in a minute, minute of its last request. */
const keyWords = 4;
/** Words of one account: orders in 10 s, orders in a minute. */
const accountWords = 2;
/** Words of one address: fingerprint, public weight, signed requests, logins. */
const addressWords = 4;
/** Rows an address may use: one cache line, so that a new address costs one cache miss. */
const setRows = 4;
const setWords = setRows * addressWords;
/** Bits of the fingerprint that choose the set. */
const setBits = Math.log2(limitedAddressesMax / setRows);

/** Words before the rows: a whole cache line, so that sets of rows are aligned. */
const headWords = 16;
const addressFrom = headWords;
const keyFrom = addressFrom + limitedAddressesMax * addressWords;
const accountFrom = keyFrom + apiKeysMax * keyWords;
const networkFrom = accountFrom + accountsMax * accountWords;
const wordsInAll = networkFrom + countedNetworksMax;
/** Bits of a network's fingerprint that choose its word. */
const networkBits = Math.log2(countedNetworksMax);
assert(Number.isInteger(setBits), "the number of address rows must be a power of two");
assert(Number.isInteger(networkBits), "the number of network words must be a power of two");

/** The limit that refused a request; `no` if none did. */
export const Limited = { no: 0, weight: 1, orders10s: 2, orders1m: 3 } as const;
export type Limited = (typeof Limited)[keyof typeof Limited];

/** The key or session against which a call is counted; no session has the id of a key. */
export interface Counted {
  readonly keyId: number;
  readonly account: number;
  readonly tier: RateTier;
}

export class RateLimiter {
  /** Weight used by the key or address after the last decision or lookup. */
  usedWeight = 0;
  /** Number of orders of the key in each of the two windows, after the last `admit`. */
  ordersPer10s = 0;
  ordersPerMinute = 0;
  /** The limits that the last `admitCall` applied. */
  limits: RateLimits = limitsOf(RateTier.standard);
  readonly #words: Int32Array;
  readonly #seed: number;
  /** The count after the last `#take`. */
  #count = 0;

  /** Shared memory for a venue. `seed` must be unpredictable, so that no client can target a row. */
  static allocate(seed: number): SharedArrayBuffer {
    const buffer = new SharedArrayBuffer(4 * wordsInAll);
    new Int32Array(buffer)[0] = seed;
    return buffer;
  }

  /** The counters in `buffer`, made by `allocate`. */
  constructor(buffer: SharedArrayBuffer) {
    this.#words = new Int32Array(buffer);
    assert(this.#words.length === wordsInAll, "the memory must have the size of a rate limiter");
    this.#seed = this.#words[0] ?? 0;
  }

  /**
   * Counts a call: `weight` and `orders` for its key, and `orders` for its account's owner. The owner's limits are those
   * of the largest tier among the keys and sessions of the owner and its sub-accounts. If a limit is reached, counts nothing and returns that
   * limit; the public fields then show what the key has used. Spec LIM-2, LIM-13, LIM-30.
   */
  admitCall(
    counted: Counted,
    weight: number,
    orders: number,
    owners: Pick<OrderOwners, "ownerOf" | "largestTier">,
    nowMs: number,
  ): Limited {
    this.limits = limitsOf(counted.tier);
    if (orders === 0) return this.admit(counted.keyId, weight, 0, this.limits, nowMs);
    const owner = owners.ownerOf(counted.account);
    return this.admitAs(counted, owners.largestTier(owner), weight, orders, nowMs, owner);
  }

  /** Counts like `admitCall` a call of one order or more, for an owner whose largest tier is `accountTier`. */
  admitAs(
    { keyId, account, tier }: Counted,
    accountTier: RateTier,
    weight: number,
    orders: number,
    nowMs: number,
    owner: number = account,
  ): Limited {
    const limits = limitsOf(tier);
    this.limits = limits;
    const ofAccount = limitsOf(accountTier);
    const reached = this.takeAccountOrders(owner, orders, ofAccount, nowMs);
    if (reached !== Limited.no) {
      this.limits = ofAccount;
      this.lookAtKey(keyId, nowMs);
      return reached;
    }
    const limited = this.admit(keyId, weight, orders, limits, nowMs);
    if (limited !== Limited.no) this.giveBackAccountOrders(owner, orders, nowMs);
    return limited;
  }

  /**
   * Counts a request of a key: `weight` in its minute, `orders` in both order windows. Beyond a limit of the
   * tier it counts nothing and returns that limit.
   */
  admit(keyId: number, weight: number, orders: number, limits: RateLimits, nowMs: number): Limited {
    const word = keyWordOf(keyId);
    const minute = Math.floor(nowMs / minuteMs);
    const tenSeconds = Math.floor(nowMs / tenSecondsMs);
    const limited = this.#takeOrders(word + 1, orders, limits, nowMs);
    if (limited !== Limited.no) {
      this.usedWeight = this.#countOf(word, minute);
      return limited;
    }
    const hasWeight = this.#take(word, weight, limits.weightPerMinute, minute);
    this.usedWeight = this.#count;
    // A refused request counts too: somebody holds the key. Unix minutes fit a word until the year 6053.
    Atomics.store(this.#words, word + 3, minute);
    if (hasWeight) return Limited.no;
    this.ordersPerMinute = this.#giveBack(word + 2, orders, minute);
    this.ordersPer10s = this.#giveBack(word + 1, orders, tenSeconds);
    return Limited.weight;
  }

  /** Counts orders of an account in both windows; beyond a limit it counts nothing and returns that limit. */
  takeAccountOrders(account: number, orders: number, limits: RateLimits, nowMs: number): Limited {
    return this.#takeOrders(accountWordOf(account), orders, limits, nowMs + shiftOf(account));
  }

  /** Reverses `takeAccountOrders` for orders refused by another limit. */
  giveBackAccountOrders(account: number, orders: number, nowMs: number): void {
    const word = accountWordOf(account);
    const shiftedMs = nowMs + shiftOf(account);
    this.#giveBack(word, orders, Math.floor(shiftedMs / tenSecondsMs));
    this.#giveBack(word + 1, orders, Math.floor(shiftedMs / minuteMs));
  }

  /** Counts orders at `word` (10 s) and the next word (minute); the fields then hold both counts. */
  #takeOrders(word: number, orders: number, limits: RateLimits, nowMs: number): Limited {
    const minute = Math.floor(nowMs / minuteMs);
    const tenSeconds = Math.floor(nowMs / tenSecondsMs);
    // Zero orders pass and only read the counts.
    const isInMinute = this.#take(word + 1, orders, limits.ordersPerMinute, minute);
    this.ordersPerMinute = this.#count;
    if (!isInMinute) {
      this.ordersPer10s = this.#countOf(word, tenSeconds);
      return Limited.orders1m;
    }
    const isInTenSeconds = this.#take(word, orders, limits.ordersPer10s, tenSeconds);
    this.ordersPer10s = this.#count;
    if (isInTenSeconds) return Limited.no;
    this.ordersPerMinute = this.#giveBack(word + 1, orders, minute);
    return Limited.orders10s;
  }

  /** Reverses the weight of a call of a key that another limit refused later; `usedWeight` then shows the rest. */
  giveBackWeight(keyId: number, weight: number, nowMs: number): void {
    this.usedWeight = this.#giveBack(keyWordOf(keyId), weight, Math.floor(nowMs / minuteMs));
  }

  /** Replaces the orders of a key by what another counter says, such as the leader's in a gateway. */
  noteOrders(keyId: number, per10s: number, perMinute: number, nowMs: number): void {
    const word = keyWordOf(keyId);
    this.#set(word + 1, per10s, Math.floor(nowMs / tenSecondsMs));
    this.#set(word + 2, perMinute, Math.floor(nowMs / minuteMs));
  }

  #set(word: number, count: number, window: number): void {
    // Another front may store a newer count at the same time. The next answer corrects it.
    Atomics.store(this.#words, word, ((window & windowMask) << countBits) | count);
  }

  /** Reads what a key has used, counting nothing. */
  lookAtKey(keyId: number, nowMs: number): void {
    const word = keyWordOf(keyId);
    const minute = Math.floor(nowMs / minuteMs);
    this.usedWeight = this.#countOf(word, minute);
    this.ordersPer10s = this.#countOf(word + 1, Math.floor(nowMs / tenSecondsMs));
    this.ordersPerMinute = this.#countOf(word + 2, minute);
  }

  /**
   * Returns the start of the minute in which a request of the key was last counted, in Unix ms; null if none was since
   * this memory was allocated. A request that an order limit refuses is not counted.
   */
  lastUseMs(keyId: number): number | null {
    const minute = Atomics.load(this.#words, keyWordOf(keyId) + 3);
    return minute === 0 ? null : minute * minuteMs;
  }

  /** Adds `weight` of an unsigned request from an address; false beyond the public limit. */
  takePublicWeight(addressHash: number, weight: number, nowMs: number): boolean {
    const minute = Math.floor(nowMs / minuteMs);
    const word = this.#row(addressHash, minute) + 1;
    const isWithin = this.#take(word, weight, publicWeightPerMinute, minute);
    this.usedWeight = this.#count;
    return isWithin;
  }

  /** Counts a signed request before verification; false beyond the limit. */
  takeSignedRequest(addressHash: number, nowMs: number): boolean {
    const minute = Math.floor(nowMs / minuteMs);
    return this.#take(this.#row(addressHash, minute) + 2, 1, signedRequestsPerMinute, minute);
  }

  /** Counts a step of a wallet login; false beyond `limit` in the minute. */
  takeLogin(addressHash: number, limit: number, nowMs: number): boolean {
    const minute = Math.floor(nowMs / minuteMs);
    return this.#take(this.#row(addressHash, minute) + 3, 1, limit, minute);
  }

  /** Counts a new account opened from an IP network; false beyond `limit` in the hour. Spec SES-15. */
  takeNewAccount(networkHash: number, limit: number, nowMs: number): boolean {
    const slot = Math.imul(networkHash ^ this.#seed, 0x9e3779b1) >>> (32 - networkBits);
    return this.#take(networkFrom + slot, 1, limit, Math.floor(nowMs / hourMs));
  }

  /** Unsigned weight an address has used in the minute of `nowMs`. */
  publicWeightOf(addressHash: number, nowMs: number): number {
    const minute = Math.floor(nowMs / minuteMs);
    return this.#countOf(this.#row(addressHash, minute) + 1, minute);
  }

  #countOf(word: number, window: number): number {
    // The value may be out of date at once: it is only for a header, or for a check that `#take` repeats.
    const value = Atomics.load(this.#words, word);
    return value >>> countBits === (window & windowMask) ? value & countMask : 0;
  }

  /** Adds `amount` unless that exceeds `limit`, and sets `#count` to the resulting count of the window. */
  #take(word: number, amount: number, limit: number, window: number): boolean {
    const tag = (window & windowMask) << countBits;
    let seen = Atomics.load(this.#words, word);
    for (;;) {
      const before = seen >>> countBits === (window & windowMask) ? seen & countMask : 0;
      const count = before + amount;
      if (count > limit || amount === 0) {
        this.#count = before;
        return count <= limit || amount === 0;
      }
      // Exchange only the value seen: another front may count the same key meanwhile.
      const found = Atomics.compareExchange(this.#words, word, seen, tag | count);
      if (found === seen) {
        this.#count = count;
        return true;
      }
      seen = found;
    }
  }

  /** Reverses what the same decision added; returns the window's count. */
  #giveBack(word: number, amount: number, window: number): number {
    // If the window has changed since, nothing is left to reverse. If another front changes the word between load and
    // exchange, the amount stays counted until the window ends, which only makes the limit stricter.
    const seen = Atomics.load(this.#words, word);
    if (seen >>> countBits === (window & windowMask) && (seen & countMask) >= amount) {
      Atomics.compareExchange(this.#words, word, seen, seen - amount);
    }
    return this.#countOf(word, window);
  }

  /** First word of the address's row. A new address claims a free or stale row, or shares a row if there is none. */
  #row(addressHash: number, minute: number): number {
    const fingerprint = Math.imul(addressHash ^ this.#seed, 0x9e3779b1) || 1;
    const set = addressFrom + (fingerprint >>> (32 - setBits)) * setWords;
    let stale = -1;
    for (let word = set; word < set + setWords; word += addressWords) {
      // The fingerprint alone identifies the row; each counter contains the number of its own window.
      const holder = Atomics.load(this.#words, word);
      if (holder === fingerprint) return word;
      if (stale < 0 && (holder === 0 || this.#isStale(word, minute))) stale = word;
    }
    // If all rows of the set are in use, the new address shares one with another address. That only makes the limits of
    // both addresses stricter.
    if (stale < 0) return set + (fingerprint & (setRows - 1)) * addressWords;
    return this.#claim(stale, fingerprint);
  }

  #isStale(word: number, minute: number): boolean {
    const asked = this.#countOf(word + 1, minute) + this.#countOf(word + 2, minute);
    return asked + this.#countOf(word + 3, minute) === 0;
  }

  #claim(word: number, fingerprint: number): number {
    // If another front claims the row first, both addresses share it for this minute, which only makes their limits
    // stricter.
    Atomics.compareExchange(this.#words, word, Atomics.load(this.#words, word), fingerprint);
    return word;
  }
}

function keyWordOf(keyId: number): number {
  // Ids are never reused, so they can exceed the maximum number of active keys. Two ids that share a row only get
  // stricter limits.
  return keyFrom + (keyId % apiKeysMax) * keyWords;
}

function accountWordOf(account: number): number {
  assert(
    account > 0 && account < accountNumbersMax,
    "the account number must be within its bounds",
  );
  return accountFrom + accountSlot(account) * accountWords;
}

/**
 * Milliseconds by which the windows of an account are shifted. Accounts that use the same slot one after the other have
 * different shifts, so counters that an earlier account left there belong to another window and do not count.
 */
function shiftOf(account: number): number {
  return Math.floor(account / accountsMax) * minuteMs;
}
