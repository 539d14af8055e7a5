// Proves that requests to matchers, their answers and replies survive encoding and decoding, and that anything else is
// refused.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AssertionFailure } from "../../src/core/assert.ts";
import { emptyMatchRequest, emptyReply } from "../../src/core/generated/messages.ts";
import { matcherRecordBytes } from "../../src/core/limits.ts";
import { MatchLane, MatchOutcome } from "../../src/core/match-messages.ts";
import {
  decodeMatchRequest,
  decodeReply,
  deliverMatchReply,
  encodeEnded,
  encodeFilled,
  encodeMatchRequest,
  encodeReply,
  replyBytes,
  replySource,
} from "../../src/wire/generated/message-codec.ts";
import { createRecordViews } from "../../src/wire/records/record-views.ts";
import { OneAnswer, writeAnswer } from "./one-answer.ts";
import { answerOfEachKind, anyMatchRequest, anyReply } from "./record-arbitraries.ts";

const views = createRecordViews(new ArrayBuffer(128));

/** Asserts that no byte after the record was written; the record has `bytes` bytes from offset 8. */
function holdsWithin(bytes: number): void {
  assert.ok(views.u8.subarray(8 + bytes).every((byte) => byte === 0xa5));
}

test("a request survives encoding and decoding, within one cache line", () => {
  const decoded = emptyMatchRequest();
  fc.assert(
    fc.property(anyMatchRequest, (request) => {
      views.u8.fill(0xa5);
      encodeMatchRequest(views, 8, request);
      holdsWithin(matcherRecordBytes);
      decodeMatchRequest(views, 8, matcherRecordBytes, decoded);
      assert.deepEqual(decoded, request);
    }),
  );
});

for (const one of answerOfEachKind) {
  test(`${fc.sample(one, 1)[0]?.name} reaches the receiver as it was written, within one cache line`, () => {
    fc.assert(
      fc.property(one, (answer) => {
        views.u8.fill(0xa5);
        writeAnswer(views, 8, answer);
        holdsWithin(matcherRecordBytes);
        const sink = new OneAnswer();
        deliverMatchReply(views, 8, matcherRecordBytes, sink);
        assert.deepEqual(sink.answer, answer);
      }),
    );
  });
}

test("a reply survives encoding and decoding, within its length, with its source", () => {
  const decoded = emptyReply();
  fc.assert(
    fc.property(anyReply, (reply) => {
      views.u8.fill(0xa5);
      encodeReply(views, 8, reply);
      holdsWithin(replyBytes);
      decodeReply(views, 8, replyBytes, decoded);
      assert.deepEqual(decoded, reply);
      assert.equal(replySource(views.u8, 8), reply.source);
    }),
  );
});

test("a record in the wrong ring, of a wrong length or with a wrong code fails an assertion", () => {
  const request = emptyMatchRequest();
  const sink = new OneAnswer();
  encodeMatchRequest(views, 0, request);
  assert.throws(() => deliverMatchReply(views, 0, matcherRecordBytes, sink), AssertionFailure);
  assert.throws(() => decodeMatchRequest(views, 0, 56, request), AssertionFailure);
  views.u8[0] = 0;
  assert.throws(() => decodeMatchRequest(views, 0, 64, request), AssertionFailure);
  encodeFilled(views, 0, 1, 2, 3, 4);
  assert.throws(() => decodeMatchRequest(views, 0, 64, request), AssertionFailure);
  assert.throws(() => deliverMatchReply(views, 0, 56, sink), AssertionFailure);
  encodeEnded(views, 0, 1, 2, 3, MatchLane.orders, MatchOutcome.filled, 0, 0, 0);
  for (const outcome of [0, 77]) {
    views.u8[12] = outcome;
    assert.throws(() => deliverMatchReply(views, 0, 64, sink), AssertionFailure);
  }
  const reply = emptyReply();
  encodeReply(views, 0, reply);
  assert.throws(() => decodeReply(views, 0, replyBytes - 8, reply), AssertionFailure);
  views.u16[1] = 9999;
  assert.throws(() => decodeReply(views, 0, replyBytes, reply), AssertionFailure);
});

test("request options that no version writes fail an assertion", () => {
  const request = emptyMatchRequest();
  for (const flags of [5, 7, 15, 16, 255]) {
    encodeMatchRequest(views, 0, request);
    views.u8[35] = flags;
    assert.throws(() => decodeMatchRequest(views, 0, 64, request), AssertionFailure, `${flags}`);
  }
});

test("numbers out of a field's range fail an assertion", () => {
  const request = emptyMatchRequest();
  for (const change of [{ slot: -1 }, { qty: 0.5 }, { price: Number.NaN }, { account: 2 ** 32 }]) {
    assert.throws(() => encodeMatchRequest(views, 0, { ...request, ...change }), AssertionFailure);
  }
  const reply = emptyReply();
  for (const change of [{ source: -1 }, { lastSeq: 0.5 }, { correlation: 2 ** 32 }]) {
    assert.throws(() => encodeReply(views, 0, { ...reply, ...change }), AssertionFailure);
  }
});

test("random bytes fail an assertion or decode to a valid message", () => {
  const bytes64 = fc.uint8Array({ minLength: 64, maxLength: 64 });
  const kinds = fc.constantFrom(1, 2, 3, 4, 10, 11, 12, 13, 14, 255);
  fc.assert(
    fc.property(bytes64, kinds, (bytes, kind) => {
      views.u8.set(bytes);
      views.u8[0] = kind;
      for (const read of [
        () => decodeMatchRequest(views, 0, 64, emptyMatchRequest()),
        () => deliverMatchReply(views, 0, 64, new OneAnswer()),
        () => decodeReply(views, 0, replyBytes, emptyReply()),
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
