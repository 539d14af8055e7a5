// Tests what a venue that follows tells of itself.

import assert from "node:assert/strict";
import { test } from "node:test";
import { freePort } from "../../../test/support/free-port.ts";
import { LeaseBuffer } from "../../wire/lease-buffer.ts";
import { FollowerServer } from "./follower-server.ts";

test("HTP-12 OPS-93 a follower tells its version and role, and refuses what only a leader does", async (t) => {
  const port = await freePort();
  const startedAt = "2026-01-02T03:04:05.000Z";
  const build = { version: "1.2.3", commit: null, startedAt, isRewind: false };
  const figures = () => ({ seq: 7, leader: "http://leader.example", epoch: "3", build });
  const lease = new LeaseBuffer(LeaseBuffer.allocate());
  const server = await FollowerServer.open({ host: "127.0.0.1", port }, lease, figures);
  t.after(() => server.close());
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  const version = await get("/v1/version");
  assert.deepEqual(
    [version.status, await version.json()],
    [200, { version: "1.2.3", commit: null, started_at: build.startedAt, role: "follower" }],
  );
  const metrics = await (await get("/metrics")).text();
  assert.match(metrics, /^rialto_build_info\{version="1\.2\.3",commit="",role="follower"\} 1$/m);
  for (const path of ["/health", "/v1/markets"]) assert.equal((await get(path)).status, 503, path);
  assert.equal((await get("/v1/version?x=1")).status, 200);
  for (const path of ["/v1/version", "/metrics"]) {
    const posted = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST" });
    assert.deepEqual(
      [posted.status, ((await posted.json()) as { error: { code: string } }).error.code],
      [503, "unavailable"],
      path,
    );
  }
});
