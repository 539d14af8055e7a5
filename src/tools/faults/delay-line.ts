// Frames on their way through the fault proxy, in one direction of one connection: they keep their order, may be delayed,
// and one may be held back behind the next. A receiver that reads slowly, or too many waiting frames, stop the sender, so
// that nothing is buffered beyond a bound.

import type { WebSocket } from "ws";

interface Frame {
  readonly data: Buffer;
  readonly isBinary: boolean;
  readonly dueMs: number;
  readonly sent: () => void;
}

/** Frames and bytes that may wait; beyond them the sender is stopped. */
const waitingMax = 4_096;
const waitingBytesMax = 2 ** 23;
/** Bytes that the receiver's socket may buffer: the venue's own bound (STR-12). */
const backlogBytesMax = 2 ** 17;
/** A frame that is held back is sent after this time, if no other frame comes. */
const heldMsMax = 1_000;

export class DelayLine {
  readonly #from: WebSocket;
  readonly #to: WebSocket;
  readonly #waiting: Frame[] = [];
  #waitingBytes = 0;
  #held: Frame | null = null;
  #lastDueMs = 0;
  #timer: NodeJS.Timeout | null = null;
  #heldTimer: NodeJS.Timeout | null = null;
  #isStopped = false;

  constructor(from: WebSocket, to: WebSocket) {
    this.#from = from;
    this.#to = to;
  }

  /** Sends a frame after `delayMs`, never before an earlier one; calls `sent` when it leaves. */
  send(data: Buffer, isBinary: boolean, delayMs = 0, sent: () => void = () => undefined): void {
    const nowMs = performance.now();
    if (delayMs <= 0 && this.#waiting.length === 0) {
      this.#pass({ data, isBinary, dueMs: nowMs, sent });
    } else {
      this.#lastDueMs = Math.max(this.#lastDueMs, nowMs + delayMs);
      this.#waiting.push({ data, isBinary, dueMs: this.#lastDueMs, sent });
      this.#waitingBytes += data.length;
      this.#wait();
      if (this.#isFull()) this.#stopSender();
    }
    this.#releaseHeld();
  }

  /** Holds a frame back until the next one was sent. */
  holdBack(data: Buffer, isBinary: boolean, sent: () => void): void {
    this.#releaseHeld();
    this.#held = { data, isBinary, dueMs: 0, sent };
    this.#heldTimer = setTimeout(() => this.#releaseHeld(), heldMsMax);
  }

  /** Drops what waits. */
  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#heldTimer !== null) clearTimeout(this.#heldTimer);
    this.#waiting.length = 0;
    this.#held = null;
  }

  #releaseHeld(): void {
    const held = this.#held;
    if (held === null) return;
    this.#held = null;
    if (this.#heldTimer !== null) clearTimeout(this.#heldTimer);
    this.#heldTimer = null;
    this.send(held.data, held.isBinary, 0, held.sent);
  }

  #wait(): void {
    const [next] = this.#waiting;
    if (next === undefined || this.#timer !== null) return;
    const waitMs = Math.max(0, next.dueMs - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#passDue();
    }, waitMs);
  }

  #passDue(): void {
    const nowMs = performance.now();
    let due = 0;
    // A timer may fire up to a millisecond early.
    while ((this.#waiting[due]?.dueMs ?? Number.POSITIVE_INFINITY) <= nowMs + 1) due++;
    for (const frame of this.#waiting.splice(0, due)) {
      this.#waitingBytes -= frame.data.length;
      this.#pass(frame);
    }
    this.#resumeSender();
    this.#wait();
  }

  #pass({ data, isBinary, sent }: Frame): void {
    if (this.#to.readyState !== this.#to.OPEN) return;
    sent();
    this.#to.send(data, { binary: isBinary }, () => this.#resumeSender());
    if (this.#to.bufferedAmount > backlogBytesMax) this.#stopSender();
  }

  #isFull(): boolean {
    return this.#waiting.length >= waitingMax || this.#waitingBytes >= waitingBytesMax;
  }

  #stopSender(): void {
    this.#isStopped = true;
    this.#from.pause();
  }

  #resumeSender(): void {
    if (!this.#isStopped || this.#isFull() || this.#to.bufferedAmount > backlogBytesMax) return;
    this.#isStopped = false;
    this.#from.resume();
  }
}
