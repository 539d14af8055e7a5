// The journal's side of a publisher, on its own thread as in a venue: passes trades to the front through its ring of
// committed events and wakes the front by its doorbell. The thread passes either a given number of trades at once, or
// trades at a steady rate. A bare publisher is woken in the same way, but gets only the numbers of the trades.

import { parentPort, workerData } from "node:worker_threads";
import { Wallet } from "../../src/core/accounts.ts";
import { present } from "../../src/core/assert.ts";
import { EventKind, type VenueEvent } from "../../src/core/generated/events.ts";
import { Doorbell } from "../../src/wire/doorbell.ts";
import { encodeEvent, eventBytes } from "../../src/wire/generated/event-codec.ts";
import { SpscRing } from "../../src/wire/spsc-ring.ts";
import { TestVenue } from "../../test/support/machine/test-venue.ts";
import type { CommitOrder, CommitThreadData } from "./publisher-process.ts";

/** Number of trades recorded for a run. */
const tradesRecorded = 40_000;
/** Milliseconds between two commits at a steady rate: about as long as a commit batch takes. */
const batchMs = 1;
const numberBytes = 8;

const { kind, committed, doorbell } = workerData as CommitThreadData;
const ring = new SpscRing(committed);
const bell = new Doorbell(doorbell);
const nap = new Int32Array(new SharedArrayBuffer(4));

/**
 * Returns a venue's events while two accounts trade. Each trade is the acceptance of a resting order, the acceptance of
 * an incoming order, and their match.
 */
function recordedEvents(): VenueEvent[] {
  const events: VenueEvent[] = [];
  const venue = new TestVenue({ onEvent: (event) => events.push({ ...event }) });
  const seller = venue.fund(10n ** 15n);
  venue.credit(seller, Wallet.spot, 1, 10n ** 17n);
  const buyer = venue.fund(10n ** 15n);
  for (let trade = 0; trade < tradesRecorded; trade++) {
    venue.sell(seller, 0, 1500, 1000);
    venue.buy(buyer, 0, 1500, 1000);
    // Drop the copies of earlier events, because otherwise every command would iterate over all of them.
    venue.events.length = 0;
    venue.replies.length = 0;
  }
  return events;
}

const events = kind === "front" ? recordedEvents() : [];
let next = 0;
let trades = 0;

function claim(bytes: number): number {
  const offset = ring.tryClaim(bytes);
  if (offset < 0) throw new Error("the publisher does not drain its ring");
  return offset;
}

/** Commits one trade with the events before it; returns the trade's id. */
function commitTrade(): number {
  trades++;
  if (kind === "bare") {
    ring.f64[claim(numberBytes) / numberBytes] = trades;
    ring.commit();
    return trades;
  }
  for (;;) {
    const event = present(events[next++], "the next recorded event");
    encodeEvent(ring, claim(eventBytes(event)), event);
    ring.commit();
    if (event.kind === EventKind.traded) return event.tradeId;
  }
}

function show(): void {
  ring.publish();
  bell.ring();
}

/** Commits at a steady rate and catches up on trades that are late. Returns the time of each commit in microseconds. */
function pace(perSecond: number, forMs: number): [id: number, atUs: number][] {
  const stamps: [id: number, atUs: number][] = [];
  const startUs = Number(process.hrtime.bigint() / 1000n);
  for (;;) {
    const elapsedUs = Number(process.hrtime.bigint() / 1000n) - startUs;
    const due = Math.floor((Math.min(elapsedUs, forMs * 1000) * perSecond) / 1e6);
    const nowUs = startUs + elapsedUs;
    while (stamps.length < due) stamps.push([commitTrade(), nowUs]);
    show();
    if (elapsedUs >= forMs * 1000) return stamps;
    Atomics.wait(nap, 0, 0, batchMs);
  }
}

present(parentPort, "the worker's parent thread").on("message", (order: CommitOrder) => {
  if ("publish" in order) {
    for (let count = 0; count < order.publish; count++) commitTrade();
    show();
  } else parentPort?.postMessage(pace(order.perSecond, order.forMs));
});
parentPort?.postMessage("ready");
