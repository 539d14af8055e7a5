// Proves on a whole venue, over real sockets, that twenty thousand malformed requests do no harm: each gets a
// documented error, none loses its connection, and the venue's state stays the same. Set MALFORMED_SEED=n to generate
// different requests.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { HttpConnection } from "../../src/tools/load/http-connection.ts";
import { virtualAddress } from "../../src/tools/load/signed-requests.ts";
import { quietPeriodMs } from "../support/clock/clock-windows.ts";
import { listedErrors } from "../support/tidy/listed-errors.ts";
import { type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";
import { type MalformedRequest, malformedRequests } from "./malformed-requests.ts";

const count = 20_000;
const seed = Number(process.env["MALFORMED_SEED"] ?? 1);
const connections = 16;
/** Enough traders that no request reaches a limit: a request that is refused for a limit is not checked further. */
const traderCount = 48;
const addresses = 512;

let fixture: VenueFixture;
const traders: Trader[] = [];

before(async () => {
  // No funding for an hour, because funding is an event and changes the state.
  const quiet = { FUNDING_INTERVAL_MS: String(quietPeriodMs(3_600_000)) };
  fixture = await VenueFixture.open({ TRUSTED_PROXIES: "127.0.0.1", ...quiet });
  for (let trader = 0; trader < traderCount; trader++) traders.push(await fixture.trader());
});
after(() => fixture.close());

const listed = new Set(
  listedErrors.flatMap(({ errors }) => errors.map(({ status, code }) => `${status} ${code}`)),
);

/** Number of answers by status and code. */
const answers = new Map<string, number>();

/** Returns what is wrong with the answer to a request that had to be refused, or undefined. */
function faultOf({ name }: MalformedRequest, status: number, body: string): string | undefined {
  const isKlines = /^GET .fapi.v1.\w*klines$/i.test(name);
  if (isKlines && status === 400 && !body.startsWith("{")) return undefined;
  let answer: { code?: unknown; msg?: unknown };
  try {
    answer = JSON.parse(body);
  } catch {
    return "the answer is not JSON";
  }
  const key = `${status} ${answer.code}`;
  answers.set(key, (answers.get(key) ?? 0) + 1);
  if (!listed.has(key)) return "the answer is not in the list of errors";
  if (status === 429) return "a rate limit refused the request";
  return typeof answer.msg === "string" && answer.msg !== ""
    ? undefined
    : "the answer has no message";
}

/** Sends the requests one after the other over one connection; resolves with descriptions of wrong answers. */
async function sendAll(index: number, requests: readonly MalformedRequest[]): Promise<string[]> {
  const faults: string[] = [];
  let take: (answer: { status: number; body: string }) => void = () => {};
  const endpoint = { host: "127.0.0.1", port: fixture.venue.port };
  const connection = await HttpConnection.open(endpoint, index, {
    onResponse: (_, status, body) => take({ status, body: body.toString("utf8") }),
    onLost: () => take({ status: 0, body: "the connection was dropped" }),
  });
  for (const [at, request] of requests.entries()) {
    const trader = traders[(index + at * connections) % traders.length];
    assert.ok(trader !== undefined);
    const text = request.text(trader, virtualAddress((index * 97 + at) % addresses));
    const answered = new Promise<{ status: number; body: string }>((resolve) => {
      take = resolve;
    });
    connection.send(text);
    const { status, body } = await answered;
    const fault = faultOf(request, status, body);
    if (fault === undefined) continue;
    faults.push(`${fault}: ${status} ${body.slice(0, 200)} to ${request.spoiling}: ${text}`);
    if (status === 0) break;
  }
  connection.close();
  return faults;
}

async function venueNow() {
  const { seq, stateHash } = await fixture.venue.snapshots.fold();
  const [trader] = traders;
  assert.ok(trader !== undefined);
  const { json: balances } = await fixture.signed(trader, "GET", "/api/v3/account");
  const { json: open } = await fixture.signed(trader, "GET", "/api/v3/openOrders");
  return { seq, stateHash, issued: fixture.venue.issuedSeq, balances, open };
}

test(`ERR-17 ${count} malformed requests have listed answers and leave the venue as it was`, async (t) => {
  const { json: document } = await fixture.get("/openapi.json");
  const securityOf = (name: string): string => {
    const [method = "", path = ""] = name.split(" ");
    return document.paths[path][method.toLowerCase()]["x-security"];
  };
  const requests = malformedRequests(count, seed, securityOf);
  const earlier = await venueNow();
  const began = performance.now();
  const shares = Array.from({ length: connections }, (_, index) =>
    requests.filter((_request, at) => at % connections === index),
  );
  const faults = (await Promise.all(shares.map((share, index) => sendAll(index, share)))).flat();
  const sentMs = performance.now() - began;
  assert.deepEqual(faults.slice(0, 10), [], `${faults.length} wrong answers with seed ${seed}`);
  assert.ok(requests.length >= count);
  assert.equal(new Set(requests.map(({ spoiling }) => spoiling)).size, 9);
  assert.deepEqual(await venueNow(), earlier);
  const tally = [...answers.entries()].sort().map(([answer, times]) => `${answer}: ${times}`);
  t.diagnostic(`${requests.length} requests in ${Math.round(sentMs)} ms; ${tally.join(", ")}`);
});

test("LIM-12 ERR-20 a query string of 8 KiB is read, one byte more is 414 -1101", async () => {
  const padded = (bytes: number) => fixture.get(`/api/v3/ping?${"x=".padEnd(bytes, "a")}`);
  assert.equal((await padded(8192)).status, 200);
  const refused = await padded(8193);
  assert.deepEqual([refused.status, refused.json.code], [414, -1101]);
});
