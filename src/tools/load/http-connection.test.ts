// Tests that a connection which never opened is reported only to the caller that tried to open it. Otherwise a listener
// that replaces each lost connection would open two.

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { HttpConnection } from "./http-connection.ts";

const host = "127.0.0.1";
/** A port without a server. The kernel gives it to no other program. */
const closedPort = 1;

test("a refused connection is reported only to its opener", async () => {
  let lost = 0;
  const listener = { onResponse: () => undefined, onLost: () => void lost++ };
  const endpoint = { host, port: closedPort };
  await assert.rejects(HttpConnection.open(endpoint, 0, listener), { code: "ECONNREFUSED" });
  await sleep(20);
  assert.equal(lost, 0);
});

test("a connection that the other side ends is reported as lost once, with its unanswered requests", async () => {
  const told: number[] = [];
  const server = createServer((socket) => socket.once("data", () => socket.destroy()));
  const port = await new Promise<number>((resolve) => {
    server.listen(0, host, () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
  const listener = {
    onResponse: () => undefined,
    onLost: (_: HttpConnection, unanswered: number) => void told.push(unanswered),
  };
  const connection = await HttpConnection.open({ host, port }, 0, listener);
  connection.send("GET / HTTP/1.1\r\n\r\n");
  while (told.length === 0) await sleep(1);
  // Wait long enough for a second notification to arrive.
  await sleep(50);
  server.close();
  assert.deepEqual(told, [1]);
});
