// The public dumps of Binance: trades and aggregate trades of spot and USD-M. Spot files have no header, those of USD-M
// have one since 2022. Times are milliseconds, on spot microseconds since 2025. Source: README of binance-public-data.

import { BadRow } from "../source-fault.ts";
import {
  lotsOf,
  type ReadOptions,
  type RowFormat,
  type RowReader,
  ticksOf,
  timeUs,
  truthOf,
} from "./row-format.ts";

/** Columns of one kind of file, counted from 0. */
interface Columns {
  readonly time: number;
  readonly isBuyerMaker: number;
  /** Numbers of columns that files of this kind have had. */
  readonly counts: readonly number[];
}

const [price, qty] = [1, 2];

const isNumber = /^\d+$/;
const isTruth = /^(true|false)$/i;

function isHeader([first = ""]: readonly string[]): boolean {
  return !isNumber.test(first);
}

function reader({ time, isBuyerMaker, counts }: Columns, options: ReadOptions): RowReader {
  return {
    read: (row) => {
      if (!counts.includes(row.length))
        throw new BadRow(`expected ${counts.join(" or ")} columns, not ${row.length}`);
      return {
        kind: "trade",
        atUs: timeUs(row[time]),
        isBuy: !truthOf(row[isBuyerMaker]),
        price: ticksOf(row[price], options),
        qty: lotsOf(row[qty], options),
      };
    },
    end: () => null,
  };
}

function format(name: string, firstColumn: string, columns: Columns): RowFormat {
  const { time, isBuyerMaker, counts } = columns;
  return {
    name,
    gives: "trades",
    isHeader,
    detects: (row) =>
      isHeader(row)
        ? row[0] === firstColumn
        : counts.includes(row.length) &&
          isTruth.test(row[isBuyerMaker] ?? "") &&
          (row[time] ?? "").length >= 12,
    open: (options) => reader(columns, options),
  };
}

/** `id,price,qty,quote_qty,time,is_buyer_maker`, on spot with `is_best_match` after it. */
export const binanceTrades = format("binance-trades", "id", {
  time: 4,
  isBuyerMaker: 5,
  counts: [6, 7],
});

/** `agg_trade_id,price,quantity,first_trade_id,last_trade_id,transact_time,is_buyer_maker`, on spot one more. */
export const binanceAggTrades = format("binance-agg-trades", "agg_trade_id", {
  time: 5,
  isBuyerMaker: 6,
  counts: [7, 8],
});
