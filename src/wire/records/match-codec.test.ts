// Requests to matchers and their replies through bytes and back.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyMatchRequest, codeOf, uint16, uint32 } from "../../../test/wire/match-arbitraries.ts";
import { AssertionFailure } from "../../core/assert.ts";
import { matcherRecordBytes } from "../../core/limits.ts";
import {
  emptyMatchRequest,
  MatchLane,
  MatchOutcome,
  type MatchReplySink,
  RemovalReason,
} from "../../core/match-messages.ts";
import {
  decodeMatchRequest,
  deliverMatchReply,
  encodeEnded,
  encodeFilled,
  encodeMatchRequest,
  encodeMet,
  encodeReduced,
  encodeRemoved,
} from "./match-codec.ts";
import { createRecordViews } from "./record-views.ts";

const views = createRecordViews(new ArrayBuffer(128));

/** Remembers the one reply it was handed. */
class OneReply implements MatchReplySink {
  call: readonly (string | number)[] = [];

  filled(...fill: readonly number[]): void {
    this.call = ["filled", ...fill];
  }

  reduced(...reduction: readonly number[]): void {
    this.call = ["reduced", ...reduction];
  }

  removed(...removal: readonly number[]): void {
    this.call = ["removed", ...removal];
  }

  met(...meeting: readonly number[]): void {
    this.call = ["met", ...meeting];
  }

  ended(...end: readonly number[]): void {
    this.call = ["ended", ...end];
  }
}

function delivered(): readonly (string | number)[] {
  const sink = new OneReply();
  deliverMatchReply(views, 8, matcherRecordBytes, sink);
  return sink.call;
}

test("a request comes back as it went, within one cache line", () => {
  const decoded = emptyMatchRequest();
  fc.assert(
    fc.property(anyMatchRequest, (request) => {
      views.u8.fill(0xa5);
      encodeMatchRequest(views, 8, request);
      assert.ok(views.u8.subarray(8 + matcherRecordBytes).every((byte) => byte === 0xa5));
      decodeMatchRequest(views, 8, matcherRecordBytes, decoded);
      assert.deepEqual(decoded, request);
    }),
  );
});

test("a fill reaches the sink as it was written", () => {
  fc.assert(
    fc.property(uint32, uint32, fc.maxSafeNat(), fc.maxSafeNat(), (...fill) => {
      encodeFilled(views, 8, ...fill);
      assert.deepEqual(delivered(), ["filled", ...fill]);
    }),
  );
});

test("what self-trade prevention and reduce-only do to a resting order reaches the sink", () => {
  fc.assert(
    fc.property(uint32, uint32, codeOf(RemovalReason), fc.maxSafeNat(), (...removal) => {
      encodeRemoved(views, 8, ...removal);
      assert.deepEqual(delivered(), ["removed", ...removal]);
      const [taker, maker, , qty] = removal;
      encodeReduced(views, 8, taker, maker, qty);
      assert.deepEqual(delivered(), ["reduced", taker, maker, qty]);
      encodeMet(views, 8, taker, maker);
      assert.deepEqual(delivered(), ["met", taker, maker]);
    }),
  );
});

test("an end reaches the sink as it was written", () => {
  const figure = fc.maxSafeNat();
  const [lane, outcome] = [codeOf(MatchLane), codeOf(MatchOutcome)];
  fc.assert(
    fc.property(fc.tuple(uint16, uint32, uint32, lane, outcome, figure, figure, figure), (end) => {
      encodeEnded(views, 8, ...end);
      assert.deepEqual(delivered(), ["ended", ...end]);
    }),
  );
});

test("a record in the wrong ring, of a wrong length or code is an assertion", () => {
  const request = emptyMatchRequest();
  const sink = new OneReply();
  encodeMatchRequest(views, 0, request);
  assert.throws(() => deliverMatchReply(views, 0, matcherRecordBytes, sink), AssertionFailure);
  assert.throws(() => decodeMatchRequest(views, 0, 56, request), AssertionFailure);
  views.u8[0] = 0;
  assert.throws(() => decodeMatchRequest(views, 0, 64, request), AssertionFailure);
  encodeFilled(views, 0, 1, 2, 3, 4);
  assert.throws(() => decodeMatchRequest(views, 0, 64, request), AssertionFailure);
  assert.throws(() => deliverMatchReply(views, 0, 56, sink), AssertionFailure);
  encodeEnded(views, 0, 1, 2, 3, MatchLane.orders, MatchOutcome.filled, 0, 0, 0);
  views.u8[12] = 0;
  assert.throws(() => deliverMatchReply(views, 0, 64, sink), AssertionFailure);
  views.u8[12] = 77;
  assert.throws(() => deliverMatchReply(views, 0, 64, sink), AssertionFailure);
});

test("figures outside their fields are assertions", () => {
  const request = emptyMatchRequest();
  for (const change of [{ slot: -1 }, { qty: 0.5 }, { price: Number.NaN }, { account: 2 ** 32 }]) {
    assert.throws(() => encodeMatchRequest(views, 0, { ...request, ...change }), AssertionFailure);
  }
});

test("random bytes are an assertion or a message", () => {
  const bytes64 = fc.uint8Array({ minLength: 64, maxLength: 64 });
  fc.assert(
    fc.property(bytes64, fc.constantFrom(1, 2, 3, 4, 10, 11, 12, 13, 14, 255), (bytes, kind) => {
      views.u8.set(bytes);
      views.u8[0] = kind;
      for (const read of [
        () => decodeMatchRequest(views, 0, 64, emptyMatchRequest()),
        () => deliverMatchReply(views, 0, 64, new OneReply()),
      ]) {
        try {
          read();
        } catch (error) {
          assert.ok(error instanceof AssertionFailure, String(error));
        }
      }
    }),
    { numRuns: 2000 },
  );
});
