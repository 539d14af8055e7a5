// Proves that the auditor of the crash runs detects every kind of contradiction between answers and journal.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Wallet } from "../../src/core/accounts.ts";
import { CommandKind } from "../../src/core/generated/commands.ts";
import { EventKind, type VenueEvent } from "../../src/core/generated/events.ts";
import { Side } from "../../src/core/orders.ts";
import { lots, otocoOf, pricedVenue } from "../support/machine/test-lists.ts";
import { cc, marketId, oneUsdc } from "../support/machine/test-markets.ts";
import { TestVenue } from "../support/machine/test-venue.ts";
import { audit, halfListFaults } from "./audit.ts";
import { JournalFacts } from "./journal-facts.ts";
import { freshAnswerFaults } from "./table-audit.ts";
import { ToldHistory, type ToldOrder } from "./told-history.ts";

const price = "0.1500";
const qty = "100.0";

interface Scene {
  readonly events: VenueEvent[];
  readonly history: ToldHistory;
  /** The buyer's order: partly filled while resting, then cancelled. */
  readonly order: ToldOrder;
}

/**
 * A buyer places an order of 100 CC, 70 of them trade, and the buyer cancels the rest. The scene has the events and
 * the answers that the buyer got.
 */
function playScene(): Scene {
  const venue = new TestVenue();
  const buyer = venue.fund(1_000n * oneUsdc);
  const seller = venue.fund(1_000n * oneUsdc);
  venue.credit(seller, Wallet.spot, cc.id, 1_000n * 10n ** 8n);
  const order = { market: marketId.ccUsdc, price: 1500 };
  const placed = venue.place({
    ...order,
    account: buyer,
    side: Side.buy,
    qty: 1000,
    clientId: "a-1",
  });
  venue.place({ ...order, account: seller, side: Side.sell, qty: 700 });
  venue.send({
    kind: CommandKind.cancelOrder,
    account: buyer,
    market: marketId.ccUsdc,
    orderId: placed.subject,
    clientId: "",
  });
  const history = new ToldHistory(buyer);
  const told = history.sent({ clientId: "a-1", symbol: "CC-USDC", side: "BUY", price, qty });
  history.told(told, placed.subject, 0, "NEW");
  history.told(told, placed.subject, 70, "CANCELED");
  const trade = venue.events.find((event) => event.kind === EventKind.traded);
  assert(trade?.kind === EventKind.traded);
  history.toldFill({
    tradeId: trade.tradeId,
    orderId: placed.subject,
    price,
    qty: "70.0",
    commission: "0.028",
  });
  return { events: venue.events, history, order: told };
}

function factsOf(events: readonly VenueEvent[]): JournalFacts {
  const facts = new JournalFacts();
  for (const event of events) facts.take(event);
  return facts;
}

function faultsOf({ events, history }: Scene): string {
  return audit([history], factsOf(events)).faults.join("\n");
}

test("the audit finds no fault in a venue that keeps its promises", () => {
  const scene = playScene();
  assert.equal(faultsOf(scene), "");
  const { counts } = audit([scene.history], factsOf(scene.events));
  assert.deepEqual(
    { acknowledged: counts.acknowledged, cancelled: counts.cancelled, fills: counts.fills },
    { acknowledged: 1, cancelled: 1, fills: 1 },
  );
});

test("the audit finds an acknowledged order that is missing", () => {
  const scene = playScene();
  const { history } = scene;
  const lost = history.sent({ clientId: "a-2", symbol: "CC-USDC", side: "BUY", price, qty });
  history.told(lost, 99, 0, "NEW");
  assert.match(faultsOf(scene), /a-2: acknowledged, but not in the journal/);
});

test("the audit finds a cancel that did not survive", () => {
  const scene = playScene();
  scene.events.pop();
  assert.match(faultsOf(scene), /a-1: reported as cancelled at 70/);
});

test("the audit finds a fill that did not survive", () => {
  const scene = playScene();
  scene.history.toldFill({ tradeId: 77, orderId: 1, price, qty, commission: "0" });
  assert.match(faultsOf(scene), /trade 77: reported, but not in the journal/);
});

