// Proves what a venue, a peer, a webhook and strangers can and cannot do to a watcher, and what it tells when.

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { HeadServer } from "../../src/tools/watch/head-server.ts";
import { until } from "../epochs/epoch-waits.ts";
import { freePort } from "../support/free-port.ts";
import { CliProcess, runCli } from "../support/venue/cli-process.ts";
import { VenueFixture } from "../support/venue/venue-fixture.ts";
import { ServerBetween, send } from "./server-between.ts";

/** Two minutes: the machine may be busy. */
const longMs = 120_000;

let fixture: VenueFixture;
let between: ServerBetween;
let home: string;

before(async () => {
  fixture = await VenueFixture.open({ EPOCH_SECONDS: "1" });
  await fixture.trader();
  between = await ServerBetween.open(fixture.address);
  home = await mkdtemp(join(tmpdir(), "rialto-watch-"));
  await until("an epoch", async () => {
    const { json } = await fixture.get("/v1/chain/epochs");
    return json.items.length > 0 ? true : null;
  });
});

after(async () => {
  between.close();
  await fixture.close();
  await rm(home, { recursive: true });
});

function watch(state: string, ...options: string[]) {
  return runCli(["watch", between.address, "--once", "--state", join(home, state), ...options], {});
}

test("WCH-9 a venue that redirects, answers too much, nothing in time, or no JSON is silent", async (t) => {
  const elsewhere = await ServerBetween.open(fixture.address);
  t.after(() => elsewhere.close());
  between.reply = (_, answer) => {
    answer.writeHead(302, { location: `${elsewhere.address}/v1/chain/epochs` }).end();
    return true;
  };
  const redirected = await watch("redirected");
  assert.deepEqual([redirected.code, elsewhere.asked], [5, []], redirected.printed);
  between.reply = (_, answer) => {
    answer.writeHead(200);
    const timer = setInterval(() => answer.write(Buffer.alloc(2 ** 20, " ")), 1);
    answer.on("close", () => clearInterval(timer));
    return true;
  };
  const large = await watch("large");
  assert.match(large.printed, /venue: .* answered more than \d+ bytes/);
  between.reply = (_, answer) => answer.writeHead(200).end("{") !== null;
  const broken = await watch("broken");
  assert.match(broken.printed, /did not answer JSON/);
  between.reply = () => true;
  const late = await watch("late");
  assert.match(late.printed, /did not answer in time/);
  assert.deepEqual([large.code, broken.code, late.code], [5, 5, 5]);
});

