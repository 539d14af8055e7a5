// Proves what the page makes of answers that no venue gives, as a proxy or a portal of a hotel does.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { isOutcomeUnknown, request, VenueFault } from "../../web/src/member/venue-api.ts";

const page = "<!DOCTYPE html><title>Log in to the network</title>";
const foreign = /The answer is not the venue's: something between this page and the venue/;

let server: Server;
let address: string;

before(async () => {
  server = createServer((asked, answer) => {
    if (asked.url === "/cut") answer.writeHead(200, { "Content-Length": 100 }).write('{"items":[');
    if (asked.url === "/cut") setTimeout(() => asked.socket.destroy(), 50);
    else answer.writeHead(asked.url === "/page" ? 200 : 502).end(asked.url === "/odd" ? "{" : page);
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

test("WEB-188 an answer that is none of the venue leaves open whether the request was executed", async () => {
  for (const path of ["/page", "/odd"]) {
    const fault = await faultOf(path);
    assert.match(fault.message, foreign);
    assert(isOutcomeUnknown(fault), path);
  }
});

test("WEB-188 the error page of a proxy is not shown as the venue's words", async () => {
  const fault = await faultOf("/bad-gateway");
  assert.match(fault.message, /^Request failed with status 502\. The answer is not the venue's/);
  assert.equal(fault.status, 502);
  assert.doesNotMatch(fault.message, /</);
});

test("WEB-188 an answer that is cut off counts as none", async () => {
  const fault = await faultOf("/cut");
  assert.match(fault.message, /^Cannot reach the venue/);
  assert(isOutcomeUnknown(fault));
});
