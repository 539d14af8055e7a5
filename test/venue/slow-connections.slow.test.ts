// Proves on a whole venue that the server closes connections which never finish a request, and that they delay no other
// client. The test uses the default timeouts and takes as long as they are.

import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { sendRaw } from "../support/client/raw-request.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";

let fixture: VenueFixture;

before(async () => {
  fixture = await VenueFixture.open();
});
after(() => fixture.close());

/** Sends `head`, then a byte four times a second; resolves with the received text when the server closes. */
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
  assert.equal(status, 200, "Other clients must be served");
  assert.deepEqual([...new Set(await Promise.all(waits))], [""]);
});

/** Returns the body of a login, padded with blanks to this size; JSON ignores blanks. */
function paddedTo(bytes: number): string {
  const body = '{"public_key":"x","nonce":"x","signature":"x"}';
  return body.slice(0, 1) + " ".repeat(bytes - body.length) + body.slice(1);
}

/** Sends `body` at `bytesPerSecond`; resolves with the answer's status line and its duration in seconds. */
function sendAt(bytesPerSecond: number, body: string): Promise<[status: string, seconds: number]> {
  return new Promise((resolve, reject) => {
    const startMs = performance.now();
    const socket = connect(fixture.venue.port, "127.0.0.1");
    const head = "POST /v1/wallet/verify HTTP/1.1\r\nHost: x\r\n";
    socket.write(`${head}Content-Length: ${body.length}\r\n\r\n`);
    let sent = 0;
    const timer = setInterval(() => {
      socket.write(body.slice(sent, sent + bytesPerSecond / 10));
      sent += bytesPerSecond / 10;
    }, 100);
    socket.on("data", (chunk) => {
      clearInterval(timer);
      socket.destroy();
      const [line = ""] = chunk.toString("latin1").split("\r\n");
      resolve([line, (performance.now() - startMs) / 1000]);
    });
    socket.on("error", () => {});
    socket.on("close", () => {
      clearInterval(timer);
      reject(new Error(`closed after ${performance.now() - startMs} ms`));
    });
  });
}

test("LIM-9 ERR-15 a body that is incomplete after 30 s gets 408, and one complete earlier is accepted at any rate", async () => {
  const head = "POST /v1/api-keys HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n";
  const chunks = "POST /api/v3/order HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  const ended = sendAt(2500, paddedTo(65_000));
  const told = await Promise.all([
    trickle(head),
    trickle(`${chunks}fffff\r\n`),
    sendRaw(fixture.venue.port, head).then(({ text }) => text),
    sendRaw(fixture.venue.port, chunks).then(({ text }) => text),
  ]);
  for (const text of told) assert.match(text, /^HTTP\/1\.1 408 /);
  const [line, seconds] = await ended;
  assert.equal(
    line,
    "HTTP/1.1 400 Bad Request",
    "The body must be read whole and refused for its key",
  );
  assert.ok(seconds > 25, `the body must take more than 25 s, not ${seconds}`);
});
