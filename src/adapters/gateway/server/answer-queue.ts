// Answers that leave a few at a time. A committed group answers every request in it at once; sent in
// one go, they hold the loop, come back as one convoy of requests, and hold it again. Spread over
// turns of the loop, new requests are read in between and the convoy dissolves. The first answer of a
// turn goes at once: with one client it is the only one, and every microsecond is its.

/** Answers sent between two looks at the sockets: about half a millisecond of system calls. */
const answersPerTurn = 16;

/** Something whose answer can be sent now. */
export interface Sendable {
  flush(): void;
}

export class AnswerQueue {
  readonly #turn = () => {
    this.#isTurnOpen = false;
    this.#send(answersPerTurn);
    if (this.#waiting.length > 0) this.#openTurn();
  };
  #waiting: Sendable[] = [];
  #next = 0;
  #isTurnOpen = false;

  /** Sends `answer` in this turn of the loop or in a later one, in order of arrival. */
  add(answer: Sendable): void {
    this.#waiting.push(answer);
    this.#openTurn();
  }

  /** The same where it may be sent at once, if it is the first of this turn. */
  addFree(answer: Sendable): void {
    if (this.#isTurnOpen) {
      this.#waiting.push(answer);
      return;
    }
    this.#openTurn();
    answer.flush();
  }

  /** Sends everything now. */
  sendAll(): void {
    this.#send(this.#waiting.length);
  }

  #openTurn(): void {
    if (this.#isTurnOpen) return;
    this.#isTurnOpen = true;
    setImmediate(this.#turn);
  }

  #send(count: number): void {
    const end = Math.min(this.#next + count, this.#waiting.length);
    while (this.#next < end) this.#waiting[this.#next++]?.flush();
    if (this.#next < this.#waiting.length) return;
    this.#waiting = [];
    this.#next = 0;
  }
}
