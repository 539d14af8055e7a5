// Figures of the journal thread in shared memory, so that a front can show them at /metrics without sending that thread
// a message.

import { SharedHistogram } from "./shared-histogram.ts";

const histograms = 3;
const gauges = 2;
const gaugesAt = histograms * SharedHistogram.bytes;

export class JournalFigures {
  /** Histogram of the number of events in a commit batch. */
  readonly batchEvents: SharedHistogram;
  /** Seconds from passing a batch to the store until it is durable. */
  readonly commitSeconds: SharedHistogram;
  /** Seconds from a transaction's acceptance in clearing until its reply is sent to the front. */
  readonly ackSeconds: SharedHistogram;
  readonly #gauges: Float64Array;

  static allocate(): SharedArrayBuffer {
    return new SharedArrayBuffer(gaugesAt + gauges * Float64Array.BYTES_PER_ELEMENT);
  }

  constructor(memory: SharedArrayBuffer) {
    this.batchEvents = new SharedHistogram(memory, 0, 1);
    this.commitSeconds = new SharedHistogram(memory, SharedHistogram.bytes, 0.0001);
    this.ackSeconds = new SharedHistogram(memory, 2 * SharedHistogram.bytes, 0.0001);
    this.#gauges = new Float64Array(memory, gaugesAt, gauges);
  }

  /** Time of the oldest event being committed, in Unix ms; 0 if no event is being committed. */
  get waitingSinceMs(): number {
    return this.#gauges[0] ?? 0;
  }

  set waitingSinceMs(atMs: number) {
    this.#gauges[0] = atMs;
  }

  /** Time of the oldest change that no row of orders, balances or positions has yet, in Unix ms; 0 if there is none. */
  get laggingSinceMs(): number {
    return this.#gauges[1] ?? 0;
  }

  set laggingSinceMs(atMs: number) {
    this.#gauges[1] = atMs;
  }
}
