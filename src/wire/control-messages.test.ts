// Control messages survive the trip, and nothing else is taken for one.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { pack } from "msgpackr";
import { AssertionFailure } from "../core/assert.ts";
import {
  type ControlMessage,
  decodeControlMessage,
  encodeControlMessage,
} from "./control-messages.ts";

const messages: readonly ControlMessage[] = [
  { kind: "seed", seq: 2 ** 50, part: new Uint8Array([1, 2, 3]) },
  { kind: "start" },
  { kind: "ready", thread: "matcher 0" },
  { kind: "drain" },
  { kind: "drained", thread: "front" },
  { kind: "stop" },
  { kind: "call", number: 7, call: "skip", parameters: ["b-1"] },
  { kind: "answer", number: 7, result: { batches: [{ fills: 2 }] }, fault: null },
  { kind: "answer", number: 8, result: null, fault: "b-1 has ended" },
];

for (const message of messages) {
  test(`${message.kind} survives the trip`, () => {
    const decoded = decodeControlMessage(encodeControlMessage(message));
    const plain =
      decoded.kind === "seed" ? { ...decoded, part: new Uint8Array(decoded.part) } : decoded;
    assert.deepEqual(plain, message);
  });
}

test("encoded bytes own their buffer, so a transfer takes nothing else away", () => {
  const bytes = encodeControlMessage({ kind: "stop" });
  assert.equal(bytes.byteOffset, 0);
  assert.equal(bytes.byteLength, bytes.buffer.byteLength);
});

test("unknown kinds, missing fields and wrong types are assertions", () => {
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

test("random bytes are refused or decode to a message, never something else", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      try {
        assert.ok(messages.some((known) => known.kind === decodeControlMessage(bytes).kind));
      } catch (error) {
        assert.ok(error instanceof Error);
      }
    }),
  );
});
