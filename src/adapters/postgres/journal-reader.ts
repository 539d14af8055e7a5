// Reads the journal with binary COPY. The server packs a chunk of a few hundred events into each row, which costs the
// client far less than one row per event. While the venue folds a chunk, the server packs the next one. If a chunk has
// fewer events than its range, the journal is damaged and reading stops.
//
// If the client is slow, the server waits, and this time counts toward the statement timeout. Each statement therefore
// reads only a bounded part of the journal, so that reading a whole journal may take any time. Many statements are sent
// together, and the timeout applies to each of them: the server starts the next one while the venue still folds what
// the socket holds of the one before.
//
//   row: int16 fields (3) │ int32 8 │ int64 seq before the chunk
//        │ int32 length │ array_send of the body lengths │ int32 length │ concatenated bodies

import type { EventChunk } from "../../ports/journal/event-store.ts";
import { rowStart } from "./copy-format.ts";
import type { PgSession } from "./pg-session.ts";
import { PostgresFault } from "./postgres-fault.ts";

/** Number of events in a chunk: its bytes stay below the 64 kB that the socket delivers at once. */
const chunkEvents = 256;
/** Number of events per statement; folding them takes about 30 ms. */
const statementEvents = 64 * chunkEvents;
/** Number of events that are read in one round trip. The server keeps a transaction open for its duration. */
const roundTripEvents = 32 * statementEvents;

const rowHeadBytes = 14;
/** Layout of array_send: 20 bytes of header, then 4 bytes of size before each 4-byte element. */
const arrayHeaderBytes = 20;
const arrayElementBytes = 8;

/** Passes all events with afterSeq < seq ≤ untilSeq to `take`, in order. `take` must not retain the chunk's arrays. */
export async function readJournal(
  session: PgSession,
  range: { afterSeq: number; untilSeq: number },
  take: (chunk: EventChunk) => void,
): Promise<void> {
  const unpacker = new Unpacker(range, take);
  while (unpacker.seq < range.untilSeq) {
    const statements: string[] = [];
    const untilSeq = Math.min(unpacker.seq + roundTripEvents, range.untilSeq);
    for (let afterSeq = unpacker.seq; afterSeq < untilSeq; afterSeq += statementEvents) {
      statements.push(copyOf(afterSeq, Math.min(afterSeq + statementEvents, untilSeq)));
    }
    await session.copyOut(statements.join(";"), (row) => unpacker.add(row));
    if (unpacker.seq !== untilSeq)
      throw new PostgresFault("corrupt", `the journal ends at ${unpacker.seq}`);
  }
}

/** The statement that reads the events with afterSeq < seq ≤ untilSeq. */
function copyOf(afterSeq: number, untilSeq: number): string {
  const until = BigInt(untilSeq);
  // A sorted subquery gives the aggregates their input in order. The numbers are in the text, because COPY takes no
  // parameters.
  return `copy (
     select after_seq, packed.lengths, packed.bodies
     from generate_series(${BigInt(afterSeq)}::bigint, ${until - 1n}::bigint, ${chunkEvents}) as start (after_seq),
     lateral (
       select array_send(array_agg(length(body))) as lengths, string_agg(body, '') as bodies
       from (select body from journal
             where seq > after_seq and seq <= least(after_seq + ${chunkEvents}, ${until}::bigint)
             order by seq) as chunk
     ) as packed
   ) to stdout (format binary)`;
}

class Unpacker {
  /** Seq of the last event passed to `take`. */
  seq: number;
  readonly #untilSeq: number;
  readonly #take: (chunk: EventChunk) => void;
  readonly #offsets = new Uint32Array(chunkEvents);
  readonly #lengths = new Uint32Array(chunkEvents);

  constructor(range: { afterSeq: number; untilSeq: number }, take: (chunk: EventChunk) => void) {
    this.seq = range.afterSeq;
    this.#untilSeq = range.untilSeq;
    this.#take = take;
  }

  add(message: Buffer): void {
    const at = rowStart(message);
    if (at < 0) return;
    const due = Math.min(chunkEvents, this.#untilSeq - this.seq);
    const afterSeq = Number(message.readBigInt64BE(at + 6));
    const lengthsBytes = message.readInt32BE(at + rowHeadBytes);
    const count = (lengthsBytes - arrayHeaderBytes) / arrayElementBytes;
    if (afterSeq !== this.seq || count !== due)
      throw new PostgresFault(
        "corrupt",
        `the journal lacks events from seq ${this.seq + 1} to ${this.seq + due}`,
      );
    const elements = at + rowHeadBytes + 4 + arrayHeaderBytes;
    const size = this.#unpackLengths(message, elements, count);
    const bodies = elements + count * arrayElementBytes + 4;
    const bytes = message.subarray(bodies, bodies + size);
    const firstSeq = this.seq + 1;
    this.seq += count;
    this.#take({ firstSeq, count, bytes, offsets: this.#offsets, lengths: this.#lengths });
  }

  #unpackLengths(message: Buffer, from: number, count: number): number {
    let offset = 0;
    for (let index = 0; index < count; index += 1) {
      const length = message.readUInt32BE(from + index * arrayElementBytes + 4);
      this.#offsets[index] = offset;
      this.#lengths[index] = length;
      offset += length;
    }
    return offset;
  }
}
