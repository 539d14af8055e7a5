// Proves that a provider refuses no request of its venue because another one has just made it look up the venue's keys,
// or because that lookup failed.

import assert from "node:assert/strict";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { until } from "../../../test/epochs/epoch-waits.ts";
import { VenueWatch } from "./venue-watch.ts";

const published = JSON.stringify({ keys: [{ key_id: "own", public_key: "public" }] });

/** A venue that answers when the test says so, and the watch of a provider, whose clock the test sets. */
async function watched(t: TestContext) {
  t.mock.timers.enable({ apis: ["Date"], now: 1_700_000_000_000 });
  const asked: ServerResponse[] = [];
  const server = createServer((_, response) => asked.push(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  /** Resolves with the venue's lookup of that number, which has no answer yet. */
  const lookup = (count: number) => until(`lookup ${count}`, async () => asked[count - 1] ?? null);
  return { asked, lookup, watch: new VenueWatch(`http://127.0.0.1:${port}`) };
}

test("LPP-5 requests that come while the venue's keys are looked up wait for that one lookup", async (t) => {
  const { asked, lookup, watch } = await watched(t);
  const keys = Promise.all(["own", "own", "other"].map((id) => watch.key(id)));
  (await lookup(1)).end(published);
  assert.deepEqual(await keys, ["public", "public", null]);
  assert.equal(await watch.key("other"), null);
  assert.equal(asked.length, 1);
});

test("LPP-5 no lookup begins while a slow one is under way", async (t) => {
  const { asked, lookup, watch } = await watched(t);
  const first = watch.key("own");
  const slow = await lookup(1);
  t.mock.timers.tick(2_500);
  const second = watch.key("own");
  slow.end(published);
  assert.deepEqual(await Promise.all([first, second]), ["public", "public"]);
  assert.equal(asked.length, 1);
});

test("LPP-5 a lookup that fails says so to all who waited for it, and to those who come just after it", async (t) => {
  const { asked, lookup, watch } = await watched(t);
  const keys = Promise.allSettled([watch.key("own"), watch.key("own")]);
  (await lookup(1)).writeHead(503).end();
  assert.deepEqual(
    (await keys).map(({ status }) => status),
    ["rejected", "rejected"],
  );
  t.mock.timers.tick(199);
  await assert.rejects(watch.key("own"), /the venue answered 503/);
  assert.equal(asked.length, 1);
});

test("LPP-5 soon after a lookup that failed, the next request looks the keys up again", async (t) => {
  const { asked, lookup, watch } = await watched(t);
  const failed = assert.rejects(watch.key("own"), /the venue answered 503/);
  (await lookup(1)).writeHead(503).end();
  await failed;
  t.mock.timers.tick(200);
  const keys = Promise.all([watch.key("own"), watch.key("own")]);
  (await lookup(2)).end(published);
  assert.deepEqual(await keys, ["public", "public"]);
  assert.equal(asked.length, 2);
});
