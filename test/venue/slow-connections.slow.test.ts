// Connections that never come to the end of a request, on a whole venue: they are closed by the server and
// hold up nobody. The times are the server's own, so this takes as long as they do.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { VenueFixture } from "../support/venue-fixture.ts";

let fixture: VenueFixture;

before(async () => {
  fixture = await VenueFixture.open({ GATEWAY_TIMEOUT_MS: "3000" });
});
after(() => fixture.close());

/** Sends `head`, then a byte four times a second; resolves with what came when the other side closes. */
function trickle(head: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(fixture.venue.port, "127.0.0.1");
    let text = "";
    socket.write(head);
    const timer = setInterval(() => socket.write("a"), 250);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      clearInterval(timer);
      resolve(text);
    });
  });
}

test("LIM-16 a header that comes a byte at a time ends its connection", async () => {
  const waits = Array.from({ length: 200 }, () =>
    trickle("GET /v1/markets HTTP/1.1\r\nHost: x\r\nX-Slow: "),
  );
  const { status } = await fixture.get("/v1/markets");
  assert.equal(status, 200, "others are served");
  assert.deepEqual([...new Set(await Promise.all(waits))], [""]);
});

test("LIM-9 ERR-15 a body that comes a byte at a time is 408 at the gateway's time and ends its connection", async () => {
  const text = await trickle(
    "POST /v1/api-keys HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n",
  );
  assert(text.startsWith("HTTP/1.1 408 "), text);
  const chunked = await trickle(
    "POST /api/v3/order HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n",
  );
  assert(chunked.startsWith("HTTP/1.1 408 "), chunked);
});