test("the audit finds a fill with other figures", () => {
  const scene = playScene();
  const [fill] = scene.history.fills.values();
  assert(fill !== undefined);
  scene.history.fills.set(fill.tradeId, { ...fill, qty: "71.0" });
  assert.match(faultsOf(scene), /trade 1: reported .*71.*, but the journal has .*70/);
});

test("the audit finds an acknowledged order that was later denied", () => {
  const scene = playScene();
  scene.order.denied = "reported as unknown";
  assert.match(faultsOf(scene), /a-1: reported as unknown; the journal has it from .* to /);
});

test("the audit finds an executed quantity that decreased", () => {
  const scene = playScene();
  scene.order.executedQty = 80;
  assert.match(faultsOf(scene), /a-1: reported 80 executed, but the journal has 70/);
});

test("the audit finds an order that the venue reported as not existing", () => {
  const scene = playScene();
  scene.order.outcome = "notExecuted";
  assert.match(faultsOf(scene), /a-1: notExecuted, but the journal has order 1/);
});

test("the audit finds an order at a different price", () => {
  const scene = playScene();
  const { history } = scene;
  history.orders.set("a-1", { ...scene.order, price: "0.1600" });
  assert.match(faultsOf(scene), /a-1: reported .*0\.1600.*, but the journal has .*0\.1500/);
});

test("the audit finds a duplicated order", () => {
  const scene = playScene();
  const facts = factsOf(scene.events);
  facts.byClientId.set(`${scene.history.account}/a-1`, [1, 2]);
  assert.match(audit([scene.history], facts).faults.join("\n"), /a-1: 2 orders/);
});

test("the audit allows an order without an answer to exist or not", () => {
  const scene = playScene();
  scene.order.outcome = "unknown";
  scene.history.sent({ clientId: "a-3", symbol: "CC-USDC", side: "BUY", price, qty });
  const { faults, counts } = audit([scene.history], factsOf(scene.events));
  assert.deepEqual(faults, []);
  assert.deepEqual([counts.unknown, counts.unknownFound], [2, 1]);
});

test("the audit finds a fee that differs from the account's rate", () => {
  const scene = playScene();
  const changed = scene.events.map((event) =>
    event.kind === EventKind.traded ? { ...event, takerFee: event.takerFee + 1n } : event,
  );
  assert.match(faultsOf({ ...scene, events: changed }), /fee of a trade/);
});

test("the audit finds a maker that trades before an older order at its price", () => {
  const venue = new TestVenue();
  const [older, younger, taker] = [1, 2, 3].map(() => venue.fund(1_000n * oneUsdc));
  assert(older !== undefined && younger !== undefined && taker !== undefined);
  venue.credit(taker, Wallet.spot, cc.id, 1_000n * 10n ** 8n);
  const order = { market: marketId.ccUsdc, price: 1500, qty: 1000 };
  const [first, second] = [older, younger].map(
    (account) => venue.place({ ...order, account, side: Side.buy }).subject,
  );
  venue.place({ ...order, account: taker, side: Side.sell });
  const turned = venue.events.map((event) =>
    event.kind === EventKind.traded && event.makerOrderId === first
      ? { ...event, makerOrderId: second ?? 0, makerAccount: younger }
      : event,
  );
  assert.deepEqual(factsOf(venue.events).faults, []);
  assert.match(factsOf(turned).faults.join(), /price, then time/);
});

test("the audit finds money that was created from nothing", () => {
  const scene = playScene();
  const facts = factsOf(scene.events);
  facts.state.deposited[cc.id] = 0n;
  assert.match(audit([scene.history], facts).faults.join("\n"), /CC: accounts hold/);
});

test("the audit finds an amend that did not survive", () => {
  const scene = playScene();
  scene.order.amendedQty = "90.0";
  assert.match(faultsOf(scene), /a-1: reported as amended to 90\.0, but the journal has 100\.0/);
  scene.order.amendedQty = qty;
  assert.equal(faultsOf(scene), "");
});

