// A format of recorded rows: how it is recognised and read. Figures are converted exactly to ticks and lots of the market;
// one that is finer than the market's step does not fit, and the message says so.

import { DecimalFault, formatScaled, parseScaled } from "../../../core/money/amounts.ts";
import type { MarketSteps, PastEvent } from "../past-events.ts";
import { BadRow } from "../source-fault.ts";

export interface ReadOptions extends MarketSteps {
  /** Rounds quantities finer than the lot to the nearest lot, at least one, instead of refusing them. */
  readonly roundsLots: boolean;
  /** How many levels a side are replayed. */
  readonly levels: number;
  /** Least time between two moments of depth that are read, in microseconds. */
  readonly depthUs: number;
}

/** Reads the rows of one file in order. */
export interface RowReader {
  /** Returns what the row completes; null for nothing. Throws a BadRow. */
  read(row: readonly string[]): PastEvent | null;
  /** Returns what the end of the file completes. */
  end(): PastEvent | null;
}

export interface RowFormat {
  readonly name: string;
  readonly gives: "trades" | "depth";
  /** Whether a file that begins with this row has the format. */
  detects(firstRow: readonly string[]): boolean;
  /** A reader; `firstRow` may be a header, which `isHeader` says. */
  open(options: ReadOptions, firstRow: readonly string[]): RowReader;
  isHeader(firstRow: readonly string[]): boolean;
}

/** Microseconds from here on, milliseconds below: the year 5138 in milliseconds, and March 1973 in microseconds. */
const microsecondsFrom = 100_000_000_000_000;

/** A time in milliseconds or microseconds since 1970, in microseconds; Binance changed from one to the other in 2025. */
export function timeUs(text = ""): number {
  const time = Number(text);
  if (!/^\d{12,17}$/.test(text)) throw new BadRow(`expected a time, not ${shown(text)}`);
  return time >= microsecondsFrom ? time : time * 1000;
}

export function ticksOf(text: string | undefined, { tickDecimals }: MarketSteps): number {
  const ticks = scaledOf(text, tickDecimals);
  if (ticks === DecimalFault.tooPrecise)
    throw new BadRow(
      `the price ${shown(text)} is finer than the market's tick ${formatScaled(1, tickDecimals)}`,
    );
  if (ticks <= 0) throw new BadRow(`expected a price above 0, not ${shown(text)}`);
  return ticks;
}

/** Lots of a quantity; 0 only if `mayBeZero`. */
export function lotsOf(text: string | undefined, options: ReadOptions, mayBeZero = false): number {
  const { lotDecimals, roundsLots } = options;
  const lots = scaledOf(text, lotDecimals);
  if (lots === DecimalFault.tooPrecise) {
    if (roundsLots) return Math.max(1, Math.round(Number(text) * 10 ** lotDecimals));
    const lot = formatScaled(1, lotDecimals);
    throw new BadRow(
      `the quantity ${shown(text)} is finer than the market's lot ${lot} (--round-lots rounds)`,
    );
  }
  if (lots < 0 || (lots === 0 && !mayBeZero))
    throw new BadRow(`expected a quantity above 0, not ${shown(text)}`);
  return lots;
}

/** Small figures of some exporters have exponents. */
const exponent = /^[\d.]+e-\d{1,2}$/i;

function scaledOf(text = "", decimals: number): number {
  return parseScaled(exponent.test(text) ? Number(text).toFixed(12) : text, decimals);
}

/** A truth value as Binance writes it. */
export function truthOf(text = ""): boolean {
  const lower = text.toLowerCase();
  if (lower !== "true" && lower !== "false")
    throw new BadRow(`expected true or false, not ${shown(text)}`);
  return lower === "true";
}

/** The beginning of a text of a file, for a message. */
export function shown(text = ""): string {
  return `"${text.slice(0, 40)}"`;
}
