// What makes a signed request acceptable (binance-compat 2.2 to 2.5): presence of signature and
// timestamp, the time window, the signature over the bytes received, by HMAC-SHA256 or Ed25519. The order
// of the checks is the caller's; each answers undefined or the fault a surface renders.

import { createPublicKey, hash, type KeyObject, timingSafeEqual, verify } from "node:crypto";
import { bodyBytesMax, queryBytesMax } from "../../core/limits.ts";
import type { RequestParameters } from "./request-parameters.ts";

/** Everything that can be wrong before a request is believed. */
export type AuthFault =
  | "keyFormat"
  | "signatureMissing"
  | "timestampMissing"
  | "recvWindowMalformed"
  | "keyUnknown"
  | "outsideWindow"
  | "signatureWrong";

export type SignatureCheck = HmacSignature | Ed25519Signature;

const keyForm = /^[A-Za-z0-9]{64}$/;
const timestampForm = /^\d{1,16}$/;
const recvWindowForm = /^\d{1,9}(\.\d{1,3})?$/;

const recvWindowDefaultMs = 5000;
const recvWindowMaxMs = 60_000;
/** Timestamps from here on are microseconds: as milliseconds they would be in the year 5138. */
const microsecondsFrom = 100_000_000_000_000;
/** How far a client's clock may run ahead. */
const aheadMs = 1000;

/** True for what a key can look like: 64 letters and digits. */
export function isKeyForm(key: string): boolean {
  return keyForm.test(key);
}

/** The first of signature and timestamp that is missing or cannot be one. */
export function presenceFault(parameters: RequestParameters): AuthFault | undefined {
  if (parameters.signature === undefined) {
    return parameters.endsInBareSignature ? "signatureWrong" : "signatureMissing";
  }
  return timestampFault(parameters);
}

/** A timestamp that is missing or cannot be one. */
export function timestampFault(parameters: RequestParameters): AuthFault | undefined {
  const timestamp = parameters.get("timestamp");
  return timestamp === undefined || !timestampForm.test(timestamp) ? "timestampMissing" : undefined;
}

/**
 * Refuses a timestamp one second or more ahead of `nowMs` or older than recvWindow (default 5 s),
 * and a recvWindow over 60 s.
 */
export function windowFault(parameters: RequestParameters, nowMs: number): AuthFault | undefined {
  const timestamp = Number(parameters.get("timestamp"));
  const timestampMs = timestamp < microsecondsFrom ? timestamp : timestamp / 1000;
  const recvWindow = parameters.get("recvWindow");
  let recvWindowMs = recvWindowDefaultMs;
  if (recvWindow !== undefined) {
    if (!recvWindowForm.test(recvWindow)) return "recvWindowMalformed";
    recvWindowMs = Number(recvWindow);
  }
  const isInside = timestampMs < nowMs + aheadMs && nowMs - timestampMs <= recvWindowMs;
  return isInside && recvWindowMs <= recvWindowMaxMs ? undefined : "outsideWindow";
}

/** Whether the request carries the right signature, over the text as sent or before encoding. */
export function isSignedBy(
  check: SignatureCheck,
  parameters: RequestParameters,
): boolean | Promise<boolean> {
  const signature = parameters.signature ?? "";
  const first = check.verify(parameters.signedText, signature);
  if (first === true) return true;
  if (first === false) return isDecodedSignedBy(check, parameters, signature);
  return first.then((isValid) => isValid || isDecodedSignedBy(check, parameters, signature));
}

/** Some clients sign values before they encode them (binance-compat 2.4). */
function isDecodedSignedBy(
  check: SignatureCheck,
  parameters: RequestParameters,
  signature: string,
): boolean | Promise<boolean> {
  const decoded = parameters.decodedSignedText;
  return decoded === undefined ? false : check.verify(decoded, signature);
}

// HMAC-SHA256. The padded key halves are computed once per key; each check is then two one-shot hashes
// (1.4 µs for an order against 2.4 with createHmac). Comparison takes the same time wherever the texts
// differ.

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

// Ed25519. Key objects are made once; each check runs on the runtime's thread pool, because at 92 µs it
// would stall every other request of the front. Whether a public key is a sound point is decided when it is
// registered, not here.

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
