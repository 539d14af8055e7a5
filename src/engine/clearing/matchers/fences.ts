// Fences: questions that change nothing and are answered once every request that was in flight when
// they came has been. A query that misses while commands are in flight raises one, so that "no such
// order" is said only when it has become true.

import { RejectReason } from "../../../core/reject-reason.ts";
import type { Asker, ReplyWriter } from "../units/reply-writer.ts";
import type { MatcherLanes } from "./matcher-lanes.ts";
import type { FenceWait, PendingRequest } from "./request-lane.ts";

export class Fences {
  readonly #lanes: MatcherLanes;
  readonly #replies: ReplyWriter;

  constructor(lanes: MatcherLanes, replies: ReplyWriter) {
    this.#lanes = lanes;
    this.#replies = replies;
  }

  /** Waits behind the youngest request of every lane: lanes are first in, first out. */
  raise({ source, correlation }: Asker): void {
    const wait: FenceWait = { source, correlation, remaining: 0 };
    for (const lane of this.#lanes.all) {
      if (lane.inFlight === 0) continue;
      const youngest = lane.at(lane.inFlight - 1);
      youngest.fences ??= [];
      youngest.fences.push(wait);
      wait.remaining++;
    }
    if (wait.remaining === 0) this.#replies.answer(wait, RejectReason.none, 0);
  }

  /** The request has been answered: fences that waited for nothing else are too. */
  pass(request: PendingRequest): void {
    if (request.fences === null) return;
    for (const wait of request.fences) {
      wait.remaining--;
      if (wait.remaining === 0) this.#replies.answer(wait, RejectReason.none, 0);
    }
    request.fences = null;
  }
}
