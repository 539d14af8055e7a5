// Proves what clients of a gateway see when a part is lost: the bus, the leader, or the gateway itself. An answer is
// either true or says that the outcome is unknown; nothing is executed twice, and no event is missing afterwards.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { busLostMs } from "../../src/core/bus-limits.ts";
import { StreamClient } from "../streams/stream-client.ts";
import { GatewayVenue, type TestGateway } from "../support/bus/gateway-venue.ts";
import { lacksNats } from "../support/bus/nats-server.ts";
import { signedFetch } from "../support/client/signed-fetch.ts";
import { withHeldJournal } from "../support/journal/held-journal.ts";
import type { Trader } from "../support/venue/venue-fixture.ts";
import { userStreamAt } from "./user-stream.ts";

const skip = lacksNats();
/** How long a request may wait at the hurried gateway. At the others it is half a minute, which a busy machine may need. */
const timeoutMs = 4_000;
const waitMsMax = 60_000;
let venue: GatewayVenue;
let gateway: TestGateway;
let other: TestGateway;
let hurried: TestGateway;
let trader: Trader;

before(async () => {
  if (skip !== false) return;
  venue = await GatewayVenue.open();
  trader = await venue.leader.trader();
  [gateway, other, hurried] = await Promise.all([
    venue.gateway(),
    venue.gateway(),
    venue.gateway({ GATEWAY_TIMEOUT_MS: String(timeoutMs) }),
  ]);
});
after(() => venue?.close());

const path = "/api/v3/order";

function orderAt(price: string, clientId: string) {
  const terms = { symbol: "CC-USDC", side: "SELL", type: "LIMIT", timeInForce: "GTC" };
  return { ...terms, quantity: "100", price, newClientOrderId: clientId };
}

async function until(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const endMs = performance.now() + waitMsMax;
  while (!(await holds())) {
    if (performance.now() > endMs) throw new Error(`did not happen: ${what}`);
    await sleep(20);
  }
}

/** Waits until all gateways have every event of the leader, and compares what they show. */
async function assertAlike(): Promise<void> {
  const { leader } = venue;
  const all = [gateway, other, hurried];
  await until(
    () => all.every((one) => one.committedSeq === leader.venue.committedSeq),
    "the gateways have every event",
  );
  const query = "/api/v3/depth?symbol=CC-USDC&limit=100";
  const shown = await leader.get(query);
  for (const one of all) assert.deepEqual((await one.get(query)).json.asks, shown.json.asks);
}

async function idsOpenAt(front: Pick<TestGateway, "signed">): Promise<string[]> {
  const { json } = await front.signed(trader, "GET", "/api/v3/openOrders");
  return json.map(({ clientOrderId }: { clientOrderId: string }) => clientOrderId).sort();
}

test("GWY-2 two gateways serve one account: orders of one are seen, streamed and cancelled at the other", {
  skip,
}, async () => {
  const stream = await userStreamAt(other.address, trader);
  try {
    const placed = await gateway.signed(trader, "POST", path, orderAt("0.20", "two-a"));
    assert.equal(placed.status, 200, JSON.stringify(placed.json));
    await stream.next(({ e, c }) => e === "executionReport" && c === "two-a");
    const named = { symbol: "CC-USDC", origClientOrderId: "two-a" };
    const cancelled = await other.signed(trader, "DELETE", path, named);
    assert.equal(cancelled.json.status, "CANCELED", JSON.stringify(cancelled.json));
    await stream.next(({ e, x }) => e === "executionReport" && x === "CANCELED");
  } finally {
    stream.close();
  }
  const orders = Array.from({ length: 20 }, (_, index) => {
    const front = index % 2 === 0 ? gateway : other;
    return front.signed(trader, "POST", path, orderAt(`0.${30 + index}`, `both-${index}`));
  });
  for (const { status, json } of await Promise.all(orders))
    assert.equal(status, 200, JSON.stringify(json));
  await assertAlike();
});

