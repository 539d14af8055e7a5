// One journal row against itself: its bytes are an event, exactly as they would be written today, and
// its columns say the same as the bytes. Bytes that no field stands for would otherwise change unseen.

import type { VenueEvent } from "../../core/generated/events.ts";
import { eventBytesMax } from "../../core/limits.ts";
import type { RowChunk } from "../../ports/journal/audit-source.ts";
import { encodeEvent } from "../../wire/generated/event-codec.ts";
import { decodeEventBytes } from "../../wire/records/event-bytes.ts";
import { createRecordViews } from "../../wire/records/record-views.ts";

export class RowCheck {
  readonly #scratch = createRecordViews(new ArrayBuffer(eventBytesMax));
  /** What is wrong with the last row; empty if nothing is. */
  fault = "";

  /** The event in row `place`; null if there is none. Sets `fault`. */
  eventOf(chunk: RowChunk, place: number): VenueEvent | null {
    this.fault = "";
    const start = chunk.offsets[place] ?? 0;
    const length = chunk.lengths[place] ?? 0;
    let event: VenueEvent;
    try {
      event = decodeEventBytes(chunk.bytes, start, length);
    } catch (error) {
      this.fault = `its bytes are no event (${error instanceof Error ? error.message : error})`;
      return null;
    }
    this.fault = this.#faultOf(event, chunk, place, start, length);
    return event;
  }

  #faultOf(
    event: VenueEvent,
    chunk: RowChunk,
    place: number,
    start: number,
    length: number,
  ): string {
    if (event.seq !== chunk.seqs[place]) return `it holds the entry of seq ${event.seq}`;
    if (event.tsUs !== chunk.tsUs[place]) return "its column ts_us is not the entry's time";
    if (event.account !== chunk.accounts[place]) return "its column account is not the entry's";
    if (event.kind !== chunk.kinds[place]) return "its column kind is not the entry's";
    const written = encodeEvent(this.#scratch, 0, event);
    if (written !== length) return "its bytes are not those the entry is written with";
    for (let at = 0; at < length; at++) {
      if (this.#scratch.u8[at] !== chunk.bytes[start + at]) {
        return `its byte ${at} is not the one the entry is written with`;
      }
    }
    return "";
  }
}
