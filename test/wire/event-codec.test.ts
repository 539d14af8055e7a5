// Proves that events of every kind survive encoding and decoding with every number, aligned and unaligned, and that
// bytes which are not an event are refused.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AssertionFailure } from "../../src/core/assert.ts";
import { EventKind, type OrderAccepted, type VenueEvent } from "../../src/core/generated/events.ts";
import { eventBytesMax } from "../../src/core/limits.ts";
import { decodeEvent, encodeEvent, eventBytes } from "../../src/wire/generated/event-codec.ts";
import { eventHeaderLayout } from "../../src/wire/generated/event-layout.ts";
import { decodeEventBytes, UnknownEvent } from "../../src/wire/records/event-bytes.ts";
import { createRecordViews } from "../../src/wire/records/record-views.ts";
import { SpscRing } from "../../src/wire/spsc-ring.ts";
import { anyEvent, eventOfEachKind } from "./record-arbitraries.ts";

/** Returns the event's bytes, written over memory full of `garbage`. */
function encoded(event: VenueEvent, garbage = 0xa5): Uint8Array {
  const views = createRecordViews(new ArrayBuffer(eventBytesMax + 16));
  views.u8.fill(garbage);
  const bytes = encodeEvent(views, 8, event);
  assert.equal(bytes, eventBytes(event));
  assert.ok(bytes <= eventBytesMax);
  assert.ok(views.u8.subarray(0, 8).every((byte) => byte === garbage));
  assert.ok(views.u8.subarray(8 + bytes).every((byte) => byte === garbage));
  return views.u8.slice(8, 8 + bytes);
}

const sampleAccepted: OrderAccepted = {
  kind: EventKind.orderAccepted,
  seq: 1,
  tsUs: 2,
  account: 3,
  isTransactionEnd: true,
  orderId: 4,
  market: 5,
  side: 0,
  type: 0,
  timeInForce: 0,
  price: 6,
  qty: 7,
  marginPrice: 8,
  marginLots: 9,
  isReduceOnly: false,
  stpMode: 0,
  clientId: "abc",
};

test("every kind of event has a generator", () => {
  const kinds = eventOfEachKind.map((one) => fc.sample(one, 1)[0]?.kind);
  assert.deepEqual(new Set(kinds), new Set(Object.values(EventKind)));
});

for (const one of eventOfEachKind) {
  const name = Object.entries(EventKind).find(([, kind]) => kind === fc.sample(one, 1)[0]?.kind);
  test(`${name?.[0]} survives encoding and decoding at any address`, () => {
    fc.assert(
      fc.property(one, fc.nat(9), (event, shift) => {
        const bytes = encoded(event);
        const row = Buffer.alloc(bytes.length + 20, 0xff);
        row.set(bytes, shift);
        assert.deepEqual(decodeEventBytes(row, shift, bytes.length), event);
      }),
      { numRuns: 300 },
    );
  });
}

test("encoded bytes depend only on the event, not on the memory's earlier content", () => {
  fc.assert(
    fc.property(anyEvent, (event) => {
      assert.deepEqual(encoded(event, 0x00), encoded(event, 0xff));
    }),
  );
});

test("events are encoded and decoded in place in a ring", () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 20 }), (events) => {
      const buffer = SpscRing.allocate(4096);
      const [producer, consumer] = [new SpscRing(buffer), new SpscRing(buffer)];
      for (const event of events) {
        encodeEvent(producer, producer.tryClaim(eventBytes(event)), event);
        producer.commit();
      }
      producer.publish();
      for (const event of events) {
        assert.deepEqual(decodeEvent(consumer, consumer.next(), consumer.length), event);
      }
      assert.equal(consumer.next(), -1);
    }),
  );
});

test("a truncated or lengthened event fails an assertion", () => {
  fc.assert(
    fc.property(anyEvent, fc.nat(eventBytesMax), (event, cut) => {
      const bytes = encoded(event);
      const padded = Buffer.concat([bytes, Buffer.alloc(eventBytesMax)]);
      for (const length of [cut, bytes.length - 1, bytes.length + 1]) {
        if (length === bytes.length) continue;
        assert.throws(() => decodeEventBytes(padded, 0, length), AssertionFailure);
      }
      assert.throws(() => decodeEventBytes(bytes, 0, bytes.length + 1), AssertionFailure);
      assert.throws(() => decodeEventBytes(bytes, -1, bytes.length), AssertionFailure);
    }),
  );
});

