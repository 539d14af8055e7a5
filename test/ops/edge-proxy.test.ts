// Proves that the proxy configuration in docs/ops works as an operator would use it: Debian's nginx in front of a
// whole venue, with ports and certificate filled in and nothing else changed.

import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import WebSocket from "ws";
import { until } from "../epochs/epoch-waits.ts";
import { freePort } from "../support/free-port.ts";
import { projectRoot } from "../support/tidy/tree.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";

const nginx = "/usr/sbin/nginx";

let fixture: VenueFixture;
let proxy: ChildProcess;
let folder: string;
let certificate: Buffer;
let tlsPort: number;
let plainPort: number;

/** Returns a whole nginx configuration around the one in docs/ops, with this test's addresses. */
function configuration(): string {
  const page = readFileSync(join(projectRoot, "docs/ops/nginx.conf"), "utf8")
    .replace("server 127.0.0.1:8080;", `server 127.0.0.1:${fixture.venue.port};`)
    .replace("listen 80;", `listen 127.0.0.1:${plainPort};`)
    .replace("listen 443 ssl http2;", `listen 127.0.0.1:${tlsPort} ssl http2;`)
    .replace("/etc/ssl/venue.example.pem", join(folder, "venue.pem"))
    .replace("/etc/ssl/venue.example.key", join(folder, "venue.key"));
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((kind) => `${kind}_temp_path ${join(folder, kind)};`)
    .join("\n");
  // Run the workers as root if the test is root, so that they can write into the test's private folder.
  const user = process.getuid?.() === 0 ? "user root;" : "";
  return `daemon off;
${user}
worker_processes 1;
pid ${join(folder, "nginx.pid")};
error_log ${join(folder, "error.log")};
events { worker_connections 256; }
http {
access_log off;
${temporary}
${page}
}
`;
}

function makeCertificate(): void {
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const files = ["-keyout", join(folder, "venue.key"), "-out", join(folder, "venue.pem")];
  const name = ["-subj", "/CN=venue.example", "-addext", "subjectAltName=DNS:venue.example"];
  execFileSync("openssl", ["req", "-x509", "-days", "1", ...key, ...files, ...name], {
    stdio: "ignore",
  });
  certificate = readFileSync(join(folder, "venue.pem"));
}

