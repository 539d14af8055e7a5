// Figures of each thread in shared memory: pauses of its garbage collector and delay of its event loop.

import { SharedHistogram } from "./shared-histogram.ts";

const strideBytes = SharedHistogram.bytes + 2 * Float64Array.BYTES_PER_ELEMENT;

/** The bound of the first bucket, in seconds. */
const leastPause = 0.0001;

export class ThreadFigures {
  /** Seconds of one pause of the garbage collector. */
  readonly gcSeconds: SharedHistogram;
  /** By thread: the longest delay of its event loop, and its thread id in the kernel. */
  readonly #numbers: Float64Array;

  /** Zeroed memory for `threads` threads. */
  static allocate(threads: number): SharedArrayBuffer {
    return new SharedArrayBuffer(threads * strideBytes);
  }

  /** The figures of the thread with this index among the heartbeats. */
  constructor(memory: SharedArrayBuffer, index: number) {
    const offset = index * strideBytes;
    this.gcSeconds = new SharedHistogram(memory, offset, leastPause);
    this.#numbers = new Float64Array(memory, offset + SharedHistogram.bytes, 2);
  }

  /** Longest delay of its event loop in the last second, in seconds; 0 without an event loop. */
  get loopDelaySeconds(): number {
    return this.#numbers[0] ?? 0;
  }

  set loopDelaySeconds(seconds: number) {
    this.#numbers[0] = seconds;
  }

  /** The thread id in the kernel; 0 before the start, and if the system does not report it. */
  get kernelThread(): number {
    return this.#numbers[1] ?? 0;
  }

  set kernelThread(thread: number) {
    this.#numbers[1] = thread;
  }
}
