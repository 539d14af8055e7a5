// What a leader knows of the registration of a slot's gateway. A gateway repeats it until it hears the number that it
// got, and must not get two: the first one ends when the second is used (CMD-4), and commands under it that are still on
// their way would be executed without a recorded result.

import { registerMsMax } from "../../core/bus-limits.ts";

/** The number that clearing has given, and the seq of its event. */
export interface GivenNumber {
  readonly origin: number;
  readonly lastSeq: number;
}

export class SlotRegistration {
  #incarnation = 0;
  /** When it was passed to clearing, if there is no reply yet; else null. */
  #passedMs: number | null = null;
  #given: GivenNumber | null = null;

  /**
   * The answer to a registration that the gateway repeats: the number it was given and has not used yet, or "waits" while
   * clearing decides; null if clearing must decide.
   */
  answerTo(incarnation: number, nowMs: number): GivenNumber | "waits" | null {
    if (incarnation !== this.#incarnation) return null;
    if (this.#passedMs === null) return this.#given;
    return nowMs - this.#passedMs < registerMsMax ? "waits" : null;
  }

  /** The registration of this incarnation is passed to clearing. */
  passed(incarnation: number, nowMs: number): void {
    this.#incarnation = incarnation;
    this.#passedMs = nowMs;
    this.#given = null;
  }

  /** Clearing has replied; null if it refused. */
  replied(given: GivenNumber | null): void {
    this.#passedMs = null;
    this.#given = given;
  }

  /** The gateway has used its number: it has heard the answer, and registers again only if the number has ended. */
  used(): void {
    this.#given = null;
  }
}
