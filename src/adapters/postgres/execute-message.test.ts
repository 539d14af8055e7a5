// Compares the bytes of the message that executes a prepared statement with the protocol documentation. The event
// store's contract tests send such messages to a server.

import assert from "node:assert/strict";
import { test } from "node:test";
import { executeMessage } from "./pg-session.ts";

test("bind, execute and sync are sent in one message", () => {
  const message = executeMessage("st", ["7", null, Buffer.from([1, 2])]);
  const bind = [
    ...[0x42, 0, 0, 0, 35],
    ...[0, 0x73, 0x74, 0],
    ...[0, 3, 0, 0, 0, 1, 0, 1],
    ...[0, 3, 0, 0, 0, 1, 0x37, 255, 255, 255, 255, 0, 0, 0, 2, 1, 2],
    ...[0, 0],
  ];
  const execute = [0x45, 0, 0, 0, 9, 0, 0, 0, 0, 0];
  const sync = [0x53, 0, 0, 0, 4];
  assert.deepEqual([...message], [...bind, ...execute, ...sync]);
  assert.equal(message.readInt32BE(1), bind.length - 1);
});
