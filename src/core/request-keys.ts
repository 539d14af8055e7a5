// Idempotency keys: what makes a request that is sent again the same request. A front turns the client's
// text into 128 bits of a cryptographic hash, so that keys are of one length and nobody can make two of
// them meet; what the request asked is remembered as 64 bits more.

export interface RequestKey {
  /** The first and the second 64 bits of the key's hash, signed. */
  readonly high: bigint;
  readonly low: bigint;
  /** 64 bits of the hash of what was asked, signed. */
  readonly payload: bigint;
}
