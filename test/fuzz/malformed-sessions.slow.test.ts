// A campaign against a whole venue: 100,000 malformed FIX messages and 100,000 malformed requests of SBE clients. No thread
// stops, no state changes, the memory of the process stays bounded, and each gets the protocol's own reject. Variables:
// MALFORMED (100,000 of each), FUZZ_SEED. Spec FIX-22, SBE-10, SBE-25.

import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { WebSocket } from "ws";
import { type Fields, FixClient, type FixKey, utcNow, venueKey } from "../fix/fix-client.ts";
import { freePort } from "../support/free-port.ts";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";
import { fuzzedMessages, spoiltStreams, wrongFrames, wrongHeaders } from "./malformed-sessions.ts";

const malformedEach = Number(process.env["MALFORMED"] ?? 100_000);
const seed = Number(process.env["FUZZ_SEED"] ?? 1);
/** Growth of the process's memory that is allowed for each campaign: caches that fill once, far below a leak of 1 KiB a message. */
const growthBytesMax = 64 * 2 ** 20;

/** Longest time in ms in which all answers of one connection come. */
const answersMsMax = 120_000;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

let venue: VenueFixture;
let trader: Trader;
let key: FixKey;
let orders = 0;
let marketData = 0;

before(async () => {
  [orders, marketData] = [await freePort(), await freePort()];
  venue = await VenueFixture.open({
    ...{ DEV_TOOLS: "1", RATE_LIMIT_WS_CONNS_PER_IP: "2000", TRUSTED_PROXIES: "127.0.0.1" },
    ...{ FIX_PORT: `${orders}`, FIX_MARKET_DATA_PORT: `${marketData}` },
  });
  trader = await venue.trader("house");
  key = await venueKey(venue, trader.account);
});
after(() => venue.close());

/** What a malformed message must not change: the journal's position, and the account as REST shows it. */
async function stateOf() {
  const { json: health } = await venue.get("/health");
  const { json: account } = await venue.signed(trader, "GET", "/compat/api/v3/account");
  const { json: open } = await venue.signed(trader, "GET", "/compat/api/v3/openOrders");
  assert.equal(health.status, "ok", JSON.stringify(health));
  return { seq: health.seq, balances: account.balances, open };
}

/** Memory of the whole process after a collection: all threads, heaps and buffers. */
async function memory(): Promise<number> {
  collect();
  await sleep(500);
  collect();
  return process.memoryUsage().rss;
}

interface Report {
  diagnostic(text: string): void;
}

/** Runs a campaign and checks that nothing changed. The first half warms up: heaps of all threads reach their size then. */
async function campaign(t: Report, run: (count: number) => Promise<string>): Promise<void> {
  const state = await stateOf();
  const warm = Math.ceil(malformedEach / 2);
  await run(warm);
  const before = await memory();
  const figures = await run(malformedEach - warm);
  const grown = (await memory()) - before;
  t.diagnostic(
    `${figures}; memory ${Math.round(before / 2 ** 20)} MiB, grown by ${Math.round(grown / 2 ** 20)} MiB`,
  );
  assert.deepEqual(await stateOf(), state);
  assert.ok(grown <= growthBytesMax, `the memory grew by ${grown} bytes`);
}

const isAnswer = ({ 35: type }: Fields) =>
  type === "3" || type === "8" || type === "9" || type === "5";

let names = 0;

/** Sends messages over a session of `port`; each must be rejected by its number. */
async function rejectAll(port: number, count: number, from: number): Promise<number> {
  const client = new FixClient(port, `Z${names++ % 1_000_000}`);
  client.logon(key);
  await client.ofType("A");
  const sample = fc.sample(fuzzedMessages, { seed: seed + from, numRuns: count });
  const first = client.seq;
  for (const { type, fields } of sample) client.send(type, fields, { 52: utcNow() });
  const rejected = new Set<string>();
  while (rejected.size < sample.length) {
    const { 35: type, 45: refSeq, 58: text } = await client.next(isAnswer, answersMsMax);
    assert.equal(type, "3", text);
    assert.ok(refSeq !== undefined && Number(refSeq) >= first);
    rejected.add(refSeq);
  }
  client.send("5", []);
  await client.ofType("5");
  await client.closed();
  return rejected.size;
}

