// The order book of one market, maintained from `@depth`: the first frame is the whole book, each later one changes
// levels. After a gap in the sequence the book is unknown until the next snapshot.

import { signal } from "@preact/signals";
import { textOf, unitsOf } from "../decimal-text.ts";
import type { Feed, MarketFrame } from "./feed.ts";
import { oncePerFrame } from "./frame-clock.ts";

/** A frame holds one or more changes of the book; `U` and `u` are the numbers of its first and last change. */
type DepthFrame = MarketFrame<"depthUpdate">;

export interface Level {
  readonly price: string;
  readonly quantity: string;
  /** Cumulative quantity, including this level. */
  readonly total: string;
}

export interface Ladder {
  /** Best first. */
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
  /** False until the first frame, and from a gap to the next snapshot. */
  readonly isKnown: boolean;
}

const nothing: Ladder = { bids: [], asks: [], isKnown: false };

/** Decimal places of summed quantities; no market has finer ones. */
const sumPlaces = 8;

/** Levels shown and summed on each side. */
export const levelsShown = 20;

function change(side: Map<string, string>, levels: DepthFrame["b"]): void {
  for (const [price, quantity] of levels) {
    if (Number(quantity) === 0) side.delete(price);
    else side.set(price, quantity);
  }
}

function best(side: ReadonlyMap<string, string>, sign: 1 | -1): Level[] {
  let sum = 0n;
  return [...side]
    .sort(([a], [b]) => sign * (Number(a) - Number(b)))
    .slice(0, levelsShown)
    .map(([price, quantity]) => {
      sum += unitsOf(quantity, sumPlaces) ?? 0n;
      return { price, quantity, total: textOf(sum, sumPlaces) };
    });
}

export class Book {
  readonly ladder = signal<Ladder>(nothing);
  readonly #bids = new Map<string, string>();
  readonly #asks = new Map<string, string>();
  #last = 0;
  #isKnown = false;
  readonly #show = oncePerFrame(() => {
    this.ladder.value = {
      bids: best(this.#bids, -1),
      asks: best(this.#asks, 1),
      isKnown: this.#isKnown,
    };
  });

  /** Follows a market's stream. Returns a function that stops following it. */
  follow(feed: Feed, stream: string): () => void {
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
