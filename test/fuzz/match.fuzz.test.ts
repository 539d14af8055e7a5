// Proves that a damaged record between clearing and a matcher does no harm. Reading it either fails an assertion, or
// gives a record that is unchanged when it is written and read again. The bytes around the record have no effect.

import assert from "node:assert/strict";
import fc from "fast-check";
import { AssertionFailure } from "../../src/core/assert.ts";
import { emptyMatchRequest, type MatchRequest } from "../../src/core/generated/messages.ts";
import { matcherRecordBytes } from "../../src/core/limits.ts";
import {
  decodeMatchRequest,
  deliverMatchReply,
  encodeMatchRequest,
} from "../../src/wire/generated/message-codec.ts";
import { createRecordViews, type RecordViews } from "../../src/wire/records/record-views.ts";
import { OneAnswer, writeAnswer } from "../wire/one-answer.ts";
import { answerOfEachKind, anyMatchRequest } from "../wire/record-arbitraries.ts";
import { fuzz } from "./fuzz.ts";
import { spoiltBytes } from "./spoilt-bytes.ts";

/** Room for three records: the record under test is in the middle, with a cache line on each side. */
const views = createRecordViews(new ArrayBuffer(3 * matcherRecordBytes));
const place = matcherRecordBytes;

type Writer = (views: RecordViews, offset: number) => void;

/** Returns the bytes of one written record, and checks that nothing around it was written. */
function written(write: Writer): Uint8Array {
  views.u8.fill(0);
  write(views, place);
  const around = [views.u8.subarray(0, place), views.u8.subarray(2 * place)];
  for (const side of around) assert.ok(side.every((byte) => byte === 0));
  return views.u8.slice(place, 2 * place);
}

/**
 * Returns the result of `read` with `surrounding` in every byte around the record, or null if reading fails an
 * assertion.
 */
function readAmid<T>(bytes: Uint8Array, surrounding: number, read: () => T): T | null {
  views.u8.fill(surrounding);
  views.u8.set(bytes.subarray(0, matcherRecordBytes), place);
  try {
    return read();
  } catch (error) {
    if (error instanceof AssertionFailure) return null;
    throw error;
  }
}

/** Reads the record once among zeros and once among other bytes, and asserts that both results are equal. */
function readAlone<T>(bytes: Uint8Array, read: () => T): T | null {
  const [one, other] = [readAmid(bytes, 0, read), readAmid(bytes, 0xa5, read)];
  assert.deepEqual(one, other, "the bytes around the record must have no effect");
  return one;
}

const anyRecord = fc.uint8Array({
  minLength: matcherRecordBytes,
  maxLength: matcherRecordBytes,
});

function requestIn(length: number): MatchRequest {
  const request = emptyMatchRequest();
  decodeMatchRequest(views, place, length, request);
  return { ...request };
}

const requests = anyMatchRequest.map((request) =>
  written((into, at) => encodeMatchRequest(into, at, request)),
);

fuzz(
  "a damaged request to a matcher fails an assertion, or is a request with one encoding",
  fc.oneof(spoiltBytes(requests), anyRecord, requests),
  (bytes) => {
    const request = readAlone(bytes, () => requestIn(bytes.length));
    if (request === null) return;
    assert.equal(bytes.length, matcherRecordBytes);
    const again = written((into, at) => encodeMatchRequest(into, at, request));
    assert.deepEqual(
      readAlone(again, () => requestIn(again.length)),
      request,
    );
  },
);

fuzz("any request to a matcher is read as it was written", anyMatchRequest, (request) => {
  const bytes = written((into, at) => encodeMatchRequest(into, at, request));
  assert.deepEqual(
    readAlone(bytes, () => requestIn(bytes.length)),
    request,
  );
});

/** Decodes the reply in the buffer and returns the encoding of the decoded values. */
function replyIn(length: number): Uint8Array {
  const sink = new OneAnswer();
  deliverMatchReply(views, place, length, sink);
  const { answer } = sink;
  assert.ok(answer !== null, "a reply that passes all assertions must be delivered");
  return written((into, at) => writeAnswer(into, at, answer));
}

const replies = fc
  .oneof(...answerOfEachKind)
  .map((answer) => written((into, at) => writeAnswer(into, at, answer)));

fuzz("any reply of a matcher is delivered as it was written", replies, (bytes) => {
  assert.deepEqual(
    readAlone(bytes, () => replyIn(bytes.length)),
    bytes,
  );
});

fuzz(
  "a damaged reply of a matcher fails an assertion, or is a reply with one encoding",
  fc.oneof(spoiltBytes(replies), anyRecord),
  (bytes) => {
    const again = readAlone(bytes, () => replyIn(bytes.length));
    if (again === null) return;
    assert.equal(bytes.length, matcherRecordBytes);
    assert.deepEqual(
      readAlone(again, () => replyIn(again.length)),
      again,
    );
  },
);
