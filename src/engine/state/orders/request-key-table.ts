// Used idempotency keys and the result of each. A key is remembered for one day of event time; the number of keys has
// a limit per account and one for the venue. Rows are in a ring in the order of use, which is also the order of
// expiry; an open-addressing index of row numbers finds them by account and key.
//
//   use ──▶ last row of the ring ──24 h of event time──▶ first row of the ring ──▶ forgotten

import { accountSlot } from "../../../core/accounts.ts";
import { amountAt, assert, numberAt, shortAt, wordAt } from "../../../core/assert.ts";
import {
  accountsMax,
  requestKeyMemoryMs,
  requestKeysMax,
  requestKeysPerAccountMax,
} from "../../../core/limits.ts";
import type { RequestKey } from "../../../core/request-keys.ts";
import { reservedMemory } from "../../../core/reserved-memory.ts";

const memoryUs = requestKeyMemoryMs * 1000;
const firstCapacity = 256;

/** Remembered keys in order of use, as stored in snapshots. */
export interface RequestKeyRows {
  account: Int32Array;
  high: BigInt64Array;
  low: BigInt64Array;
  payload: BigInt64Array;
  subject: Float64Array;
  /** Microseconds at which the key was used. */
  usedUs: Float64Array;
}

/** How many requests with a key are in flight: of the account and of the whole venue. */
export interface KeysComing {
  readonly own: number;
  readonly all: number;
}

const noneComing: KeysComing = { own: 0, all: 0 };

export class RequestKeyTable {
  /** Microseconds of the next expiry; +∞ if no key is remembered. */
  expiresUs = Number.POSITIVE_INFINITY;
  #rows = emptyRows(firstCapacity);
  /** Row + 1, 0 for a free entry; twice as many entries as rows. */
  #index = new Int32Array(2 * firstCapacity);
  #capacity = firstCapacity;
  #head = 0;
  #count = 0;
  readonly #perAccount = new Uint16Array(reservedMemory(2 * accountsMax));

  /** Number of remembered keys. */
  get count(): number {
    return this.#count;
  }