test("GWY-20 LIM-4 LIM-13 LIM-30 a key has its order limits once for all gateways, and answers show the leader's count", {
  skip,
}, async () => {
  const { account } = await venue.leader.trader();
  const created = await venue.leader.operator.createKey({ account, tier: "standard" });
  const { api_key: key, secret } = created as { api_key: string; secret: string };
  type Sent = [method: "GET" | "POST" | "DELETE", path: string];
  const send = ({ address }: TestGateway, [method, to]: Sent, parameters = {}) =>
    signedFetch<{ code?: number; msg?: string }>(
      address,
      { key, secret },
      { method, path: to, parameters },
    );
  const headerOf = ({ headers }: { headers: Headers }, name: string) =>
    Number(headers.get(`x-mbx-${name}`));
  const gateways = [gateway, other];
  const market = { symbol: "CC-USDC" };
  /** The weight of this minute at each gateway, to which each look adds 3. */
  const weights = async () => {
    const looks = await Promise.all(
      gateways.map((one) => send(one, ["GET", "/api/v3/openOrders"], market)),
    );
    return looks.map((look) => headerOf(look, "used-weight-1m"));
  };
  for (const one of gateways)
    await until(
      async () => (await send(one, ["GET", "/api/v3/openOrders"], market)).status === 200,
      "the key is known",
    );
  const terms = { symbol: "CC-USDC", side: "SELL", type: "LIMIT", timeInForce: "GTC" };
  const order = { ...terms, quantity: "100", price: "0.9" };
  const counts: number[] = [];
  let refused: Awaited<ReturnType<typeof send>> | undefined;
  // All at once, so that they are in one window on a slow machine too. If a window or a minute begins between them, the
  // next round begins after it.
  for (let round = 0; round < 10 && refused === undefined; round++) {
    const before = await weights();
    const sent = Array.from({ length: 60 }, (_, index) =>
      send(gateways[index % 2] ?? gateway, ["POST", path], order),
    );
    const answers = await Promise.all(sent);
    const after = await weights();
    for (const answer of answers)
      if (answer.status !== 429) counts.push(headerOf(answer, "order-count-10s"));
    const used = after.map((weight, index) => weight - (before[index] ?? 0));
    if (used.every((weight) => weight > 0)) {
      refused = answers.find(({ status }) => status === 429);
      assert.deepEqual(used, [3, 3], "neither an order nor a refused one costs weight");
    }
    const cancelled = await send(gateway, ["DELETE", "/api/v3/openOrders"], market);
    assert.equal(cancelled.status, 200, "cancels are not counted");
  }
  assert(refused !== undefined, "the limit must be reached");
  const { code, msg } = refused.json;
  assert.deepEqual(
    [code, msg, headerOf(refused, "order-count-10s")],
    [-1003, "Too many requests; current limit is 50 orders per 10 SECOND.", 50],
  );
  for (let count = 1; count <= 50; count++) assert(counts.includes(count), `${count} was shown`);
  await assertAlike();
});

test("without the bus, requests wait and are executed when it is back in time", {
  skip,
}, async () => {
  await venue.nats.kill();
  const waiting = gateway.signed(trader, "POST", path, orderAt("0.21", "patient"));
  await sleep(500);
  await venue.nats.start();
  const { status, json } = await waiting;
  assert.equal(status, 200, JSON.stringify(json));
  await assertAlike();
});

/** For how long the gateway has had no connection to the bus, in seconds; 0 while it has one. */
async function busAwaySeconds({ address }: TestGateway): Promise<number> {
  const metrics = await (await fetch(`${address}/metrics`)).text();
  return Number(/^rialto_bus_away_seconds\S* (\S+)$/m.exec(metrics)?.[1]);
}

/** Ends the bus, and waits until the gateway has noticed: only then is nothing handed over. */
async function loseBus(at: TestGateway): Promise<void> {
  await venue.nats.kill();
  await until(async () => (await busAwaySeconds(at)) > 0, "the gateway notices");
}

