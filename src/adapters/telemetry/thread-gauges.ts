// Gauges of threads: duty cycles, silence, lateness of event loops.

import { Gauge, type Registry } from "prom-client";
import type { CountersBuffer } from "../../wire/counters-buffer.ts";
import { ThreadFigures } from "./thread-figures.ts";

/** How often heartbeats are looked at: an idle thread beats every 200 ms. */
const lookMs = 200;

/** Since when each thread has not come round, as one that is not it sees it. */
class Silence {
  readonly #counters: CountersBuffer;
  readonly #seen: { beats: number; atMs: number }[];

  constructor(counters: CountersBuffer, threads: number) {
    this.#counters = counters;
    this.#seen = Array.from({ length: threads }, () => ({ beats: -1, atMs: performance.now() }));
    setInterval(() => this.#look(), lookMs).unref();
  }

  secondsOf(thread: number): number {
    this.#look();
    return (performance.now() - (this.#seen[thread]?.atMs ?? 0)) / 1000;
  }

  #look(): void {
    for (const [thread, seen] of this.#seen.entries()) {
      const beats = this.#counters.beats(thread);
      if (beats === seen.beats) continue;
      seen.beats = beats;
      seen.atMs = performance.now();
    }
  }
}

/** Adds what is known of each thread, in the order of the heartbeats. */
export function addThreadGauges(
  registry: Registry,
  counters: CountersBuffer,
  names: readonly string[],
  memory: SharedArrayBuffer,
): void {
  const silence = new Silence(counters, names.length);
  const all = names.map((_, place) => new ThreadFigures(memory, place));
  const figures: [name: string, help: string, read: (place: number) => number][] = [
    ["beats", "Duty cycles of a thread, modulo 2^32", (place) => counters.beats(place)],
    [
      "silent_seconds",
      "Since when a thread has not come round: an idle one does every 0.2 s",
      (place) => silence.secondsOf(place),
    ],
    [
      "loop_delay_seconds",
      "Longest delay of a thread's event loop in its last second; 0 without one",
      (place) => all[place]?.loopDelaySeconds ?? 0,
    ],
  ];
  for (const [name, help, read] of figures) {
    new Gauge({
      name: `rialto_thread_${name}`,
      help,
      labelNames: ["thread"],
      registers: [registry],
      collect() {
        // A thread that never began is none: settlement without a ledger.
        for (const [place, thread] of names.entries()) {
          if (counters.beats(place) !== 0) this.set({ thread }, read(place));
        }
      },
    });
  }
}
