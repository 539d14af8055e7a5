// Gives events their seq and time, applies them to the live state and hands them on, in one order
// for the venue. A unit is written without interruption: its last event carries isUnitEnd.
//
// Each kind of order event has its own way through, which ends in the functions that `apply` calls:
// what happens to one shape of object only is compiled for that shape.

import type {
  MatchPrevented,
  OrderAccepted,
  OrderClosed,
  SpecialAccepted,
  Traded,
  VenueEvent,
} from "../../../core/generated/events.ts";
import { advance, applyStanding, type StandingEvent } from "../../state/apply/apply.ts";
import {
  changeOrder,
  checkPrevented,
  type OrderChange,
  openSpecial,
} from "../../state/apply/order-changes.ts";
import { closeUnfilled, openOrder, trade } from "../../state/apply/order-posting.ts";
import type { StateObserver } from "../../state/state-observer.ts";
import type { VenueState } from "../../state/venue-state.ts";

export class UnitWriter {
  readonly #state: VenueState;
  readonly #take: (event: VenueEvent) => void;
  readonly #observer: StateObserver;

  /**
   * `take` gets each event once and must not keep it: events are reused. `observer` is told what
   * each of them touched.
   */
  constructor(state: VenueState, take: (event: VenueEvent) => void, observer: StateObserver) {
    this.#state = state;
    this.#take = take;
    this.#observer = observer;
  }

  /** Writes the acceptance of the order in `slot`, of a command stamped `atUs`. */
  accepted(event: OrderAccepted, slot: number, atUs: number, isUnitEnd: boolean): void {
    event.seq = this.#state.seq + 1;
    event.tsUs = this.#timeOf(atUs);
    event.isUnitEnd = isUnitEnd;
    advance(this.#state, event.seq, event.tsUs);
    openOrder(this.#state, event, this.#observer, slot);
    this.#take(event);
  }

  traded(event: Traded, atUs: number, isUnitEnd: boolean): void {
    event.seq = this.#state.seq + 1;
    event.tsUs = this.#timeOf(atUs);
    event.isUnitEnd = isUnitEnd;
    advance(this.#state, event.seq, event.tsUs);
    trade(this.#state, event, this.#observer);
    this.#take(event);
  }

  /** Writes the acceptance of the special order in `slot`. */
  special(event: SpecialAccepted, slot: number, atUs: number, isUnitEnd: boolean): void {
    event.seq = this.#state.seq + 1;
    event.tsUs = this.#timeOf(atUs);
    event.isUnitEnd = isUnitEnd;
    advance(this.#state, event.seq, event.tsUs);
    openSpecial(this.#state, event, this.#observer, slot);
    this.#take(event);
  }

  /** Writes a change of an open order. */
  changed(event: OrderChange, atUs: number, isUnitEnd: boolean): void {
    event.seq = this.#state.seq + 1;
    event.tsUs = this.#timeOf(atUs);
    event.isUnitEnd = isUnitEnd;
    advance(this.#state, event.seq, event.tsUs);
    changeOrder(this.#state, event, this.#observer);
    this.#take(event);
  }

  /** Writes that a match was prevented; what its orders lose follows in the unit. */
  prevented(event: MatchPrevented, atUs: number): void {
    event.seq = this.#state.seq + 1;
    event.tsUs = this.#timeOf(atUs);
    event.isUnitEnd = false;
    advance(this.#state, event.seq, event.tsUs);
    checkPrevented(this.#state, event);
    this.#take(event);
  }

  closed(event: OrderClosed, atUs: number, isUnitEnd: boolean): void {
    event.seq = this.#state.seq + 1;
    event.tsUs = this.#timeOf(atUs);
    event.isUnitEnd = isUnitEnd;
    advance(this.#state, event.seq, event.tsUs);
    closeUnfilled(this.#state, event, this.#observer);
    this.#take(event);
  }

  /** Writes an event that is no order's, mostly a unit of its own. */
  standing(event: StandingEvent, atUs: number, isUnitEnd = true): void {
    event.seq = this.#state.seq + 1;
    event.tsUs = this.#timeOf(atUs);
    event.isUnitEnd = isUnitEnd;
    advance(this.#state, event.seq, event.tsUs);
    applyStanding(this.#state, event, this.#observer);
    this.#take(event);
  }

  /**
   * Event time never goes backwards: the later of the command's time and one microsecond after the
   * event before. Spec JRN-11.
   */
  #timeOf(atUs: number): number {
    return Math.max(this.#state.tsUs + 1, atUs);
  }
}
