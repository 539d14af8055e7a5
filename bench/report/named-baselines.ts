// What the venue is compared with, by name: bare things that were measured in the same run. A ratio above 1 is
// the venue ahead.

import type { RowResult } from "./row.ts";

export interface NamedBaseline {
  readonly name: string;
  readonly row: string;
  /** Null where the figures of the row do not have it. */
  readonly ratio: (figures: RowResult["figures"]) => number | null;
}

/** `one ÷ other` where both were measured. */
function ratio(one: number | undefined, other: number | undefined): number | null {
  return one === undefined || other === undefined || other === 0 ? null : one / other;
}

export const namedBaselines: readonly NamedBaseline[] = [
  {
    name: "book, against a book of plain objects in maps",
    row: "P1",
    ratio: (figures) => figures["P1 ratio to Map-of-objects book"] ?? null,
  },
  {
    name: "book, against nodejs-order-book",
    row: "P1",
    ratio: (figures) => figures["P1 ratio to nodejs-order-book"] ?? null,
  },
  {
    name: "durable orders/s, against a bare uWS echo that checks the HMAC",
    row: "P7",
    ratio: (figures) => ratio(figures["orders/s, 256 connections"], figures["echo/s"]),
  },
  {
    name: "one order's latency, against a single-statement insert in PostgreSQL",
    row: "P9",
    ratio: (figures) => ratio(figures["row p50 ms"], figures["p50 ms, 1 connection"]),
  },
  {
    name: "journal with its tables, against COPY of the journal rows",
    row: "P13",
    ratio: (figures) => figures["P13 with projections, of COPY"] ?? null,
  },
];
