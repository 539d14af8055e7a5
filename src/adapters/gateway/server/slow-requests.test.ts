// Tests requests that arrive slowly or in pieces against the server's own timeouts. An idle connection ends after 8 to
// 12 s; a body in progress has until the deadline. The deadline in these tests is later than the idle timeout, as in
// production.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { until as untilFound } from "../../../../test/epochs/epoch-waits.ts";
import { sendRaw } from "../../../../test/support/client/raw-request.ts";
import { BareServer, echo, until } from "../../../../test/support/front/bare-server.ts";

/** The shortest and the longest time that the server gives an idle connection. */
const [idleMsMin, idleMsMax] = [8_000, 12_000];
/** The deadline, later than the idle timeout. It is measured with a clock that the tests set. */
const deadlineMs = 30_000;

test("HTP-1 a request that is split at any byte, or sent byte by byte, is served", async () => {
  const bare = await new BareServer(echo).open();
  const request = "GET /api/v3/ping?a=1 HTTP/1.1\r\nHost: x\r\nX-Any: b\r\n\r\n";
  const sendIn = async (pieces: readonly string[]) => {
    const socket = await bare.socket();
    socket.setNoDelay(true);
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString();
    });
    for (const piece of pieces) {
      socket.write(piece);
      await wait(20);
    }
    await until(() => text.includes("\r\n\r\n"));
    socket.destroy();
    return text.slice(0, text.indexOf("\r\n"));
  };
  const cuts = Array.from({ length: request.length - 1 }, (_, at) => at + 1);
  const statusLines = await Promise.all(
    cuts.map(async (cut) => `${cut}: ${await sendIn([request.slice(0, cut), request.slice(cut)])}`),
  );
  assert.deepEqual(
    statusLines.filter((line) => !line.endsWith(": HTTP/1.1 200 OK")),
    [],
  );
  assert.equal(await sendIn([...request]), "HTTP/1.1 200 OK");
  bare.server.close();
});

/** The outcome of a body sent piece by piece, and the time at which its connection ended (0 while it is open). */
interface SentSlowly {
  readonly status: string;
  readonly endMs: number;
}

/**
 * Sends the body's pieces, ten a second, until the server ends the connection or answers something other than
 * 408.
 */
async function sendSlowly(
  bare: BareServer,
  framing: string,
  { piece = "", pieces = 0 } = {},
): Promise<SentSlowly> {
  const startMs = performance.now();
  const socket = await bare.socket();
  let text = "";
  let endMs = 0;
  socket.on("data", (chunk) => {
    text += chunk.toString();
  });
  socket.on("error", () => {});
  socket.on("close", () => {
    endMs = performance.now() - startMs;
  });
  socket.write(`POST /a HTTP/1.1\r\nHost: x\r\n${framing}\r\n\r\n`);
  for (let sent = 0; sent < pieces && endMs === 0; sent++) {
    await wait(100);
    socket.write(piece);
  }
  await until(() => endMs > 0 || text.startsWith("HTTP/1.1 200"), 60_000);
  socket.destroy();
  return { status: text.slice(9, 12), endMs };
}

test("LIM-9 ERR-15 a stalled or slow body is answered 408 at the deadline, and a body that ends in time is accepted", async () => {
  const bare = await new BareServer(echo, deadlineMs).open();
  const chunked = "Transfer-Encoding: chunked";
  const late = [
    sendSlowly(bare, "Content-Length: 100"),
    sendSlowly(bare, chunked),
    sendSlowly(bare, "Content-Length: 1000", { piece: "b", pieces: 400 }),
    sendSlowly(bare, chunked, { piece: "1\r\nb\r\n", pieces: 400 }),
    // This body is too large. The server drops its data, but answers only at the deadline.
    sendSlowly(bare, "Content-Length: 2000"),
  ];
  // 125 pieces take 12.5 s at least, which is longer than the idle timeout.
  const passed = await sendSlowly(bare, "Content-Length: 1000", {
    piece: "b".repeat(8),
    pieces: 125,
  });
  assert.equal(passed.status, "200");
  bare.nowMs += deadlineMs;
  for (const { status, endMs } of await Promise.all(late)) {
    assert.equal(status, "408");
    assert.ok(endMs > idleMsMax, `closed after ${endMs} ms`);
  }
  assert.equal(bare.calls.length, 1, "only the body that ended in time must be handled");
  bare.server.close();
});

test("HTP-2 HTP-3 an answer announces how long its connection is kept, and the server keeps it longer", async () => {
  const bare = await new BareServer(echo).open();
  const { headers } = await bare.fetch("/a");
  assert.equal(headers.get("uwebsockets"), null);
  const seconds = Number(/^timeout=(\d+)$/.exec(headers.get("keep-alive") ?? "")?.[1]);
  assert.equal(seconds, 7);
  const request = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";
  await untilFound("a time without a pause of the machine", async () => {
    const socket = await bare.socket();
    let text = "";
    socket.on("data", (chunk) => {
      text += chunk.toString();
    });
    socket.on("error", () => {});
    const sentMs = performance.now();
    socket.write(request);
    await until(() => text.endsWith("/a  "));
    await wait(seconds * 1000);
    text = "";
    socket.write(request);
    const idleMs = performance.now() - sentMs;
    // If the machine paused, the server may have closed the connection before it was used again.
    const isInTime = idleMs < idleMsMin;
    if (isInTime) await until(() => text.endsWith("/a  "));
    socket.destroy();
    return isInTime ? idleMs : null;
  });
  const closing = await sendRaw(
    bare.port,
    request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"),
  );
  assert.ok(closing.isClosed);
  bare.server.close();
});