before(async () => {
  assert(existsSync(nginx), "nginx is missing: install Debian's package nginx-light");
  fixture = await VenueFixture.open({
    TRUSTED_PROXIES: "127.0.0.1",
    RATE_LIMIT_WS_CONNS_PER_IP: "2",
  });
  folder = mkdtempSync(join(tmpdir(), "rialto-edge-"));
  [tlsPort, plainPort] = [await freePort(), await freePort()];
  makeCertificate();
  writeFileSync(join(folder, "nginx.conf"), configuration());
  proxy = spawn(nginx, ["-c", join(folder, "nginx.conf"), "-p", folder], { stdio: "inherit" });
  await until("the proxy", () =>
    get("/api/v3/ping").then(
      () => true,
      () => null,
    ),
  );
});
after(async () => {
  if (proxy !== undefined && proxy.exitCode === null) {
    const ended = once(proxy, "exit");
    proxy.kill("SIGTERM");
    await ended;
  }
  await fixture?.close();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

interface From {
  /** Loopback address that the client connects from. */
  readonly localAddress?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request over TLS and verifies the proxy's certificate. */
function send(method: string, path: string, { body, ...from }: From = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const incoming = request(
      {
        host: "127.0.0.1",
        port: tlsPort,
        servername: "venue.example",
        ca: certificate,
        method,
        path,
        ...from,
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        response.on("end", () => {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        });
      },
    );
    incoming.on("error", reject);
    incoming.end(body);
  });
}

function get(path: string, from: From = {}): Promise<Answer> {
  return send("GET", path, from);
}

interface OpenedStream {
  /** What answered the upgrade: 101 if the stream is open. */
  readonly status: number;
  readonly socket: WebSocket;
  /** Frames so far; the first one may come together with the answer. */
  readonly frames: readonly string[];
}

/** Opens a stream through the proxy. */
async function openStream(localAddress: string, forwarded?: string): Promise<OpenedStream> {
  const socket = new WebSocket(`wss://127.0.0.1:${tlsPort}/ws/cc-usdc@ticker`, [], {
    agent: new Agent({ ca: certificate, servername: "venue.example", localAddress }),
    ...(forwarded !== undefined && { headers: { "X-Forwarded-For": forwarded } }),
  });
  const frames: string[] = [];
  socket.on("message", (data) => frames.push(String(data)));
  const status = await new Promise<number>((resolve, reject) => {
    socket.on("open", () => resolve(101));
    socket.on("unexpected-response", (_, response) => resolve(response.statusCode ?? 0));
    socket.on("error", reject);
  });
  return { status, socket, frames };
}

test("OPS-20 a signed order passes the proxy, and the venue's refusals arrive unchanged", async () => {
  assert.equal((await get("/api/v3/ping")).text, "{}");
  const refused = await send("POST", "/api/v3/order?symbol=CC-USDC");
  assert.deepEqual([refused.status, JSON.parse(refused.text).code], [400, -2014]);
  const large = await send("POST", "/v1/wallet/challenge", { body: "x".repeat(1_100_000) });
  assert.equal(large.status, 413);
  assert.equal(JSON.parse(large.text).error !== undefined, true);
});

test("OPS-20 plain HTTP is redirected to TLS, and the proxy does not publish metrics", async () => {
  const plain = await fetch(`http://127.0.0.1:${plainPort}/api/v3/ping`, {
    redirect: "manual",
    headers: { Host: "venue.example" },
  });
  assert.equal(plain.status, 308);
  assert.equal((await get("/metrics")).status, 403);
  assert.equal(
    (await get("/api/v3/ping")).headers["strict-transport-security"] !== undefined,
    true,
  );
});

test("OPS-20 limits count by the client's real address, whatever the client's headers claim", async () => {
  const opened: WebSocket[] = [];
  const open = async (localAddress: string, forwarded?: string): Promise<number> => {
    const { status, socket } = await openStream(localAddress, forwarded);
    opened.push(socket);
    return status;
  };
  assert.deepEqual([await open("127.0.0.2"), await open("127.0.0.2")], [101, 101]);
  assert.equal(await open("127.0.0.2"), 429);
  assert.equal(await open("127.0.0.2", "198.51.100.7"), 429);
  assert.equal(await open("127.0.0.3"), 101);
  const weight = (from: string) =>
    get("/api/v3/exchangeInfo", { localAddress: from }).then(
      ({ headers }) => headers["x-mbx-used-weight-1m"],
    );
  assert.deepEqual([await weight("127.0.0.4"), await weight("127.0.0.5")], ["10", "10"]);
  for (const socket of opened) socket.terminate();
});

test("OPS-20 the proxy passes frames of a stream, and allows 300 s without any", async () => {
  const { status, socket, frames } = await openStream("127.0.0.6");
  assert.equal(status, 101);
  const frame = await until("a frame", async () => frames[0] ?? null);
  assert.equal(JSON.parse(frame).e, "24hrTicker");
  socket.terminate();
  const page = readFileSync(join(projectRoot, "docs/ops/nginx.conf"), "utf8");
  const streams = /location ~ \^[^{]*\{([^}]*)\}/.exec(page)?.[1] ?? "";
  assert.match(streams, /proxy_read_timeout 300s/);
});

test("OPS-20 the terminal works through the proxy, with the same security policy", async () => {
  const page = await get("/");
  assert.match(page.text, /<div id="terminal">/);
  assert.match(String(page.headers["content-security-policy"]), /default-src 'none'/);
});
