// Random draws for the seeded order streams. There is one sequence of integers, and each distribution is an inverse
// table of integers. So a stream depends only on its options and is the same on every machine.

/** Xorshift 128 on 32-bit integers, which gives the same sequence on every machine. */
export class Random {
  #a: number;
  #b = 0x9e3779b9;
  #c = 0x243f6a88;
  #d = 0xb7e15162;

  constructor(seed: number) {
    this.#a = seed | 1;
    for (let i = 0; i < 64; i++) this.next();
  }

  next(): number {
    const a = this.#a;
    let t = this.#d;
    this.#d = this.#c;
    this.#c = this.#b;
    this.#b = a;
    t ^= t << 11;
    t ^= t >>> 8;
    this.#a = (t ^ a ^ (a >>> 19)) | 0;
    return this.#a >>> 0;
  }

  below(bound: number): number {
    return Math.floor((this.next() / 2 ** 32) * bound);
  }

  pick(table: Int32Array): number {
    return table[this.next() & (tableSize - 1)] ?? 0;
  }
}

/** Size of an inverse table. Its entries are integers, so that rounding is the same on every machine. */
const tableSize = 4096;

/**
 * Returns the inverse table of a geometric distribution from 0: a distance of `k` has the probability `p × (1 − p)^k`.
 */
export function geometric(p: number): Int32Array {
  return Int32Array.from({ length: tableSize }, (_, i) =>
    Math.floor(Math.log(1 - (i + 0.5) / tableSize) / Math.log(1 - p)),
  );
}

/**
 * Returns the inverse table of a lognormal distribution of lots from 1 to 1,000, computed by an approximation of the
 * inverse error function.
 */
export function lognormal(mu: number): Int32Array {
  return Int32Array.from({ length: tableSize }, (_, i) => {
    const centred = (2 * (i + 0.5)) / tableSize - 1;
    const log = Math.log(1 - centred * centred);
    const t = 4.3307 + log / 2;
    const z = Math.SQRT2 * Math.sign(centred) * Math.sqrt(Math.sqrt(t * t - log / 0.147) - t);
    return Math.min(1000, Math.max(1, Math.round(Math.exp(mu + z))));
  });
}
