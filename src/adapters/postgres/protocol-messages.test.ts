// Compares the bytes of messages and of COPY data with the protocol documentation. The event store's contract tests send
// such messages to a server.

import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyCommitBatch } from "../../services/journal/batch-records.ts";
import { newRows } from "./batch-encoding.ts";
import { copyMessages, executeMessage, parseMessage } from "./protocol-messages.ts";

const execute = [0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0];

test("a statement is prepared without parameter types", () => {
  const parse = [0x50, 0, 0, 0, 11, 0x73, 0x74, 0, 0x78, 0, 0, 0];
  assert.deepEqual([...parseMessage("st", "x")], parse);
});

test("bind and execute are one message", () => {
  const message = executeMessage("st", ["7", null, Buffer.from([1, 2])]);
  const bind = [
    ...[0x42, 0, 0, 0, 35],
    ...[0, 0x73, 0x74, 0],
    ...[0, 3, 0, 0, 0, 1, 0, 1],
    ...[0, 3, 0, 0, 0, 1, 0x37, 255, 255, 255, 255, 0, 0, 0, 2, 1, 2],
    ...[0, 0],
  ];
  assert.deepEqual([...message], [...bind, ...execute]);
  assert.equal(message.readInt32BE(1), bind.length - 1);
});

test("a copy is executed with its data", () => {
  const message = Buffer.concat(copyMessages("c", Buffer.from([9])));
  const bind = [0x42, 0, 0, 0, 13, 0, 0x63, 0, 0, 0, 0, 0, 0, 0];
  const data = [0x64, 0, 0, 0, 5, 9, 0x63, 0, 0, 0, 4];
  assert.deepEqual([...message], [...bind, ...execute, ...data]);
});

test("a journal row has the event's own bytes, and a batch's lengths must add up", () => {
  const event = { tsUs: [5], accounts: [7], kinds: [16], lengths: [2], count: 1 };
  const batch = { ...emptyCommitBatch(3), ...event, bytes: Uint8Array.of(8, 9) };
  const [rows, ...others] = newRows(batch);
  assert.deepEqual(others, []);
  assert.equal(rows?.statement, "copy_journal");
  const row = [
    ...[0, 5, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 5],
    ...[0, 0, 0, 4, 0, 0, 0, 7, 0, 0, 0, 2, 0, 16, 0, 0, 0, 2, 8, 9],
    ...[255, 255],
  ];
  assert.deepEqual([...(rows?.data.subarray(19) ?? [])], row);
  assert.throws(() => newRows({ ...batch, lengths: [1] }), /add up/);
});

test("a batch without rows copies nothing", () => {
  assert.deepEqual(newRows(emptyCommitBatch(1)), []);
});
