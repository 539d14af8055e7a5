// LOBSTER: a message file and an order book file with one row each for every event of a day. Times are seconds after
// midnight, prices are dollars × 10,000, and the book row is the book after its message. The date is in the files' names;
// midnight counts as that of UTC. Executions of hidden orders are left out, because no visible order traded.
// Source: lobsterdata.com, output structure.

import type { PastEvent, PastLevel } from "../past-events.ts";
import { BadRow, SourceFault } from "../source-fault.ts";
import { lotsOf, type ReadOptions, shown, ticksOf } from "./row-format.ts";

export const lobsterName = "lobster";

/** Decimals of a price in the files. */
const priceDecimals = 4;
/** Stand for a level that does not exist. */
const noLevel = /^-?9999999999$/;
const visibleExecution = "4";
/** Decimals of a time that count: what follows is below a microsecond. */
const usDecimals = 6;

/** Whether a file that begins with this row holds LOBSTER's messages: time, type, order id, size, price, direction. */
export function isLobsterMessage(row: readonly string[]): boolean {
  const [time = "", type = "", , , , direction = ""] = row;
  const isShaped = row.length === 6 || row.length === 7;
  return isShaped && /^\d{1,5}\.\d+$/.test(time) && /^[1-7]$/.test(type) && /^-?1$/.test(direction);
}

/** The name of the order book file that belongs to a message file. */
export function bookFileOf(messageFile: string): string {
  if (!messageFile.includes("_message_"))
    throw new SourceFault(
      `${messageFile}: expected a name with _message_, beside it one with _orderbook_`,
    );
  return messageFile.replace("_message_", "_orderbook_");
}

/** Midnight of the day in a file's name, in microseconds. */
export function midnightUs(file: string): number {
  const day = /_(\d{4}-\d{2}-\d{2})_/.exec(file)?.[1];
  const atMs = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(atMs)) throw new SourceFault(`${file}: expected a date such as 2012-06-21`);
  return atMs * 1000;
}

/** Reads pairs of rows, a message and the book after it. */
export class LobsterReader {
  readonly #options: ReadOptions;
  readonly #midnightUs: number;
  #shownUs = Number.NEGATIVE_INFINITY;

  constructor(options: ReadOptions, midnight: number) {
    this.#options = options;
    this.#midnightUs = midnight;
  }

  /** Returns the trade of the message, if it is one, and the book, at most once in `depthUs`. */
  read(message: readonly string[], book: readonly string[]): PastEvent[] {
    const [time = "", type, , size, price, direction] = message;
    if (!/^\d{1,5}(\.\d{1,9})?$/.test(time))
      throw new BadRow(`expected seconds after midnight, not ${shown(time)}`);
    const [seconds, fraction = ""] = time.split(".");
    const us = Number(fraction.padEnd(usDecimals, "0").slice(0, usDecimals));
    const atUs = this.#midnightUs + Number(seconds) * 10 ** usDecimals + us;
    const events: PastEvent[] = [];
    if (type === visibleExecution) {
      // The direction is that of the resting order.
      const isBuy = direction === "-1";
      const [ticks, qty] = [this.#ticks(price), lotsOf(size, this.#options)];
      events.push({ kind: "trade", atUs, isBuy, price: ticks, qty });
    }
    const { depthUs } = this.#options;
    if (atUs < this.#shownUs + depthUs) return events;
    this.#shownUs = atUs;
    const [asks, bids] = [this.#levels(book, 0), this.#levels(book, 2)];
    events.push({ kind: "book", atUs, bids, asks });
    return events;
  }

  /** The levels of a side, whose first price is in column `from`; each level has four columns. */
  #levels(book: readonly string[], from: number): PastLevel[] {
    const levels: PastLevel[] = [];
    for (let at = from; at + 1 < book.length && levels.length < this.#options.levels; at += 4) {
      if (noLevel.test(book[at] ?? "")) break;
      levels.push([this.#ticks(book[at]), lotsOf(book[at + 1], this.#options)]);
    }
    return levels;
  }

  #ticks(text = ""): number {
    if (!/^\d{1,12}$/.test(text)) throw new BadRow(`expected a price, not ${shown(text)}`);
    const digits = text.padStart(priceDecimals + 1, "0");
    return ticksOf(
      `${digits.slice(0, -priceDecimals)}.${digits.slice(-priceDecimals)}`,
      this.#options,
    );
  }
}
