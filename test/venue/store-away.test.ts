// Proves that reads get an error that allows a retry while the venue's PostgreSQL is killed and restarts.

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { findPostmaster } from "../../src/adapters/postgres/server/postmaster.ts";
import { StorageScene, until } from "../ops/storage-scene.ts";
import { NativeClient } from "../support/client/native-client.ts";

const message = "The database is not reached now. Nothing was executed; ask again.";

test("ERR-41 a history read while PostgreSQL starts is answered or gets 503, on every surface", async (t) => {
  const scene = await StorageScene.make();
  t.after(() => scene.close());
  await scene.startWithout({ settings: { DEV_PROVIDER: "0" } });
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
  const refused = [0, 0];
  await until("both reads were refused and are answered again", async () => {
    const answers = await send();
    for (const [index, { status, text }] of answers.entries()) {
      if (status === 200) continue;
      refused[index] = (refused[index] ?? 0) + 1;
      const body = index === 0 ? JSON.stringify({ code: -1008, msg: message }) : message;
      assert.deepEqual([status, text], [503, body]);
    }
    await sleep(20);
    return refused.every((count) => count > 0) && answers.every(({ status }) => status === 200);
  });
});
