// Proves that HAProxy with the file of deploy/ sends no request twice: neither by itself, nor by telling a client that it
// may. The gateways behind it are stand-ins that count what reaches them.

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { request } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connect, type TLSSocket } from "node:tls";
import { until } from "../epochs/epoch-waits.ts";
import { CertificateAuthority } from "../support/cluster/certificates.ts";
import { programs } from "../support/cluster/programs.ts";
import { freePort } from "../support/free-port.ts";
import { projectRoot } from "../support/tidy/tree.ts";

const skip = existsSync(programs.haproxy) ? false : `${programs.haproxy} is missing`;
const startMsMax = 120_000;

let folder: string;
let balancer: ChildProcess;
let clientsPort: number;
let isLost = false;
const orders: string[] = [];
const gateways: Server[] = [];

/** A gateway that keeps orders waiting, and whose /health says 503 once the bus is lost. */
async function openGateway(): Promise<string> {
  const server = createServer(({ method, url }, response) => {
    if (method === "POST") orders.push(String(url));
    else response.writeHead(url === "/health" && isLost ? 503 : 200).end();
  });
  gateways.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function untilReady(port: number): Promise<void> {
  for (const endMs = performance.now() + startMsMax; ; await sleep(50)) {
    const answer = await fetch(`http://127.0.0.1:${port}/ready`).catch(() => null);
    if (answer?.status === 200) return;
    assert(performance.now() < endMs, "the balancer is not ready");
  }
}

before(async () => {
  if (skip !== false) return;
  folder = await mkdtemp(join(tmpdir(), "rialto-balancer-"));
  const tls = join(folder, "tls");
  const { certFile, keyFile } = await new CertificateAuthority(join(folder, "ca")).issue(tls, [
    "localhost",
  ]);
  const pem = await Promise.all([certFile, keyFile].map((file) => readFile(file, "utf8")));
  await writeFile(join(tls, "clients.pem"), pem.join(""));
  clientsPort = await freePort();
  const healthPort = await freePort();
  balancer = spawn(
    programs.haproxy,
    ["-db", "-f", join(projectRoot, "deploy/haproxy/clients.cfg")],
    {
      cwd: folder,
      stdio: "ignore",
      env: {
        GATEWAY_A: await openGateway(),
        GATEWAY_B: await openGateway(),
        CLIENTS_LISTEN: `127.0.0.1:${clientsPort}`,
        BALANCER_HEALTH_LISTEN: `127.0.0.1:${healthPort}`,
      },
    },
  );
  await untilReady(healthPort);
});
after(async () => {
  balancer?.kill("SIGKILL");
  for (const gateway of gateways) {
    gateway.closeAllConnections();
    gateway.close();
  }
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

test("OPS-51 the balancer speaks a protocol in which no request that was sent is called refused", {
  skip,
}, async () => {
  const offered = { host: "127.0.0.1", port: clientsPort, ALPNProtocols: ["h2", "http/1.1"] };
  const socket: TLSSocket = connect({ ...offered, rejectUnauthorized: false });
  await once(socket, "secureConnect");
  assert.equal(socket.alpnProtocol, "http/1.1");
  socket.destroy();
});

test("OPS-51 an order that waits at a gateway which is taken out is not sent again", {
  skip,
}, async () => {
  const to = { host: "127.0.0.1", port: clientsPort, path: "/api/v3/order", method: "POST" };
  const sent = request({ ...to, rejectUnauthorized: false });
  const answered = once(sent, "response");
  sent.end("side=BUY");
  await until("the order at a gateway", async () => orders.length > 0 || null);
  isLost = true;
  const [{ statusCode }] = await answered;
  assert.equal(statusCode, 502, "the outcome is unknown");
  // Time in which it would be sent again.
  await sleep(1_000);
  assert.deepEqual(orders, ["/api/v3/order"]);
});
