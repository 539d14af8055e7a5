// Ed25519 over the text received. Key objects are made once; each check runs on the runtime's
// thread pool, because at 92 µs it would stall every other request of the front. Whether a public
// key is a sound point is decided when it is registered, not here.

import { createPublicKey, type KeyObject, verify } from "node:crypto";

const keyBytes = 32;
const signatureBytes = 64;
const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** DER header of a SubjectPublicKeyInfo for Ed25519; the 32 key bytes follow. */
const spkiHeader = Buffer.from("302a300506032b6570032100", "hex");

/** Bytes of standard or URL-safe base64, padding optional; null unless exactly `length` of them. */
function bytesOf(text: string, length: number): Buffer | null {
  if (text.length > 2 * length || !base64.test(text)) return null;
  const bytes = Buffer.from(text, "base64");
  return bytes.length === length ? bytes : null;
}

/** Standard base64 of a public key given in either alphabet, or null if it is not 32 bytes. */
export function canonicalPublicKey(text: string): string | null {
  return bytesOf(text, keyBytes)?.toString("base64") ?? null;
}

export class Ed25519Signature {
  readonly #key: KeyObject;

  /** A check for the base64 public key, 32 bytes; throws on anything else. */
  constructor(publicKey: string) {
    const bytes = bytesOf(publicKey, keyBytes);
    if (bytes === null) throw new RangeError("an Ed25519 public key has 32 bytes");
    this.#key = createPublicKey({
      key: Buffer.concat([spkiHeader, bytes]),
      format: "der",
      type: "spki",
    });
  }

  /** Whether `signature` (base64, either alphabet) signs `text`. */
  verify(text: string, signature: string): Promise<boolean> {
    return this.verifyBytes(Buffer.from(text, "utf8"), signature);
  }

  /** Whether `signature` (base64, either alphabet) signs `signed`. */
  verifyBytes(signed: Uint8Array, signature: string): Promise<boolean> {
    const bytes = bytesOf(signature, signatureBytes);
    if (bytes === null) return Promise.resolve(false);
    return new Promise((resolve) => {
      verify(null, signed, this.#key, bytes, (error, isValid) => {
        resolve(error === null && isValid);
      });
    });
  }

  /** A public key leaves nothing to erase. */
  erase(): void {}
}
