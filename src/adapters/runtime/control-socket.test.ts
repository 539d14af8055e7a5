// Tests the operator's socket: the size of a request is limited, but the size of an answer is not.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { callControl, controlSocketPath, openControlSocket } from "./control-socket.ts";

test("OPS-33 an answer of any length arrives complete, and a request over 64 KiB is refused with a message", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "rialto-control-"));
  const path = controlSocketPath(folder);
  const rows = Array.from({ length: 50_000 }, (_, key) => ({ key, label: "x".repeat(40) }));
  const server = await openControlSocket(path, async (call) => (call === "rows" ? rows : {}));
  t.after(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });
  const { isOk, result, error } = await callControl(path, "rows");
  assert(isOk, error);
  assert.deepEqual(result, rows);
  const refused = await callControl(path, "rows", { text: "x".repeat(70_000) });
  assert.equal(refused.isOk, false);
  assert.match(refused.error, /too long/);
});
