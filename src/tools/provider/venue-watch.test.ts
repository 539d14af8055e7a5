// Proves that a provider refuses no request of its venue because another one has just made it look up the venue's keys.

import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { VenueWatch } from "./venue-watch.ts";

/** A venue that answers when the test says so, and the watch of a provider. */
async function watched(t: TestContext) {
  const asked: ServerResponse[] = [];
  const server = createServer((_, response) => asked.push(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { asked, watch: new VenueWatch(`http://127.0.0.1:${port}`) };
}

test("LPP-5 requests that come while the venue's keys are looked up wait for that one lookup", async (t) => {
  const { asked, watch } = await watched(t);
  const keys = Promise.all(["own", "own", "other"].map((id) => watch.key(id)));
  while (asked.length === 0) await sleep(5);
  const published = [{ key_id: "own", public_key: "public" }];
  for (const response of asked) response.end(JSON.stringify({ keys: published }));
  assert.deepEqual(await keys, ["public", "public", null]);
  assert.equal(asked.length, 1);
});

test("LPP-5 a lookup that fails says so to all who waited for it", async (t) => {
  const { asked, watch } = await watched(t);
  const keys = Promise.allSettled([watch.key("own"), watch.key("own")]);
  while (asked.length === 0) await sleep(5);
  for (const response of asked) response.writeHead(503).end();
  assert.deepEqual(
    (await keys).map(({ status }) => status),
    ["rejected", "rejected"],
  );
});