test("random bytes fail an assertion or decode to an event that encodes to the same fields", () => {
  const sizes = fc.oneof(fc.nat(eventBytesMax), fc.constantFrom(32, 40, 64, 104));
  const randomBytes = sizes.chain((size) => fc.uint8Array({ minLength: size, maxLength: size }));
  const kind = fc.constantFrom(...Object.values(EventKind), 0, 9, 255);
  let decodedCount = 0;
  fc.assert(
    fc.property(randomBytes, kind, fc.boolean(), (bytes, kindByte, dressed) => {
      if (dressed && bytes.length >= eventHeaderLayout.size) dress(bytes, kindByte);
      let event: VenueEvent;
      try {
        event = decodeEventBytes(bytes, 0, bytes.length);
      } catch (error) {
        assert.ok(isRefusal(error), String(error));
        return;
      }
      decodedCount++;
      const again = encoded(event);
      assert.deepEqual(decodeEventBytes(again, 0, again.length), event);
    }),
    { numRuns: 20_000 },
  );
  assert.ok(decodedCount > 0, "Some random bodies must be events");
});

/** A broken event fails an assertion; one of a kind that this version does not know is refused in words. */
function isRefusal(error: unknown): boolean {
  return error instanceof AssertionFailure || error instanceof UnknownEvent;
}

/** Makes random bytes look like an event of `kind`, so that the checks of the body are reached. */
function dress(bytes: Uint8Array, kind: number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  view.setUint8(eventHeaderLayout.seq + 6, 0);
  view.setUint8(eventHeaderLayout.seq + 7, 0);
  view.setUint8(eventHeaderLayout.tsUs + 6, 0);
  view.setUint8(eventHeaderLayout.tsUs + 7, 0);
  view.setUint8(eventHeaderLayout.kind, kind);
  view.setUint8(eventHeaderLayout.flags, bytes.length & 1);
  view.setUint16(eventHeaderLayout.bytes, bytes.length, true);
}

test("a single wrong field fails an assertion", () => {
  const flips: readonly (readonly [offset: number, value: number])[] = [
    [eventHeaderLayout.flags, 2],
    [eventHeaderLayout.bytes, 66],
    [eventHeaderLayout.seq + 7, 1],
    [58, 2],
    [59, 9],
    [60, 9],
    [61, 37],
    [61, 2],
  ];
  for (const [offset, value] of flips) {
    const bytes = encoded(sampleAccepted);
    bytes[offset] = value;
    assert.throws(() => decodeEventBytes(bytes, 0, bytes.length), AssertionFailure, `${offset}`);
  }
});

test("an event of an unknown kind is refused as one of a later version", () => {
  for (const kind of [0, 99, 255]) {
    const bytes = encoded(sampleAccepted);
    bytes[eventHeaderLayout.kind] = kind;
    assert.throws(() => decodeEventBytes(bytes, 0, bytes.length), UnknownEvent);
  }
});

test("numbers out of a field's range fail an assertion and are never wrapped", () => {
  const wrong: readonly Partial<OrderAccepted>[] = [
    { seq: -1 },
    { seq: 1.5 },
    { tsUs: 2 ** 53 },
    { account: 2 ** 32 },
    { account: -1 },
    { orderId: Number.NaN },
    { qty: -1 },
    { price: 2 ** 32 },
    { price: 0.5 },
    { marginPrice: -1 },
    { market: 65_536 },
    { market: -1 },
    { clientId: "x".repeat(37) },
    { clientId: "€" },
  ];
  for (const change of wrong) {
    const event = { ...sampleAccepted, ...change };
    const views = createRecordViews(new ArrayBuffer(eventBytesMax));
    assert.throws(() => encodeEvent(views, 0, event), AssertionFailure, JSON.stringify(change));
  }
});

test("amounts beyond 64 bits and bytes beyond 8 bits fail an assertion", () => {
  const header = { seq: 1, tsUs: 2, account: 3, isTransactionEnd: true };
  const views = createRecordViews(new ArrayBuffer(eventBytesMax));
  const credited = { ...header, kind: EventKind.credited, wallet: 0, asset: 0 } as const;
  for (const amount of [2n ** 63n, -(2n ** 63n) - 1n]) {
    assert.throws(() => encodeEvent(views, 0, { ...credited, amount }), AssertionFailure);
  }
  assert.throws(
    () => encodeEvent(views, 0, { ...credited, asset: 256, amount: 1n }),
    AssertionFailure,
  );
});

test("an unknown kind cannot be encoded", () => {
  const views = createRecordViews(new ArrayBuffer(eventBytesMax));
  const unknown = { ...sampleAccepted, kind: 200 } as unknown as VenueEvent;
  assert.throws(() => encodeEvent(views, 0, unknown), AssertionFailure);
});

test("a record longer than the longest event fails an assertion", () => {
  const bytes = new Uint8Array(eventBytesMax + 8);
  assert.throws(() => decodeEventBytes(bytes, 0, bytes.length), AssertionFailure);
});
