// What a client can have known of its orders, from lines as the fault proxy writes them.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { FaultLogLine } from "../faults/fault-log.ts";
import { ClientLog, isPlacement } from "./client-log.ts";

const path = "/fapi/v1/order";
const line: FaultLogLine = {
  ...{ at_ms: 1_000, key: "k", connection: 1, method: "POST", path, symbol: "BTCUSDT" },
  ...{ client_order_id: "mine", order_id: "7", status: 200, code: null, delivered: true },
  ...{ fault: null, kind: null, latency_ms: 1 },
};
const lost = { delivered: false, fault: "flaky", kind: "lose-answer" };

function logOf(...lines: readonly Partial<FaultLogLine>[]): ClientLog {
  const log = new ClientLog();
  for (const one of lines) log.add({ ...line, ...one });
  return log;
}

test("REW-134 an order whose answer was lost is one that the client never heard of", () => {
  const log = logOf(lost);
  const evidence = log.evidenceOf(7, "mine");
  assert.deepEqual(
    [evidence?.sentMs, evidence?.isAnswered, evidence?.toldMs, evidence?.fault],
    [1_000, false, null, "flaky"],
  );
  assert.deepEqual([log.lostAnswers, log.unanswered], [1, 0]);
  // The proxy's own timeout took the place of the answer.
  assert.equal(logOf({ ...lost, status: 408 }).evidenceOf(7, "mine")?.toldMs, null);
  assert.equal(logOf({ ...lost, status: 408 }).refusals.length, 0);
});

test("REW-134 a query, an event or a list that arrives tells the client of its order", () => {
  const query = { method: "GET", at_ms: 2_000, filled_qty: "0.5" };
  const event = { method: "STREAM", event: "executionReport", status: null, at_ms: 2_000 };
  for (const later of [query, event]) {
    const evidence = logOf(lost, later).evidenceOf(7, "mine");
    assert.deepEqual([evidence?.toldMs, evidence?.isAnswered], [2_000, false]);
  }
  assert.equal(logOf(lost, query).evidenceOf(7, "mine")?.filledTold, "0.5");
  const unheard = logOf(lost, { ...query, delivered: false }, { ...event, delivered: false });
  assert.equal(unheard.evidenceOf(7, "mine")?.toldMs, null);
});

test("REW-134 an answer that no such order exists tells of none", () => {
  const none = {
    method: "GET",
    status: 400,
    code: -2013,
    order_id: null,
    message: "Order does not exist.",
  };
  const log = logOf({ ...lost, status: null, order_id: null }, none);
  assert.equal(log.evidenceOf(7, "mine")?.toldMs, null);
  assert.equal(log.unanswered, 1);
});

test("REW-134 an order is found by its client order id until its id is known, and then only by that", () => {
  const log = logOf({ ...lost, status: null, order_id: null }, { method: "GET", order_id: "7" });
  assert.equal(log.evidenceOf(7, "mine")?.sentMs, 1_000);
  assert.equal(log.evidenceOf(8, "mine"), null);
  assert.equal(log.evidenceOf(7, "")?.sentMs, 1_000);
});

test("REW-135 refusals are counted by status, code and message, apart from those of a fault", () => {
  const refusal = { status: 422, code: -2010, message: "Account has insufficient balance." };
  const log = logOf(
    refusal,
    { ...refusal, delivered: false, kind: "lose-answer", fault: "flaky" },
    { status: 429, code: -1003, fault: "storm", kind: "refuse" },
    { status: 429, code: -1003 },
  );
  assert.deepEqual(
    log.refusals.map(({ status, code, fault, count, unseen }) => [
      status,
      code,
      fault,
      count,
      unseen,
    ]),
    [
      [422, -2010, null, 2, 1],
      [429, -1003, "storm", 1, 0],
      [429, -1003, null, 1, 0],
    ],
  );
  assert.equal(log.evidenceOf(7, "mine"), null, "a refused order is no order");
});

test("REW-135 events of fills are counted as they arrived: twice, late, or not", () => {
  const fill = { method: "STREAM", event: "executionReport", order_status: "FILLED", status: null };
  const log = logOf(
    {},
    { ...fill, kind: "duplicate", fault: "gappy" },
    { ...fill, kind: "reorder", fault: "gappy" },
    { ...fill, delivered: false },
  );
  assert.deepEqual(log.evidenceOf(7, "mine")?.fillEvents, {
    ...{ arrived: 2, twice: 1, lateOrder: 1, dropped: 1 },
  });
  assert.equal(log.marks.length, 2);
});

test("REW-134 requests that send orders are told from those that test, cancel or count down", () => {
  const sends = (method: string, of: string) => isPlacement({ method, path: of });
  for (const of of ["/api/v3/order", "/fapi/v1/batchOrders", "/v1/orders", "/api/v3/orderList/oco"])
    assert.equal(sends("POST", of), true, of);
  for (const of of ["/api/v3/order/test", "/fapi/v1/countdownCancelAll", "/v1/transfers"])
    assert.equal(sends("POST", of), false, of);
  assert.equal(sends("order.place", "/ws-api/v3"), true);
  assert.equal(sends("order.status", "/ws-api/v3"), false);
  assert.equal(sends("DELETE", "/api/v3/order"), false);
});
