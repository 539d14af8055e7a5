// Checks single rows for the audit. `RowCheck` checks a journal row by itself: encoding its event again must give the
// same bytes, so that bytes outside all fields cannot change unnoticed, and the row's columns must match the event.
// `FillCheck` checks the row of a fill against the trade in the journal.

import type { Traded, VenueEvent } from "../../core/generated/events.ts";
import { eventBytesMax } from "../../core/limits.ts";
import { type MarketTable, orderValue } from "../../core/markets.ts";
import type { PriceTicks, QtyLots } from "../../core/money/amounts.ts";
import type { RowChunk } from "../../ports/journal/audit-source.ts";
import { encodeEvent } from "../../wire/generated/event-codec.ts";
import { decodeEventBytes } from "../../wire/records/event-bytes.ts";
import { createRecordViews } from "../../wire/records/record-views.ts";

// For the check of a fill, its row and the trade are encoded in one binary form, because comparing fourteen columns as
// text would cost as much as hashing the trade's leaf.
//
//   i64 µs │ price │ qty │ quote │ taker order │ maker order │ taker fee │ maker fee │ taker pnl │ maker pnl
//   i32 taker account │ maker account   i16 market │ taker side

/** Bytes of a fill's columns. */
const fillRowBytes = 92;

export class FillCheck {
  readonly #table: MarketTable;
  readonly #expected = Buffer.alloc(fillRowBytes);

  constructor(table: MarketTable) {
    this.#table = table;
  }

  /** Whether the columns of a row match the trade in the journal. */
  isTold(event: Traded, columns: Uint8Array): boolean {
    const { price, qty } = event;
    const market = this.#table.market(event.market);
    const quote = orderValue(market, price as PriceTicks, qty as QtyLots);
    const row = this.#expected;
    let at = putWhole(row, event.tsUs, 0);
    at = putWhole(row, price, at);
    at = putWhole(row, qty, at);
    at = row.writeBigInt64BE(quote, at);
    at = putWhole(row, event.takerOrderId, at);
    at = putWhole(row, event.makerOrderId, at);
    at = row.writeBigInt64BE(event.takerFee, at);
    at = row.writeBigInt64BE(event.makerFee, at);
    at = row.writeBigInt64BE(event.takerPnl, at);
    at = row.writeBigInt64BE(event.makerPnl, at);
    at = row.writeInt32BE(event.account, at);
    at = row.writeInt32BE(event.makerAccount, at);
    at = row.writeInt16BE(event.market, at);
    row.writeInt16BE(event.takerSide, at);
    return Buffer.compare(row, columns) === 0;
  }
}

/** Writes a safe integer ≥ 0 as eight bytes; returns the position after them. */
function putWhole(row: Buffer, value: number, at: number): number {
  row.writeUInt32BE(Math.floor(value / 2 ** 32), at);
  return row.writeUInt32BE(value % 2 ** 32, at + 4);
}

export class RowCheck {
  readonly #scratch = createRecordViews(new ArrayBuffer(eventBytesMax));
  /** The fault of the last row; empty if none. */
  fault = "";

  /** The event in row `index`; null if there is none. Sets `fault`. */
  eventOf(chunk: RowChunk, index: number): VenueEvent | null {
    this.fault = "";
    const start = chunk.offsets[index] ?? 0;
    const length = chunk.lengths[index] ?? 0;
    let event: VenueEvent;
    try {
      event = decodeEventBytes(chunk.bytes, start, length);
    } catch (error) {
      this.fault = `its bytes are not an event (${error instanceof Error ? error.message : error})`;
      return null;
    }
    this.fault = this.#faultOf(event, chunk, index, start, length);
    return event;
  }

  #faultOf(
    event: VenueEvent,
    chunk: RowChunk,
    index: number,
    start: number,
    length: number,
  ): string {
    if (event.seq !== chunk.seqs[index]) return `it holds the entry of seq ${event.seq}`;
    if (event.tsUs !== chunk.tsUs[index]) return "its column ts_us differs from the event's time";
    if (event.account !== chunk.accounts[index])
      return "its column account differs from the event's";
    if (event.kind !== chunk.kinds[index]) return "its column kind differs from the event's";
    const written = encodeEvent(this.#scratch, 0, event);
    if (written !== length) return "its length differs from the event's encoding";
    for (let at = 0; at < length; at++) {
      if (this.#scratch.u8[at] !== chunk.bytes[start + at]) {
        return `its byte ${at} differs from the event's encoding`;
      }
    }
    return "";
  }
}
