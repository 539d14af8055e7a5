// A request and what makes it acceptable when it is signed (AUT-1 to AUT-14). Its parameters are taken
// apart once: what was asked (names and values) and what was signed (the bytes received, less the signature pair).
// Nothing is re-encoded or sorted, so the signed text is exactly what the client sent. Then come presence of
// signature and timestamp, the time window, and the signature by HMAC-SHA256 or Ed25519: the order of the checks is
// the caller's, and each answers undefined or the fault a surface renders. Meaning and ranges are checked elsewhere.

import { createPublicKey, hash, type KeyObject, timingSafeEqual, verify } from "node:crypto";
import { bodyBytesMax, parametersMax, queryBytesMax } from "../../core/limits.ts";

/** Why a query or body is not a list of parameters; `name` is empty where none can be told. */
export interface ParameterFault {
  readonly kind: "malformed" | "duplicate" | "tooMany" | "split";
  readonly name: string;
}

const replacement = "\ufffd";
const bareSignature = /^[0-9a-f]{64}$/i;
const unsafeWhenDecoded = /[&=%+]/;
/** The beginning of a body behind a query: a separator, or a pair with a name that parameters have. */
const wholePair = /^(&|[A-Za-z]\w*=)/;

/** Whether form encoding may have changed anything in `text`. */
function isEncoded(text: string): boolean {
  return text.includes("%") || text.includes("+");
}

