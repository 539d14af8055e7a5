// What a leader knows of the registration of a slot's gateway. A gateway repeats it until it hears the number that it
// got, and must not get two: the first one ends when the second is used (CMD-4), and commands under it that are still on
// their way would be executed without a recorded result.

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
   * The answer to a registration that the gateway repeats: the number it was given and has not used yet, or "waits" while
   * the reply is awaited, which may take as long as a commit; null if clearing must decide.
   */
  answerTo(incarnation: number): GivenNumber | "waits" | null {
    if (incarnation !== this.#incarnation) return null;
    return this.#isUnderWay ? "waits" : this.#given;
  }

  /** The registration of this incarnation is passed to clearing, which answers each one. */
  passed(incarnation: number): void {
    this.#incarnation = incarnation;
    this.#isUnderWay = true;
    this.#given = null;
  }

  /** Clearing has replied; null if it refused. */
  replied(given: GivenNumber | null): void {
    this.#isUnderWay = false;
    this.#given = given;
  }

  /** The gateway uses this number: it has heard the answer, and registers again only if the number has ended. */
  used(origin: number): void {
    if (this.#given?.origin === origin) this.#given = null;
  }
}
