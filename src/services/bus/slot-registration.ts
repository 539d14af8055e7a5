// What a leader knows of the number that the gateway of a slot has asked for. A gateway asks again until it hears the
// answer, and must not get two numbers for it: the first one ends when the second is used (CMD-4), and commands under it
// that are still on their way would be executed without a recorded result.

/** The number that clearing has given, and the seq of its event. */
export interface GivenNumber {
  readonly origin: number;
  readonly lastSeq: number;
}

export class SlotRegistration {
  #incarnation = 0;
  #isUnderWay = false;
  #given: GivenNumber | null = null;

  /**
   * The answer to a gateway that asks: the number it was given and has not used yet, or "waits" while clearing decides;
   * null if clearing must be asked.
   */
  answerTo(incarnation: number): GivenNumber | "waits" | null {
    if (incarnation !== this.#incarnation) return null;
    return this.#isUnderWay ? "waits" : this.#given;
  }

  /** Clearing is asked for this incarnation. */
  asked(incarnation: number): void {
    this.#incarnation = incarnation;
    this.#isUnderWay = true;
    this.#given = null;
  }

  /** Clearing has answered; null if it refused. */
  answered(given: GivenNumber | null): void {
    this.#isUnderWay = false;
    this.#given = given;
  }

  /** The gateway has used its number: it has heard the answer, and asks again only if the number has ended. */
  used(): void {
    this.#given = null;
  }
}
