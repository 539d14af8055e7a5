// The row of a fill against the trade in the journal, column by column. Both as the same bytes, because
// thirteen columns as text cost as much as the trade's leaf.
//
//   i64 µs │ price │ qty │ quote │ taker order │ maker order │ taker fee │ maker fee │ taker pnl │ maker pnl
//   i32 taker account │ maker account   i16 market │ taker side

import type { Traded } from "../../core/generated/events.ts";
import { type MarketTable, orderValue } from "../../core/markets.ts";
import type { PriceTicks, QtyLots } from "../../core/money/amounts.ts";

/** Bytes of a fill's columns. */
const fillRowBytes = 92;

export class FillCheck {
  readonly #table: MarketTable;
  readonly #expected = Buffer.alloc(fillRowBytes);

  constructor(table: MarketTable) {
    this.#table = table;
  }

  /** Whether the columns of a row say what the journal says of the trade. */
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

/** A safe integer ≥ 0 as eight bytes; answers where they end. */
function putWhole(row: Buffer, value: number, at: number): number {
  row.writeUInt32BE(Math.floor(value / 2 ** 32), at);
  return row.writeUInt32BE(value % 2 ** 32, at + 4);
}
