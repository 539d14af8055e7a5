// Requests handled and answers sent a few at a time, in their order, so that no convoy holds the loop and with it
// streams and timers: between two turns sockets are read and what is ready is sent.
//
// Hundreds of connections may have one request each when the loop looks at its sockets: a turn handles a slice of
// them, the rest waits for the next turns. The queue is bounded: beyond that the oldest is handled before another
// waits. Requests of one connection keep their order.
//
//   taken ──fewer than a slice this turn, none waiting──▶ handled at once
//     └──▶ waits ──next turns, a slice each──▶ handled
//
// A committed batch answers every request in it at once; sent in one go, the answers come back as one convoy of
// requests. Spread over turns, it dissolves. The first answer of a turn goes at once: with one client it is the
// only one, and every microsecond is its.

/** Requests handled between two looks at the sockets: about half a millisecond. */
const requestsPerTurn = 16;

/** Requests that wait at most: more than connections send at once, little memory. */
const requestsWaitingMax = 4096;

export class RequestQueue<Request> {
  readonly #handle: (request: Request) => void;
  readonly #handleLater: (request: Request) => void;
  readonly #turn = () => this.#runTurn();
  #waiting: Request[] = [];
  #next = 0;
  /** Handled since the last turn began. */
  #handled = 0;
  #isTurnOpen = false;

  /** `handle` is for requests that come in now, `handleLater` for those that have waited. */
  constructor(handle: (request: Request) => void, handleLater: (request: Request) => void) {
    this.#handle = handle;
    this.#handleLater = handleLater;
  }

  /** Requests that wait. */
  get length(): number {
    return this.#waiting.length - this.#next;
  }

  /** Handles `request`, now or in its turn. */
  add(request: Request): void {
    if (!this.#isTurnOpen) {
      this.#isTurnOpen = true;
      setImmediate(this.#turn);
    }
    if (this.length === 0 && this.#handled < requestsPerTurn) {
      this.#handled++;
      this.#handle(request);
      return;
    }
    if (this.length >= requestsWaitingMax) this.#handleNext();
    this.#waiting.push(request);
  }

  /** Forgets what waits: the server is gone. */
  clear(): void {
    this.#waiting = [];
    this.#next = 0;
  }

  #runTurn(): void {
    this.#handled = 0;
    while (this.length > 0 && this.#handled < requestsPerTurn) this.#handleNext();
    this.#isTurnOpen = this.length > 0;
    if (this.#isTurnOpen) setImmediate(this.#turn);
  }

  #handleNext(): void {
    const request = this.#waiting[this.#next] as Request;
    this.#next++;
    if (this.#next === this.#waiting.length || this.#next >= requestsWaitingMax) {
      this.#waiting = this.#waiting.slice(this.#next);
      this.#next = 0;
    }
    this.#handled++;
    this.#handleLater(request);
  }
}

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
