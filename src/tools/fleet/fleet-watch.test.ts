// Tests what the fleet is told to do for each answer of the venue. The answers come from a scripted HTTP server.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { FleetWatch } from "./fleet-watch.ts";

test("TRF-6 the fleet trades only while the venue reports ok, and trades spot only while it has a traffic budget", async () => {
  let said: string | null = "";
  const server = createServer((_request, response) => {
    if (said === null) response.socket?.destroy();
    else response.end(said);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const heard: string[] = [];
  const watch = new FleetWatch(`http://127.0.0.1:${port}`, {
    hold: () => heard.push("hold"),
    letGo: () => heard.push("go"),
    allowSpot: (isAllowed) => heard.push(isAllowed ? "spot" : "no spot"),
  });
  const told = async (message: string | null) => {
    said = message;
    await watch.look();
    return [watch.state, ...heard.splice(0)];
  };
  const word = (state: string, budget_left: number) =>
    JSON.stringify({ state, fleet: [{ name: "mm-fleet", budget_left }] });
  assert.deepEqual(await told(word("ok", 20_000)), ["ok", "go", "spot"]);
  assert.equal(watch.waitReason, "");
  assert.deepEqual(await told(word("ok", 0)), ["ok", "go", "no spot"]);
  assert.deepEqual(await told(word("paused", 1)), ["paused", "hold", "spot"]);
  assert.deepEqual(await told(word("halted", 1)), ["halted", "hold", "spot"]);
  assert.match(watch.waitReason, /has not read its ledger yet/);
  assert.deepEqual(await told(null), ["silent", "hold"]);
  assert.deepEqual(await told("<html>"), ["silent", "hold"]);
  assert.deepEqual(await told('{"state":"ok","fleet":[]}'), ["ok", "go"]);
  said = word("ok", 1);
  const looking = watch.look();
  watch.stop();
  await looking;
  assert.deepEqual(heard, [], "an answer that arrives after the stop must not reach the fleet");
  server.close();
});
