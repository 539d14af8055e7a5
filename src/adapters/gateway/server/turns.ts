// Handles requests and sends answers a few at a time and in order, so that a burst of them does not block the event
// loop, and with it streams and timers. Between two turns, sockets are read and finished answers are sent.
//
// Hundreds of connections may each have a request when the loop polls its sockets. A turn handles a slice of these
// requests; the others wait for later turns. The queue is bounded: when it is full, the oldest request is handled
// before a new one is queued. Requests of one connection keep their order.
//
//   taken ──fewer than a slice this turn, none waiting──▶ handled at once
//     └──▶ waits ──next turns, a slice each──▶ handled
//
// When a commit batch is durable, all its requests are answered at the same time. If these answers were sent at once,
// the clients' next requests would arrive as one burst, so the answers are spread over turns. The first answer of a
// turn is sent immediately: with only one client it is the only answer, and every microsecond counts.

/** Requests handled between two polls of the sockets: about half a millisecond of work. */
const requestsPerTurn = 16;

/**
 * Maximum number of waiting requests. Each connection usually sends one request at a time, so this is enough for
 * thousands of connections; a queue of this length needs little memory.
 */
const requestsWaitingMax = 4096;

export class RequestQueue<Request> {
  readonly #handle: (request: Request) => void;
  readonly #handleLater: (request: Request) => void;
  readonly #turn = () => this.#runTurn();
  #waiting: Request[] = [];
  #next = 0;
  /** Requests handled since the last turn began. */
  #handled = 0;
  #isTurnOpen = false;

  /** Creates the queue: `handle` handles requests on arrival, `handleLater` those that have waited. */
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

  /** Drops waiting requests, because the server is closed. */
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

  /** Like `add`, but sends the answer immediately if it is the first of this turn. */
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
