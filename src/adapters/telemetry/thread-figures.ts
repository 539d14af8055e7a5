// Figures of each thread in shared memory: the pauses of its garbage collector and the delay of its event loop.

import { SharedHistogram } from "./shared-histogram.ts";

const strideBytes = SharedHistogram.bytes + 2 * Float64Array.BYTES_PER_ELEMENT;

/** Upper bound of the first bucket, in seconds. */
const leastPause = 0.0001;

export class ThreadFigures {
  /** Histogram of the garbage collector's pauses, in seconds. */
  readonly gcSeconds: SharedHistogram;
  /** Two numbers per thread: the longest delay of its event loop, and its thread id in the kernel. */
  readonly #numbers: Float64Array;

  /** Allocates zeroed memory for `threads` threads. */
  static allocate(threads: number): SharedArrayBuffer {
    return new SharedArrayBuffer(threads * strideBytes);
  }

  /** Uses the figures of the thread whose heartbeat has this index. */
  constructor(memory: SharedArrayBuffer, index: number) {
    const offset = index * strideBytes;
    this.gcSeconds = new SharedHistogram(memory, offset, leastPause);
    this.#numbers = new Float64Array(memory, offset + SharedHistogram.bytes, 2);
  }

  /** Longest delay of the thread's event loop in the last second, in seconds; 0 without an event loop. */
  get loopDelaySeconds(): number {
    return this.#numbers[0] ?? 0;
  }

  set loopDelaySeconds(seconds: number) {
    this.#numbers[0] = seconds;
  }

  /** The thread's id in the kernel; 0 before its start, or if the system does not report it. */
  get kernelThread(): number {
    return this.#numbers[1] ?? 0;
  }

  set kernelThread(thread: number) {
    this.#numbers[1] = thread;
  }
}