  /** Number of the account's remembered keys. */
  countOf(account: number): number {
    return shortAt(this.#perAccount, accountSlot(account));
  }

  /** The result of the account's request with this key, if used less than a day before `nowUs`; else 0. */
  subjectOf(account: number, key: RequestKey, nowUs: number): number {
    const row = wordAt(this.#index, this.#find(account, key)) - 1;
    if (row < 0 || numberAt(this.#rows.usedUs, row) + memoryUs <= nowUs) return 0;
    return numberAt(this.#rows.subject, row);
  }

  /**
   * Whether the account may use one more key, assuming that the keys of requests in flight (`coming`) will be used.
   */
  hasRoom(account: number, coming: KeysComing = noneComing): boolean {
    const own = this.countOf(account) + coming.own;
    return own < requestKeysPerAccountMax && this.#count + coming.all < requestKeysMax;
  }

  /**
   * Remembers a key of the account. Asserts that there is room, that the key is new, and that `usedUs` is not
   * before the previous key's.
   */
  use(account: number, key: RequestKey, subject: number, usedUs: number): void {
    assert(subject > 0, "the result of a request must be positive");
    assert(this.hasRoom(account), "the account must have room for another request key");
    if (this.#count === this.#capacity) this.#grow();
    const place = this.#find(account, key);
    assert(this.#index[place] === 0, "a request key must be used only once");
    const row = (this.#head + this.#count) % this.#capacity;
    const rows = this.#rows;
    if (this.#count > 0) {
      const newest = (row + this.#capacity - 1) % this.#capacity;
      assert(
        usedUs >= numberAt(rows.usedUs, newest),
        "request keys must be stored in the order of their times",
      );
    }
    rows.account[row] = account;
    rows.high[row] = key.high;
    rows.low[row] = key.low;
    rows.payload[row] = key.payload;
    rows.subject[row] = subject;
    rows.usedUs[row] = usedUs;
    this.#index[place] = row + 1;
    this.#perAccount[accountSlot(account)] = this.countOf(account) + 1;
    this.#count++;
    this.#noteNext();
  }

  /** Forgets the keys whose day is over at `nowUs`. */
  expire(nowUs: number): void {
    while (this.#count > 0 && numberAt(this.#rows.usedUs, this.#head) + memoryUs <= nowUs) {
      this.#forgetOldest();
    }
    this.#noteNext();
  }

  #noteNext(): void {
    const isEmpty = this.#count === 0;
    this.expiresUs = isEmpty
      ? Number.POSITIVE_INFINITY
      : numberAt(this.#rows.usedUs, this.#head) + memoryUs;
  }

  /** All remembered keys, oldest first. */
  capture(): RequestKeyRows {
    const to = emptyRows(this.#count);
    for (let place = 0; place < this.#count; place++) {
      copyRow(this.#rows, (this.#head + place) % this.#capacity, to, place);
    }
    return to;
  }

  /** Loads what `capture` returned; asserts that the table is empty. */
  restore(rows: RequestKeyRows): void {
    assert(this.#count === 0, "the table must be empty when request keys are restored");
    for (let row = 0; row < rows.account.length; row++) {
      const [subject, usedUs] = [numberAt(rows.subject, row), numberAt(rows.usedUs, row)];
      this.use(wordAt(rows.account, row), keyOf(rows, row), subject, usedUs);
    }
  }

  /** The index entry of a key, or the free one where it would go. */
  #find(account: number, { high, low }: RequestKey): number {
    const mask = this.#index.length - 1;
    const rows = this.#rows;
    let place = homeOf(account, low) & mask;
    for (let row = wordAt(this.#index, place); row > 0; row = wordAt(this.#index, place)) {
      const isSame =
        rows.low[row - 1] === low &&
        rows.high[row - 1] === high &&
        rows.account[row - 1] === account;
      if (isSame) break;
      place = (place + 1) & mask;
    }
    return place;
  }

  #forgetOldest(): void {
    const row = this.#head;
    const account = wordAt(this.#rows.account, row);
    const place = this.#find(account, keyOf(this.#rows, row));
    assert(this.#index[place] === row + 1, "a request key must be in the index when it is removed");
    this.#removePlace(place);
    this.#perAccount[accountSlot(account)] = this.countOf(account) - 1;
    this.#head = (row + 1) % this.#capacity;
    this.#count--;
  }

  /** Frees an entry and moves later ones of its probe run back, so that runs stay contiguous. */
  #removePlace(place: number): void {
    const mask = this.#index.length - 1;
    let hole = place;
    let at = (place + 1) & mask;
    for (let row = wordAt(this.#index, at); row > 0; row = wordAt(this.#index, at)) {
      const home = homeOf(wordAt(this.#rows.account, row - 1), amountAt(this.#rows.low, row - 1));
      if (((at - home) & mask) >= ((at - hole) & mask)) {
        this.#index[hole] = row;
        hole = at;
      }
      at = (at + 1) & mask;
    }
    this.#index[hole] = 0;
  }

  /** Doubles the rows, keeping their order. */
  #grow(): void {
    const from = this.#rows;
    const rows = emptyRows(2 * this.#capacity);
    for (let place = 0; place < this.#count; place++) {
      copyRow(from, (this.#head + place) % this.#capacity, rows, place);
    }
    this.#rows = rows;
    this.#head = 0;
    this.#capacity *= 2;
    this.#index = new Int32Array(2 * this.#capacity);
    for (let row = 0; row < this.#count; row++) {
      this.#index[this.#find(wordAt(rows.account, row), keyOf(rows, row))] = row + 1;
    }
  }
}

/** Keys are already hashes, so any of their bits can be used without hashing again. */
function homeOf(account: number, low: bigint): number {
  return Number(BigInt.asIntN(32, low)) ^ Math.imul(account, 0x9e3779b9);
}

function keyOf(rows: RequestKeyRows, row: number): RequestKey {
  return {
    high: amountAt(rows.high, row),
    low: amountAt(rows.low, row),
    payload: amountAt(rows.payload, row),
  };
}

function emptyRows(capacity: number): RequestKeyRows {
  return {
    account: new Int32Array(capacity),
    high: new BigInt64Array(capacity),
    low: new BigInt64Array(capacity),
    payload: new BigInt64Array(capacity),
    subject: new Float64Array(capacity),
    usedUs: new Float64Array(capacity),
  };
}

function copyRow(from: RequestKeyRows, row: number, to: RequestKeyRows, place: number): void {
  to.account[place] = wordAt(from.account, row);
  to.high[place] = amountAt(from.high, row);
  to.low[place] = amountAt(from.low, row);
  to.payload[place] = amountAt(from.payload, row);
  to.subject[place] = numberAt(from.subject, row);
  to.usedUs[place] = numberAt(from.usedUs, row);
}
