// Tests a follower on a journal in memory: its state is the journal's, it notices a journal that is not its leader's,
// and it knows every row that the leader may not have written.

import assert from "node:assert/strict";
import { test } from "node:test";
import { randomEvents } from "../../../../test/support/journal/journal-tables.ts";
import { MemoryJournal } from "../../../../test/support/journal/memory-journal.ts";
import { testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { VenueState } from "../../../engine/state/venue-state.ts";
import { stateHash } from "../../../engine/state-hash.ts";
import type { Lease } from "../../../ports/leadership.ts";
import { foldChunk } from "../../../wire/records/event-bytes.ts";
import { Projection } from "../projection.ts";
import { type CommittedEvents, Follower, JournalDiverged } from "./follower.ts";
import { JournalChain } from "./journal-chain.ts";

const events = randomEvents({ seed: 4, commands: 400 });
const journal = new MemoryJournal(events);
const last = events.length;

/** The journal as far as it is committed. */
class Committed implements CommittedEvents {
  head = 0;

  async lastSeq(): Promise<number> {
    return this.head;
  }

  readEvents: CommittedEvents["readEvents"] = (...range) => journal.readEvents(...range);
}

async function chainAt(seq: number, of = journal): Promise<JournalChain> {
  const chain = new JournalChain(0, new Uint8Array());
  await of.readEvents(0, seq, ({ bytes, offsets, lengths, count }) => {
    for (let index = 0; index < count; index++) {
      const start = offsets[index] ?? 0;
      chain.add(bytes.subarray(start, start + (lengths[index] ?? 0)));
    }
  });
  return chain;
}

async function leaseAt(seq: number, settledSeq = 0): Promise<Lease> {
  const chain = (await chainAt(seq)).mark();
  return { ...lease, settledSeq, chain };
}

const lease: Lease = {
  holder: "a",
  isConnected: true,
  epoch: "3",
  address: "",
  leaseMs: 500,
  renewals: 1,
  handedTo: null,
  settledSeq: 0,
  chain: null,
};

function following(head: number): { source: Committed; follower: Follower } {
  const source = new Committed();
  source.head = head;
  return { source, follower: new Follower(new VenueState(testMarkets), source) };
}

test("LDR-9 a follower has the journal's state at every seq, and its chained hash is the leader's", async () => {
  const { source, follower } = following(0);
  for (const share of [0.2, 0.21, 0.6, 1]) {
    source.head = Math.floor(last * share);
    await follower.catchUp(await leaseAt(source.head));
  }
  await follower.finish();
  const state = new Projection(new VenueState(testMarkets), 0);
  await journal.readEvents(0, last, (chunk) => foldChunk(chunk, (event) => state.refold(event)));
  assert.equal(stateHash(follower.state), stateHash(state.state));
  assert.deepEqual(follower.chainHash(), (await chainAt(last)).at(last));
});

test("LDR-9 a follower notices another chained hash, and a journal that ends before its own", async () => {
  const { source, follower } = following(Math.floor(last / 2));
  await follower.catchUp(await leaseAt(source.head));
  source.head = last;
  const { chain, ...rest } = await leaseAt(last);
  assert(chain !== null);
  const wrong = { ...rest, chain: { ...chain, hash: Uint8Array.of(1) } };
  await assert.rejects(follower.catchUp(wrong), JournalDiverged);
  source.head = 10;
  await assert.rejects(follower.finish(), JournalDiverged);
});

test("LDR-9 a follower notices events that the journal lost before it had a chained hash", async () => {
  const { source, follower } = following(last);
  await follower.catchUp(lease);
  source.head = Math.floor(last / 2);
  source.readEvents = (after, until, take) =>
    journal.readEvents(after, Math.min(until, source.head), take);
  await assert.rejects(follower.catchUp(await leaseAt(source.head)), JournalDiverged);
});

test("LDR-14 a follower that meets an event of a later version says so, and folds nothing of it", async () => {
  const { source, follower } = following(Math.floor(last / 2));
  await follower.catchUp(lease);
  const before = stateHash(follower.state);
  const at = follower.seq;
  source.head = last;
  source.readEvents = (after, until, take) =>
    journal.readEvents(after, until, (chunk) => {
      const bytes = chunk.bytes.slice();
      bytes[(chunk.offsets[0] ?? 0) + 20] = 250;
      take({ ...chunk, bytes });
    });
  await assert.rejects(
    follower.catchUp(lease),
    /^UnknownEvent: the journal has events of kind 250.*run that version here too$/,
  );
  assert.deepEqual([follower.seq, stateHash(follower.state)], [at, before]);
});

/** A journal that a promotion cut back to `kept` events, and that went on with others. */
const kept = 250;
const other = new MemoryJournal(
  events.map((event) => (event.seq > kept ? { ...event, tsUs: event.tsUs + 1 } : event)),
);

/** Follows the first journal beyond what the other one keeps; from then on the source is the other journal. */
async function overtaken(chain: Lease["chain"]): Promise<ReturnType<typeof following>> {
  const { source, follower } = following(kept + 30);
  await follower.catchUp({ ...lease, chain });
  source.head = last;
  source.readEvents = (...range) => other.readEvents(...range);
  return { source, follower };
}

test("LDR-9 a follower notices that its newest events were undone although the journal has grown past them", async () => {
  for (const chain of [null, (await chainAt(kept)).mark()]) {
    const later = { ...lease, epoch: "4", chain: (await chainAt(last, other)).mark() };
    const { follower } = await overtaken(chain);
    await assert.rejects(follower.catchUp(later), JournalDiverged);
    const { follower: leading } = await overtaken(chain);
    await assert.rejects(leading.finish(), JournalDiverged);
    const { follower: early } = await overtaken(chain);
    await assert.rejects(early.catchUp({ ...later, chain: null }), JournalDiverged);
  }
});

test("LDR-9 after a failed read a follower compares its newest events before it folds others", async () => {
  const { source, follower } = await overtaken(null);
  const { readEvents } = source;
  source.readEvents = () => Promise.reject(new Error("away"));
  await assert.rejects(follower.catchUp(lease), /away/);
  source.readEvents = readEvents;
  await assert.rejects(follower.catchUp(lease), JournalDiverged);
});

test("LDR-10 a follower knows every row that the leader has not written, and forgets rows that it has", async () => {
  const { source, follower } = following(0);
  const projection = new Projection(new VenueState(testMarkets), 0);
  const settled = Math.floor(last / 3);
  for (const head of [settled, Math.floor(last / 2), last]) {
    source.head = head;
    await follower.catchUp(await leaseAt(head, Math.min(settled, head)));
  }
  // What a recovery from a snapshot at the settled seq would find unwritten.
  const marks = follower.unwritten();
  let written: readonly number[] = [];
  await journal.readEvents(0, last, (chunk) => {
    foldChunk(chunk, (event) => {
      projection.refold(event);
      if (event.seq === settled) written = projection.unwritten().closed.orderId;
    });
  });
  const all = projection.unwritten();
  const marked = new Set(marks.closed.orderId);
  const late = all.closed.orderId.slice(written.length);
  assert(late.length > 0 && written.length > 0, "orders must close in both parts");
  assert(
    late.every((id) => marked.has(id)),
    "late closes must be marked",
  );
  assert(!written.some((id) => marked.has(id)), "written closes must be forgotten");
  const open = new Set(all.orders);
  for (const id of marks.orders) assert(open.has(id) || follower.state.orders.slotOf(id) >= 0);
});
