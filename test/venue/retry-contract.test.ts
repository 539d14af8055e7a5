// Proves what a client may conclude from an answer or from its absence (docs/reference/errors.md). A request answered
// 503 was not executed. After a 408 the client finds the outcome by its own id. An id is never used twice, and
// after an acknowledgement the next request finds its effect. The tests run on a whole venue whose journal they block.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "../epochs/epoch-waits.ts";
import { withHeldJournal } from "../support/journal/held-journal.ts";
import { type Answer, type Trader, VenueFixture } from "../support/venue/venue-fixture.ts";

let fixture: VenueFixture;
let trader: Trader;

before(async () => {
  fixture = await VenueFixture.open();
  trader = await fixture.trader();
});
after(() => fixture.close());

const spotOrder = {
  symbol: "CC-USDC",
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  quantity: "200",
  price: "0.1",
};
const perpOrder = { ...spotOrder, symbol: "BTCUSDT", quantity: "0.01", price: "50000" };

function place(newClientOrderId: string): Promise<Answer> {
  return fixture.signed(trader, "POST", "/api/v3/order", { ...spotOrder, newClientOrderId });
}

function find(origClientOrderId: string): Promise<Answer> {
  const named = { symbol: "CC-USDC", origClientOrderId };
  return fixture.signed(trader, "GET", "/api/v3/order", named);
}

function outcome({ status, json }: Answer): readonly unknown[] {
  return status === 200 ? [status, json.status] : [status, json.code];
}

/** Resolves when a command waits for its commit. */
function untilTaken(): Promise<true> {
  const isTaken = async () => fixture.venue.issuedSeq !== fixture.venue.committedSeq || null;
  return until("a command waits for its commit", isTaken);
}

function untilHealth(status: number): Promise<true> {
  const isSo = async () => (await fixture.get("/health")).status === status || null;
  return until(`health ${status}`, isSo, 60_000);
}

test("RTY-1 the next request finds what was acknowledged, on both surfaces", async () => {
  for (let count = 0; count < 25; count++) {
    const id = `found-${count}`;
    assert.deepEqual(outcome(await place(id)), [200, "NEW"]);
    assert.deepEqual(outcome(await find(id)), [200, "NEW"]);
    const perpId = `perp-${count}`;
    const perp = { ...perpOrder, newClientOrderId: perpId };
    const placed = await fixture.signed(trader, "POST", "/fapi/v1/order", perp);
    assert.deepEqual(outcome(placed), [200, "NEW"], JSON.stringify(placed.json));
    const named = { symbol: "BTCUSDT", origClientOrderId: perpId };
    const found = await fixture.signed(trader, "GET", "/fapi/v1/order", named);
    assert.deepEqual(outcome(found), [200, "NEW"]);
  }
});

test("RTY-1 a query sent while its order is in flight finds it", async () => {
  const rounds = Array.from({ length: 20 }, async (_, count) => {
    const id = `racing-${count}`;
    const placed = place(id);
    const found = await find(id);
    assert.equal((await placed).status, 200);
    return found.status;
  });
  const statuses = await Promise.all(rounds);
  // A query on another connection may overtake its order, and then correctly finds nothing.
  assert.ok(statuses.every((status) => status === 200 || status === 422));
  for (let count = 0; count < 20; count++) {
    assert.equal((await find(`racing-${count}`)).status, 200);
  }
});

test("RTY-2 a client order id is used once", async () => {
  assert.equal((await place("once")).status, 200);
  const again = await place("once");
  assert.deepEqual(
    [again.status, again.json],
    [422, { code: -2010, msg: "Duplicate order sent." }],
  );
  const perp = { ...perpOrder, newClientOrderId: "found-0" };
  const perpAgain = await fixture.signed(trader, "POST", "/fapi/v1/order", perp);
  assert.deepEqual(outcome(perpAgain), [400, -4116]);
});