test("GWY-3 what was never handed over is answered 503 before the deadline, and never executed", {
  skip,
}, async () => {
  await loseBus(hurried);
  // At the deadline the outcome would be unknown: 408.
  const refused = await hurried.signed(trader, "POST", path, orderAt("0.22", "never"));
  assert.equal(refused.status, 503, JSON.stringify(refused.json));
  assert.equal(refused.json.code, -1008);
  await venue.nats.start();
  await assertAlike();
  assert.ok(!(await idsOpenAt(venue.leader)).includes("never"));
});

test("GWY-16 AUT-32 what waits longer than its recvWindow answers -1021, and is never executed", {
  skip,
}, async () => {
  await loseBus(gateway);
  const brief = { ...orderAt("0.27", "brief"), recvWindow: "1000" };
  const late = await gateway.signed(trader, "POST", path, brief);
  assert.deepEqual([late.status, late.json.code], [401, -1021], JSON.stringify(late.json));
  await venue.nats.start();
  await assertAlike();
  assert.ok(!(await idsOpenAt(venue.leader)).includes("brief"));
});

const health = (at = gateway) => at.get("/health");

async function untilOk(): Promise<void> {
  for (const one of [gateway, hurried])
    await until(async () => (await health(one)).json.status === "ok", "the leader is heard");
}

test("GWY-17 a gateway without a leader is degraded for as long as a request may wait, then unavailable", {
  skip,
}, async () => {
  await untilOk();
  const fromMs = performance.now();
  await venue.leader.crashAndRestart(async () => {
    await until(async () => (await health()).json.status === "degraded", "the loss is shown");
    const degraded = await health();
    assert.equal(degraded.status, 200, "a balancer keeps the gateway");
    assert.match(degraded.json.reason, /^leader: /);
    assert.ok(degraded.json.leader_away_ms >= 1000);
    const metrics = await (await fetch(`${gateway.address}/metrics`)).text();
    const away = Number(/^rialto_bus_leader_away_seconds\S* (\S+)$/m.exec(metrics)?.[1]);
    assert.ok(away >= 1 && away < 600, `${away}`);
    await until(async () => (await health(hurried)).status === 503, "a gateway is unavailable");
    assert.ok(performance.now() - fromMs >= timeoutMs - 1_000);
    assert.doesNotMatch((await health(hurried)).json.reason, /bus: /);
  });
  await untilOk();
});

test("GWY-23 a gateway whose own way to the bus is lost is unavailable after two seconds", {
  skip,
}, async () => {
  await untilOk();
  await venue.nats.kill();
  await until(async () => (await health()).status === 503, "the gateway is unavailable");
  const { status, reason } = (await health()).json;
  assert.equal(status, "unavailable");
  assert.match(reason, /bus: this gateway has no connection/);
  const away = await busAwaySeconds(gateway);
  assert.ok(away >= busLostMs / 1000 && away < 600, `${away}`);
  await venue.nats.start();
  await untilOk();
});

test("GWY-14 while the leader's journal is stalled, requests wait and are executed when it goes on", {
  skip,
}, async () => {
  await withHeldJournal(venue.leader.database, async (release) => {
    const taken = gateway.signed(trader, "POST", path, orderAt("0.28", "stalls"));
    await until(async () => (await venue.leader.get("/health")).status === 503, "the stall");
    const waiting = other.signed(trader, "POST", path, orderAt("0.29", "waits"));
    await sleep(300);
    await release();
    for (const { status, json } of await Promise.all([taken, waiting]))
      assert.equal(status, 200, JSON.stringify(json));
  });
  await assertAlike();
});