/** Undoes form encoding; undefined for a broken escape or bytes that are not UTF-8. */
function decode(text: string): string | undefined {
  if (!isEncoded(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

/** `text` without the pair at `from` … `to` and one separator. */
function without(text: string, from: number, to: number): string {
  return to < text.length
    ? text.slice(0, from) + text.slice(to + 1)
    : text.slice(0, from && from - 1);
}

export class RequestParameters {
  readonly #names: string[] = [];
  readonly #values: string[] = [];
  #signature: string | undefined;
  readonly #query: string;
  readonly #body: string;
  /** Names below this place came with the query, the others with the body. */
  readonly #fromBody: number = 0;
  #fault: ParameterFault | undefined;
  /** Whether the part being read is encoded: nearly none is, and one look at the whole tells. */
  #isEncoded = false;

  private constructor(query: string, body: string) {
    this.#query = query === "" ? "" : this.#scan(query);
    this.#fromBody = this.#names.length;
    this.#body = body === "" ? "" : this.#scan(body);
    if (this.#query !== "" && this.#body !== "") this.#fault ??= this.#splitFault();
  }

  /**
   * Parses a raw query string and a raw form body. Refused: broken escapes, invalid UTF-8, the same
   * name twice in one of the two parts, more than `parametersMax` parameters, and a pair that query
   * and body share. A name in both parts has the query's value.
   */
  static parse(query: string, body: string): RequestParameters | ParameterFault {
    const parameters = new RequestParameters(query, body);
    return parameters.#fault ?? parameters;
  }

  /** The decoded value, undefined when absent; an empty value counts as absent. */
  get(name: string): string | undefined {
    const value = this.#values[this.#names.indexOf(name)];
    return value === "" ? undefined : value;
  }

  /** The first name with a value that is not one of `known`. */
  strayName(known: ReadonlySet<string>): string | undefined {
    return this.#names.find((name, at) => this.#values[at] !== "" && !known.has(name));
  }

  /** The name at the beginning of a body behind a query; undefined where one of them is empty. */
  get nameBehindQuery(): string | undefined {
    if (this.#query === "" || this.#body === "") return undefined;
    return this.#names[this.#fromBody];
  }

  /** The signature as sent, escapes undone, or undefined; a blank is a plus somebody forgot to escape. */
  get signature(): string | undefined {
    return this.#signature === "" ? undefined : this.#signature;
  }

  /** True when a bare hex tail stands where `signature=` belongs: wrong rather than missing. */
  get endsInBareSignature(): boolean {
    const tail = this.#body === "" ? this.#query : this.#body;
    return bareSignature.test(tail.slice(tail.lastIndexOf("&") + 1));
  }

  /** Query and body without their signature pairs, nothing between them. */
  get signedText(): string {
    return this.#query + this.#body;
  }

  /**
   * The signed text with escapes undone, for clients that sign before they encode; undefined when
   * that is the same text, or when a decoded value could be read as other parameters.
   */
  get decodedSignedText(): string | undefined {
    const text = this.signedText;
    if (!text.includes("%") && !text.includes("+")) return undefined;
    const parts = [this.#query, this.#body].map((part) =>
      part.split("&").map((pair) => {
        const at = pair.indexOf("=");
        const value = decode(pair.slice(at + 1)) ?? "%";
        return unsafeWhenDecoded.test(value) ? undefined : pair.slice(0, at + 1) + value;
      }),
    );
    if (parts.flat().includes(undefined)) return undefined;
    return parts.map((pairs) => pairs.join("&")).join("");
  }

  /** Reads one part into the lists and answers it without its signature pair. */
  #scan(text: string): string {
    if (text.includes(replacement)) this.#fault ??= { kind: "malformed", name: "" };
    this.#isEncoded = isEncoded(text);
    let signatureFrom = -1;
    let rest = text;
    let to = 0;
    for (let from = 0; from < text.length && this.#fault === undefined; from = to + 1) {
      const separator = text.indexOf("&", from);
      to = separator < 0 ? text.length : separator;
      if (to === from) continue;
      const equals = text.indexOf("=", from);
      const nameEnd = equals < 0 || equals > to ? to : equals;
      const name = text.slice(from, nameEnd);
      const value = text.slice(Math.min(nameEnd + 1, to), to);
      if (name !== "signature") {
        this.#take(name, value);
      } else if (signatureFrom >= 0) {
        this.#fault = { kind: "duplicate", name };
      } else {
        signatureFrom = from;
        rest = without(text, from, to);
        this.#takeSignature(value);
      }
    }
    return rest;
  }

  /**
   * Nothing is signed between query and body, so their border could be moved: `quantity=200` and `0` for
   * `quantity=2000`. Wherever it cuts a pair, a piece is left without its name or without its equals sign.
   */
  #splitFault(): ParameterFault | undefined {
    const last = this.#query.slice(this.#query.lastIndexOf("&") + 1);
    if (last !== "" && !last.includes("=")) return { kind: "split", name: last };
    const isBare = this.#signature === undefined && bareSignature.test(this.#body);
    if (isBare || wholePair.test(this.#body)) return undefined;
    const at = last.indexOf("=");
    return { kind: "split", name: at < 0 ? "" : last.slice(0, at) };
  }

  #decoded(raw: string): string | undefined {
    return this.#isEncoded ? decode(raw) : raw;
  }

  #takeSignature(value: string): void {
    if (this.#signature !== undefined) return;
    const signature = this.#decoded(value);
    // Base64 has no blanks: one is a plus that lost its escape.
    this.#signature = signature?.includes(" ") ? signature.replaceAll(" ", "+") : signature;
    if (this.#signature === undefined) this.#fault = { kind: "malformed", name: "signature" };
  }

  #take(rawName: string, rawValue: string): void {
    const name = this.#decoded(rawName);
    const value = this.#decoded(rawValue);
    if (name === undefined || value === undefined || name === "") {
      this.#fault = { kind: "malformed", name: name ?? "" };
      return;
    }
    const at = this.#names.indexOf(name);
    if (at >= this.#fromBody) {
      this.#fault = { kind: "duplicate", name };
      return;
    }
    if (at >= 0) return;
    this.#names.push(name);
    this.#values.push(value);
    if (this.#names.length > parametersMax) this.#fault = { kind: "tooMany", name: "" };
  }
}

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

/** Some clients sign values before they encode them (AUT-21). */
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
