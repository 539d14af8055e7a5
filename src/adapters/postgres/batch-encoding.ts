// Encodes a commit batch for the server. New rows (journal entries, orders and fills) go by COPY … FROM STDIN (format
// binary), so that the server neither unpacks arrays nor plans an insert. What changes existing rows, or may, goes as
// the parameters of the SQL function write_projections; the order of their columns must be the order of the subscripts
// in sql/0004_rows_by_copy.sql. Contract tests write and read every column.
//
//   header: 11 bytes signature │ int32 flags (0) │ int32 extension length (0)
//   row:    int16 number of fields │ each field: int32 length (−1 for null), its bytes, big-endian
//   end:    int16 −1

import { assert } from "../../core/assert.ts";
import type { CommitBatch } from "../../ports/journal/event-store.ts";
import { integerMatrix, writeInt8 } from "./binary-arrays.ts";
import type { Statement } from "./pg-session.ts";
import type { Parameter } from "./protocol-messages.ts";

const header = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
const endBytes = 2;

/** The data of a COPY without rows. */
export const noRows = Buffer.concat([header, Buffer.of(0xff, 0xff)]);

/** A column of a table: its size in bytes, and its values in a batch. */
type SizedColumn = readonly [bytes: 2 | 4 | 8, values: readonly (number | bigint)[]];

/** Rows of one table in one commit: the statement that copies them, and its data. */
export interface CopiedRows {
  readonly statement: string;
  readonly data: Buffer;
}

function copyInto(table: string, columns: string): Statement {
  const text = `copy ${table} (${columns}) from stdin (format binary)`;
  return { name: `copy_${table}`, text };
}

const journalStatement = copyInto("journal", "seq, ts_us, account, kind, body");
const ordersStatement = copyInto(
  "orders",
  `order_id, account, market, side, type, time_in_force, price, qty, created_us, filled_qty,
   filled_quote, status, updated_us, client_id`,
);
const fillsStatement = copyInto(
  "fills",
  `trade_id, ts_us, market, taker_side, price, qty, quote, taker_order_id, maker_order_id,
   taker_account, maker_account, taker_fee, maker_fee, taker_pnl, maker_pnl`,
);

/** The statements that a session must prepare before it copies rows. */
export const copyStatements: readonly Statement[] = [
  journalStatement,
  ordersStatement,
  fillsStatement,
];

/** Returns the new rows of the batch, table by table; tables without new rows are left out. */
export function newRows(batch: CommitBatch): CopiedRows[] {
  const { orders, fills } = batch;
  const copied: CopiedRows[] = [];
  if (batch.count > 0) copied.push({ statement: journalStatement.name, data: journalRows(batch) });
  if (orders.orderId.length > 0)
    copied.push({ statement: ordersStatement.name, data: orderRows(batch) });
  if (fills.tradeId.length > 0)
    copied.push({ statement: fillsStatement.name, data: fillRows(batch) });
  return copied;
}

function journalRows({
  firstSeq,
  count,
  tsUs,
  accounts,
  kinds,
  bytes,
  lengths,
}: CommitBatch): Buffer {
  const rowBytes = 2 + 5 * 4 + 8 + 8 + 4 + 2;
  const buffer = Buffer.allocUnsafe(header.length + count * rowBytes + bytes.length + endBytes);
  let at = header.copy(buffer);
  let from = 0;
  assert(lengths.length === count, "a batch must have a length for each of its events");
  for (const [index, length] of lengths.entries()) {
    at = buffer.writeInt16BE(5, at);
    at = writeInt8(buffer, at, firstSeq + index);
    at = writeInt8(buffer, at, tsUs[index] ?? 0);
    at = writeInt4(buffer, at, accounts[index] ?? 0);
    at = writeInt2(buffer, at, kinds[index] ?? 0);
    at = buffer.writeInt32BE(length, at);
    const to = from + length;
    // Copy in a loop: events are short, so this is faster than a copy call.
    for (; from < to; from += 1) {
      buffer[at] = bytes[from] as number;
      at += 1;
    }
  }
  assert(from === bytes.length, "the lengths of the events must add up to the length of the batch");
  buffer.writeInt16BE(-1, at);
  return buffer;
}

