// HMAC-SHA256 over the text received. The padded key halves are computed once per key; each check
// is then two one-shot hashes (1.4 µs for an order against 2.4 with createHmac). Comparison takes
// the same time wherever the texts differ.

import { hash, timingSafeEqual } from "node:crypto";
import { bodyBytesMax, queryBytesMax } from "../../core/limits.ts";

const blockBytes = 64;
const digestBytes = 32;
const hexLength = 64;

/** Room for the inner block and any text a request can carry, three bytes a character at most. */
const inner = Buffer.alloc(blockBytes + 3 * (bodyBytesMax + queryBytesMax));
const outer = Buffer.alloc(blockBytes + digestBytes);
const expected = Buffer.alloc(hexLength);
const given = Buffer.alloc(hexLength);
const noSignature = "-".repeat(hexLength);

/** Views of the inner text by length: making one for each check costs as much as hashing a block. */
const innerViews = Array.from({ length: 1024 }, (_, length) => inner.subarray(0, length));

export class HmacSignature {
  readonly #innerPad = Buffer.alloc(blockBytes, 0x36);
  readonly #outerPad = Buffer.alloc(blockBytes, 0x5c);

  /** A check for `secret`, at most one hash block long (keys of the venue have 64 characters). */
  constructor(secret: string) {
    const bytes = Buffer.from(secret, "utf8");
    const key =
      bytes.length > blockBytes ? Buffer.from(hash("sha256", bytes, "hex"), "hex") : bytes;
    for (const [at, byte] of key.entries()) {
      this.#innerPad[at] = 0x36 ^ byte;
      this.#outerPad[at] = 0x5c ^ byte;
    }
  }

  /** Lower-case hex of the signature of `text`. */
  sign(text: string): string {
    inner.set(this.#innerPad);
    const length = inner.write(text, blockBytes, "utf8");
    const end = blockBytes + length;
    const digest = hash("sha256", innerViews[end] ?? inner.subarray(0, end), "binary");
    outer.set(this.#outerPad);
    outer.write(digest, blockBytes, "latin1");
    return hash("sha256", outer, "hex");
  }

  /** True if `signature` is the hex signature of `text`, in either case. */
  verify(text: string, signature: string): boolean {
    expected.write(this.sign(text), 0, "latin1");
    // A wrong length is compared too, as a text that cannot match, so that it costs the same.
    const isWhole = signature.length === hexLength;
    given.write(isWhole ? signature.toLowerCase() : noSignature, 0, "latin1");
    return timingSafeEqual(expected, given);
  }

  /** Overwrites what the secret left in memory; the check fails from then on. */
  erase(): void {
    this.#innerPad.fill(0);
    this.#outerPad.fill(0);
  }
}
