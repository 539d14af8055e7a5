// A matcher thread's duty cycle: cancels first, then orders, in bounded batches. Answers are published once per batch.
// Clearing's credits limit the requests in flight, so the reply ring always has room and a matcher never waits.

import { emptyMatchRequest, type MatchReplySink } from "../../core/generated/messages.ts";
import { matcherCreditsMax, matcherRecordBytes } from "../../core/limits.ts";
import { MatchLane } from "../../core/match-messages.ts";
import type { MatchingEngine } from "../../engine/matching/matching-engine.ts";
import type { Doorbell } from "../../wire/doorbell.ts";
import {
  decodeMatchRequest,
  encodeEnded,
  encodeFilled,
  encodeMet,
  encodeReduced,
  encodeRemoved,
} from "../../wire/generated/message-codec.ts";
import { SpscRing } from "../../wire/spsc-ring.ts";
import type { Agent } from "./agent.ts";
import type { MatcherMemory } from "./venue-memory.ts";

/** Writes a matcher's answers as records into its reply ring. */
export class RingReplySink implements MatchReplySink {
  readonly #ring: SpscRing;

  constructor(ring: SpscRing) {
    this.#ring = ring;
  }

  filled(...fill: Parameters<MatchReplySink["filled"]>): void {
    encodeFilled(this.#ring, this.#ring.claim(matcherRecordBytes), ...fill);
    this.#ring.commit();
  }

  reduced(...reduction: Parameters<MatchReplySink["reduced"]>): void {
    encodeReduced(this.#ring, this.#ring.claim(matcherRecordBytes), ...reduction);
    this.#ring.commit();
  }

  met(...meeting: Parameters<MatchReplySink["met"]>): void {
    encodeMet(this.#ring, this.#ring.claim(matcherRecordBytes), ...meeting);
    this.#ring.commit();
  }

  removed(...removal: Parameters<MatchReplySink["removed"]>): void {
    encodeRemoved(this.#ring, this.#ring.claim(matcherRecordBytes), ...removal);
    this.#ring.commit();
  }

  ended(...end: Parameters<MatchReplySink["ended"]>): void {
    encodeEnded(this.#ring, this.#ring.claim(matcherRecordBytes), ...end);
    this.#ring.commit();
  }
}

export interface MatcherAgentParts {
  readonly roleName: string;
  readonly memory: MatcherMemory;
  /** The writing end of `memory.replies`, which the engine's sink uses. */
  readonly replies: SpscRing;
  readonly engine: MatchingEngine;
  readonly clearingBell: Doorbell;
}

export class MatcherAgent implements Agent {
  readonly roleName: string;
  readonly #engine: MatchingEngine;
  readonly #orders: SpscRing;
  readonly #cancels: SpscRing;
  readonly #replies: SpscRing;
  readonly #clearingBell: Doorbell;
  readonly #request = emptyMatchRequest();

  constructor(parts: MatcherAgentParts) {
    this.roleName = parts.roleName;
    this.#engine = parts.engine;
    this.#orders = new SpscRing(parts.memory.orders);
    this.#cancels = new SpscRing(parts.memory.cancels);
    this.#replies = parts.replies;
    this.#clearingBell = parts.clearingBell;
  }

  doWork(): number {
    const work =
      this.#drain(this.#cancels, MatchLane.cancels) + this.#drain(this.#orders, MatchLane.orders);
    if (this.#replies.publish()) this.#clearingBell.ring();
    return work;
  }

  hasWork(): boolean {
    return !this.#cancels.isEmpty() || !this.#orders.isEmpty();
  }

  onClose(): void {
    // Nothing to release: the agent holds only memory.
  }

  #drain(ring: SpscRing, lane: MatchLane): number {
    let handled = 0;
    // The loop ends, because credits limit the requests in flight and clearing grants new credits only after answers
    // are published.
    while (handled < matcherCreditsMax) {
      const offset = ring.next();
      if (offset < 0) break;
      handled++;
      decodeMatchRequest(ring, offset, ring.length, this.#request);
      this.#engine.handle(this.#request, lane);
    }
    if (handled > 0) ring.release();
    return handled;
  }
}
