// Keys in memory: an active key is found once its material is loaded, and a revoked key is not loaded.

import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyType } from "../../core/accounts.ts";
import type { KeyRow, KeyStore } from "../../ports/access/key-store.ts";
import { KeyDirectory } from "./key-directory.ts";
import { SecretBox } from "./secret-box.ts";

const row: KeyRow = {
  keyId: 7,
  account: 1001,
  key: "a key",
  keyType: KeyType.ed25519,
  label: null,
  sealedSecret: null,
  sealVersion: 1,
  publicKey: Buffer.alloc(32, 1).toString("base64"),
  allowedRanges: [],
  sessionId: null,
  createdMs: 0,
};
const entropy = { bytes: (count: number) => new Uint8Array(count), text: () => "" };

/** A directory on a database that is unavailable while `isAway`, with its pending retries. */
function directory() {
  const state = { isAway: true, loads: 0, again: [] as (() => void)[] };
  const load = async () => {
    state.loads++;
    if (state.isAway) throw new Error("the database is away");
    return row;
  };
  const store: Pick<KeyStore, "load"> = { load };
  const box = new SecretBox([{ version: 1, key: new Uint8Array(32) }], entropy);
  const keys = new KeyDirectory(store as KeyStore, box, {
    rangesHold: () => () => true,
    onFault: () => undefined,
    later: (again) => state.again.push(again),
  });
  return { keys, state };
}

test("a key that was changed while its secret could not be loaded is found once it can be loaded", async () => {
  const { keys, state } = directory();
  keys.load(7);
  await keys.settled();
  keys.forget(7);
  keys.load(7);
  await keys.settled();
  state.isAway = false;
  for (const again of state.again) again();
  await keys.settled();
  assert.equal(keys.find("a key")?.account, 1001);
});

test("a key that was revoked before its secret was loaded is not loaded", async () => {
  const { keys, state } = directory();
  keys.load(7);
  await keys.settled();
  keys.forget(7);
  state.isAway = false;
  for (const again of state.again) again();
  await keys.settled();
  assert.equal(state.loads, 1);
  assert.equal(keys.find("a key"), undefined);
});
