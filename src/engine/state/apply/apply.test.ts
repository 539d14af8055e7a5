// Applying events: an event that does not fit the state is a bug or a damaged journal and stops the thread, and
// observers are notified of exactly what happened.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { Wallet } from "../../../core/accounts.ts";
import { AssertionFailure } from "../../../core/assert.ts";
import { EventKind, type VenueEvent } from "../../../core/generated/events.ts";
import { OrderStatus, Side } from "../../../core/orders.ts";
import type { StateObserver } from "../state-observer.ts";
import { VenueState } from "../venue-state.ts";
import { apply } from "./apply.ts";

const { btcPerp, ccUsdc } = marketId;

/** Two accounts, a resting order, a trade that fills a part of it, and a cancel of the remainder. */
function journal(): VenueEvent[] {
  const venue = new TestVenue();
  const [long, short] = [venue.fund(1000n * oneUsdc), venue.fund(1000n * oneUsdc)];
  venue.registerKey(long, 1);
  const resting = venue.sell(short, btcPerp, 10_000, 10, { clientId: "mine" });
  venue.buy(long, btcPerp, 10_000, 4);
  venue.cancel(short, btcPerp, resting);
  return venue.events;
}

function applied(events: readonly VenueEvent[], observer: StateObserver | null = null): VenueState {
  const state = new VenueState(testMarkets);
  for (const event of events) apply(state, event, observer);
  return state;
}

test("a field of a trade that does not fit the orders stops the thread", () => {
  const events = journal();
  const at = events.findIndex(({ kind }) => kind === EventKind.traded);
  const trade = events[at];
  assert(trade?.kind === EventKind.traded);
  const wrong = [
    { seq: trade.seq + 1 },
    { tsUs: trade.tsUs - 10_000 },
    { tradeId: 2 },
    { qty: 0 },
    { qty: 11 },
    { price: 9999 },
    { price: 10_001 },
    { market: ccUsdc },
    { takerSide: Side.sell },
    { takerOrderId: 9 },
    { makerOrderId: 9 },
    { account: trade.makerAccount },
    { account: 1009 },
    { makerAccount: 1009 },
    { takerPnl: 1n },
    { makerPnl: -1n },
  ];
  for (const change of wrong) {
    const state = applied(events.slice(0, at));
    assert.throws(
      () => apply(state, { ...trade, ...change }),
      AssertionFailure,
      JSON.stringify(Object.keys(change)),
    );
  }
  applied(events);
});

test("an acceptance, close, credit, key or flag that does not fit the state stops the thread", () => {
  const events = journal();
  const wrong: [VenueEvent["kind"], object][] = [
    [EventKind.orderAccepted, { orderId: 2 }],
    [EventKind.orderAccepted, { qty: 0 }],
    [EventKind.orderAccepted, { marginLots: 3 }],
    [EventKind.orderClosed, { orderId: 9 }],
    [EventKind.orderClosed, { account: 1001 }],
    [EventKind.orderClosed, { market: ccUsdc }],
    [EventKind.credited, { amount: 0n }],
    [EventKind.credited, { amount: -1n }],
    [EventKind.accountOpened, { account: 1005 }],
    [EventKind.keyRegistered, { kind: EventKind.keyChanged, keyId: 2 }],
    [EventKind.keyRegistered, { kind: EventKind.accountFlagsSet, account: 4000, flags: 1 }],
    [EventKind.keyRegistered, { kind: EventKind.marketStatusSet, market: 99 }],
    [EventKind.keyRegistered, { kind: 99 }],
  ];
  for (const [kind, change] of wrong) {
    const at = events.findIndex((event) => event.kind === kind);
    const state = applied(events.slice(0, at));
    const event = { ...events[at], ...change } as VenueEvent;
    assert.throws(() => apply(state, event), AssertionFailure, JSON.stringify(Object.keys(change)));
  }
});

test("a key is registered once, and a revoked key never changes", () => {
  const events = journal();
  const register = events.find(({ kind }) => kind === EventKind.keyRegistered);
  assert(register?.kind === EventKind.keyRegistered);
  const state = applied(events);
  const next = () => ({ seq: state.seq + 1, tsUs: state.tsUs + 1 });
  assert.throws(() => apply(state, { ...register, ...next() }), AssertionFailure);
  state.seq--;
  const change = { ...register, kind: EventKind.keyChanged, isRevoked: true } as const;
  apply(state, { ...change, ...next() });
  assert.throws(() => apply(state, { ...change, ...next() }), AssertionFailure);
});

test("an observer is notified of each order, balance and position that an event changes", () => {
  const heard: string[] = [];
  const state = new VenueState(testMarkets);
  const id = (slot: number) => state.orders.orderId[slot];
  const observer: StateObserver = {
    orderOpened: (slot) => heard.push(`opened ${id(slot)}`),
    orderChanged: (slot) => heard.push(`changed ${id(slot)}`),
    orderClosed: (slot, status) => heard.push(`closed ${id(slot)} ${status}`),
    balanceChanged: (account, wallet, asset) => heard.push(`balance ${account} ${wallet} ${asset}`),
    positionChanged: (account, market) => heard.push(`position ${account} ${market}`),
  };
  const events = journal();
  const said = events.map((event) => {
    heard.length = 0;
    apply(state, event, observer);
    return [event.kind, new Set(heard)] as const;
  });
  const of = (kind: number, index = 0) => said.filter(([one]) => one === kind)[index]?.[1];
  const perp = (account: number) => `balance ${account} ${Wallet.perp} 0`;
  assert.deepEqual(of(EventKind.orderAccepted), new Set([perp(1002), "opened 1"]));
  const trade = of(EventKind.traded);
  for (const word of [
    perp(1001),
    perp(1002),
    perp(1),
    "position 1001 4",
    "position 1002 4",
    "changed 1",
  ]) {
    assert(trade?.has(word), word);
  }
  assert(trade?.has(`closed 2 ${OrderStatus.filled}`));
  const closed = new Set([perp(1002), `closed 1 ${OrderStatus.cancelled}`]);
  assert.deepEqual(of(EventKind.orderClosed), closed);
});

test("a state that does not remember client ids folds the same journal", () => {
  const state = new VenueState(testMarkets, { remembersClientIds: false });
  for (const event of journal()) apply(state, event);
  assert.equal(state.clientIds, null);
  assert.equal(state.orders.openCount, 0);
});
