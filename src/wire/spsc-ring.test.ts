// The ring on one thread: both sides over one buffer, with a queue as the specification. The test with two real threads
// is test/wire/ring-torture.test.ts.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AssertionFailure } from "../core/assert.ts";
import {
  headIndex,
  recordHeaderBytes,
  recordMarkWord,
  recordSpan,
  recordsOffset,
  ringCapacityMax,
  SpscRing,
  tailIndex,
} from "./spsc-ring.ts";

interface Sides {
  readonly producer: SpscRing;
  readonly consumer: SpscRing;
  readonly buffer: SharedArrayBuffer;
}

function sides(capacityBytes: number, startPosition = 0): Sides {
  const buffer = SpscRing.allocate(capacityBytes);
  const i32 = new Int32Array(buffer);
  i32[tailIndex] = startPosition;
  i32[headIndex] = startPosition;
  return { producer: new SpscRing(buffer), consumer: new SpscRing(buffer), buffer };
}

function put(ring: SpscRing, bytes: number, fill: number): boolean {
  const offset = ring.tryClaim(bytes);
  if (offset < 0) return false;
  ring.u8.fill(fill, offset, offset + bytes);
  ring.commit();
  return true;
}

function take(ring: SpscRing): Uint8Array | undefined {
  const offset = ring.next();
  return offset < 0 ? undefined : ring.u8.slice(offset, offset + ring.length);
}

test("records are read in order, complete, and only after publish", () => {
  const { producer, consumer } = sides(1024);
  assert.equal(consumer.next(), -1);
  put(producer, 5, 1);
  put(producer, 0, 2);
  put(producer, 16, 3);
  assert.equal(consumer.next(), -1);
  assert.ok(consumer.isEmpty());
  producer.publish();
  assert.ok(!consumer.isEmpty());
  assert.deepEqual(take(consumer), new Uint8Array(5).fill(1));
  assert.deepEqual(take(consumer), new Uint8Array(0));
  assert.deepEqual(take(consumer), new Uint8Array(16).fill(3));
  assert.equal(take(consumer), undefined);
  assert.ok(consumer.isEmpty());
});

test("payload offsets are multiples of 8 within the records", () => {
  const { producer } = sides(1024);
  for (const bytes of [1, 7, 8, 9, 63]) {
    const offset = producer.tryClaim(bytes);
    assert.equal(offset % 8, 0);
    assert.ok(offset >= recordsOffset + recordHeaderBytes);
    producer.commit();
  }
});

test("a claim on a full ring returns −1 until the consumer releases, because reading alone frees nothing", () => {
  const { producer, consumer } = sides(1024);
  let count = 0;
  while (put(producer, 24, count)) count++;
  assert.equal(count, 1024 / recordSpan(24));
  producer.publish();
  for (let i = 0; i < count; i++) assert.equal(take(consumer)?.[0], i);
  assert.equal(producer.tryClaim(24), -1);
  assert.equal(producer.freeBytes(), 0);
  consumer.release();
  assert.equal(producer.freeBytes(), 1024);
  assert.ok(put(producer, 24, 99));
});

test("publish returns whether there was anything to publish", () => {
  const { producer } = sides(1024);
  assert.equal(producer.publish(), false);
  put(producer, 24, 1);
  assert.equal(producer.publish(), true);
  assert.equal(producer.publish(), false);
});

test("release returns how full the ring was, including records published meanwhile", () => {
  const { producer, consumer } = sides(1024);
  assert.equal(consumer.release(), 0);
  put(producer, 24, 1);
  producer.publish();
  take(consumer);
  put(producer, 24, 2);
  producer.publish();
  assert.equal(consumer.release(), 2 * recordSpan(24));
  assert.equal(consumer.release(), 0);
});

test("an aborted claim has no effect, even at the end of the ring", () => {
  const { producer, consumer } = sides(1024);
  assert.ok(producer.tryClaim(100) > 0);
  producer.abort();
  assert.equal(producer.freeBytes(), 1024);
  // Two records of 504 bytes leave 16 bytes free. A claim of 100 bytes writes padding there and is then aborted.
  assert.ok(put(producer, 496, 1) && put(producer, 496, 2));
  producer.publish();
  take(consumer);
  consumer.release();
  assert.ok(producer.tryClaim(100) > 0);
  producer.abort();
  assert.ok(put(producer, 8, 3));
  producer.publish();
  assert.deepEqual(take(consumer), new Uint8Array(496).fill(2));
  assert.deepEqual(take(consumer), new Uint8Array(8).fill(3));
});

test("a record that would wrap starts at the front, after padding", () => {
  const { producer, consumer } = sides(1024);
  put(producer, 400, 1);
  put(producer, 400, 2);
  producer.publish();
  take(consumer);
  consumer.release();
  const offset = producer.tryClaim(300);
  assert.equal(offset, recordsOffset + recordHeaderBytes);
  producer.u8.fill(3, offset, offset + 300);
  producer.commit();
  producer.publish();
  assert.deepEqual(take(consumer), new Uint8Array(400).fill(2));
  assert.deepEqual(take(consumer), new Uint8Array(300).fill(3));
});

