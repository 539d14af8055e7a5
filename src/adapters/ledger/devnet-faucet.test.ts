// Tests the faucet's client against a ledger that is away, and one that refuses.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { DevnetFaucet } from "./devnet-faucet.ts";

async function faucetOf(answer: RequestListener, ended: (end: () => void) => void) {
  const server = createServer(answer);
  await once(server.listen(0, "127.0.0.1"), "listening");
  ended(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const faucet = new DevnetFaucet();
  const instruments = [["CC", { admin: "issuer", id: "CC" }]] as const;
  faucet.reach({ instruments, admin: { url, token: "t" } } as never);
  return { faucet, server };
}

test("NAT-62 a ledger that cannot be reached gives nothing, and says so", async (t) => {
  const { faucet, server } = await faucetOf(
    (request) => request.socket.destroy(),
    (end) => t.after(end),
  );
  assert.equal(await faucet.tap("party", "CC", "1"), false);
  assert.equal(await faucet.host("party", "key"), false);
  server.close();
  assert.equal(await faucet.tap("party", "CC", "1"), false);
});

test("NAT-62 a request that the ledger refuses is a fault", async (t) => {
  const { faucet } = await faucetOf(
    (_, answer) => answer.writeHead(400).end("no such party"),
    (end) => t.after(end),
  );
  await assert.rejects(faucet.tap("party", "CC", "1"), /refused the request: 400 no such party/);
});
