// What each thread tells of itself, in shared memory: pauses of its garbage collector, and how late its event
// loop was.

import { SharedHistogram } from "./shared-histogram.ts";

const strideBytes = SharedHistogram.bytes + 2 * Float64Array.BYTES_PER_ELEMENT;

/** The shortest pause told apart, in seconds. */
const leastPause = 0.0001;

export class ThreadFigures {
  /** Seconds of one pause of the garbage collector. */
  readonly gcSeconds: SharedHistogram;
  /** The longest delay of its event loop, and its number in the kernel. */
  readonly #numbers: Float64Array;

  /** Zeroed memory for `threads` threads. */
  static allocate(threads: number): SharedArrayBuffer {
    return new SharedArrayBuffer(threads * strideBytes);
  }

  /** The figures of the thread at `place` among the heartbeats. */
  constructor(memory: SharedArrayBuffer, index: number) {
    const offset = index * strideBytes;
    this.gcSeconds = new SharedHistogram(memory, offset, leastPause);
    this.#numbers = new Float64Array(memory, offset + SharedHistogram.bytes, 2);
  }

  /** Seconds of the longest delay of its event loop in its last second; 0 for a thread without one. */
  get loopDelaySeconds(): number {
    return this.#numbers[0] ?? 0;
  }

  set loopDelaySeconds(seconds: number) {
    this.#numbers[0] = seconds;
  }

  /** The kernel's number of the thread; 0 before it began, and where the system does not tell. */
  get kernelThread(): number {
    return this.#numbers[1] ?? 0;
  }

  set kernelThread(thread: number) {
    this.#numbers[1] = thread;
  }
}
