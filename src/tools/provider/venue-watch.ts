// Reads the venue's public data for a reference provider: markets and their steps, the order book, and the venue's
// signing keys. A failed request is repeated at the next use.

import * as z from "zod";
import type { BookSide } from "./quote-price.ts";

const timeoutMs = 3_000;
/** Maximum age of a cached order book in milliseconds. */
const bookMs = 500;
const levelsMax = 100;
/**
 * Minimum interval in ms between the beginnings of two lookups of unknown keys. It bounds the requests to the venue,
 * because anyone can send any key id.
 */
const keysMs = 2_000;
/** The same after a lookup that failed: short, because until the next one nobody knows which keys are the venue's. */
const keysRetryMs = 200;

const decimal = z.string().regex(/^\d{1,20}(\.\d{1,20})?$/);
const filter = z.object({
  filterType: z.string(),
  tickSize: decimal.optional(),
  stepSize: decimal.optional(),
});
const exchangeInfo = z.object({
  symbols: z.array(
    z.object({
      symbol: z.string(),
      baseAsset: z.string(),
      quoteAsset: z.string(),
      status: z.string(),
      filters: z.array(filter),
    }),
  ),
});
const level = z.tuple([decimal, decimal]);
const depth = z.object({ bids: z.array(level), asks: z.array(level) });
const keyList = z.object({
  keys: z.array(z.object({ key_id: z.string(), public_key: z.string() })),
});

/** A market with the decimal places of its steps, which are powers of ten. */
export interface WatchedMarket {
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  readonly tickPlaces: number;
  readonly lotPlaces: number;
}

export interface Book {
  readonly bids: BookSide;
  readonly asks: BookSide;
}

/** Returns `text` in units of 10^−places; null if it is not a whole number of them. */
export function unitsOf(text: string, places: number): bigint | null {
  const [whole = "", fraction = ""] = text.split(".");
  const kept = fraction.replace(/0+$/, "");
  return kept.length > places ? null : BigInt(whole + kept.padEnd(places, "0"));
}

function placesOf(step: string | undefined): number {
  return (step ?? "1").split(".")[1]?.replace(/0+$/, "").length ?? 0;
}

export class VenueWatch {
  readonly #base: string;
  readonly #books = new Map<string, { readonly atMs: number; readonly book: Promise<Book> }>();
  #keys = new Map<string, string>();
  #keysRequestedMs = 0;
  #keysPauseMs = 0;
  #isReadingKeys = false;
  /** The last lookup of keys: under way, done or failed. */
  #keysRead: Promise<void> = Promise.resolve();
  #markets: readonly WatchedMarket[] = [];

  constructor(base: string) {
    this.#base = base;
  }

  /** Reads the markets; throws if the venue does not answer. */
  async open(): Promise<void> {
    const { symbols } = exchangeInfo.parse(await this.#get("/api/v3/exchangeInfo"));
    this.#markets = symbols
      .filter(({ status }) => status === "TRADING")
      .map(({ symbol, baseAsset: base, quoteAsset: quote, filters }) => {
        const of = (type: string) => filters.find(({ filterType }) => filterType === type);
        const tickPlaces = placesOf(of("PRICE_FILTER")?.tickSize);
        return { symbol, base, quote, tickPlaces, lotPlaces: placesOf(of("LOT_SIZE")?.stepSize) };
      });
  }

  market(symbol: string): WatchedMarket | undefined {
    return this.#markets.find((each) => each.symbol === symbol);
  }

  /** Returns the order book, at most half a second old. */
  book(market: WatchedMarket): Promise<Book> {
    const { symbol, tickPlaces, lotPlaces } = market;
    const known = this.#books.get(symbol);
    if (known !== undefined && Date.now() - known.atMs < bookMs) return known.book;
    const read = this.#get(`/api/v3/depth?symbol=${symbol}&limit=${levelsMax}`).then((body) => {
      const { bids, asks } = depth.parse(body);
      const side = (rows: readonly (readonly [string, string])[]): BookSide =>
        rows.map(([price, qty]) => [
          unitsOf(price, tickPlaces) ?? 0n,
          unitsOf(qty, lotPlaces) ?? 0n,
        ]);
      return { bids: side(bids), asks: side(asks) };
    });
    this.#books.set(symbol, { atMs: Date.now(), book: read });
    read.catch(() => this.#books.delete(symbol));
    return read;
  }

  /**
   * Returns the venue's public key with that id. Null if the venue published no such key at the last lookup; an unknown key
   * leads to another one, unless one is under way or began less than `keysMs` ago. Throws if the last lookup failed.
   */
  async key(keyId: string): Promise<string | null> {
    if (!this.#keys.has(keyId)) {
      // One at a time, so that a slow lookup cannot replace the keys of a later one.
      const isDue = Date.now() - this.#keysRequestedMs >= this.#keysPauseMs;
      if (isDue && !this.#isReadingKeys) this.#keysRead = this.#readKeys();
      // Requests that come while the keys are read, as after a start, wait for the same lookup.
      await this.#keysRead;
    }
    return this.#keys.get(keyId) ?? null;
  }

  async #readKeys(): Promise<void> {
    this.#keysRequestedMs = Date.now();
    this.#keysPauseMs = keysRetryMs;
    this.#isReadingKeys = true;
    try {
      const { keys } = keyList.parse(await this.#get("/v1/lp/keys"));
      this.#keys = new Map(keys.map((key) => [key.key_id, key.public_key]));
      this.#keysPauseMs = keysMs;
    } finally {
      this.#isReadingKeys = false;
    }
  }

  async #get(path: string): Promise<unknown> {
    const response = await fetch(this.#base + path, { signal: AbortSignal.timeout(timeoutMs) });
    if (!response.ok) throw new Error(`the venue answered ${response.status} to ${path}`);
    return response.json();
  }
}
