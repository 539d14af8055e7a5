// Which threads and rings have been late for a while: a single pause, as of garbage collection, needs no operator.

import { readerOf } from "../../ports/ring-reader.ts";
import { lateSecondsMin } from "../../ports/venue-problems.ts";

/** A thread without a heartbeat for so long hangs. An idle one sends five a second. */
const silentSecondsMax = 5;
const loopDelaySecondsMax = 0.25;
const ringShareMax = 0.25;

/** One look at threads and rings. */
export interface ThreadLook {
  readonly threads: ReadonlyArray<{
    readonly name: string;
    readonly silentSeconds: number;
    readonly loopDelaySeconds: number;
  }>;
  /** `share`: the used part of a ring, 0 to 1. */
  readonly rings: ReadonlyArray<{ readonly name: string; readonly share: number }>;
  /** Whether acknowledgements are slow. */
  readonly areAcksSlow: boolean;
}

interface Spell {
  readonly sinceMs: number;
  lastMs: number;
  isTold: boolean;
}

const lateMsMin = 1000 * lateSecondsMin;
const acks = "acknowledgements";

/** Must be looked at about once a second. */
export class Lateness {
  readonly #spells = new Map<string, Spell>();
  #late: readonly string[] = [];
  #areAcksSlow = false;

  /** What is late, each as a sentence without a full stop. */
  get late(): readonly string[] {
    return this.#late;
  }

  get areAcksSlow(): boolean {
    return this.#areAcksSlow;
  }

  look({ threads, rings, areAcksSlow }: ThreadLook, nowMs: number): void {
    const silent = threads
      .filter(({ silentSeconds }) => silentSeconds > silentSecondsMax)
      .map(
        ({ name, silentSeconds }) =>
          `${name} has sent no heartbeat for ${silentSeconds.toFixed(0)} s`,
      );
    const loops = threads.flatMap(({ name, loopDelaySeconds }) =>
      this.#lasts(`loop ${name}`, loopDelaySeconds > loopDelaySecondsMax, nowMs)
        ? [`the event loop of ${name} has been late for ${lateSecondsMin} s or longer`]
        : [],
    );
    const full = rings.flatMap(({ name, share }) =>
      this.#lasts(`ring ${name}`, share > ringShareMax, nowMs)
        ? [`${readerOf(name)} is behind: ring ${name} is ${Math.round(100 * share)} % full`]
        : [],
    );
    this.#late = [...silent, ...loops, ...full];
    this.#areAcksSlow = this.#lasts(acks, areAcksSlow, nowMs);
  }

  /** Whether `key` has been late at each look for a while; once told, it must be well for as long. */
  #lasts(key: string, isLate: boolean, nowMs: number): boolean {
    const spell = this.#spells.get(key) ?? { sinceMs: nowMs, lastMs: nowMs, isTold: false };
    if (isLate) {
      spell.lastMs = nowMs;
      spell.isTold ||= nowMs - spell.sinceMs >= lateMsMin;
      this.#spells.set(key, spell);
    } else if (!spell.isTold || nowMs - spell.lastMs >= lateMsMin) {
      this.#spells.delete(key);
      return false;
    }
    return spell.isTold;
  }
}