test("JRN-2 a refusal also waits until the events it depends on are committed", async () => {
  assert.equal((await place("rested-on")).status, 200);
  await withHeldJournal(fixture.database, async (release) => {
    const cancel = fixture.signed(trader, "DELETE", "/api/v3/order", {
      symbol: "CC-USDC",
      origClientOrderId: "rested-on",
    });
    // The repeated id is refused because its order has ended. The end must be durable before it is reported.
    await untilTaken();
    let isAnswered = false;
    const again = place("rested-on").finally(() => {
      isAnswered = true;
    });
    await sleep(300);
    assert.equal(isAnswered, false);
    await release();
    assert.equal((await cancel).json.status, "CANCELED");
    assert.deepEqual(outcome(await again), [422, -2010]);
  });
  await untilHealth(200);
});

test("JRN-25 a request that finds the journal stalled waits, and is executed when the journal goes on", async () => {
  await withHeldJournal(fixture.database, async (release) => {
    const taken = place("stalls");
    await untilHealth(503);
    let isAnswered = false;
    const waiting = place("patient").finally(() => {
      isAnswered = true;
    });
    await sleep(300);
    assert.equal(isAnswered, false, "an outage is waited for, not told");
    await release();
    assert.deepEqual(outcome(await taken), [200, "NEW"]);
    assert.deepEqual(outcome(await waiting), [200, "NEW"]);
  });
  await untilHealth(200);
});

test("RTY-4 OPS-8 while the venue stops, accepted requests are answered and later ones are refused", async () => {
  let restarted = Promise.resolve();
  await withHeldJournal(fixture.database, async (release) => {
    const taken = place("last");
    await untilTaken();
    // From the next start on requests have a short deadline, for which the tests below wait.
    fixture.change({ GATEWAY_TIMEOUT_MS: "8000" });
    restarted = fixture.restart();
    await sleep(150);
    // A very late order reaches a front that is stopping, or no front.
    const late = await place("too-late").catch(() => null);
    if (late !== null) assert.deepEqual(outcome(late), [503, -1008]);
    await release();
    assert.deepEqual(outcome(await taken), [200, "NEW"]);
  });
  await restarted;
  assert.deepEqual(outcome(await find("last")), [200, "NEW"]);
  assert.deepEqual(outcome(await find("too-late")), [422, -2011]);
  assert.deepEqual(
    outcome(await place("last")),
    [422, -2010],
    "Ids must be remembered after a restart",
  );
});

test("RTY-3 JRN-12 ERR-14 while the journal cannot commit, accepted requests get 408 and others 503", async () => {
  const { json: earlier } = await fixture.get("/health");
  await withHeldJournal(fixture.database, async () => {
    const taken = place("taken");
    await untilHealth(503);
    const fromMs = performance.now();
    const refused = await place("refused");
    assert.deepEqual(outcome(refused), [503, -1008]);
    assert.ok(performance.now() - fromMs > 2_000, "it waits for its deadline first");
    const { msg } = refused.json as { msg: string };
    assert.equal(msg, "Request was not executed; resend with the same client order id.");
    assert.deepEqual(
      outcome(await find("taken")),
      [503, -1008],
      "A query must not deny the order meanwhile",
    );
    assert.deepEqual(outcome(await taken), [408, -1007]);
  });
  await untilHealth(200);
  assert.deepEqual(outcome(await find("taken")), [200, "NEW"]);
  assert.deepEqual(outcome(await find("refused")), [422, -2011]);
  assert.deepEqual(
    outcome(await place("taken")),
    [422, -2010],
    "Sending the order again must not duplicate it",
  );
  assert.deepEqual(
    outcome(await place("refused")),
    [200, "NEW"],
    "Sending the order again must be safe",
  );
  assert.ok((await fixture.get("/health")).json.committed_seq > earlier.committed_seq);
});

test("AUT-32 a request that waits longer than its recvWindow answers -1021 and is never executed", async () => {
  await withHeldJournal(fixture.database, async () => {
    const taken = place("in-time");
    await untilHealth(503);
    const hurried = { ...spotOrder, newClientOrderId: "hurried", recvWindow: "500" };
    const fromMs = performance.now();
    const late = await fixture.signed(trader, "POST", "/api/v3/order", hurried);
    assert.deepEqual(outcome(late), [401, -1021]);
    assert.ok(performance.now() - fromMs >= 450);
    assert.deepEqual(outcome(await taken), [408, -1007]);
  });
  await untilHealth(200);
  assert.deepEqual(outcome(await find("in-time")), [200, "NEW"]);
  assert.deepEqual(outcome(await find("hurried")), [422, -2011]);
});
