// Answers that leave a few at a time. A committed group answers every request in it at once; sent in
// one go, they hold the loop, come back as one convoy of requests, and hold it again. Spread over
// turns of the loop, new requests are read in between and the convoy dissolves.

/** Answers sent between two looks at the sockets: about half a millisecond of system calls. */
const answersPerTurn = 16;

/** Something whose answer can be sent now. */
export interface Sendable {
  flush(): void;
}

export class AnswerQueue {
  readonly #turn = () => {
    this.#send(answersPerTurn);
    if (this.#waiting.length > 0) setImmediate(this.#turn);
  };
  #waiting: Sendable[] = [];
  #next = 0;

  /** Sends `answer` in this turn of the loop or in a later one, in order of arrival. */
  add(answer: Sendable): void {
    if (this.#waiting.push(answer) === 1) setImmediate(this.#turn);
  }

  /** Sends everything now. */
  sendAll(): void {
    this.#send(this.#waiting.length);
  }

  #send(count: number): void {
    const end = Math.min(this.#next + count, this.#waiting.length);
    while (this.#next < end) this.#waiting[this.#next++]?.flush();
    if (this.#next < this.#waiting.length) return;
    this.#waiting = [];
    this.#next = 0;
  }
}
