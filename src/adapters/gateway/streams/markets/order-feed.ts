// The stream of one market's orders: every change in the queues of its book, in order and without a gap, at the end of
// the turn in which it was folded. While nobody listens, the read model notes no changes. Spec MBO-1.

import { orderChangesPerFrameMax } from "../../../../core/limits.ts";
import type { BookChange } from "../../market-data/book-changes.ts";
import {
  msOf,
  priceText,
  qtyText,
  type ShownMarket,
  sideNames,
} from "../../orders/order-format.ts";
import { type ShownView, symbolOf } from "./market-texts.ts";

function changeText(market: ShownMarket, change: BookChange): string {
  const { seq, orderId, execution, side, tradeId } = change;
  const price = priceText(market, change.price);
  const qty = qtyText(market, change.qty);
  const text = `{"u":${seq},"i":${orderId},"x":"${execution}","S":"${sideNames[side]}","p":"${price}","q":"${qty}"`;
  if (tradeId === 0) return `${text}}`;
  return `${text},"t":${tradeId},"l":"${qtyText(market, change.tradedQty)}"}`;
}

/** The end of the frame that begins at `start`: a frame has the changes of an event together. */
function frameEnd(changes: readonly BookChange[], start: number): number {
  let end = Math.min(start + orderChangesPerFrameMax, changes.length);
  while (changes[end - 1]?.seq === changes[end]?.seq) end++;
  return end;
}

export class OrderFeed {
  readonly #shown: ShownView;
  readonly #publish: (payload: string) => void;
  /** Update id of the last frame. */
  #lastSeq = 0;

  constructor(shown: ShownView, publish: (payload: string) => void) {
    this.#shown = shown;
    this.#publish = publish;
  }

  begin(): void {
    this.#shown.now.changes = [];
    this.#lastSeq = this.#shown.now.depthSeq;
  }

  end(): void {
    this.#shown.now.changes = null;
  }

  /**
   * The first frame for a new subscriber, without changes: it says from which update id the stream continues. Pending
   * changes are first published to the other listeners. Spec MBO-13.
   */
  openingText(nowMs: number): string {
    this.publish(nowMs);
    return this.#frameText([], nowMs);
  }

  /**
   * Publishes all changes that were noted since the last call. Both views of a market share its read model, so only the
   * feed that is followed may call this.
   */
  publish(nowMs: number): void {
    const { changes } = this.#shown.now;
    if (changes === null || changes.length === 0) return;
    for (let start = 0; start < changes.length; ) {
      const end = frameEnd(changes, start);
      this.#publish(this.#frameText(changes.slice(start, end), nowMs));
      start = end;
    }
    changes.length = 0;
  }

  #frameText(changes: readonly BookChange[], nowMs: number): string {
    const { market, now } = this.#shown;
    const first = this.#lastSeq + 1;
    this.#lastSeq = changes.at(-1)?.seq ?? this.#lastSeq;
    const rows = changes.map((change) => changeText(market, change));
    return (
      `{"e":"orderUpdate","E":${nowMs},"T":${msOf(now.depthUs)},"s":"${symbolOf(market)}"` +
      `,"U":${first},"u":${this.#lastSeq},"o":[${rows}]}`
    );
  }
}
