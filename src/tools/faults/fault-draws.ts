// Draws of one applied profile. Each fault draws for each client and stream from a generator of its own, so that the same
// seed and the same sequence of requests of a client give the same faults, whatever other clients do meanwhile.

import type { Delay } from "../../../schemas/fault-profile.ts";
import { SeededRandom } from "../load/seeded-random.ts";

/** Generators that are kept. Beyond this number all begin again, because addresses must not fill the memory. */
const generatorsMax = 10_000;

/** The draws of one fault for one client or stream. */
class Draws {
  readonly #random: SeededRandom;
  #delays = 0;

  constructor(seed: number) {
    this.#random = new SeededRandom(seed);
    // The first numbers of seeds that differ in few bits are alike.
    for (let spent = 0; spent < 8; spent++) this.#random.next();
  }

  happens(rate: number): boolean {
    return this.#random.next() < rate;
  }

  delayMs(delay: Delay): number {
    if ("fixed_ms" in delay) return delay.fixed_ms;
    if ("trace_ms" in delay) return delay.trace_ms[this.#delays++ % delay.trace_ms.length] ?? 0;
    const { median_ms, sigma } = delay.lognormal;
    return Math.min(median_ms * Math.exp(sigma * this.#random.normal()), lognormalMsMax);
  }
}

/** The tail of a lognormal has no end; a minute is longer than any client waits. */
const lognormalMsMax = 60_000;

export class FaultDraws {
  readonly #seed: number;
  readonly #generators = new Map<string, Draws>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** The draws of fault number `index` of the profile, for `subject`: a key, an address or a stream of one of them. */
  of(index: number, subject: string): Draws {
    const name = `${index} ${subject}`;
    const known = this.#generators.get(name);
    if (known !== undefined) return known;
    if (this.#generators.size >= generatorsMax) this.#generators.clear();
    const made = new Draws(mixed(this.#seed, name));
    this.#generators.set(name, made);
    return made;
  }
}

/** A seed from a seed and a text (FNV-1a). */
function mixed(seed: number, text: string): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