test("the audit expects the new quantity of an amended order, and finds an order that grew", () => {
  const venue = new TestVenue();
  const account = venue.fund(1_000n * oneUsdc);
  const market = marketId.ccUsdc;
  const placed = venue.place({ account, market, side: Side.buy, price: 1500, qty: 1000 });
  const orderId = placed.subject;
  const terms = { account, market, orderId, clientId: "", price: 0 };
  venue.send({ kind: CommandKind.amendOrder, ...terms, qty: 800, growsNot: true });
  const facts = factsOf(venue.events);
  assert.deepEqual([facts.orders.get(orderId)?.qty, facts.faults], [800, []]);
  venue.send({ kind: CommandKind.amendOrder, ...terms, qty: 900 });
  assert.match(factsOf(venue.events).faults.join(), /order 1: quantity 800 became 900/);
});

test("the audit expects no price for a market order", () => {
  const scene = playScene();
  scene.history.orders.set("a-1", { ...scene.order, price: null });
  assert.equal(faultsOf(scene), "");
});

test("the audit expects the fee of a perpetual in its collateral", () => {
  const venue = new TestVenue();
  const [buyer, seller] = [1, 2].map(() => venue.fund(100_000n * oneUsdc));
  assert(buyer !== undefined && seller !== undefined);
  const order = { market: marketId.ethPerp, price: 300_000, qty: 10 };
  const bought = venue.place({ ...order, account: buyer, side: Side.buy, clientId: "p-1" });
  venue.place({ ...order, account: seller, side: Side.sell });
  const history = new ToldHistory(buyer);
  const terms = { symbol: "ETHUSDT", side: "BUY", price: "3000.00", qty: "0.010" } as const;
  const told = history.sent({ clientId: "p-1", ...terms });
  history.told(told, bought.subject, 0.01, "FILLED");
  const fill = { tradeId: 1, orderId: bought.subject, price: "3000.00", qty: "0.010" };
  history.toldFill({ ...fill, commission: "0.006000" });
  assert.deepEqual(audit([history], factsOf(venue.events)).faults, []);
  history.fills.set(1, { ...fill, commission: "0.007000" });
  assert.match(audit([history], factsOf(venue.events)).faults.join(), /trade 1: reported/);
});

test("the audit finds a list whose pending orders did not go on after the working order was filled", () => {
  const { venue, own, other } = pricedVenue();
  venue.send(otocoOf(own));
  venue.sell(other, marketId.ccUsdc, 1500, lots);
  const whole = factsOf(venue.events);
  assert.deepEqual([...whole.faults, ...halfListFaults(whole.state)], []);
  const filled = venue.events.findLastIndex(({ kind }) => kind === EventKind.traded);
  const half = factsOf(venue.events.slice(0, filled + 1));
  assert.match(halfListFaults(half.state).join(), /^order \d+: its list is half there$/);
});

/** Says the API's answer about the buyer's order, after which the journal goes on to its end. */
function freshFaultsOf({ events, history, order }: Scene, from: number, status: string) {
  const facts = factsOf(events.slice(0, from));
  facts.readOn = async () => {
    for (const event of events.slice(facts.state.seq)) facts.take(event);
  };
  // A second look would find an API that has caught up.
  const statuses = [status];
  const read = async () => {
    const body = { orderId: order.orderId, status: statuses.pop() ?? "CANCELED" };
    return { status: 200, body: { ...body, executedQty: "70.0" } };
  };
  const client = { read };
  return freshAnswerFaults([{ client, history }], [0], facts, {} as never);
}

test("the audit finds an API that is behind the journal", async () => {
  const scene = playScene();
  assert.deepEqual(await freshFaultsOf(scene, scene.events.length, "PARTIALLY_FILLED"), [
    "a-1: the API says 200 1 PARTIALLY_FILLED 70, not 200 1 CANCELED 70",
  ]);
  assert.deepEqual(await freshFaultsOf(scene, scene.events.length, "CANCELED"), []);
});

test("the audit allows an order to end just before or after the API is asked for it", async () => {
  const scene = playScene();
  const before = scene.events.length - 1;
  assert.equal(scene.events[before]?.kind, EventKind.orderClosed);
  for (const status of ["PARTIALLY_FILLED", "CANCELED"])
    assert.deepEqual(await freshFaultsOf(scene, before, status), []);
  assert.equal((await freshFaultsOf(scene, before, "EXPIRED")).length, 1);
});
