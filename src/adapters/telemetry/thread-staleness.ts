// For how long each thread has sent no heartbeat, as the calling thread sees it.

import type { CountersBuffer } from "../../wire/counters-buffer.ts";

/** Sampling interval of heartbeats in ms; an idle thread counts one every 200 ms. */
const lookMs = 200;

export class ThreadStaleness {
  readonly #counters: CountersBuffer;
  readonly #seen: { heartbeats: number; atMs: number }[];

  constructor(counters: CountersBuffer, threads: number) {
    this.#counters = counters;
    this.#seen = Array.from({ length: threads }, () => ({
      heartbeats: -1,
      atMs: performance.now(),
    }));
    setInterval(() => this.#look(), lookMs).unref();
  }

  secondsOf(thread: number): number {
    this.#look();
    return (performance.now() - (this.#seen[thread]?.atMs ?? 0)) / 1000;
  }

  #look(): void {
    for (const [thread, seen] of this.#seen.entries()) {
      const heartbeats = this.#counters.heartbeats(thread);
      if (heartbeats === seen.heartbeats) continue;
      seen.heartbeats = heartbeats;
      seen.atMs = performance.now();
    }
  }
}
