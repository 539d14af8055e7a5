// Proves what the page makes of answers that no venue gives, as a proxy or a portal of a hotel does.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { isOutcomeUnknown, request, VenueFault } from "../../web/src/member/venue-api.ts";

const page = "<!DOCTYPE html><title>Log in to the network</title>";

let server: Server;
let address: string;

before(async () => {
  server = createServer((asked, answer) => {
    if (asked.url === "/cut") answer.writeHead(200, { "Content-Length": 100 }).write('{"items":[');
    if (asked.url === "/cut") setTimeout(() => asked.socket.destroy(), 50);
    else if (asked.url === "/odd") answer.writeHead(200).end("{");
    else answer.writeHead(Number(asked.url?.slice(1))).end(`\n${page}`);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());

async function faultOf(path: string): Promise<VenueFault> {
  const fault = await request("POST", address + path).catch((thrown: unknown) => thrown);
  assert(fault instanceof VenueFault, String(fault));
  return fault;
}

test("WEB-188 whatever something between page and venue answers, the outcome of the request is unknown", async () => {
  // 404 would say that an order is unknown, 401 that the session has ended, 502 that the request was refused.
  const statuses = { "/200": 200, "/odd": 200, "/401": 401, "/404": 404, "/502": 502 };
  for (const [path, status] of Object.entries(statuses)) {
    const fault = await faultOf(path);
    const text = "Something between this page and the venue has answered instead of the venue";
    assert.equal(fault.message, `${text} (status ${status}).`);
    assert.equal(fault.status, 0);
    assert(isOutcomeUnknown(fault), path);
  }
});

test("WEB-188 an answer that is cut off counts as none", async () => {
  const fault = await faultOf("/cut");
  assert.match(fault.message, /^Cannot reach the venue/);
  assert(isOutcomeUnknown(fault));
});