test("WCH-9 control characters that a venue sends do not reach the terminal", async () => {
  between.reply = (path, answer) =>
    path === "/v1/chain/status" &&
    send(answer, { last_confirmed_epoch: "1", lag_seconds: 0, network: "a\u001b[2Jb" });
  const { printed } = await watch("control");
  between.reply = () => false;
  assert.match(printed, /ledger: .* on a\?\[2Jb/);
});

test("WCH-2 wrong options are usage errors", async () => {
  const wrong = [
    ["watch"],
    ["watch", "venue.example"],
    ["watch", "http://127.0.0.1:1/path"],
    ["watch", "ftp://127.0.0.1"],
    ["watch", "http://127.0.0.1:1", "--key", "AAAA"],
    ["watch", "http://127.0.0.1:1", "--interval", "0"],
    ["watch", "http://127.0.0.1:1", "--listen", "x"],
    ["watch", "http://127.0.0.1:1", "--root", "7:ab"],
    ["watch", "http://127.0.0.1:1", "--peer", "http://"],
  ];
  for (const args of wrong) assert.equal((await runCli(args, {}, home)).code, 2, args.join(" "));
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString("utf8");
}

interface Posted {
  readonly venue: string;
  readonly changes: readonly { subject: string; state: string; message: string; at: string }[];
}

test("WCH-7 WCH-8 a venue that stands still is told to the webhook once, and once when it goes on", async (t) => {
  const posted: Posted[] = [];
  let refused = 0;
  const hook = createServer(async (request, answer) => {
    const body = JSON.parse(await bodyOf(request));
    // The first attempt of each fails: what was not taken is sent again.
    const isTaken = refused > posted.length;
    if (isTaken) posted.push(body);
    else refused++;
    answer.writeHead(isTaken ? 204 : 500).end();
  });
  t.after(() => {
    hook.close();
    hook.closeAllConnections();
  });
  await once(hook.listen(0, "127.0.0.1"), "listening");
  const { port } = hook.address() as { port: number };
  const { json: still } = await fixture.get("/v1/chain/epochs?limit=1000");
  const isEpochs = (path: string) => path.startsWith("/v1/chain/epochs");
  between.reply = (path, answer) =>
    isEpochs(path) && send(answer, path.includes("cursor") ? { items: [] } : still);
  const args = ["--state", join(home, "still"), "--interval", "1", "--stale-epochs", "15"];
  const hooked = ["--webhook", `http://127.0.0.1:${port}/hook`];
  const watcher = new CliProcess(["watch", between.address, ...args, ...hooked], {});
  t.after(() => watcher.signal("SIGKILL"));
  const changesOf = (subject: string) =>
    posted.flatMap(({ changes }) => changes.filter((change) => change.subject === subject));
  await until("the venue is told to be silent", async () => changesOf("venue")[0] ?? null, longMs);
  between.reply = () => false;
  await until("the venue is told to be well", async () => changesOf("venue")[1] ?? null, longMs);
  watcher.signal("SIGTERM");
  assert.equal(await watcher.ended, 0, watcher.complained);
  assert.deepEqual(
    changesOf("venue").map(({ state }) => state),
    ["silent", "ok"],
  );
  assert.equal(posted[0]?.venue, between.address);
  assert.match(changesOf("venue")[0]?.at ?? "", /^\d{4}-\d\d-\d\dT/);
});

test("WCH-2 a venue that cannot be reached ends a single look with 5", async () => {
  const address = `127.0.0.1:${await freePort()}`;
  const { code, printed } = await runCli(
    ["watch", `http://${address}`, "--once", "--state", join(home, "nobody")],
    {},
  );
  assert.equal(code, 5);
  assert.equal(printed, `silent   venue: ${address} cannot be reached (ECONNREFUSED)\n`);
});

test("WCH-10 a stranger gets the heads and nothing else, and cannot occupy the server", async (t) => {
  const server = await HeadServer.open("127.0.0.1", 0);
  t.after(() => server.close());
  const address = `http://127.0.0.1:${server.port}`;
  server.publish([]);
  const statusOf = async (path: string, terms: RequestInit = {}) =>
    (await fetch(address + path, terms)).status;
  assert.equal(await statusOf("/heads"), 200);
  assert.equal(await statusOf("/heads?x=1"), 200);
  assert.equal(await statusOf("/watch.json"), 404);
  assert.equal(await statusOf("/heads/../watch.json"), 404);
  assert.equal(await statusOf("/heads", { method: "POST", body: "x".repeat(10_000) }), 405);
  assert.equal(await statusOf("/heads", { headers: { long: "x".repeat(5_000) } }), 431);
  // Sockets that say nothing are closed, so that others are served again.
  const idle: Socket[] = Array.from({ length: 80 }, () => connect(server.port, "127.0.0.1"));
  // What they are told (408, if the server looks before their time is over) is read, or they would not see the end.
  for (const socket of idle) socket.on("error", () => undefined).resume();
  t.after(() => {
    for (const socket of idle) socket.destroy();
  });
  await until(
    "an answer while idle sockets are open",
    async () => {
      const answer = await fetch(`${address}/heads`).catch(() => null);
      return answer?.status === 200 ? true : null;
    },
    longMs,
  );
  await until(
    "idle sockets are closed",
    async () =>
      idle.every(({ destroyed, readableEnded }) => destroyed || readableEnded) ? true : null,
    longMs,
  );
});
