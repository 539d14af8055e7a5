// The gateways that a leader serves. Each has a slot, which is a command source of the venue. A slot whose gateway is
// silent is given to another one, but only once every command of the old gateway is answered: replies say only the slot
// and the request's number, and must not reach a gateway that never sent the request.

import { gatewayLostMs } from "../../core/bus-limits.ts";

interface Slot {
  /** 0 if the slot was never used. */
  incarnation: number;
  heardMs: number;
  inFlight: number;
}

export class SlotTable {
  readonly #slots: readonly Slot[];

  constructor(count: number) {
    this.#slots = Array.from({ length: count }, () => ({
      ...{ incarnation: 0, heardMs: 0, inFlight: 0 },
    }));
  }

  /** The slot of a gateway that asks to join: its own if it has one, else a free one; undefined if none is free. */
  join(incarnation: number, nowMs: number): number | undefined {
    const own = this.#slots.findIndex((slot) => slot.incarnation === incarnation);
    const index = own >= 0 ? own : this.#slots.findIndex((slot) => isFree(slot, nowMs));
    const slot = this.#slots[index];
    if (slot === undefined) return undefined;
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

  /** Counts commands that were passed to clearing (positive) or answered (negative). */
  count(index: number, change: number): void {
    const slot = this.#slots[index];
    if (slot !== undefined) slot.inFlight += change;
  }

  /** Gateways heard recently, and the commands of all that have no reply. */
  figures(nowMs: number): { readonly gateways: number; readonly inFlight: number } {
    const present = this.#slots.filter((slot) => slot.incarnation !== 0 && !isSilent(slot, nowMs));
    const inFlight = this.#slots.reduce((sum, slot) => sum + slot.inFlight, 0);
    return { gateways: present.length, inFlight };
  }
}

function isSilent({ heardMs }: Slot, nowMs: number): boolean {
  return nowMs - heardMs > gatewayLostMs;
}

function isFree(slot: Slot, nowMs: number): boolean {
  return slot.incarnation === 0 || (isSilent(slot, nowMs) && slot.inFlight === 0);
}
