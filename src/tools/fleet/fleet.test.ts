// Tests the fleet against a scripted venue: its requests, their order, and its reactions to responses.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SeededRandom } from "../load/seeded-random.ts";
import { Fleet } from "./fleet.ts";
import type { FleetMarket } from "./fleet-market.ts";
import { FleetMember } from "./fleet-member.ts";

const spot: FleetMarket = {
  ...{ symbol: "CC-USDC", isSpot: true, coin: "CC", tickDecimals: 4, lotDecimals: 1 },
  ...{ qtyLotsMin: 1000, firstPrice: 0.15 },
};
const perp: FleetMarket = {
  ...{ symbol: "CCUSDT", isSpot: false, coin: "CC", tickDecimals: 4, lotDecimals: 1 },
  ...{ qtyLotsMin: 1000, firstPrice: 0.15 },
};

interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

/** A scripted venue that executes every request and reports the CC balance that the test has set. */
class Script {
  readonly fleet: Fleet;
  readonly sent: SentRequest[] = [];
  nowMs = 1_000;
  /** The account's CC balance; it also has 1,000,000 USDC. */
  coins = 500_000;
  #orders = 0;

  constructor(markets: readonly FleetMarket[], roles: { makers: number; takers: number }) {
    const member = (_: unknown, index: number) =>
      new FleetMember({ account: index, key: `k${index}`, secret: "s" }, "venue", "10.0.0.1");
    this.fleet = new Fleet({
      makers: Array.from({ length: roles.makers }, member),
      takers: Array.from({ length: roles.takers }, member),
      markets,
      random: new SeededRandom(3),
      nowMs: () => this.nowMs,
    });
  }

  /** Simulates `count` arrivals, a tenth of a second apart, each answered before the next. */
  run(count: number, answer: (sent: SentRequest) => [number, object] = (sent) => this.does(sent)) {
    for (let turn = 0; turn < count; turn++) {
      this.nowMs += 100;
      const request = this.fleet.next(0);
      if (request === null) continue;
      const [, method = "", path = "", query = ""] = /^(\w+) ([^?]+)\?(\S+)/.exec(request) ?? [];
      const sent = { method, path, query: new URLSearchParams(query) };
      this.sent.push(sent);
      const [status, body] = answer(sent);
      this.fleet.answered(0, status, Buffer.from(JSON.stringify(body)));
    }
  }

