// Delivers the journal's output in clearing's order: every event to every front and once to the bus thread, and every
// reply to the source of its command. The journal waits for a slow front, because a front must not miss an event. The wait ends, because a front
// always empties its ring.

import type { CommittedOutlet } from "../../services/journal/journal-writer.ts";
import type { CountersBuffer } from "../../wire/counters-buffer.ts";
import { RunState } from "../../wire/counters-buffer.ts";
import { Doorbell } from "../../wire/doorbell.ts";
import { replySource } from "../../wire/generated/message-codec.ts";
import { SpscRing } from "../../wire/spsc-ring.ts";
import { gatewaySources, type ThreadSlots, type VenueMemory } from "./venue-memory.ts";

/** Pause in milliseconds while a front's ring is full. In this time a front reads hundreds of records. */
const napMs = 1;

interface Outlet {
  readonly ring: SpscRing;
  readonly bell: Doorbell;
}

export class RingOutlet implements CommittedOutlet {
  readonly #sources: readonly Outlet[];
  /** The threads that get all events: the fronts, and the bus thread for all gateways. */
  readonly #readers: readonly Outlet[];
  readonly #outlets: ReadonlySet<Outlet>;
  /** Bells that `publish` has still to ring. */
  readonly #due: Doorbell[] = [];
  readonly #counters: CountersBuffer;
  readonly #nap = new Int32Array(new SharedArrayBuffer(4));

  constructor(memory: VenueMemory, slots: ThreadSlots, counters: CountersBuffer) {
    const gateways = gatewaySources(memory, slots);
    const bus = gateways.sources.map(() => slots.bus ?? -1);
    const threads = [...slots.fronts, ...bus, slots.main, slots.settlement];
    // Slots of gateways share a ring, and a ring has one producer.
    const outlets = new Map<SharedArrayBuffer, Outlet>();
    this.#sources = memory.sources.map(({ committed }, index) => {
      const outlet = outlets.get(committed) ?? {
        ring: new SpscRing(committed),
        bell: new Doorbell(memory.bells[threads[index] ?? -1] ?? Doorbell.allocate()),
      };
      outlets.set(committed, outlet);
      return outlet;
    });
    this.#outlets = new Set(this.#sources);
    this.#readers = [...new Set(this.#sources.slice(0, gateways.first + gateways.sources.length))];
    this.#counters = counters;
  }

  event(bytes: Uint8Array, start: number, length: number): void {
    for (const reader of this.#readers) this.#write(reader, bytes, start, length);
  }

  reply(bytes: Uint8Array, start: number, length: number): void {
    const outlet = this.#sources[replySource(bytes, start)];
    if (outlet === undefined)
      throw new RangeError("a reply must be for a command source of this venue");
    this.#write(outlet, bytes, start, length);
  }

  publish(): void {
    for (const { ring, bell } of this.#outlets) if (ring.publish()) this.#due.push(bell);
    // Only now are threads woken: one of them may take the processor from this thread at once, and a front that is asked
    // for what another one acknowledged must not have to wait until this thread goes on.
    for (const bell of this.#due) bell.ring();
    this.#due.length = 0;
  }

  #write({ ring, bell }: Outlet, bytes: Uint8Array, start: number, length: number): void {
    let offset = ring.tryClaim(length);
    while (offset < 0) {
      // Drop the record: fronts read nothing after the venue has stopped.
      if (this.#counters.state() === RunState.stopped) return;
      ring.publish();
      bell.ring();
      // Sleep by waiting with a timeout on a word that is never notified. A full ring is rare, and the pause is short.
      Atomics.wait(this.#nap, 0, 0, napMs);
      offset = ring.tryClaim(length);
    }
    const to = ring.u8;
    for (let index = 0; index < length; index++)
      to[offset + index] = bytes[start + index] as number;
    ring.commit();
  }
}
