// The journal export file: its header, the events as in the journal, and a digest that reveals truncation and
// changes. docs/guides/journal-export.md documents it for readers.
//
//   8 bytes "RIALTOJL" │ u32 format │ u32 length of the header │ header: JSON in UTF-8
//   for each event: u32 length │ the event
//   u32 0 │ u64 number of events │ 32 bytes SHA-256 of everything before the 0
//
// All integers are little-endian. The file contains no creation time: one range of one journal always gives the same
// file.

import { createHash } from "node:crypto";
import { eventBytesMax } from "../../core/limits.ts";
import { isPerpetual, type Market, type MarketTable } from "../../core/markets.ts";
import type { EventChunk } from "../../ports/journal/event-store.ts";
import { eventHeaderLayout } from "../../wire/generated/event-layout.ts";
import { eventSchema } from "../../wire/generated/event-schema.ts";

const magic = Buffer.from("RIALTOJL", "latin1");
const formatVersion = 1;
const lengthBytes = 4;
const prefixBytes = magic.length + 2 * lengthBytes;
const digestBytes = 32;
const trailerBytes = lengthBytes + 8 + digestBytes;

/** A header holds the schema and an entry per market: at most a few hundred kilobytes. */
const headerBytesMax = 16 * 2 ** 20;

/** Offsets of `seq`, `tsUs` and the event's length, and the minimum size of an event. */
const at = eventHeaderLayout;

/** SHA-256 of event.fbs in hexadecimal digits: identifies the schema of the events. */
export const eventSchemaDigest = sha256(eventSchema);

export interface JournalRange {
  readonly from: number;
  readonly to: number;
  /** Times of the first and last event, in microseconds UTC. */
  readonly firstUs: number;
  readonly lastUs: number;
}

/** The header, with the field names of its JSON. */
export interface JournalFileHeader {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly first_us: number;
  readonly last_us: number;
  readonly network: string | null;
  readonly schema_sha256: string;
  readonly margin_asset: number | null;
  readonly assets: readonly object[];
  readonly markets: readonly object[];
  readonly schema: string;
}

/** The header for events `from` to `to` of a venue with these markets; `network` is the ledger's name, if any. */
export function journalFileHeader(
  { from, to, firstUs, lastUs }: JournalRange,
  { assets, markets }: MarketTable,
  network: string | null,
): JournalFileHeader {
  return {
    ...{ from, to, count: to - from + 1, first_us: firstUs, last_us: lastUs, network },
    schema_sha256: eventSchemaDigest,
    margin_asset: markets.find(isPerpetual)?.quote.id ?? null,
    assets: assets.map(({ id, code, decimals }) => ({ asset: id, code, decimals })),
    markets: markets.map(marketTerms),
    schema: eventSchema,
  };
}

/** How to interpret the numbers of a market's events. */
function marketTerms(market: Market): object {
  const { id, symbol, base, quote, tickDecimals, lotDecimals, tickLot, baseUnitsPerLot } = market;
  const { makerFeeBps, takerFeeBps } = market;
  return {
    market: id,
    symbol,
    kind: isPerpetual(market) ? "perpetual" : "spot",
    base: base?.id ?? null,
    quote: quote.id,
    tick_decimals: tickDecimals,
    lot_decimals: lotDecimals,
    quote_units_per_tick_lot: tickLot.units,
    tick_lots_per_quote_unit: tickLot.parts,
    base_units_per_lot: `${baseUnitsPerLot}`,
    maker_fee_bps: makerFeeBps,
    taker_fee_bps: takerFeeBps,
  };
}

/** Produces the bytes of one file: `head`, then each chunk in order, then `trailer`. */
export class JournalFileBytes {
  readonly #digest = createHash("sha256");
  #events = 0;
  #bytes = 0;

  /** Bytes produced so far. */
  get bytes(): number {
    return this.#bytes;
  }

  head(header: JournalFileHeader): Buffer {
    const text = Buffer.from(JSON.stringify(header), "utf8");
    const prefix = Buffer.alloc(prefixBytes);
    magic.copy(prefix);
    prefix.writeUInt32LE(formatVersion, magic.length);
    prefix.writeUInt32LE(text.length, magic.length + lengthBytes);
    return this.#counted(Buffer.concat([prefix, text]));
  }

  events({ count, bytes, offsets, lengths }: EventChunk): Buffer {
    const records = Buffer.allocUnsafe(bytes.length + count * lengthBytes);
    let end = 0;
    for (let index = 0; index < count; index++) {
      const [offset, length] = [offsets[index] ?? 0, lengths[index] ?? 0];
      end = records.writeUInt32LE(length, end);
      records.set(bytes.subarray(offset, offset + length), end);
      end += length;
    }
    this.#events += count;
    return this.#counted(records.subarray(0, end));
  }