  does({ method, path }: SentRequest): [number, object] {
    const order = { orderId: ++this.#orders, status: "NEW", executedQty: "0" };
    if (path.endsWith("cancelReplace")) return [200, { newOrderResponse: order }];
    if (path.startsWith("/api/v3/account")) {
      const usdc = { asset: "USDC", free: "1000000", locked: "0" };
      return [200, { balances: [usdc, { asset: "CC", free: `${this.coins}`, locked: "0" }] }];
    }
    if (path.startsWith("/compat/fapi/v2/account")) {
      return [200, { totalMarginBalance: "1000000", positions: [] }];
    }
    return [200, method === "DELETE" ? [] : order];
  }

  /** Returns the sides of the orders sent since `from`. */
  sides(from: number): Set<string> {
    const orders = this.sent.slice(from).filter(({ path }) => path.includes("order"));
    return new Set(orders.flatMap(({ query }) => query.get("side") ?? []));
  }
}

test("a maker cancels open orders it may have left, reads its account, and quotes both sides", () => {
  const script = new Script([spot], { makers: 1, takers: 0 });
  script.run(40);
  const [first, second, third] = script.sent;
  assert.deepEqual([first?.method, first?.path], ["DELETE", "/api/v3/openOrders"]);
  assert.deepEqual([second?.method, second?.path], ["GET", "/api/v3/account"]);
  assert.deepEqual([third?.method, third?.path], ["POST", "/api/v3/order"]);
  assert.deepEqual(script.sides(0), new Set(["BUY", "SELL"]));
  const prices = (side: string) =>
    script.sent
      .filter(({ query }) => query.get("side") === side)
      .map(({ query }) => Number(query.get("price")));
  assert(Math.max(...prices("BUY")) < Math.min(...prices("SELL")), "bids must be below offers");
  // All ten rungs have been placed, so further steps move rungs and add none.
  const placed = script.sent.filter(({ path }) => path === "/api/v3/order");
  assert(placed.filter(({ method }) => method === "POST").length <= 12);
  assert(script.sent.some(({ path }) => path === "/api/v3/order/cancelReplace"));
});

test("a maker's bids stay below its offers while its target prices move", () => {
  const script = new Script([spot], { makers: 1, takers: 0 });
  const resting = new Map<string, { readonly side: string; readonly price: number }>();
  const best = (side: string) =>
    [...resting.values()].filter((one) => one.side === side).map(({ price }) => price);
  let crossings = 0;
  const answer = (sent: SentRequest): [number, object] => {
    const [status, body] = script.does(sent);
    const { orderId, newOrderResponse } = body as { orderId?: number; newOrderResponse?: object };
    const placed = orderId ?? (newOrderResponse as { orderId: number } | undefined)?.orderId;
    resting.delete(sent.query.get("cancelOrderId") ?? sent.query.get("orderId") ?? "");
    const price = Number(sent.query.get("price"));
    if (price > 0) resting.set(`${placed}`, { side: sent.query.get("side") ?? "", price });
    if (Math.max(...best("BUY")) >= Math.min(...best("SELL"))) crossings += 1;
    return [status, body];
  };
  for (let round = 0; round < 40; round++) {
    // From much too few coins to much too many: the ladder is shifted by several rungs each time.
    script.coins = round % 2 === 0 ? 390_000 : 610_000;
    script.run(60, answer);
  }
  assert(resting.size > 0);
  assert.equal(crossings, 0);
});

test("a maker beyond its inventory limit quotes one side only", () => {
  const script = new Script([spot], { makers: 1, takers: 0 });
  script.run(30);
  script.coins += 400_000;
  script.run(60);
  const from = script.sent.length;
  script.run(60);
  assert.deepEqual(script.sides(from), new Set(["SELL"]));
});

test("after a request with an unknown outcome the maker first cancels everything", () => {
  const script = new Script([perp], { makers: 1, takers: 0 });
  script.run(20);
  script.run(1, (sent) =>
    sent.method === "GET" ? script.does(sent) : [408, { code: -1007, msg: "" }],
  );
  const from = script.sent.length;
  script.run(1);
  const [next] = script.sent.slice(from);
  assert.deepEqual([next?.method, next?.path], ["DELETE", "/compat/fapi/v1/allOpenOrders"]);
  assert.equal(script.fleet.figures.outcomes.unsure, 1);
  assert.equal(script.fleet.figures.unmeant, 1);
});

test("a cancel that arrives after the trade counts as late and not as a reject", () => {
  const script = new Script([spot], { makers: 1, takers: 0 });
  const late = { code: -2022, msg: "", data: { cancelResponse: { code: -2011, msg: "" } } };
  script.run(60, (sent) => (sent.path.endsWith("cancelReplace") ? [400, late] : script.does(sent)));
  assert(script.fleet.figures.outcomes.late > 0);
  assert.equal(script.fleet.figures.unmeant, 0);
});

test("any other refusal of an order is counted and reported", () => {
  const script = new Script([spot], { makers: 1, takers: 0 });
  script.run(10, (sent) =>
    sent.method === "POST" ? [422, { code: -2010, msg: "Trading is paused." }] : script.does(sent),
  );
  assert(script.fleet.figures.unmeant > 0);
  assert.match(script.fleet.figures.lastRefusal, /POST .api.v3.order 422 .*Trading is paused/);
});

test("a paused fleet withdraws its quotes and sends nothing until it is resumed", () => {
  const script = new Script([spot, perp], { makers: 2, takers: 2 });
  script.run(80);
  assert.equal(script.fleet.isQuiet, false);
  const from = script.sent.length;
  script.fleet.hold();
  script.run(20);
  assert.deepEqual(
    script.sent
      .slice(from)
      .map(({ method, path }) => `${method} ${path}`)
      .sort(),
    ["DELETE /api/v3/openOrders", "DELETE /compat/fapi/v1/allOpenOrders"],
  );
  assert.equal(script.fleet.isQuiet, true);
  script.fleet.letGo();
  script.run(20);
  assert(script.sent.length > from + 2);
});

test("TRF-6 takers do not trade spot while the budget of fills is spent", () => {
  const script = new Script([spot, perp], { makers: 0, takers: 2 });
  const taken = (from: number) =>
    new Set(
      script.sent
        .slice(from)
        .filter(({ query }) => query.get("timeInForce") === "IOC")
        .map(({ path }) => path),
    );
  script.run(600);
  assert.deepEqual(taken(0), new Set(["/api/v3/order", "/compat/fapi/v1/order"]));
  script.fleet.allowSpot(false);
  const from = script.sent.length;
  script.run(600);
  assert.deepEqual(taken(from), new Set(["/compat/fapi/v1/order"]));
});

test("a member orders no faster than its key's limit in any window of ten seconds", () => {
  const member = new FleetMember({ account: 1, key: "k", secret: "s" }, "venue", "10.0.0.1");
  const sentMs: number[] = [];
  for (let nowMs = 0; nowMs < 70_000; nowMs++) {
    if (!member.mayOrder(nowMs)) continue;
    member.spendOrder();
    sentMs.push(nowMs);
  }
  for (const [index, fromMs] of sentMs.entries()) {
    const inWindow = (ms: number) => sentMs.slice(index).filter((at) => at < fromMs + ms).length;
    // These limits are below the venue's, because requests that are in flight at the start of a window count too.
    assert(inWindow(10_000) <= 190 && inWindow(60_000) <= 1_100);
  }
  assert(sentMs.length > 1_200, "the member must nearly use its limit");
});
