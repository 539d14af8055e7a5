// The order book of one market, maintained from `@depth`: the first frame is the whole book, each later one changes
// levels. After a gap in the sequence the book is unknown until the next snapshot.

import { computed, signal } from "@preact/signals";
import { type Entry, type GroupedLevel, groupedLevels } from "./book-groups.ts";
import type { Feed, MarketFrame } from "./feed.ts";
import { oncePerFrame } from "./frame-clock.ts";
import type { Market } from "./market.ts";

/** A frame holds one or more changes of the book; `U` and `u` are the numbers of its first and last change. */
type DepthFrame = MarketFrame<"depthUpdate">;

export interface WholeBook {
  /** All levels, best first. */
  readonly bids: readonly Entry[];
  readonly asks: readonly Entry[];
  /** False until the first frame, and from a gap to the next snapshot. */
  readonly isKnown: boolean;
}

export interface Ladder {
  /** Best first. */
  readonly bids: readonly GroupedLevel[];
  readonly asks: readonly GroupedLevel[];
  readonly isKnown: boolean;
}

/** Levels shown and summed on each side. */
export const levelsShown = 20;

/** Returns the best levels of a book, in groups of `step`. */
export function ladderOf(book: WholeBook, tick: string, step: string): Ladder {
  const grouping = { group: { step, tick }, count: levelsShown };
  return {
    bids: groupedLevels(book.bids, { ...grouping, rounding: "down" }),
    asks: groupedLevels(book.asks, { ...grouping, rounding: "up" }),
    isKnown: book.isKnown,
  };
}

type Side = Map<string, Entry>;

function change(side: Side, levels: DepthFrame["b"]): void {
  for (const [price, quantity] of levels) {
    if (Number(quantity) === 0) side.delete(price);
    else side.set(price, { price, quantity, value: Number(price) });
  }
}

function sorted(side: Side, sign: 1 | -1): Entry[] {
  return [...side.values()].sort((a, b) => sign * (a.value - b.value));
}

export class Book {
  readonly whole = signal<WholeBook>({ bids: [], asks: [], isKnown: false });
  /** The best prices; undefined on an empty side. */
  readonly bestBid = computed(() => this.whole.value.bids[0]?.price);
  readonly bestAsk = computed(() => this.whole.value.asks[0]?.price);
  readonly #bids: Side = new Map();
  readonly #asks: Side = new Map();
  #last = 0;
  #isKnown = false;
  readonly #show = oncePerFrame(() => {
    this.whole.value = {
      bids: sorted(this.#bids, -1),
      asks: sorted(this.#asks, 1),
      isKnown: this.#isKnown,
    };
  });

  /** Follows a market's stream. Returns a function that stops following it. */
  follow(feed: Feed, { stream }: Market): () => void {
    this.#forget();
    return feed.listen<DepthFrame>(`${stream}@depth`, (frame) => this.#take(frame));
  }

  #take(frame: DepthFrame): void {
    if (frame.snapshot) this.#forget();
    else if (!this.#isKnown || frame.U !== this.#last + 1) {
      this.#isKnown = false;
      this.#show();
      return;
    }
    this.#isKnown = true;
    this.#last = frame.u;
    change(this.#bids, frame.b);
    change(this.#asks, frame.a);
    this.#show();
  }

  #forget(): void {
    this.#bids.clear();
    this.#asks.clear();
    this.#isKnown = false;
    this.#show();
  }
}

export const book = new Book();