  /** The end of the file, and its digest in hexadecimal digits. */
  trailer(): { readonly bytes: Buffer; readonly sha256: string } {
    const digest = this.#digest.digest();
    const bytes = Buffer.alloc(trailerBytes);
    bytes.writeBigUInt64LE(BigInt(this.#events), lengthBytes);
    digest.copy(bytes, lengthBytes + 8);
    this.#bytes += bytes.length;
    return { bytes, sha256: digest.toString("hex") };
  }

  #counted(bytes: Buffer): Buffer {
    this.#digest.update(bytes);
    this.#bytes += bytes.length;
    return bytes;
  }
}

/** A fault of the file, with a message for the user. */
export class JournalFileFault extends Error {
  override name = "JournalFileFault";
}

export interface JournalFileFacts {
  readonly header: JournalFileHeader;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Reads a whole file part by part. Checks that the file is complete and unchanged, and that it contains exactly the
 * events of the range in its header. Throws JournalFileFault with the reason.
 */
export async function checkJournalFile(
  source: AsyncIterable<Uint8Array>,
  onProgress: (events: number, count: number) => void,
): Promise<JournalFileFacts> {
  const file = new FileCheck(source);
  const header = await file.header();
  for (let seq = header.from; seq <= header.to; seq++) {
    await file.event(seq);
    if (seq % progressEvents === 0) onProgress(seq - header.from + 1, header.count);
  }
  onProgress(header.count, header.count);
  return { header, ...(await file.end(header)) };
}

const progressEvents = 4096;

class FileCheck {
  readonly #parts: AsyncIterator<Uint8Array>;
  readonly #digest = createHash("sha256");
  /** Unconsumed bytes start at `#start`. */
  #buffer: Buffer = Buffer.alloc(0);
  #start = 0;
  #bytes = 0;
  #lastUs = 0;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#parts = source[Symbol.asyncIterator]();
  }

  async header(): Promise<JournalFileHeader> {
    const prefix = await this.#take(prefixBytes, "the first bytes of the file");
    if (!prefix.subarray(0, magic.length).equals(magic))
      throw new JournalFileFault("this is not a journal export: its first bytes differ");
    const version = prefix.readUInt32LE(magic.length);
    if (version !== formatVersion)
      throw new JournalFileFault(
        `format ${version} is not supported; this program reads format ${formatVersion}`,
      );
    const length = prefix.readUInt32LE(magic.length + lengthBytes);
    if (length > headerBytesMax)
      throw new JournalFileFault(`a header of ${length} bytes is too long`);
    const header = headerOf((await this.#take(length, "its header")).toString("utf8"));
    if (sha256(header.schema) !== header.schema_sha256)
      throw new JournalFileFault("the schema in the header does not match its digest");
    return header;
  }

  async event(seq: number): Promise<void> {
    const where = `event ${seq}`;
    const length = (await this.#take(lengthBytes, where)).readUInt32LE();
    if (length === 0) throw new JournalFileFault(`the file ends before event ${seq}`);
    if (length < at.size || length > eventBytesMax)
      throw new JournalFileFault(`${where} has an invalid length of ${length} bytes`);
    const event = await this.#take(length, where);
    const found = Number(event.readBigUInt64LE(at.seq));
    if (found !== seq) throw new JournalFileFault(`found event ${found}, expected ${seq}`);
    if (event.readUInt16LE(at.bytes) !== length)
      throw new JournalFileFault(`${where} does not have the length that is stored in it`);
    const tsUs = Number(event.readBigUInt64LE(at.tsUs));
    if (tsUs <= this.#lastUs)
      throw new JournalFileFault(`${where} is not later than the previous one`);
    this.#lastUs = tsUs;
  }

  async end({ count }: JournalFileHeader): Promise<Pick<JournalFileFacts, "bytes" | "sha256">> {
    const digest = this.#digest.copy().digest();
    const trailer = await this.#take(trailerBytes, "its trailer");
    if (trailer.readUInt32LE() !== 0)
      throw new JournalFileFault(`more events follow than the ${count} in the header`);
    if (trailer.readBigUInt64LE(lengthBytes) !== BigInt(count))
      throw new JournalFileFault("header and trailer have different event counts");
    if (!trailer.subarray(lengthBytes + 8).equals(digest))
      throw new JournalFileFault("the file was changed: its digest does not match");
    if (this.#start < this.#buffer.length || (await this.#read()))
      throw new JournalFileFault("more bytes follow the end");
    return { bytes: this.#bytes, sha256: digest.toString("hex") };
  }

  /** The next `count` bytes, valid until the next call. */
  async #take(count: number, what: string): Promise<Buffer> {
    while (this.#buffer.length - this.#start < count) {
      if (!(await this.#read())) throw new JournalFileFault(`the file is truncated in ${what}`);
    }
    const taken = this.#buffer.subarray(this.#start, this.#start + count);
    this.#start += count;
    this.#bytes += count;
    this.#digest.update(taken);
    return taken;
  }

  /** Reads the next part; false at the end. */
  async #read(): Promise<boolean> {
    const next = await this.#parts.next();
    if (next.done === true) return false;
    this.#buffer = Buffer.concat([this.#buffer.subarray(this.#start), next.value]);
    this.#start = 0;
    return true;
  }
}

/** Parses the header. Checks only the fields on which the check of the file relies. */
function headerOf(text: string): JournalFileHeader {
  let header: Partial<JournalFileHeader> | null;
  try {
    header = JSON.parse(text) as Partial<JournalFileHeader> | null;
  } catch {
    throw new JournalFileFault("the header is not valid JSON");
  }
  const { from = 0, to = 0, count = 0, schema, schema_sha256 } = header ?? {};
  const isRange = [from, to].every(Number.isSafeInteger) && from > 0 && count === to - from + 1;
  if (!isRange || count < 1) throw new JournalFileFault("the header has no valid range of events");
  if (typeof schema !== "string" || typeof schema_sha256 !== "string")
    throw new JournalFileFault("the header has no schema");
  return header as JournalFileHeader;
}

function sha256(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}
