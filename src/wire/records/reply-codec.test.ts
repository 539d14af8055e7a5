// Replies through bytes and back.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AssertionFailure } from "../../core/assert.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import { createRecordViews } from "./record-views.ts";
import { decodeReply, emptyReply, encodeReply, replyBytes } from "./reply-codec.ts";

const views = createRecordViews(new ArrayBuffer(64));

const anyReply = fc.record(
  {
    source: fc.nat(65_535),
    correlation: fc.nat(2 ** 32 - 1),
    reason: fc.constantFrom(...Object.values(RejectReason)),
    lastSeq: fc.maxSafeNat(),
    subject: fc.maxSafeNat(),
    isRepeated: fc.boolean(),
  },
  { noNullPrototype: true },
);

test("a reply comes back as it went, within its bytes", () => {
  const decoded = emptyReply();
  fc.assert(
    fc.property(anyReply, (reply) => {
      views.u8.fill(0xa5);
      encodeReply(views, 8, reply);
      assert.ok(views.u8.subarray(8 + replyBytes).every((byte) => byte === 0xa5));
      decodeReply(views, 8, replyBytes, decoded);
      assert.deepEqual(decoded, reply);
    }),
  );
});

test("wrong lengths, unlisted reasons and figures outside their fields are assertions", () => {
  const reply = emptyReply();
  encodeReply(views, 0, reply);
  assert.throws(() => decodeReply(views, 0, replyBytes - 8, reply), AssertionFailure);
  views.u16[1] = 9999;
  assert.throws(() => decodeReply(views, 0, replyBytes, reply), AssertionFailure);
  assert.throws(() => encodeReply(views, 0, { ...reply, source: -1 }), AssertionFailure);
  assert.throws(() => encodeReply(views, 0, { ...reply, lastSeq: 0.5 }), AssertionFailure);
});

test("random bytes are an assertion or a reply", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 24, maxLength: 24 }), fc.boolean(), (bytes, sane) => {
      views.u8.set(bytes);
      if (sane) views.u16[1] = 0;
      try {
        decodeReply(views, 0, replyBytes, emptyReply());
      } catch (error) {
        assert.ok(error instanceof AssertionFailure, String(error));
      }
    }),
  );
});
