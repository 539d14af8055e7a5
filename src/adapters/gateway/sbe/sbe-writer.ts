// Writes SBE messages into one buffer that is reused: little-endian, without gaps. Generated encoders call it. The
// result of `finish` is a view of the buffer and is valid until the next message begins.

const headerBytes = 8;
const startBytes = 4096;
const twoTo32 = 4_294_967_296;
const lowMask = 0xffff_ffff_ffff_ffffn;
const longMin = -(2n ** 63n);
const longMax = 2n ** 63n - 1n;

/** The values that mean null in optional fields. */
export const nulls = {
  int8: -128,
  uint8: 255,
  int16: -32_768,
  uint16: 65_535,
  int32: -2_147_483_648,
  uint32: 4_294_967_295,
  int64: -(2n ** 63n),
  uint64: 2n ** 64n - 1n,
  float: Number.NaN,
  int128: -(2n ** 127n),
} as const;

/** A 64-bit integer; numbers must be safe integers. */
export type Long = number | bigint;

/** Returns whether a whole number fits 64 bits. */
export function isLong(value: Long): boolean {
  return typeof value === "number" || (value >= longMin && value <= longMax);
}

/** How the answer is refused whose number does not fit its field. */
export const unencodableFigure = {
  status: 400,
  code: -1161,
  msg: "Unable to encode the response in SBE: a figure does not fit its field. Please use JSON.",
} as const;

/** Thrown for a number that does not fit its field. Everything written for the message is void then. */
export class Unencodable {}

export class SbeWriter {
  /** The version of the schema that headers carry. */
  version: number;
  /** View of the buffer; it changes when the buffer grows. */
  view = new DataView(new ArrayBuffer(startBytes));
  #bytes = Buffer.from(this.view.buffer);
  #end = 0;

  constructor(version: number) {
    this.version = version;
  }

  /** Drops the previous message. */
  reset(): this {
    this.#end = 0;
    return this;
  }

  /** The bytes written since `reset`; the next message overwrites them. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#end);
  }

  /** Writes the header of a message and reserves its block; returns the offset of the block. */
  begin(blockBytes: number, templateId: number, schemaId: number): number {
    const at = this.reserve(headerBytes + blockBytes);
    const { view } = this;
    view.setUint16(at, blockBytes, true);
    view.setUint16(at + 2, templateId, true);
    view.setUint16(at + 4, schemaId, true);
    view.setUint16(at + 6, this.version, true);
    return at + headerBytes;
  }

  /** Reserves bytes at the end; returns their offset. The caller writes all of them. */
  reserve(bytes: number): number {
    const at = this.#end;
    this.#end = at + bytes;
    if (this.#end > this.#bytes.length) this.#grow();
    return at;
  }

  /** Appends the bytes of a complete message. */
  append(bytes: Uint8Array): void {
    const at = this.reserve(bytes.length);
    this.#bytes.set(bytes, at);
  }

  /** Writes the dimensions of a group of `count` rows, which follow. */
  group16(rowBytes: number, count: number): void {
    const at = this.reserve(4);
    this.view.setUint16(at, rowBytes, true);
    this.view.setUint16(at + 2, count, true);
  }

  group32(rowBytes: number, count: number): void {
    const at = this.reserve(6);
    this.view.setUint16(at, rowBytes, true);
    this.view.setUint32(at + 2, count, true);
  }

  long(at: number, value: Long): void {
    const { view } = this;
    if (typeof value === "number") {
      view.setUint32(at, value >>> 0, true);
      view.setInt32(at + 4, Math.floor(value / twoTo32), true);
    } else {
      if (!isLong(value)) throw new Unencodable();
      view.setBigInt64(at, value, true);
    }
  }

  /** As `long`, for a field without a sign. */
  unsignedLong(at: number, value: Long): void {
    this.view.setBigUint64(at, BigInt(value), true);
  }

  longOrNull(at: number, value: Long | null): void {
    this.long(at, value ?? nulls.int64);
  }

  wide(at: number, value: Long | null): void {
    const whole = value === null ? nulls.int128 : BigInt(value);
    this.view.setBigUint64(at, whole & lowMask, true);
    this.view.setBigInt64(at + 8, whole >> 64n, true);
  }

  /** Writes a text with its length; one that is longer than its length field allows is cut. */
  text(lengthBytes: 1 | 2, value: string): void {
    const size = value.length;
    // Names and ids are ASCII, so that each character is one byte; only messages of refusals may be longer.
    const bytes = Math.min(Buffer.byteLength(value), lengthBytes === 1 ? 254 : 65_534);
    const at = this.reserve(lengthBytes + bytes);
    if (lengthBytes === 1) this.view.setUint8(at, bytes);
    else this.view.setUint16(at, bytes, true);
    const from = at + lengthBytes;
    this.#bytes.write(value, from, bytes, bytes === size ? "latin1" : "utf8");
  }

  /** Opens an embedded message, whose length is not known yet; returns what `close` needs. */
  open(lengthBytes: 1 | 2 | 4): number {
    return this.reserve(lengthBytes) + lengthBytes;
  }

  /** Writes the length of the embedded message that began at `from`. */
  close(from: number, lengthBytes: 1 | 2 | 4): void {
    const length = this.#end - from;
    const at = from - lengthBytes;
    if (lengthBytes === 1) this.view.setUint8(at, length);
    else if (lengthBytes === 2) this.view.setUint16(at, length, true);
    else this.view.setUint32(at, length, true);
  }

  #grow(): void {
    const larger = Buffer.alloc(2 ** Math.ceil(Math.log2(this.#end)));
    larger.set(this.#bytes);
    this.#bytes = larger;
    this.view = new DataView(larger.buffer, larger.byteOffset, larger.length);
  }
}
