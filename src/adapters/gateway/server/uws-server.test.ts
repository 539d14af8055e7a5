// Tests of the server alone: size limits, deadlines, clients that disconnect, and several requests on one connection.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { BareServer, echo, until } from "../../../../test/support/front/bare-server.ts";

test("method, path, raw query and body arrive exactly as sent", async () => {
  const bare = await new BareServer(echo).open();
  const text = async (target: string, options: RequestInit = {}) =>
    (await bare.fetch(target, options)).text();
  assert.equal(await text("/a/b?x=%20+1"), "GET /a/b x=%20+1 ");
  assert.equal(await text("/a", { method: "POST", body: "b=é" }), "POST /a  b=é");
  assert.equal(await text("/a?q=1", { method: "DELETE" }), "DELETE /a q=1 ");
  assert.equal(await text("/a", { method: "DELETE", body: "z=1" }), "DELETE /a  z=1");
  assert.equal(await text("/a", { method: "PUT", body: "" }), "PUT /a  ");
  bare.server.close();
});

test("LIM-12 ERR-20 a query above its limit is refused, and a query at its limit is accepted", async () => {
  const bare = await new BareServer(echo).open();
  assert.equal((await bare.fetch(`/a?${"q".repeat(50)}`)).status, 200);
  assert.equal((await bare.fetch(`/a?${"q".repeat(51)}`)).status, 400);
  assert.deepEqual(bare.faults, ["queryTooLong"]);
  bare.server.close();
});

test("ERR-16 a body above its limit is refused, whether it comes in one piece or in many", async () => {
  const bare = await new BareServer(echo).open();
  assert.equal((await bare.fetch("/a", { method: "POST", body: "b".repeat(1000) })).status, 200);
  assert.equal((await bare.fetch("/a", { method: "POST", body: "b".repeat(1001) })).status, 400);
  const socket = await bare.socket();
  socket.write("POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  for (let part = 0; part < 3; part++) {
    socket.write(`190\r\n${"b".repeat(400)}\r\n`);
    await wait(20);
  }
  await until(() => bare.faults.length > 1);
  assert.deepEqual(bare.faults, ["bodyTooLarge", "bodyTooLarge"]);
  socket.destroy();
  bare.server.close();
});

test("LIM-9 a request without an answer, or a body that never ends, is refused at the deadline", async () => {
  const bare = await new BareServer(() => {}).open();
  const late = bare.fetch("/a");
  const socket = await bare.socket();
  socket.write("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nb=");
  await until(() => bare.server.unanswered === 2);
  bare.nowMs += 99;
  await wait(60);
  assert.deepEqual(bare.faults, []);
  bare.nowMs += 1;
  assert.equal((await late).status, 408);
  await until(() => bare.faults.length > 1);
  assert.deepEqual(bare.faults, ["deadline", "deadline"]);
  assert.equal(bare.server.unanswered, 0);
  bare.calls[0]?.json("{}");
  assert.equal(bare.answers[408], 2);
  assert.equal(bare.answers[200], 0, "the first answer wins");
  socket.destroy();
  bare.server.close();
});

test("a client that has disconnected gets no answer", async () => {
  const bare = await new BareServer(() => {}).open();
  const socket = await bare.socket();
  socket.write("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  await until(() => bare.calls.length > 0);
  socket.destroy();
  const [call] = bare.calls;
  assert.ok(call !== undefined);
  await until(() => call.isOver);
  assert.equal(bare.server.unanswered, 0);
  call.json("{}");
  assert.ok(bare.answers.every((count) => count === 0));
  bare.server.close();
});

test("one connection carries many requests, even several at once, and answers them in order", async () => {
  const bare = await new BareServer(echo).open();
  const socket = await bare.socket();
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString();
  });
  const head = "HTTP/1.1\r\nHost: x\r\n\r\n";
  socket.write(`GET /1 ${head}GET /2 ${head}`);
  await until(() => text.includes("GET /2"));
  socket.write(`GET /3 ${head}`);
  await until(() => text.includes("GET /3"));
  assert.deepEqual(text.match(/GET \/\d/g), ["GET /1", "GET /2", "GET /3"]);
  socket.destroy();
  bare.server.close();
});

test("every request of a burst is handled once and answered", async () => {
  const order: string[] = [];
  const bare = await new BareServer((call) => {
    order.push(call.path);
    echo(call);
  }).open();
  const post = (path: string) => bare.fetch(path, { method: "POST", body: "x=1" });
  const answers = await Promise.all(Array.from({ length: 200 }, (_, index) => post(`/${index}`)));
  for (const [index, answer] of answers.entries()) {
    assert.equal(await answer.text(), `POST /${index}  x=1`);
  }
  assert.equal(order.length, 200);
  assert.equal(new Set(order).size, 200);
  assert.equal(bare.server.unanswered, 0);
  bare.server.close();
});

test("listening on a port in use fails", async () => {
  const bare = await new BareServer(echo).open();
  const other = new BareServer(echo);
  await assert.rejects(other.server.listen("127.0.0.1", bare.port), /cannot listen on/);
  other.server.close();
  bare.server.close();
});
