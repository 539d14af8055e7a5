// Tests the writer with a store that answers only when the test lets it: batches collect while one is in flight,
// records are published only once they are durable and in order, and nothing is lost while the store does not answer.

import assert from "node:assert/strict";
import { test } from "node:test";
import { randomEvents } from "../../../test/support/journal/journal-tables.ts";
import { testMarkets } from "../../../test/support/machine/test-markets.ts";
import { quietLog } from "../../../test/support/quiet-log.ts";
import type { VenueEvent } from "../../core/generated/events.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import { asUnixMs } from "../../core/unix-ms.ts";
import { VenueState } from "../../engine/state/venue-state.ts";
import type { CommitBatch } from "../../ports/journal/event-store.ts";
import { CountersBuffer } from "../../wire/counters-buffer.ts";
import { encodeEvent, eventBytes } from "../../wire/generated/event-codec.ts";
import { encodeReply, replyBytes } from "../../wire/generated/message-codec.ts";
import { decodeEventBytes } from "../../wire/records/event-bytes.ts";
import { SpscRing } from "../../wire/spsc-ring.ts";
import { JournalWriter } from "./journal-writer.ts";
import { Projection } from "./projection.ts";

class Scene {
  readonly batches: CommitBatch[] = [];
  /** What the writer has published, in order: the seq of each event, and the negated correlation of each reply. */
  readonly left: number[] = [];
  readonly counters = new CountersBuffer(CountersBuffer.allocate(1));
  readonly writer: JournalWriter;
  nowMs = 0;
  isLeading = true;
  fault: unknown = null;
  /** The messages of the log. */
  readonly said: string[] = [];
  readonly #producer: SpscRing;
  #answer: { resolve: () => void; reject: (fault: unknown) => void } | null = null;

  constructor() {
    const memory = SpscRing.allocate(2 ** 20);
    this.#producer = new SpscRing(memory);
    const { left, counters } = this;
    const written: number[] = [];
    this.writer = new JournalWriter({
      mayAcknowledge: () => this.isLeading,
      ring: new SpscRing(memory),
      projection: new Projection(new VenueState(testMarkets), 250),
      store: {
        appendBatch: (batch) => {
          this.batches.push({ ...batch, bytes: batch.bytes.slice() });
          return new Promise((resolve, reject) => {
            this.#answer = { resolve, reject };
          });
        },
      },
      outlet: {
        event(bytes, start, length) {
          written.push(decodeEventBytes(bytes, start, length).seq);
        },
        reply: (bytes, start) => {
          written.push(-new DataView(bytes.buffer, bytes.byteOffset).getUint32(start + 4, true));
        },
        publish() {
          for (const seq of written) {
            assert(seq <= counters.committedSeq(), "an event must leave only when it is durable");
          }
          left.push(...written.splice(0));
        },
      },
      counters,
      clock: { nowMs: () => asUnixMs(this.nowMs), nowUs: () => this.nowMs * 1000 },
      meter: { began() {}, committed() {} },
      log: {
        ...quietLog,
        info: (_, message) => this.said.push(message),
        error: (_, message) => this.said.push(message),
      },
      onDelivered() {},
      onCommitted() {},
      onFault: (fault) => {
        this.fault = fault;
      },
    });
  }

