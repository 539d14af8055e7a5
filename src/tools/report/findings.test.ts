// Compares what a program was told, in lines as the fault proxy writes them, with what the real engine did.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc, testMarkets } from "../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../test/support/machine/test-venue.ts";
import { AccountType, Wallet } from "../../core/accounts.ts";
import { TimeInForce } from "../../core/orders.ts";
import { VenueState } from "../../engine/state/venue-state.ts";
import type { FaultLogLine } from "../faults/fault-log.ts";
import { AccountRun } from "./account-run.ts";
import { ClientLog } from "./client-log.ts";
import { ClientView } from "./client-view.ts";
import { byImportance, findingsOf } from "./findings.ts";
import { RunFold } from "./run-fold.ts";

const { cbtcUsdc } = marketId;
const line: FaultLogLine = {
  ...{
    at_ms: 0,
    key: "k",
    connection: 1,
    method: "POST",
    path: "/api/v3/order",
    symbol: "CBTCUSDC",
  },
  ...{ client_order_id: null, order_id: null, status: 200, code: null, delivered: true },
  ...{ fault: null, kind: null, latency_ms: 1 },
};
const lost = { delivered: false, fault: "flaky-answers", kind: "lose-answer" };

class Scene {
  readonly venue = new TestVenue();
  readonly log = new ClientLog();
  readonly house = this.#rich(AccountType.house);
  readonly member = this.#rich();
  #nowMs = 1_000;

