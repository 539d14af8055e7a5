// Gives events their seq and time, applies them to the live state and hands them on, in one order
// for the venue. A unit is written without interruption: its last event carries isUnitEnd.

import type { VenueEvent } from "../../core/events.ts";
import { apply } from "./apply.ts";
import { idleObserver } from "./state-observer.ts";
import type { VenueState } from "./venue-state.ts";

export class UnitWriter {
  readonly #state: VenueState;
  readonly #take: (event: VenueEvent) => void;

  /** `take` gets each event once and must not keep it: events are reused. */
  constructor(state: VenueState, take: (event: VenueEvent) => void) {
    this.#state = state;
    this.#take = take;
  }

  /**
   * Numbers, applies and hands on one event of a command stamped `atUs`. Event time never goes
   * backwards: the later of the command's time and one microsecond after the event before.
   */
  write(event: VenueEvent, atUs: number, isUnitEnd: boolean, slot?: number): void {
    event.seq = this.#state.seq + 1;
    event.tsUs = Math.max(this.#state.tsUs + 1, atUs);
    event.isUnitEnd = isUnitEnd;
    apply(this.#state, event, idleObserver, slot);
    this.#take(event);
  }
}
