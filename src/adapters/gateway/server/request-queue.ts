// Requests that are handled a few at a time. Hundreds of connections may have one each when the loop
// looks at its sockets: handled in one go they hold the loop for as long as they take together, and
// everything else with it: answers that are ready, streams, timers. Here a turn handles a slice, and the
// rest in the order of arrival in the next turns, between which sockets are read and answers sent.
//
//   taken ──fewer than a slice this turn, none waiting──▶ handled at once
//     └──▶ waits ──next turns, a slice each──▶ handled
//
// Invariant: requests are handled in the order in which they came, so those of one connection keep
// theirs. The queue is bounded: beyond that the oldest is handled before another waits.

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
