// Requests that the matchers of a machine on one thread have not answered yet, oldest first. There are no
// more of them than clearing has credits for.

import { assert, present } from "../core/assert.ts";
import { emptyMatchRequest, type MatchRequest } from "../core/generated/messages.ts";
import { matcherCreditsMax } from "../core/limits.ts";
import { MatchLane } from "../core/match-messages.ts";

/** A request, with the lane of the matcher that is to answer it. */
export interface QueuedRequest {
  matcher: number;
  lane: MatchLane;
  request: MatchRequest;
}

export class MatcherQueue {
  /** Places go round, so that a request allocates nothing. */
  readonly #places: QueuedRequest[];
  #first = 0;
  #count = 0;

  constructor(matcherCount: number) {
    this.#places = Array.from({ length: 2 * matcherCount * matcherCreditsMax }, () => {
      return { matcher: 0, lane: MatchLane.orders, request: emptyMatchRequest() };
    });
  }

  get count(): number {
    return this.#count;
  }

  /** Adds the youngest; asserts that there is room. */
  push(matcher: number, lane: MatchLane, request: MatchRequest): void {
    assert(this.#count < this.#places.length, "a request has a credit");
    const place = this.#at(this.#count);
    place.matcher = matcher;
    place.lane = lane;
    place.request = request;
    this.#count++;
  }

  /** Takes the oldest, which is good until the next is pushed; asserts that there is one. */
  shift(): QueuedRequest {
    assert(this.#count > 0, "what is answered was asked");
    const oldest = this.#at(0);
    this.#first = (this.#first + 1) % this.#places.length;
    this.#count--;
    return oldest;
  }

  /** Takes the oldest on one lane of one matcher, as `shift` does; asserts that there is one. */
  shiftFrom(matcher: number, lane: MatchLane): QueuedRequest {
    let place = 0;
    while (place < this.#count && !isOn(this.#at(place), matcher, lane)) place++;
    assert(place < this.#count, "a request waits on the lane");
    const found = this.#at(place);
    for (; place > 0; place--) this.#put(place, this.#at(place - 1));
    this.#put(0, found);
    return this.shift();
  }

  /** How many wait on one lane of one matcher. */
  waiting(matcher: number, lane: MatchLane): number {
    let waiting = 0;
    for (let place = 0; place < this.#count; place++) {
      if (isOn(this.#at(place), matcher, lane)) waiting++;
    }
    return waiting;
  }

  #at(place: number): QueuedRequest {
    return present(
      this.#places[(this.#first + place) % this.#places.length],
      "a place of the queue",
    );
  }

  #put(place: number, queued: QueuedRequest): void {
    this.#places[(this.#first + place) % this.#places.length] = queued;
  }
}

function isOn(queued: QueuedRequest, matcher: number, lane: MatchLane): boolean {
  return queued.matcher === matcher && queued.lane === lane;
}
