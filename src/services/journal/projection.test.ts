// Rows of a projection, folded into tables, must equal the state. Rows that are written with their event must be equal
// after every batch, coalesced rows only after the last one. Events come from a machine under random orders; batches
// and due times are random.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  JournalTables,
  randomEvents,
  tradesOf,
} from "../../../test/support/journal/journal-tables.ts";
import { testMarkets } from "../../../test/support/machine/test-markets.ts";
import type { VenueEvent } from "../../core/generated/events.ts";
import { VenueState } from "../../engine/state/venue-state.ts";
import { SeededRandom } from "../../tools/load/seeded-random.ts";
import { eventBytes } from "../../wire/generated/event-codec.ts";
import { Projection } from "./projection.ts";

const intervalMs = 250;

/** Cuts `events` into batches of whole transactions and folds their rows. */
function project(
  projection: Projection,
  events: readonly VenueEvent[],
  tables: JournalTables,
  random: SeededRandom,
): number {
  let nowMs = 0;
  let batches = 0;
  for (const event of events) {
    nowMs += random.below(3);
    projection.fold(event, eventBytes(event), nowMs);
    if (!event.isTransactionEnd || random.below(5) > 0) continue;
    tables.take(projection.close(new Uint8Array(), nowMs));
    batches++;
  }
  tables.take(projection.close(new Uint8Array(), nowMs));
  return batches;
}

function settle(projection: Projection, tables: JournalTables): void {
  while (projection.hasPendingRows) {
    tables.take(projection.close(new Uint8Array(), Number.POSITIVE_INFINITY));
  }
}

test("the rows of random trading equal the tables of the state", () => {
  for (const seed of [1, 2, 3]) {
    const events = randomEvents({ seed, commands: 4_000 });
    const projection = new Projection(new VenueState(testMarkets), intervalMs);
    const tables = new JournalTables();
    const batches = project(projection, events, tables, new SeededRandom(seed));
    assert(batches > 100 && tradesOf(events) > 500);
    settle(projection, tables);
    assert.deepEqual(tables.differences(projection.state), []);
    assert.equal(tables.events, events.length);
  }
});

test("rows that were not written before a restart are written after it", () => {
  const events = randomEvents({ seed: 9, commands: 4_000 });
  const tables = new JournalTables();
  const killed = new Projection(new VenueState(testMarkets), intervalMs);
  // The process is killed here, so its pending rows are lost.
  project(killed, events, tables, new SeededRandom(9));
  assert(tables.differences(killed.state).length > 0, "some rows must be pending");
  const recovered = new Projection(new VenueState(testMarkets), intervalMs);
  for (const event of events) recovered.refold(event);
  const next = new Projection(recovered.state, intervalMs);
  next.takeOver(recovered.unwritten(), 0);
  settle(next, tables);
  assert.deepEqual(tables.differences(recovered.state), []);
});

test("rows that were pending at a moment count as written once the batches with them are closed", () => {
  const events = randomEvents({ seed: 4, commands: 2_000 });
  const projection = new Projection(new VenueState(testMarkets), intervalMs);
  for (const event of events) projection.fold(event, eventBytes(event), 0);
  const mark = projection.pendingMark();
  assert.equal(projection.isWritten(mark), false);
  const tables = new JournalTables();
  settle(projection, tables);
  assert.equal(projection.isWritten(mark), true);
  assert.deepEqual(tables.differences(projection.state), []);
});

test("a batch stays within its limit of coalesced rows", () => {
  const events = randomEvents({ seed: 5, commands: 8_000 });
  const projection = new Projection(new VenueState(testMarkets), intervalMs);
  for (const event of events) projection.refold(event);
  const batch = projection.close(new Uint8Array(), Number.POSITIVE_INFINITY);
  assert(batch.orderStates.orderId.length <= 2 * 512);
  assert.equal(batch.count, 0);
  assert.equal(batch.firstSeq, events.length + 1);
});