  events(events: readonly VenueEvent[]): void {
    for (const event of events) {
      const offset = this.#producer.tryClaim(eventBytes(event));
      encodeEvent(this.#producer, offset, event);
      this.#producer.commit();
    }
    this.#producer.publish();
  }

  reply(correlation: number, lastSeq: number): void {
    const offset = this.#producer.tryClaim(replyBytes);
    const reason = RejectReason.none;
    const reply = { source: 0, correlation, reason, lastSeq, subject: 0, isRepeated: false };
    encodeReply(this.#producer, offset, reply);
    this.#producer.commit();
    this.#producer.publish();
  }

  work(): void {
    while (this.writer.doWork() > 0);
  }

  async commit(): Promise<void> {
    this.#answer?.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  }

  async fail(fault: unknown): Promise<void> {
    this.#answer?.reject(fault);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const events = randomEvents({ seed: 3, commands: 200 });
const transactionEnds = events
  .filter(({ isTransactionEnd }) => isTransactionEnd)
  .map(({ seq }) => seq);
const [firstEnd = 0, secondEnd = 0, thirdEnd = 0] = transactionEnds;

test("a single transaction is committed at once, and its reply follows the commit", async () => {
  const scene = new Scene();
  scene.events(events.slice(0, firstEnd));
  scene.reply(7, firstEnd);
  scene.work();
  assert.equal(scene.batches.length, 1);
  assert.deepEqual(scene.left, []);
  await scene.commit();
  assert.deepEqual(scene.left, [...events.slice(0, firstEnd).map(({ seq }) => seq), -7]);
  assert.equal(scene.counters.committedSeq(), firstEnd);
});

test("LDR-8 while the lease has run out, neither a refusal nor what is committed is delivered", async () => {
  const scene = new Scene();
  scene.isLeading = false;
  scene.reply(6, 0);
  scene.work();
  assert.deepEqual(scene.left, []);
  scene.events(events.slice(0, firstEnd));
  scene.reply(7, firstEnd);
  scene.work();
  await scene.commit();
  scene.reply(8, firstEnd);
  scene.work();
  assert.deepEqual([scene.left, scene.counters.committedSeq()], [[], 0]);
  scene.isLeading = true;
  scene.work();
  assert.deepEqual(scene.left, [-6, ...events.slice(0, firstEnd).map(({ seq }) => seq), -7, -8]);
});

test("transactions that arrive during a commit become the next batch together", async () => {
  const scene = new Scene();
  scene.events(events.slice(0, firstEnd));
  scene.work();
  scene.events(events.slice(firstEnd, secondEnd));
  scene.work();
  scene.events(events.slice(secondEnd, thirdEnd));
  scene.work();
  assert.equal(scene.batches.length, 1);
  await scene.commit();
  scene.work();
  assert.equal(scene.batches.length, 2);
  assert.equal(scene.batches[1]?.firstSeq, firstEnd + 1);
  assert.equal(scene.batches[1]?.count, thirdEnd - firstEnd);
});

test("a refusal waits for the commit of the state it is based on", async () => {
  const scene = new Scene();
  scene.reply(1, 0);
  scene.work();
  assert.deepEqual(scene.left, [-1], "nothing was in flight");
  scene.events(events.slice(0, firstEnd));
  scene.work();
  scene.reply(2, firstEnd);
  scene.work();
  assert.deepEqual(scene.left, [-1]);
  await scene.commit();
  scene.work();
  assert.equal(scene.left.at(-1), -2);
});

test("the batch contains exactly the bytes of the ring", async () => {
  const scene = new Scene();
  scene.events(events);
  scene.work();
  const [batch] = scene.batches;
  assert(batch !== undefined);
  let at = 0;
  for (const [index, length] of batch.lengths.entries()) {
    assert.deepEqual(decodeEventBytes(batch.bytes, at, length), events[index]);
    at += length;
  }
  assert.equal(at, batch.bytes.length);
});

test("OPS-105 a store that does not answer stops acknowledgements, is logged once, and nothing is lost", async () => {
  const scene = new Scene();
  scene.events(events.slice(0, firstEnd));
  scene.work();
  scene.nowMs = 2_000;
  scene.work();
  assert.deepEqual(scene.said, [], "two seconds are no stall");
  scene.nowMs = 10_000;
  scene.work();
  scene.work();
  assert.equal(scene.counters.isJournalStalled(), true);
  assert.equal(scene.said.length, 1);
  assert.match(scene.said[0] ?? "", /waits for PostgreSQL/);
  scene.events(events.slice(firstEnd));
  scene.work();
  assert.deepEqual(scene.left, []);
  await scene.commit();
  scene.work();
  assert.equal(scene.counters.isJournalStalled(), false);
  assert.deepEqual(scene.said.slice(1), ["the journal no longer waits"]);
  while (scene.left.length < events.length) {
    await scene.commit();
    scene.work();
  }
  assert.deepEqual(
    scene.left,
    events.map(({ seq }) => seq),
  );
});

test("a store that gives up is reported, and no reply of the batch is sent", async () => {
  const scene = new Scene();
  scene.events(events.slice(0, firstEnd));
  scene.work();
  await scene.fail(new Error("deposed"));
  assert.match(String(scene.fault), /deposed/);
  assert.deepEqual(scene.left, []);
});

test("coalesced rows delay no order: alone they are committed only when overdue", async () => {
  const scene = new Scene();
  scene.events(events.slice(0, thirdEnd));
  scene.work();
  await scene.commit();
  scene.nowMs = 250 + 249;
  scene.work();
  assert.equal(scene.batches.length, 1, "due rows wait, because an order may come");
  scene.nowMs++;
  scene.work();
  assert.equal(scene.batches.length, 2);
  assert.equal(scene.batches[1]?.count, 0);
  assert(Number(scene.batches[1]?.balances.account.length) > 0);
});

test("coalesced rows that have waited are written with the next batch of events", async () => {
  const scene = new Scene();
  scene.events(events.slice(0, secondEnd));
  scene.work();
  await scene.commit();
  scene.nowMs = 250 + 125;
  scene.events(events.slice(secondEnd, thirdEnd));
  scene.work();
  assert.equal(scene.batches.length, 2);
  assert.equal(scene.batches[1]?.count, thirdEnd - secondEnd);
  assert(Number(scene.batches[1]?.balances.account.length) > 0);
});

test("settling writes the coalesced rows early, in batches without events if necessary", async () => {
  const scene = new Scene();
  scene.events(events);
  scene.work();
  await scene.commit();
  scene.work();
  assert.equal(scene.batches.length, 1, "rows are not due yet");
  let settledSeq = 0;
  void scene.writer.settle().then((seq) => {
    settledSeq = seq;
  });
  scene.work();
  assert.equal(scene.batches.length, 2);
  assert.equal(scene.batches[1]?.count, 0);
  assert.equal(settledSeq, 0);
  await scene.commit();
  assert.equal(settledSeq, events.length);
});
