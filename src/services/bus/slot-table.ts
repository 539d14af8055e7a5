// The gateways that a leader serves. Each has a slot, which is a command source of the venue. A slot whose gateway is
// silent is given to another one, but only once every command of the old gateway is answered: replies say only the slot
// and the request's number, and must not reach a gateway that never sent the request.

import { gatewayLostMs } from "../../core/bus-limits.ts";

/** A number that clearing has given to a gateway for its commands, and the seq of its event. */
export interface GivenNumber {
  readonly origin: number;
  readonly lastSeq: number;
}

interface Slot {
  /** 0 if the slot was never used. */
  incarnation: number;
  heardMs: number;
  /** Correlations of the commands without a reply. */
  readonly inFlight: Set<number>;
  given: GivenNumber | null;
}

export class SlotTable {
  readonly #slots: readonly Slot[];

  constructor(count: number) {
    this.#slots = Array.from({ length: count }, () => {
      return { incarnation: 0, heardMs: 0, inFlight: new Set(), given: null };
    });
  }

  /** The slot of a gateway that asks to join: its own if it has one, else a free one; undefined if none is free. */
  join(incarnation: number, nowMs: number): number | undefined {
    const own = this.#slots.findIndex((slot) => slot.incarnation === incarnation);
    const index = own >= 0 ? own : this.#slots.findIndex((slot) => isFree(slot, nowMs));
    const slot = this.#slots[index];
    if (slot === undefined) return undefined;
    if (slot.incarnation !== incarnation) slot.given = null;
    slot.incarnation = incarnation;
    slot.heardMs = nowMs;
    return index;
  }

  /** Records a sign of life; false if the slot belongs to another gateway, whose message must be discarded. */
  heard(index: number, incarnation: number, nowMs: number): boolean {
    const slot = this.#slots[index];
    if (slot === undefined || slot.incarnation !== incarnation) return false;
    slot.heardMs = nowMs;
    return true;
  }

  /** Frees the slot of a gateway that stops, once its commands are answered. */
  left(index: number, incarnation: number): void {
    const slot = this.#slots[index];
    if (slot?.incarnation === incarnation) slot.heardMs = Number.NEGATIVE_INFINITY;
  }

  incarnationOf(index: number): number {
    return this.#slots[index]?.incarnation ?? 0;
  }

  /** Takes note of a command for clearing. One that is sent again before its reply may get no other. */
  passed(index: number, correlation: number): void {
    this.#slots[index]?.inFlight.add(correlation);
  }

  /** Takes note of a reply. */
  replied(index: number, correlation: number): void {
    this.#slots[index]?.inFlight.delete(correlation);
  }

  /** True for a command that was passed to clearing and has no reply. */
  isInFlight(index: number, correlation: number): boolean {
    return this.#slots[index]?.inFlight.has(correlation) === true;
  }

  /** Takes note of the number that clearing has given to the slot's gateway; null if it refused. */
  gave(index: number, given: GivenNumber | null): void {
    const slot = this.#slots[index];
    if (slot !== undefined) slot.given = given;
  }

  /**
   * The number that the slot's gateway was given and has not used yet. If it registers again, it has not heard of it. It
   * must not get two: the first one ends when the second is used (CMD-4), and commands under it that are still on their
   * way would be executed without a recorded result.
   */
  givenTo(index: number): GivenNumber | null {
    return this.#slots[index]?.given ?? null;
  }

  /** The slot's gateway uses this number. If it registers again, the number has ended. */
  used(index: number, origin: number): void {
    const slot = this.#slots[index];
    if (slot?.given?.origin === origin) slot.given = null;
  }
}

function isFree({ incarnation, heardMs, inFlight }: Slot, nowMs: number): boolean {
  return incarnation === 0 || (nowMs - heardMs > gatewayLostMs && inFlight.size === 0);
}
