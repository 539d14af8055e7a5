// Tests that a commit wakes only threads with something to read, and none before every thread can read it. On a small
// machine, a wake-up takes the core from the thread that delivers the acknowledgement. There is one exception, which is not
// tested here: a thread whose ring is full is woken at once, while other threads cannot read all of the commit yet.

import assert from "node:assert/strict";
import { test } from "node:test";
import { CountersBuffer } from "../../wire/counters-buffer.ts";
import { Doorbell } from "../../wire/doorbell.ts";
import { SpscRing } from "../../wire/spsc-ring.ts";
import { RingOutlet } from "./committed-outlet.ts";
import type { ThreadSlots, VenueMemory } from "./venue-memory.ts";

function slotsOf(fronts: readonly number[]): ThreadSlots {
  return { main: 0, clearing: 1, journal: 2, settlement: 3, matchers: [], bus: null, fronts };
}

function memoryOfVenue(fronts = 1): VenueMemory {
  const allocate = () => SpscRing.allocate(2 ** 16);
  return {
    clock: new SharedArrayBuffer(0),
    counters: CountersBuffer.allocate(4 + fronts),
    bells: Array.from({ length: 4 + fronts }, () => Doorbell.allocate()),
    sources: Array.from({ length: 2 + fronts }, () => ({
      orders: allocate(),
      cancels: allocate(),
      committed: allocate(),
    })),
    matchers: [],
    journal: allocate(),
    journalFigures: new SharedArrayBuffer(8),
    settlementFigures: new SharedArrayBuffer(0),
    threadFigures: new SharedArrayBuffer(0),
    ...{ refusals: new SharedArrayBuffer(0), answers: new SharedArrayBuffer(0) },
    safety: new SharedArrayBuffer(0),
    lease: new SharedArrayBuffer(0),
    limiter: new SharedArrayBuffer(8),
    streamConnections: new SharedArrayBuffer(8),
  };
}

/** Returns how often each sleeping thread was woken. Each wake-up increments the first word of the doorbell. */
function wakeUps(memory: VenueMemory): Record<string, number> {
  const count = (index: number) => new Int32Array(memory.bells[index] as SharedArrayBuffer)[0] ?? 0;
  return { front: count(4), main: count(0), settlement: count(3) };
}

test("a commit wakes the fronts, and wakes main and settlement only with a reply for them", () => {
  const memory = memoryOfVenue();
  const outlet = new RingOutlet(memory, slotsOf([4]), new CountersBuffer(memory.counters));
  for (const bell of memory.bells) new Doorbell(bell).arm(() => false);
  outlet.event(new Uint8Array(8), 0, 8);
  outlet.publish();
  assert.deepEqual(wakeUps(memory), { front: 1, main: 0, settlement: 0 });
  // A reply begins with the number of its source: the fronts first, then main, then settlement.
  outlet.reply(new Uint8Array([1, 0, 0, 0, 0, 0, 0, 0]), 0, 8);
  outlet.publish();
  assert.deepEqual(wakeUps(memory), { front: 1, main: 1, settlement: 0 });
});

test("RTY-1 no thread is woken before every front can read what was committed", (t) => {
  const memory = memoryOfVenue(2);
  const outlet = new RingOutlet(memory, slotsOf([4, 5]), new CountersBuffer(memory.counters));
  const fronts = memory.sources.slice(0, 2).map(({ committed }) => new SpscRing(committed));
  const unread: boolean[] = [];
  t.mock.method(Doorbell.prototype, "ring", () => {
    unread.push(...fronts.map((ring) => ring.isEmpty()));
  });
  outlet.event(new Uint8Array(8), 0, 8);
  outlet.publish();
  assert.deepEqual(unread, [false, false, false, false]);
});
