// What each thread tells of itself, in shared memory: pauses of its garbage collector, and how late its event
// loop was.

import { SharedHistogram } from "./shared-histogram.ts";

const strideBytes = SharedHistogram.bytes + Float64Array.BYTES_PER_ELEMENT;

/** The shortest pause told apart, in seconds. */
const leastPause = 0.0001;

export class ThreadFigures {
  /** Seconds of one pause of the garbage collector. */
  readonly gcSeconds: SharedHistogram;
  readonly #loopDelay: Float64Array;

  /** Zeroed memory for `threads` threads. */
  static allocate(threads: number): SharedArrayBuffer {
    return new SharedArrayBuffer(threads * strideBytes);
  }

  /** The figures of the thread at `place` among the heartbeats. */
  constructor(memory: SharedArrayBuffer, index: number) {
    const offset = index * strideBytes;
    this.gcSeconds = new SharedHistogram(memory, offset, leastPause);
    this.#loopDelay = new Float64Array(memory, offset + SharedHistogram.bytes, 1);
  }

  /** Seconds of the longest delay of its event loop in its last second; 0 for a thread without one. */
  get loopDelaySeconds(): number {
    return this.#loopDelay[0] ?? 0;
  }

  set loopDelaySeconds(seconds: number) {
    this.#loopDelay[0] = seconds;
  }
}