function orderRows({ orders }: CommitBatch): Buffer {
  const columns: readonly SizedColumn[] = [
    [8, orders.orderId],
    [4, orders.account],
    [2, orders.market],
    [2, orders.side],
    [2, orders.type],
    [2, orders.timeInForce],
    [8, orders.price],
    [8, orders.qty],
    [8, orders.createdUs],
    [8, orders.filledQty],
    [8, orders.filledQuote],
    [2, orders.status],
    [8, orders.updatedUs],
  ];
  return tableRows(columns, orders.clientId);
}

function fillRows({ fills }: CommitBatch): Buffer {
  const columns: readonly SizedColumn[] = [
    [8, fills.tradeId],
    [8, fills.tsUs],
    [2, fills.market],
    [2, fills.takerSide],
    [8, fills.price],
    [8, fills.qty],
    [8, fills.quote],
    [8, fills.takerOrderId],
    [8, fills.makerOrderId],
    [4, fills.takerAccount],
    [4, fills.makerAccount],
    [8, fills.takerFee],
    [8, fills.makerFee],
    [8, fills.takerPnl],
    [8, fills.makerPnl],
  ];
  return tableRows(columns, null);
}

/**
 * Encodes rows of integers, followed by a text (ASCII or UTF-8) or null if `texts` is given. Writes column by column,
 * because a loop over values of one kind takes half the time of a loop over mixed ones.
 */
function tableRows(
  columns: readonly SizedColumn[],
  texts: readonly (string | null)[] | null,
): Buffer {
  const rows = columns[0]?.[1].length ?? 0;
  const fields = columns.length + (texts === null ? 0 : 1);
  let integersBytes = 0;
  for (const [bytes] of columns) integersBytes += 4 + bytes;
  let size = header.length + rows * (2 + integersBytes) + endBytes;
  for (const text of texts ?? []) size += 4 + (text?.length ?? 0) * 3;
  const buffer = Buffer.allocUnsafe(size);
  const starts = new Int32Array(rows);
  let at = header.copy(buffer);
  for (let row = 0; row < rows; row += 1) {
    starts[row] = at + 2;
    at = buffer.writeInt16BE(fields, at) + integersBytes;
    if (texts !== null) at = writeText(buffer, at, texts[row] ?? null);
  }
  at = buffer.writeInt16BE(-1, at);
  let offset = 0;
  for (const [bytes, values] of columns) {
    assert(values.length === rows, "all columns of a section must have equal length");
    if (bytes === 8) writeColumn(buffer, starts, offset, values);
    else writeNarrowColumn(buffer, starts, offset, [bytes, values]);
    offset += 4 + bytes;
  }
  return buffer.subarray(0, at);
}

function writeColumn(
  buffer: Buffer,
  starts: Int32Array,
  offset: number,
  values: SizedColumn[1],
): void {
  for (let row = 0; row < starts.length; row += 1)
    writeInt8(buffer, (starts[row] as number) + offset, values[row] as number | bigint);
}

function writeNarrowColumn(
  buffer: Buffer,
  starts: Int32Array,
  offset: number,
  [bytes, values]: SizedColumn,
): void {
  for (let row = 0; row < starts.length; row += 1) {
    const value = values[row] as number;
    const at = (starts[row] as number) + offset;
    if (bytes === 4) writeInt4(buffer, at, value);
    else writeInt2(buffer, at, value);
  }
}

