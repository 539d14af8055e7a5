// Accepts each nonce of signed requests once. The cache is bounded: when full, it refuses new nonces instead
// of forgetting one that could then be replayed.

export interface NonceCacheOptions {
  /** How long a nonce is remembered. */
  readonly memoryMs: number;
  /** Maximum number of nonces remembered at once. */
  readonly noncesMax: number;
}

export class NonceCache {
  readonly #options: NonceCacheOptions;
  /** Time of arrival by key id and nonce, oldest first. */
  readonly #seen = new Map<string, number>();

  constructor(options: NonceCacheOptions) {
    this.#options = options;
  }

  /** Takes `nonce` of a key; false if it was used before, null if the cache is full. */
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