  #rich(type?: AccountType): number {
    const account = this.venue.fund(10_000_000n * oneUsdc, type);
    this.venue.credit(account, Wallet.spot, 2, 10_000_000_000n);
    return account;
  }

  /** The member buys, and the log has what became of the answer. */
  buy(qty: number, answer: Partial<FaultLogLine>, afterMs = 100, price = 6_000_000): number {
    const orderId = this.venue.buy(this.member, cbtcUsdc, price, qty);
    this.#nowMs += afterMs;
    this.add({ at_ms: this.#nowMs, order_id: String(orderId), ...answer });
    return orderId;
  }

  add(more: Partial<FaultLogLine>): void {
    this.log.add({ ...line, at_ms: this.#nowMs, ...more });
  }

  view(): ClientView {
    const state = new VenueState(testMarkets);
    const fold = new RunFold(state, {
      ...{ account: this.member, fromSeq: 1, fundingIntervalMs: 3_600_000 },
    });
    for (const event of this.venue.events) fold.fold(event);
    fold.end();
    const idle = new AccountRun(this.member, 0, 0n);
    return new ClientView(fold.runs.get(this.member) ?? idle, [this.log]);
  }

  kinds(): string[] {
    return findingsOf(this.view(), null).map(({ severity, kind }) => `${severity} ${kind}`);
  }
}

test("REW-136 an order sent again after a lost answer is named, with its orders and quantities", () => {
  const scene = new Scene();
  scene.venue.sell(scene.house, cbtcUsdc, 6_000_000, 100);
  const filled = { filled_qty: "0.00100000", order_status: "FILLED" };
  const first = scene.buy(10, lost);
  const second = scene.buy(10, filled, 400);
  scene.buy(10, filled, 5_000);
  const [found, ...others] = findingsOf(scene.view(), null);
  assert.equal(found?.kind, "sent-again");
  assert.deepEqual(found?.orders, [first, second]);
  assert.match(found?.text ?? "", /you hold 2× BUY 0.0010 CBTC-USDC at 60000.00/);
  assert.match(found?.text ?? "", /lost \(flaky-answers\)/);
  assert.match(
    found?.text ?? "",
    /within 0.4 s .* All 2 exist: 0.0020 CBTC-USDC accepted, 0.0020 CBTC-USDC filled\.$/,
  );
  assert.deepEqual(
    others.map(({ kind, orders }) => [kind, orders]),
    [
      ["lost-order", [first]],
      ["untold-fill", [first]],
    ],
  );
});

test("REW-136 an order sent thrice is one finding", () => {
  const scene = new Scene();
  const orders = [scene.buy(10, lost), scene.buy(10, lost), scene.buy(10, {})];
  const again = findingsOf(scene.view(), null).filter(({ kind }) => kind === "sent-again");
  assert.deepEqual(
    again.map((one) => one.orders),
    [orders],
  );
  assert.match(again[0]?.text ?? "", /3× BUY .* 3 still open\.$/);
});

test("REW-136 a program that looks first, waited, or sent other terms has no such finding", () => {
  const careful = new Scene();
  const order = careful.buy(10, lost);
  careful.add({ method: "GET", order_id: String(order), filled_qty: "0" });
  careful.buy(10, {});
  assert.deepEqual(careful.kinds(), ["note activity"]);
  const late = new Scene();
  late.buy(10, lost);
  late.buy(10, {}, 60_001);
  assert.deepEqual(late.kinds(), ["error lost-order"]);
  const other = new Scene();
  other.buy(10, lost);
  other.buy(11, {});
  other.buy(10, {}, 100, 5_990_000);
  assert.deepEqual(other.kinds(), ["error lost-order"]);
});

test("REW-134 an order without an answer that was never filled and is not open is only a warning", () => {
  const scene = new Scene();
  const orderId = scene.buy(10, lost);
  scene.venue.cancel(scene.member, cbtcUsdc, orderId);
  assert.deepEqual(scene.kinds(), ["warning lost-order"]);
});

test("REW-135 fills that no answer and no event told are missing in the program's position", () => {
  const scene = new Scene();
  scene.buy(10, { filled_qty: "0.00000000" });
  scene.venue.sell(scene.house, cbtcUsdc, 6_000_000, 4, { timeInForce: TimeInForce.ioc });
  const [found] = findingsOf(scene.view(), null);
  assert.equal(found?.severity, "error");
  assert.match(found?.text ?? "", /its position differs by \+0.0004 CBTC-USDC/);
  scene.add({ method: "GET", path: "/api/v3/account", at_ms: 60_000 });
  assert.deepEqual(scene.kinds(), ["note untold-fill"]);
});

test("REW-135 fills that were not told may leave the position as it was told", () => {
  const scene = new Scene();
  scene.buy(4, { filled_qty: "0" });
  scene.venue.sell(scene.house, cbtcUsdc, 6_000_000, 4, { timeInForce: TimeInForce.ioc });
  const sale = scene.venue.sell(scene.member, cbtcUsdc, 6_100_000, 4);
  scene.add({ order_id: String(sale), filled_qty: "0" });
  scene.venue.buy(scene.house, cbtcUsdc, 6_100_000, 4, { timeInForce: TimeInForce.ioc });
  const [found] = findingsOf(scene.view(), null);
  assert.equal(found?.severity, "error");
  assert.match(
    found?.text ?? "",
    /^2 orders .* position happens to be what its answers and events say\.$/,
  );
});

test("REW-135 a list of trades tells the fills up to then", () => {
  const scene = new Scene();
  const order = String(scene.buy(10, { filled_qty: "0" }));
  scene.venue.sell(scene.house, cbtcUsdc, 6_000_000, 4, { timeInForce: TimeInForce.ioc });
  scene.add({ method: "GET", path: "/api/v3/myTrades", order_id: order, at_ms: 60_000 });
  assert.deepEqual(scene.kinds(), []);
});

test("REW-138 what is believed and not true is an error, and errors come first", () => {
  const scene = new Scene();
  scene.buy(10, { filled_qty: "0", kind: "duplicate" });
  const difference = { what: "position", name: "BTCUSDT", believed: "1", true: null };
  const findings = byImportance(findingsOf(scene.view(), [difference]));
  assert.deepEqual(
    findings.map(({ kind, text }) => [kind, text]),
    [["belief", "Believed of position BTCUSDT: 1. True: nothing."]],
  );
});

test("REW-139 an account that sent nothing, and one whose orders went past the proxy, are told as that", () => {
  const idle = new Scene();
  assert.deepEqual(
    findingsOf(idle.view(), null).map(({ text }) => text),
    ["The account has sent no orders."],
  );
  const direct = new Scene();
  direct.venue.buy(direct.member, cbtcUsdc, 6_000_000, 10);
  const [told] = findingsOf(direct.view(), null);
  assert.match(told?.text ?? "", /^1 order went past the address with faults: .* is not known\.$/);
});
