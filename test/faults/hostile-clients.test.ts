// Proves that whatever a client sends to the second address of a venue ends at most its own connection.

import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { WebSocket } from "ws";
import { until } from "../epochs/epoch-waits.ts";
import { StreamClient } from "../streams/stream-client.ts";
import { sendRaw } from "../support/client/raw-request.ts";
import { FaultScene } from "./fault-scene.ts";

let scene: FaultScene;

before(async () => {
  scene = await FaultScene.open();
});
after(() => scene.close());

const upgrade = "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n";
const depth = "/compat/ws/ccusdc@depth";

/** Sends bytes and returns what came back before the connection ended. */
async function answerTo(bytes: string | Buffer): Promise<string> {
  const { text } = await sendRaw(scene.port, bytes);
  return text;
}

async function assertServes(): Promise<void> {
  assert.equal((await fetch(`${scene.address}/api/v3/ping`)).status, 200);
}

test("REW-46 heads that cannot be read, or are too long, are refused", async () => {
  assert.match(await answerTo("\u0000\u0001 nonsense\r\n\r\n"), /^HTTP\/1\.1 400/);
  const long = `GET / HTTP/1.1\r\nhost: venue\r\nx-long: ${"a".repeat(40_000)}\r\n\r\n`;
  assert.match(await answerTo(long), /^HTTP\/1\.1 431/);
  const chunked = "POST /api/v3/order HTTP/1.1\r\nhost: v\r\ntransfer-encoding: chunked\r\n\r\n";
  await answerTo(`${chunked}zz\r\n`);
  await assertServes();
});

test("REW-46 upgrades that are no WebSockets, or lead elsewhere, are refused", async () => {
  const elsewhere = `GET http://127.0.0.1:1/ws HTTP/1.1\r\nhost: venue\r\n${upgrade}`;
  assert.match(
    await answerTo(`${elsewhere}sec-websocket-key: ${"A".repeat(22)}==\r\n\r\n`),
    / 400 /,
  );
  const http2 = "GET / HTTP/1.1\r\nhost: venue\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n";
  assert.match(await answerTo(http2), /expected HTTP\/1\.1/);
  const keyless = `GET ${depth} HTTP/1.1\r\nhost: venue\r\n${upgrade}\r\n`;
  assert.match(await answerTo(keyless), /^HTTP\/1\.1 400/);
  await assertServes();
});

test("REW-46 a client that pipelines too many requests is cut, and others are served", async () => {
  await scene.apply([{ kind: "latency-in", delay: { fixed_ms: 500 }, on: { paths: ["*/time"] } }]);
  const request = "GET /api/v3/time HTTP/1.1\r\nhost: venue\r\n\r\n";
  const { isClosed } = await sendRaw(scene.port, request.repeat(2_000));
  assert.ok(isClosed);
  await scene.clear();
  await assertServes();
});

test("REW-46 clients that leave in the middle harm nobody", async () => {
  await scene.apply([{ kind: "latency-out", delay: { fixed_ms: 200 } }]);
  const head = "POST /api/v3/order HTTP/1.1\r\nhost: venue\r\ncontent-length: 50\r\n\r\nhalf";
  const large = "POST /api/v3/order HTTP/1.1\r\nhost: venue\r\ncontent-length: 900000\r\n\r\nhalf";
  const read = "GET /compat/api/v3/exchangeInfo HTTP/1.1\r\nhost: venue\r\n\r\n";
  const key = `sec-websocket-key: ${"A".repeat(22)}==`;
  const socket = `GET ${depth} HTTP/1.1\r\nhost: venue\r\n${upgrade}${key}\r\n\r\n`;
  const leaveAfter = async (bytes: string) => {
    const client = connect(scene.port, "127.0.0.1");
    await once(client, "connect");
    client.write(bytes);
    await sleep(50);
    client.resetAndDestroy();
  };
  for (const bytes of [head, large, socket]) await leaveAfter(bytes);
  // On a busy machine a client may be gone before its request is read, or its answer may have left before it goes.
  await until("a client that left before its answer", async () => {
    await leaveAfter(read);
    await sleep(300);
    const answers = scene.requests().filter(({ path }) => path.endsWith("exchangeInfo"));
    return answers.some(({ delivered }) => !delivered) || null;
  });
  await scene.clear();
  await assertServes();
});

test("REW-46 frames that are too long or malformed end their own connection", async () => {
  const spared = await StreamClient.open(`${scene.wsAddress}/compat/ws-api/v3`);
  const open = async () => {
    const socket = new WebSocket(scene.wsAddress + depth, { perMessageDeflate: false });
    socket.on("error", () => undefined);
    await once(socket, "open");
    return socket;
  };
  const long = await open();
  long.send("x".repeat(200_000));
  await once(long, "close");
  const malformed = await open();
  const tcp = (malformed as unknown as { readonly _socket: import("node:net").Socket })._socket;
  tcp.write(Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff]));
  await once(malformed, "close");
  const badText = await open();
  badText.send(Buffer.from([0xff, 0xfe]), { binary: false });
  await once(badText, "close");
  spared.send({ id: { nested: [1] }, method: 7, params: [] });
  spared.send({ id: 1, method: "ping" });
  assert.equal((await spared.next(({ id }) => id === 1)).status, 200);
  spared.close();
  await assertServes();
});
