// Counts open stream connections per address in shared memory, across all fronts. A row is one 64-bit word:
// the address's seeded fingerprint and its count.
//
//   │ fingerprint (32 bits) │ connections (32 bits) │
//
// A row without connections is free. A connection releases the row it took, so counts do not drift. A thread
// that dies stops the venue, which discards this memory.

import { assert } from "../../core/assert.ts";

/** Maximum number of addresses with a connection at one time; a front holds far fewer sockets than this. */
const rows = 2 ** 17;
/** Rows probed for an address. The address is refused if all of them belong to others. */
const probesMax = 32;
/** Number of words before the rows: one, which holds the seed. */
const head = 1;
const countMask = 0xffff_ffffn;

export class ConnectionCounter {
  readonly #words: BigInt64Array;
  readonly #seed: number;
  readonly #perAddressMax: number;

  /** Shared memory for a venue. `seed` must be unpredictable, so that no client can target a row. */
  static allocate(seed: number): SharedArrayBuffer {
    const buffer = new SharedArrayBuffer(8 * (head + rows));
    new BigInt64Array(buffer)[0] = BigInt(seed);
    return buffer;
  }

  /** The counts in `buffer`, made by `allocate`, with at most `perAddressMax` per address. */
  constructor(buffer: SharedArrayBuffer, perAddressMax: number) {
    this.#words = new BigInt64Array(buffer);
    assert(
      this.#words.length === head + rows,
      "the memory must have the size of a connection counter",
    );
    this.#seed = Number(this.#words[0]);
    this.#perAddressMax = perAddressMax;
  }

  /** Counts a connection of an address; returns its row, or −1 if the address is at its limit or no row is free. */
  take(addressHash: number): number {
    const fingerprint = Math.imul(addressHash ^ this.#seed, 0x9e3779b1) >>> 0 || 1;
    for (;;) {
      const row = this.#rowOf(fingerprint);
      if (row < 0) return -1;
      const seen = Atomics.load(this.#words, row);
      const count = Number(seen & countMask);
      const isOther = count > 0 && fingerprintOf(seen) !== fingerprint;
      if (isOther) continue;
      if (count >= this.#perAddressMax) return -1;
      const next = BigInt.asIntN(64, (BigInt(fingerprint) << 32n) | BigInt(count + 1));
      // Exchange only the value seen: another front may take or free the row meanwhile.
      if (Atomics.compareExchange(this.#words, row, seen, next) === seen) return row;
    }
  }

  /** Releases a row returned by `take`. */
  release(row: number): void {
    // The count is the lower half and above zero, so subtracting one leaves the fingerprint intact.
    const before = Atomics.sub(this.#words, row, 1n);
    assert((before & countMask) > 0n, "a connection must be released only once");
  }

  /** The address's row if it has one, else the first free row, else -1. */
  #rowOf(fingerprint: number): number {
    let free = -1;
    for (let probe = 0; probe < probesMax; probe++) {
      const row = head + ((fingerprint + probe) % rows);
      // The value may be out of date when it is used: `take` checks it again when it exchanges.
      const word = Atomics.load(this.#words, row);
      if ((word & countMask) === 0n) {
        if (free < 0) free = row;
      } else if (fingerprintOf(word) === fingerprint) return row;
    }
    return free;
  }
}

function fingerprintOf(word: bigint): number {
  return Number(BigInt.asUintN(32, word >> 32n));
}