/** Writes the length of an int4 and its bytes, and returns the offset behind them. */
function writeInt4(buffer: Buffer, at: number, value: number): number {
  assert((value | 0) === value, "an int4 column must hold only 32-bit integers");
  buffer[at] = 0;
  buffer[at + 1] = 0;
  buffer[at + 2] = 0;
  buffer[at + 3] = 4;
  buffer[at + 4] = value >> 24;
  buffer[at + 5] = value >> 16;
  buffer[at + 6] = value >> 8;
  buffer[at + 7] = value;
  return at + 8;
}

/** Writes the length of an int2 and its bytes, and returns the offset behind them. */
function writeInt2(buffer: Buffer, at: number, value: number): number {
  assert((value << 16) >> 16 === value, "an int2 column must hold only 16-bit integers");
  buffer[at] = 0;
  buffer[at + 1] = 0;
  buffer[at + 2] = 0;
  buffer[at + 3] = 2;
  buffer[at + 4] = value >> 8;
  buffer[at + 5] = value;
  return at + 6;
}

function writeText(buffer: Buffer, at: number, value: string | null): number {
  if (value === null) return buffer.writeInt32BE(-1, at);
  const length = buffer.write(value, at + 4, "utf8");
  buffer.writeInt32BE(length, at);
  return at + 4 + length;
}

/** Marks a statement of liabilities as journaled: epoch, digest, entry. */
export const statedStatement: Statement = {
  name: "liabilities_stated",
  text: `update liability_statements set entry_seq = $3::bigint
    where epoch = $1::bigint and digest = $2::bytea and entry_seq is null`,
};

/** Returns the parameters of `statedStatement` for each statement of liabilities in the batch. */
export function statedParameters({ stated }: CommitBatch): Parameter[][] {
  return stated.epoch.map((epoch, index) => [
    String(epoch),
    Buffer.from(stated.digest[index] ?? []),
    String(stated.entrySeq[index]),
  ]);
}

/** Returns the parameters of write_projections in binary form; null for a section without rows. */
export function projectionParameters(batch: CommitBatch): (Buffer | null)[] {
  const { orderStates, candles } = batch;
  return [
    integerMatrix([
      orderStates.orderId,
      orderStates.filledQty,
      orderStates.filledQuote,
      orderStates.status,
      orderStates.updatedUs,
      orderStates.price,
      orderStates.qty,
    ]),
    integerMatrix([
      candles.market,
      candles.intervalMs,
      candles.openTimeMs,
      candles.open,
      candles.high,
      candles.low,
      candles.close,
      candles.volume,
      candles.quote,
      candles.count,
      candles.takerBuyVolume,
      candles.takerBuyQuote,
    ]),
    ...stateParameters(batch),
  ];
}

function stateParameters(batch: CommitBatch): (Buffer | null)[] {
  const { accountRows, keyStates, marketStates, balances, positions, orderDetails } = batch;
  const unset = orderDetails.orderId.map(() => null);
  return [
    integerMatrix([accountRows.account, accountRows.type, accountRows.flags, accountRows.openedUs]),
    integerMatrix([keyStates.keyId, keyStates.tier, keyStates.permissions, keyStates.revokedUs]),
    integerMatrix([marketStates.market, marketStates.status]),
    integerMatrix([
      balances.account,
      balances.wallet,
      balances.asset,
      balances.total,
      balances.reserved,
    ]),
    integerMatrix([
      positions.account,
      positions.market,
      positions.qty,
      positions.entryValue,
      positions.realisedPnl,
      positions.leverage,
    ]),
    integerMatrix([
      orderDetails.orderId,
      // Earlier versions have price and quantity here.
      unset,
      unset,
      orderDetails.flags,
      orderDetails.stpMode,
      orderDetails.quoteQty,
      orderDetails.goodTillUs,
      orderDetails.triggerPrice,
      orderDetails.workingPrice,
      orderDetails.trailingBps,
      orderDetails.activationPrice,
      orderDetails.triggeredUs,
      orderDetails.listId,
      orderDetails.icebergQty,
    ]),
  ];
}
