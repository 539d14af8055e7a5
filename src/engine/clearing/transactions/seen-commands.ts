// What one leader has seen of gateways' commands: those in flight, and those that it answered without a recorded result.
// So a command that is sent twice to the same leader is decided once. Memory is bounded by the origins' windows.

import type { OriginLane } from "../../../core/command-identity.ts";
import { originsMax, originWindowMax } from "../../../core/limits.ts";
import type { RejectReason } from "../../../core/reject-reason.ts";
import type { VenueState } from "../../state/venue-state.ts";

/** What a command was answered that has no recorded result: a refusal, or a success that changed nothing. */
export interface TracelessAnswer {
  readonly reason: RejectReason;
  readonly subject: number;
  readonly lastSeq: number;
}

/** The commands of one origin and lane that this leader has seen and the origin has not confirmed. */
class SeenLane {
  readonly inFlight = new Set<number>();
  readonly #answers = new Map<number, TracelessAnswer>();
  #confirmedUpTo = 0;

  answerOf(number: number): TracelessAnswer | undefined {
    return this.#answers.get(number);
  }

  answered(number: number, answer: TracelessAnswer): void {
    if (number > this.#confirmedUpTo) this.#answers.set(number, answer);
  }

  /** Forgets the answers up to `number`. Every remembered number is in the window after the last one confirmed. */
  confirm(number: number): void {
    if (number <= this.#confirmedUpTo) return;
    const end = Math.min(number, this.#confirmedUpTo + originWindowMax);
    if (this.#answers.size > 0) {
      for (let at = this.#confirmedUpTo + 1; at <= end; at++) this.#answers.delete(at);
    }
    this.#confirmedUpTo = number;
  }
}

/** What this leader has seen of gateways' commands. It is not part of the state: the next leader begins without it. */
export class SeenCommands {
  readonly #state: VenueState;
  /** By origin × 2 + lane. */
  readonly #lanes = new Map<number, SeenLane>();

  constructor(state: VenueState) {
    this.#state = state;
  }

  lane(origin: number, lane: OriginLane): SeenLane {
    const key = origin * 2 + lane;
    let found = this.#lanes.get(key);
    if (found === undefined) {
      this.#forgetEnded();
      found = new SeenLane();
      // A new leader begins where the journal is, because numbers in the window lie behind that.
      found.confirm(this.#state.commandResults.confirmedUpTo(origin, lane));
      this.#lanes.set(key, found);
    }
    return found;
  }

  /** Forgets the lanes of origins that ended, before their number grows beyond that of living ones. */
  #forgetEnded(): void {
    if (this.#lanes.size < 4 * originsMax) return;
    for (const key of this.#lanes.keys()) {
      if (!this.#state.commandResults.isLiving(Math.floor(key / 2))) this.#lanes.delete(key);
    }
  }
}
