// CSV files of Tardis: trades, depth snapshots of 5 or 25 levels, and incremental depth. Rows are in the order of
// `local_timestamp`, which is therefore the time of what they say. Source: docs.tardis.dev, downloadable CSV files.

import { DepthSide } from "../depth-side.ts";
import type { PastBook, PastLevel } from "../past-events.ts";
import { BadRow } from "../source-fault.ts";
import {
  lotsOf,
  type ReadOptions,
  type RowFormat,
  type RowReader,
  shown,
  ticksOf,
  timeUs,
} from "./row-format.ts";

const first = "exchange";

/** A format with the header `names`, or one of which the header begins with them. */
function format(
  { name, gives, names }: Pick<RowFormat, "name" | "gives"> & { readonly names: readonly string[] },
  open: RowFormat["open"],
): RowFormat {
  const isHeader = (row: readonly string[]) => row[0] === first;
  const detects = (row: readonly string[]) => names.every((one) => row.includes(one));
  return { name, gives, isHeader, detects, open };
}

/** Returns a function that finds a row's value by the header's name for it. */
function columnsOf(header: readonly string[]) {
  return (row: readonly string[], name: string): string | undefined => row[header.indexOf(name)];
}

export const tardisTrades = format(
  { name: "tardis-trades", gives: "trades", names: [first, "local_timestamp", "id", "side"] },
  (options, header) => {
    const of = columnsOf(header);
    const read: RowReader["read"] = (row) => {
      const side = of(row, "side");
      if (side !== "buy" && side !== "sell")
        throw new BadRow(`expected the side buy or sell, not ${shown(side)}`);
      return {
        kind: "trade",
        atUs: timeUs(of(row, "local_timestamp")),
        isBuy: side === "buy",
        price: ticksOf(of(row, "price"), options),
        qty: lotsOf(of(row, "amount"), options),
      };
    };
    return { read, end: () => null };
  },
);

export const tardisSnapshots = format(
  {
    name: "tardis-book-snapshot",
    gives: "depth",
    names: [first, "asks[0].price", "bids[0].amount"],
  },
  (options, header) => {
    const time = header.indexOf("local_timestamp");
    const at = ["bids", "asks"].map((side) => levelColumns(header, side, options.levels));
    const read: RowReader["read"] = (row) => {
      const [bids, asks] = at.map((columns) => levelsIn(row, columns, options));
      return { kind: "book", atUs: timeUs(row[time]), bids: bids ?? [], asks: asks ?? [] };
    };
    return { read, end: () => null };
  },
);

function levelColumns(header: readonly string[], side: string, levels: number) {
  return Array.from({ length: levels }, (_, level) =>
    ["price", "amount"].map((figure) => header.indexOf(`${side}[${level}].${figure}`)),
  ).filter(([price = -1]) => price >= 0);
}

/** The levels of a row, which end where the recorded depth ends. */
function levelsIn(
  row: readonly string[],
  columns: readonly (readonly number[])[],
  options: ReadOptions,
): PastLevel[] {
  const levels: PastLevel[] = [];
  for (const [price = -1, amount = -1] of columns) {
    if ((row[price] ?? "") === "") break;
    levels.push([ticksOf(row[price], options), lotsOf(row[amount], options)]);
  }
  return levels;
}

export const tardisDepth = format(
  { name: "tardis-incremental-book", gives: "depth", names: [first, "is_snapshot", "side"] },
  (options, header) => new DepthReader(options, header),
);

/** Keeps the whole book, and returns its best levels after all rows of a message, at most once in `depthUs`. */
class DepthReader implements RowReader {
  readonly #options: ReadOptions;
  readonly #of: ReturnType<typeof columnsOf>;
  readonly #bids = new DepthSide("bids");
  readonly #asks = new DepthSide("asks");
  #atUs = 0;
  #shownUs = Number.NEGATIVE_INFINITY;
  #isSnapshot = false;

  constructor(options: ReadOptions, header: readonly string[]) {
    this.#options = options;
    this.#of = columnsOf(header);
  }

  read(row: readonly string[]): PastBook | null {
    const of = this.#of;
    const [atUs, side] = [timeUs(of(row, "local_timestamp")), of(row, "side")];
    if (side !== "bid" && side !== "ask")
      throw new BadRow(`expected the side bid or ask, not ${shown(side)}`);
    const price = ticksOf(of(row, "price"), this.#options);
    const qty = lotsOf(of(row, "amount"), this.#options, true);
    const before = atUs === this.#atUs ? null : this.#book();
    this.#atUs = atUs;
    const isSnapshot = of(row, "is_snapshot") === "true";
    if (isSnapshot && !this.#isSnapshot) for (const one of [this.#bids, this.#asks]) one.clear();
    this.#isSnapshot = isSnapshot;
    (side === "bid" ? this.#bids : this.#asks).set(price, qty);
    return before;
  }

  end(): PastBook | null {
    return this.#book();
  }

  #book(): PastBook | null {
    const { levels, depthUs } = this.#options;
    if (this.#atUs === 0 || this.#atUs < this.#shownUs + depthUs) return null;
    this.#shownUs = this.#atUs;
    const [bids, asks] = [this.#bids.best(levels), this.#asks.best(levels)];
    return { kind: "book", atUs: this.#atUs, bids, asks };
  }
}
