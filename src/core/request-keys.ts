// Idempotency keys: they identify a repeated request. A front hashes the client's text to 128 bits of a
// cryptographic hash, so that keys have one length and collisions cannot be constructed. Another 64 bits
// identify the request's payload.

export interface RequestKey {
  /** The first and the second 64 bits of the key's hash, signed. */
  readonly high: bigint;
  readonly low: bigint;
  /** 64 bits of the hash of the request's payload, signed. */
  readonly payload: bigint;
}
