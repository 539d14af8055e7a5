// Proves that the accounts of a load are created although the venue is too busy at times, over a real control socket.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { controlSocketPath, openControlSocket } from "../../adapters/runtime/control-socket.ts";
import { ClearingBusy } from "../../ports/clearing-client.ts";
import { createLoadKey } from "./load-accounts.ts";

const terms = { type: "standard", label: "load" } as const;

/** A venue that answers its first calls to create a key with `fault`; returns its folder and the calls that it got. */
async function venueThat(t: TestContext, fault: Error, faults: number) {
  const dataDir = await mkdtemp(join(tmpdir(), "rialto-load-"));
  const calls: string[] = [];
  let left = faults;
  const server = await openControlSocket(controlSocketPath(dataDir), async (call) => {
    if (call === "ping") return {};
    calls.push(call);
    if (call === "accounts/create") return { account: 1003 };
    if (left-- > 0) throw fault;
    return { api_key: "key", secret: "secret" };
  });
  t.after(async () => {
    server.close();
    await rm(dataDir, { recursive: true });
  });
  return { dataDir, calls };
}

test("OPS-116 a call that the venue was too busy to take is made again, and only that call", async (t) => {
  const { dataDir, calls } = await venueThat(t, new ClearingBusy(), 2);
  const made = await createLoadKey(dataDir, terms);
  assert.deepEqual(made, { account: 1003, key: "key", secret: "secret" });
  assert.deepEqual(calls, ["accounts/create", "keys/create", "keys/create", "keys/create"]);
});

test("OPS-116 any other refusal ends the call at once", async (t) => {
  const { dataDir, calls } = await venueThat(t, new Error("too many keys"), 1);
  await assert.rejects(createLoadKey(dataDir, terms), /^Error: keys\/create: too many keys$/);
  assert.deepEqual(calls, ["accounts/create", "keys/create"]);
});