test("GWY-4 what was handed over and not answered is unknown, and the client id resolves it", {
  skip,
}, async () => {
  venue.nats.pause();
  const unknown = hurried.signed(trader, "POST", path, orderAt("0.23", "perhaps"));
  await sleep(timeoutMs - 200);
  venue.nats.resume();
  const { status, json } = await unknown;
  const isKnown = status === 200 || status === 503;
  if (!isKnown) {
    assert.equal(status, 408, JSON.stringify(json));
    assert.equal(json.code, -1007);
  }
  await assertAlike();
  const isOpen = (await idsOpenAt(venue.leader)).includes("perhaps");
  if (isKnown) assert.equal(isOpen, status === 200);
  const named = { symbol: "CC-USDC", origClientOrderId: "perhaps" };
  // On a slow machine four seconds may not be enough for an answer; then the client asks again.
  let asked = await hurried.signed(trader, "GET", path, named);
  await until(async () => {
    if (![408, 503].includes(asked.status)) return true;
    asked = await hurried.signed(trader, "GET", path, named);
    return false;
  }, "the query is answered");
  assert.equal(asked.status, isOpen ? 200 : 422, JSON.stringify(asked.json));
});

test("GWY-5 events that a gateway missed are read from the journal, without a gap in its streams", {
  skip,
}, async () => {
  const ws = gateway.address.replace("http", "ws");
  const stream = await StreamClient.open(`${ws}/compat/ws/cc-usdc@depth@100ms`);
  try {
    await venue.nats.kill();
    for (let order = 0; order < 30; order++)
      await venue.leader.signed(
        trader,
        "POST",
        path,
        orderAt(`0.${50 + order}`, `missed-${order}`),
      );
    await venue.nats.start();
    await assertAlike();
    await gateway.signed(trader, "POST", path, orderAt("0.24", "after"));
    await stream.until(() =>
      stream.frames.some(({ a = [] }) => a.some(([p]: [string]) => p === "0.24000000")),
    );
    let last = 0;
    for (const { U: first, u } of stream.frames) {
      assert.ok(last === 0 || first === last + 1, `${last} is followed by ${first}`);
      last = u;
    }
  } finally {
    stream.close();
  }
});

test("GWY-6 GWY-12 a gateway outlives its leader: requests wait for the next one, streams go on", {
  skip,
}, async () => {
  const ws = gateway.address.replace("http", "ws");
  const stream = await StreamClient.open(`${ws}/compat/ws/cc-usdc@depth@100ms`);
  try {
    const before = await idsOpenAt(gateway);
    const flying = Array.from({ length: 24 }, (_, index) => {
      const front = index % 2 === 0 ? gateway : other;
      return front.signed(trader, "POST", path, orderAt(`0.${60 + index}1`, `flying-${index}`));
    });
    await Promise.race(flying);
    await venue.leader.crashAndRestart();
    const statuses = (await Promise.all(flying)).map(({ status }) => status);
    const placed = await gateway.signed(trader, "POST", path, orderAt("0.25", "outlived"));
    assert.equal(placed.status, 200, JSON.stringify(placed.json));
    await assertAlike();
    const open = await idsOpenAt(gateway);
    const rest = open.filter((id) => !id.startsWith("flying-"));
    assert.deepEqual(rest, [...before, "outlived"].sort());
    // What was answered is true; only the outcome of the others may be one or the other.
    for (const [index, status] of statuses.entries()) {
      assert.ok([200, 408, 503].includes(status), `${status}`);
      if (status !== 408) assert.equal(open.includes(`flying-${index}`), status === 200);
    }
    await stream.until(() =>
      stream.frames.some(({ a = [] }) => a.some(([p]: [string]) => p === "0.25000000")),
    );
    assert.equal(stream.closed, null);
  } finally {
    stream.close();
  }
});

test("GWY-7 a gateway that crashed starts from the database and serves as before", {
  skip,
}, async () => {
  const before = await idsOpenAt(gateway);
  await gateway.crashAndRestart();
  assert.deepEqual(await idsOpenAt(gateway), before);
  const placed = await gateway.signed(trader, "POST", path, orderAt("0.26", "restarted"));
  assert.equal(placed.status, 200, JSON.stringify(placed.json));
  await assertAlike();
});
