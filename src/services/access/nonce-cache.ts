// Nonces of signed requests, each taken once. Bounded: where it is full, what comes next is refused
// rather than something forgotten that could then be repeated.

export interface NonceCacheOptions {
  /** How long a nonce is kept. */
  readonly memoryMs: number;
  /** Most that are kept at once. */
  readonly noncesMax: number;
}

export class NonceCache {
  readonly #options: NonceCacheOptions;
  /** In the order they came, so the oldest stand first. */
  readonly #seen = new Map<string, number>();

  constructor(options: NonceCacheOptions) {
    this.#options = options;
  }

  /** Takes `nonce` of a key; false where it was taken before, null where no more can be kept. */
  take(keyId: string, nonce: string, nowMs: number): boolean | null {
    const { memoryMs, noncesMax } = this.#options;
    for (const [name, seenMs] of this.#seen) {
      if (seenMs > nowMs - memoryMs) break;
      this.#seen.delete(name);
    }
    const name = `${keyId} ${nonce}`;
    if (this.#seen.has(name)) return false;
    if (this.#seen.size >= noncesMax) return null;
    this.#seen.set(name, nowMs);
    return true;
  }
}