test("used bytes and high water mark count records that are published and not released", () => {
  const { producer, consumer, buffer } = sides(1024);
  put(producer, 24, 1);
  assert.equal(consumer.usedBytes, 0);
  put(producer, 24, 1);
  producer.publish();
  assert.equal(consumer.usedBytes, 64);
  take(consumer);
  consumer.release();
  assert.equal(producer.usedBytes, 32);
  assert.equal(producer.highWater, 64);
  take(consumer);
  consumer.release();
  put(producer, 8, 1);
  producer.publish();
  take(consumer);
  assert.equal(producer.highWater, 64, "the high-water mark must not decrease");
  assert.equal(new SpscRing(buffer).highWater, 64);
});

test("a new producer or consumer continues at the shared positions", () => {
  const { producer, consumer, buffer } = sides(1024);
  put(producer, 8, 1);
  put(producer, 8, 2);
  producer.publish();
  take(consumer);
  consumer.release();
  assert.equal(take(new SpscRing(buffer))?.[0], 2);
});

test("publish and release without new records store nothing", () => {
  const { producer, consumer, buffer } = sides(1024);
  const i32 = new Int32Array(buffer);
  i32[tailIndex] = 640;
  i32[headIndex] = 640;
  producer.publish();
  consumer.release();
  assert.equal(i32[tailIndex], 640);
  assert.equal(i32[headIndex], 640);
});

test("misuse and corruption fail an assertion", () => {
  const { producer, consumer, buffer } = sides(1024);
  assert.throws(() => producer.commit(), AssertionFailure);
  assert.throws(() => producer.abort(), AssertionFailure);
  assert.throws(() => producer.tryClaim(producer.payloadBytesMax + 1), AssertionFailure);
  assert.throws(() => producer.tryClaim(-1), AssertionFailure);
  producer.tryClaim(8);
  assert.throws(() => producer.tryClaim(8), AssertionFailure);
  producer.commit();
  producer.publish();
  new Int32Array(buffer)[recordsOffset / 4 + recordMarkWord] = 77;
  assert.throws(() => consumer.next(), AssertionFailure);
  for (const capacity of [0, 512, 1000, 3072, ringCapacityMax * 2]) {
    assert.throws(() => SpscRing.allocate(capacity), AssertionFailure);
  }
  assert.throws(() => new SpscRing(new SharedArrayBuffer(recordsOffset + 1000)), AssertionFailure);
});

test("the longest payload can always be claimed on an empty ring", () => {
  for (let position = 0; position < 1024; position += 8) {
    const { producer } = sides(1024, position);
    assert.ok(producer.tryClaim(producer.payloadBytesMax) > 0);
  }
});

type Step = { readonly bytes: number; readonly act: (model: QueueModel, bytes: number) => void };

/** A ring, and a simple queue that models it: both get the same steps and are compared. */
class QueueModel {
  readonly ring: Sides;
  readonly committed: Uint8Array[] = [];
  readonly published: Uint8Array[] = [];
  private stamp = 0;

  constructor(startPosition: number) {
    this.ring = sides(1024, startPosition);
  }

  put(bytes: number): void {
    const { producer } = this.ring;
    const free = producer.freeBytes();
    this.stamp = (this.stamp + 1) & 255;
    if (put(producer, bytes, this.stamp)) {
      this.committed.push(new Uint8Array(bytes).fill(this.stamp));
      assert.ok(free - producer.freeBytes() >= recordSpan(bytes));
    } else {
      assert.ok(
        free < 2 * recordSpan(bytes),
        "a claim must fail only if the record and its padding do not fit",
      );
    }
  }

  abort(bytes: number): void {
    if (this.ring.producer.tryClaim(bytes) > 0) this.ring.producer.abort();
  }

  publish(): void {
    this.ring.producer.publish();
    this.published.push(...this.committed.splice(0));
  }

  take(): void {
    assert.deepEqual(take(this.ring.consumer), this.published.shift());
  }

  check(): void {
    const free = this.ring.producer.freeBytes();
    assert.ok(free >= 0 && free <= 1024);
    assert.equal(this.ring.consumer.isEmpty(), this.published.length === 0);
  }

  drain(): void {
    this.publish();
    while (this.published.length > 0) this.take();
    this.take();
    this.ring.consumer.release();
    assert.equal(this.ring.producer.usedBytes, 0);
    assert.equal(this.ring.producer.freeBytes(), 1024);
  }
}

function stepOf(act: Step["act"], bytesMax: number): fc.Arbitrary<Step> {
  return fc.record({ act: fc.constant(act), bytes: fc.nat(bytesMax) });
}

const step = fc.oneof(
  { weight: 6, arbitrary: stepOf((model, bytes) => model.put(bytes), 120) },
  { weight: 1, arbitrary: stepOf((model, bytes) => model.put(bytes), 504) },
  { weight: 1, arbitrary: stepOf((model, bytes) => model.abort(bytes), 504) },
  { weight: 3, arbitrary: stepOf((model) => model.publish(), 0) },
  { weight: 5, arbitrary: stepOf((model) => model.take(), 0) },
  { weight: 2, arbitrary: stepOf((model) => model.ring.consumer.release(), 0) },
);

test("the ring behaves like a queue for any interleaving, even when positions overflow", () => {
  const starts = fc.constantFrom(0, 1016, 2 ** 31 - 512, -512);
  fc.assert(
    fc.property(starts, fc.array(step, { maxLength: 300 }), (start, steps) => {
      const model = new QueueModel(start);
      for (const { act, bytes } of steps) {
        act(model, bytes);
        model.check();
      }
      model.drain();
    }),
    { numRuns: 500 },
  );
});
