// Proves that control messages between threads survive sending, and that anything else is refused.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pack } from "msgpackr";
import { controlMessages } from "../../schemas/records/control-messages.ts";
import { AssertionFailure } from "../../src/core/assert.ts";
import {
  decodeControlMessage,
  encodeControlMessage,
} from "../../src/wire/generated/control-messages.ts";
import { controlMessageOfEachKind } from "./record-arbitraries.ts";

/** Converts byte arrays to plain arrays, because decoded bytes are in a buffer of Node.js. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return [...value];
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, of]) => [name, plain(of)]));
}

for (const one of controlMessageOfEachKind) {
  test(`${fc.sample(one, 1)[0]?.kind} survives encoding and decoding`, () => {
    fc.assert(
      fc.property(one, (message) => {
        const decoded = decodeControlMessage(encodeControlMessage(message));
        assert.deepEqual(plain(decoded), plain(message));
      }),
    );
  });
}

test("encoded bytes have their own buffer, so transferring them moves nothing else", () => {
  const bytes = encodeControlMessage({ kind: "stop" });
  assert.equal(bytes.byteOffset, 0);
  assert.equal(bytes.byteLength, bytes.buffer.byteLength);
});

test("unknown kinds, missing fields and wrong types fail an assertion", () => {
  const wrong: readonly unknown[] = [
    null,
    7,
    "stop",
    [],
    {},
    { kind: "pause" },
    { kind: "ready" },
    { kind: "ready", thread: 1 },
    { kind: "seed", seq: 1.5, part: new Uint8Array(1) },
    { kind: "seed", seq: 1, part: "x" },
    { kind: "seed", seq: 1 },
    { kind: "ledger", place: "here" },
    { kind: "call", number: 1, call: "skip" },
    { kind: "answer", number: 1, result: 1, fault: 1 },
  ];
  for (const value of wrong) {
    assert.throws(() => decodeControlMessage(pack(value)), AssertionFailure, JSON.stringify(value));
  }
});

test("random bytes are refused or decode to a valid message", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      try {
        assert.ok(decodeControlMessage(bytes).kind in controlMessages);
      } catch (error) {
        assert.ok(error instanceof Error);
      }
    }),
  );
});
