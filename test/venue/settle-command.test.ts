// Proves that `rialto settle` shows the consequences of an irreversible step and takes the step only after
// confirmation.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { controlSocketPath, openControlSocket } from "../../src/adapters/runtime/control-socket.ts";
import { runCli } from "../support/venue/cli-process.ts";

let folder: string;
let socket: Server;
const heard: unknown[] = [];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "rialto-settle-"));
  socket = await openControlSocket(controlSocketPath(folder), async (call, given) => {
    if (call !== "ping") heard.push([call, given]);
    return { batch_id: "b-7", if_skipped: "it is not paid" };
  });
});
after(async () => {
  socket.close();
  await rm(folder, { recursive: true });
});

test("SET-8 SET-22 settle skip shows its consequences, and acts only with --yes", async () => {
  const settings = { DATA_DIR: folder };
  const requested = await runCli(["settle", "skip", "b-7"], settings);
  assert.deepEqual([requested.code, heard], [2, [["settle/batch", { batchId: "b-7" }]]]);
  assert.match(requested.printed, /it is not paid/);
  assert.match(requested.complained, /^Nothing was changed\. Pass --yes/);
  heard.length = 0;
  const done = await runCli(["settle", "skip", "b-7", "--yes"], settings);
  assert.deepEqual([done.code, heard], [0, [["settle/skip", { batchId: "b-7" }]]]);
});
