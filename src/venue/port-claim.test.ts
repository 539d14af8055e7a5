// Proves that a port which the system chose stays with its venue until the venue listens, and that a port which was asked
// for is only looked at.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { freePort } from "../../test/support/free-port.ts";
import { PortClaim } from "./port-claim.ts";

const host = "127.0.0.1";

async function listens(port: number): Promise<boolean> {
  const server = createServer();
  const isTaken = once(server, "error").then(() => false);
  server.listen(port, host);
  const isOpen = await Promise.race([once(server, "listening").then(() => true), isTaken]);
  if (isOpen) await new Promise((resolve) => server.close(resolve));
  return isOpen;
}

test("a free port is held until it is released, and then it is free", async () => {
  const claim = await PortClaim.of(host, 0);
  assert.equal(await listens(claim.port), false, "no other process may get it");
  await claim.release();
  await claim.release();
  assert.equal(await listens(claim.port), true);
});

test("a port that was asked for is free after the claim, and refused if it is taken", async () => {
  const port = await freePort();
  const claim = await PortClaim.of(host, port);
  assert.equal(claim.port, port);
  assert.equal(await listens(port), true);
  const held = await PortClaim.of(host, 0);
  await assert.rejects(PortClaim.of(host, held.port), { code: "EADDRINUSE" });
  await held.release();
});
