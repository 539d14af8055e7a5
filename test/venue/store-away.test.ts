// Proves that reads wait while the venue's PostgreSQL is killed and restarts.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { findPostmaster } from "../../src/adapters/postgres/server/postmaster.ts";
import { StorageScene } from "../ops/storage-scene.ts";
import { NativeClient } from "../support/client/native-client.ts";

test("ERR-48 a history read while PostgreSQL restarts waits and is answered, on every surface", async (t) => {
  const scene = await StorageScene.make();
  t.after(() => scene.close());
  await scene.startWithout({ settings: { DEV_PROVIDER: "0", GATEWAY_TIMEOUT_MS: "60000" } });
  const { host, port } = scene.venue.endpoint;
  const user = new NativeClient(`http://${host}:${port}`);
  await user.login();
  const send = async () => {
    const [public_, native] = await Promise.all([
      scene.get("/fapi/v1/fundingRate?symbol=BTCUSDT"),
      user.get("/v1/trades/me"),
    ]);
    return [
      { status: public_.status, text: await public_.text() },
      { status: native.status, text: native.text },
    ];
  };
  for (const { status, text } of await send()) assert.equal(status, 200, text);
  const found = await findPostmaster(join(scene.dataDir, "postgres", "cluster"));
  assert(typeof found !== "string", String(found));
  process.kill(found.pid, "SIGKILL");
  for (const { status, text } of await send()) assert.equal(status, 200, text);
});
