// Reads the journal back as fast as the server sends it: COPY out in binary, rows cut by hand.
// The stream's seq must be gapless; a hole means a damaged journal, and reading stops there.
//
//   header: 11 bytes signature │ int32 flags │ int32 extension length
//   row:    int16 fields (2) │ int32 8 │ int64 seq │ int32 length │ body
//   end:    int16 −1

import type { EventChunk } from "../../ports/event-store.ts";
import type { Sql } from "./connection.ts";
import { PostgresFault } from "./postgres-fault.ts";

const headerBytes = 19;
const rowHeadBytes = 18;
/** Events handed over at once: enough to forget the call, few enough to stay in the cache. */
const chunkEventsMax = 4096;
const chunkBytesMin = 512 * 1024;

/** Events with afterSeq < seq ≤ untilSeq, in order. `take` must not keep the chunk's arrays. */
export async function readJournal(
  sql: Sql,
  range: { afterSeq: number; untilSeq: number },
  take: (chunk: EventChunk) => void,
): Promise<void> {
  const rows = await sql
    .unsafe(
      `copy (select seq, body from journal
             where seq > ${BigInt(range.afterSeq)} and seq <= ${BigInt(range.untilSeq)}
             order by seq) to stdout (format binary)`,
    )
    .readable();
  const builder = new ChunkBuilder(range.afterSeq + 1, take);
  // The client hands over one message of the protocol at a time, which is one row.
  for await (const message of rows as AsyncIterable<Buffer>) builder.add(message);
  builder.flush();
  if (builder.nextSeq !== range.untilSeq + 1)
    throw new PostgresFault("corrupt", `the journal ends before seq ${range.untilSeq}`);
}

class ChunkBuilder {
  nextSeq: number;
  #firstSeq: number;
  #count = 0;
  #size = 0;
  #bytes = Buffer.allocUnsafeSlow(chunkBytesMin);
  readonly #offsets = new Uint32Array(chunkEventsMax);
  readonly #lengths = new Uint32Array(chunkEventsMax);
  readonly #take: (chunk: EventChunk) => void;

  constructor(firstSeq: number, take: (chunk: EventChunk) => void) {
    this.nextSeq = firstSeq;
    this.#firstSeq = firstSeq;
    this.#take = take;
  }

  add(message: Buffer): void {
    // The first message is the header; the last row's end marker is two bytes.
    let at = message.length >= headerBytes && message[0] === 0x50 ? headerBytes : 0;
    while (at + rowHeadBytes <= message.length) {
      const seq = message.readUInt32BE(at + 6) * 0x1_0000_0000 + message.readUInt32BE(at + 10);
      const length = message.readUInt32BE(at + 14);
      at += rowHeadBytes;
      if (seq !== this.nextSeq)
        throw new PostgresFault("corrupt", `the journal has ${seq} where ${this.nextSeq} is due`);
      this.#append(message, at, length);
      at += length;
    }
  }

  flush(): void {
    if (this.#count === 0) return;
    this.#take({
      firstSeq: this.#firstSeq,
      count: this.#count,
      bytes: this.#bytes.subarray(0, this.#size),
      offsets: this.#offsets,
      lengths: this.#lengths,
    });
    this.#firstSeq = this.nextSeq;
    this.#count = 0;
    this.#size = 0;
  }

  #append(message: Buffer, from: number, length: number): void {
    if (this.#count === chunkEventsMax || this.#size + length > this.#bytes.length) this.flush();
    if (length > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(length);
    message.copy(this.#bytes, this.#size, from, from + length);
    this.#offsets[this.#count] = this.#size;
    this.#lengths[this.#count] = length;
    this.#count += 1;
    this.#size += length;
    this.nextSeq += 1;
  }
}