/** Sends a stream that is no FIX, or no Logon, without a logon; it must end with a Logout or be closed. */
async function refuseStream(bytes: Buffer): Promise<void> {
  const client = new FixClient(orders, "STRANGER");
  client.raw(bytes);
  // No FIX message, whatever came before it, and longer than one, so that nothing waits for more bytes.
  client.raw("x".repeat(9_000));
  await client.closed(answersMsMax);
  assert.equal(client.messages.at(-1)?.[35], "5");
}

test("FIX-22 100,000 malformed messages are rejected, and nothing stops, changes or leaks", async (t) => {
  const [perSession, streamsEach] = [1_900, 200];
  let from = 0;
  await campaign(t, async (count) => {
    let [rejected, streams] = [0, 0];
    while (rejected + streams < count) {
      const left = count - rejected - streams;
      const port = from % 2 === 0 ? orders : marketData;
      rejected += await rejectAll(port, Math.min(left, perSession), from++);
      const spoilt = fc.sample(spoiltStreams, {
        ...{
          seed: seed + from,
          numRuns: Math.max(0, Math.min(streamsEach, count - rejected - streams)),
        },
      });
      await Promise.all(spoilt.map(refuseStream));
      streams += spoilt.length;
      // An account logs on fifteen times within thirty seconds.
      await sleep(2_100);
    }
    return `${rejected} messages rejected, ${streams} streams refused`;
  });
});

let strangers = 0;

/** One of many addresses, so that no limit of an address answers for SBE. */
function stranger(): string {
  const number = strangers++ % 1_024;
  return `10.0.${number >> 8}.${number & 255}`;
}

/** Asks for SBE with wrong headers; each answer is an error. */
async function refuseRequests(count: number, from: number): Promise<void> {
  const sample = fc.sample(wrongHeaders, { seed: seed + from, numRuns: count });
  await Promise.all(
    sample.map(async ({ accept, schema }) => {
      const own = schema.trim() === "" ? {} : { "X-MBX-SBE": schema };
      const headers = { Accept: accept, ...own, "X-Forwarded-For": stranger() };
      const response = await fetch(`${venue.address}/compat/api/v3/order?symbol=CC-USDC`, {
        headers,
      });
      await response.arrayBuffer();
      assert.ok(response.status >= 400 && response.status < 500, `${response.status}`);
    }),
  );
}

/** Sends frames that are no requests over an order session in SBE; each gets an error in SBE. */
async function refuseFrames(count: number, from: number): Promise<void> {
  const query = "responseFormat=sbe&sbeSchemaId=3&sbeSchemaVersion=5";
  const url = `${venue.address.replace("http", "ws")}/compat/ws-api/v3?${query}`;
  const socket = new WebSocket(url, { headers: { "X-Forwarded-For": stranger() } });
  let answers = 0;
  let isClosed = false;
  let wake: () => void = () => undefined;
  socket.on("message", (bytes: Buffer) => {
    assert.equal(bytes.readUInt16LE(2), 50);
    assert.ok(bytes.readUInt16LE(9) >= 400);
    answers++;
    wake();
  });
  socket.on("close", () => {
    isClosed = true;
    wake();
  });
  await once(socket, "open");
  const deadline = setTimeout(() => socket.terminate(), answersMsMax);
  const frames = fc.sample(wrongFrames, { seed: seed + from, numRuns: count });
  for (const frame of frames) socket.send(frame);
  while (answers < frames.length) {
    assert.ok(!isClosed, `closed after ${answers} of ${frames.length} answers`);
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  clearTimeout(deadline);
  socket.close();
}

test("SBE-25 100,000 malformed requests for SBE get errors, and nothing stops, changes or leaks", async (t) => {
  let from = 0;
  await campaign(t, async (count) => {
    let [requests, frames] = [0, 0];
    while (requests + frames < count) {
      const ofHeaders = Math.min(50, count - requests - frames);
      await refuseRequests(ofHeaders, from++);
      requests += ofHeaders;
      const ofFrames = Math.min(450, count - requests - frames);
      if (ofFrames > 0) await refuseFrames(ofFrames, from++);
      frames += ofFrames;
    }
    return `${requests} requests and ${frames} frames refused`;
  });
});
