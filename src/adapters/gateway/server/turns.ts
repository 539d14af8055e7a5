// Handles requests and sends answers a few at a time and in order, so that no convoy blocks the loop and with
// it streams and timers. Between two turns, sockets are read and finished answers are sent.
//
// Hundreds of connections may each have a request when the loop polls its sockets. A turn handles a slice of
// them; the rest waits for later turns. The queue is bounded: when it is full, the oldest request is handled
// before another is queued. Requests of one connection keep their order.
//
//   taken ──fewer than a slice this turn, none waiting──▶ handled at once
//     └──▶ waits ──next turns, a slice each──▶ handled
//
// A committed batch answers every request in it at once; sent together, the answers would return as one
// convoy of requests. Spread over turns, it dissolves. The first answer of a turn is sent at once: with one
// client it is the only one, and every microsecond counts.

/** Requests handled between two polls of the sockets: about half a millisecond. */
const requestsPerTurn = 16;

/** Most requests that wait: more than connections send at once, at little memory. */
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

  /** `handle` takes requests that arrive now, `handleLater` those that have waited. */
  constructor(handle: (request: Request) => void, handleLater: (request: Request) => void) {
    this.#handle = handle;
    this.#handleLater = handleLater;
  }

  /** Number of waiting requests. */
  get length(): number {
    return this.#waiting.length - this.#next;
  }

  /** Handles `request` now or in a later turn. */
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

  /** Drops waiting requests: the server is gone. */
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

/** Answers sent between two polls of the sockets: about half a millisecond of system calls. */
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

  /** Like `add`, but sends at once if it is the first of this turn. */
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
