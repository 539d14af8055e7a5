// The user's own trades in one market: the newest come with the account, older ones are read page by page, as far back as
// the chart shows. Independent of page and network.

import type { VenuePage } from "../../../history/row-pages.ts";

/** A trade of the native routes, as far as a mark needs it. */
export interface OwnFill {
  readonly id: string;
  readonly order_id: string;
  readonly symbol: string;
  readonly side: "BUY" | "SELL";
  readonly time: string;
}

/** Reads a page of the trades in the market; the cursor of the first one is empty. */
export type ReadFills = (cursor: string) => Promise<VenuePage<OwnFill>>;

/** How many trades come with the account; with fewer there are no others. */
const newestMax = 50;
/** The most that are read: what is computed of all of them takes time. */
const rowsMax = 10_000;

function msOf({ time }: OwnFill): number {
  return Date.parse(time);
}

/** Both sides of a trade with oneself have the same id. */
function keyOf({ id, order_id: orderId }: OwnFill): string {
  return `${id} ${orderId}`;
}

export class FillHistory {
  readonly #symbol: string;
  readonly #read: ReadFills;
  readonly #onRows: () => void;
  /** Newest first. */
  #rows: readonly OwnFill[] = [];
  /** Where the venue's list goes on; empty before the first read, null after the last trade. */
  #next: string | null = "";
  #goalMs = Number.POSITIVE_INFINITY;
  #isReading = false;
  /** Counts the times that everything is read again. */
  #beginning = 0;

  constructor(symbol: string, read: ReadFills, onRows: () => void) {
    this.#symbol = symbol;
    this.#read = read;
    this.#onRows = onRows;
  }

  get rows(): readonly OwnFill[] {
    return this.#rows;
  }

  /** All trades after this time are known. */
  get knownMs(): number {
    const oldest = this.#rows.at(-1);
    if (this.#next === null) return Number.NEGATIVE_INFINITY;
    return oldest === undefined ? Number.POSITIVE_INFINITY : msOf(oldest);
  }

  /** Takes the newest trades of the account in all markets. */
  take(newest: readonly OwnFill[]): void {
    const own = newest.filter(({ symbol }) => symbol === this.#symbol);
    const [known, oldest] = [this.#rows[0], newest.at(-1)];
    const isWhole = newest.length < newestMax;
    const isJoined =
      known !== undefined &&
      oldest !== undefined &&
      (msOf(oldest) < msOf(known) || own.some((fill) => keyOf(fill) === keyOf(known)));
    if (isJoined && !isWhole) this.#rows = this.#with(own);
    else {
      this.#beginning++;
      this.#rows = own;
      this.#next = isWhole ? null : "";
    }
  }

  /** Reads until the trades from `fromMs` on are known. Where a read fails, the next call goes on. */
  async reach(fromMs: number): Promise<void> {
    this.#goalMs = fromMs;
    if (this.#isReading) return;
    this.#isReading = true;
    try {
      while (this.#isShort()) await this.#readPage();
    } catch {
      // The marks that are known stay.
    } finally {
      this.#isReading = false;
    }
  }

  #isShort(): boolean {
    return this.#next !== null && this.knownMs >= this.#goalMs && this.#rows.length < rowsMax;
  }

  async #readPage(): Promise<void> {
    const beginning = this.#beginning;
    const page = await this.#read(this.#next ?? "");
    if (beginning !== this.#beginning) return;
    // Trades that came meanwhile are newer than those of the first page.
    const read = new Set(page.items.map(keyOf));
    this.#rows = [...this.#rows.filter((row) => !read.has(keyOf(row))), ...page.items];
    this.#next = page.next_cursor;
    this.#onRows();
  }

  /** The known trades, with newer ones before them. */
  #with(newer: readonly OwnFill[]): readonly OwnFill[] {
    const known = new Set(this.#rows.map(keyOf));
    return [...newer.filter((fill) => !known.has(keyOf(fill))), ...this.#rows];
  }
}
