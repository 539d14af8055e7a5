// Market-maker protection: a fill that reaches a limit within the window triggers the group, new orders and amends are
// refused from then on, and no later order of anybody trades with the group. All of it follows from the journal.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { orderCommand, TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { Wallet } from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { ordersPerMarketPerAccountMax } from "../../../core/limits.ts";
import { MatchLane } from "../../../core/match-messages.ts";
import { CloseReason, Side } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { apply } from "../../state/apply/apply.ts";
import { captureState, restoreState } from "../../state/snapshot/venue-snapshot.ts";
import { VenueState } from "../../state/venue-state.ts";
import { stateHash } from "../../state-hash.ts";

const { btcPerp, ethPerp } = marketId;
const secondUs = 1_000_000;

interface Limits {
  readonly markets?: number;
  readonly windowUs?: number;
  readonly qtyLimit?: number;
  readonly valueLimit?: bigint;
  readonly countLimit?: number;
}

function scene() {
  const venue = new TestVenue({ matcherCount: 2 });
  return { venue, maker: venue.fund(10n ** 13n), taker: venue.fund(10n ** 13n) };
}

function groupCommand(account: number, limits: Limits = {}) {
  return {
    kind: CommandKind.setMakerGroup,
    account,
    group: 1,
    markets: 1 << btcPerp,
    windowUs: secondUs,
    qtyLimit: 0,
    valueLimit: 0n,
    countLimit: 1000,
    ...limits,
  } as const;
}

/** A taker's sale of `qty` lots at any price of the makers in these tests. */
function sale(account: number, qty: number) {
  return orderCommand({ account, market: btcPerp, side: Side.sell, price: 9000, qty });
}

test("MMP-3 executed quantity, value or number of fills within the window triggers a group, at the limit itself", () => {
  for (const [limits, fills] of [
    [{ qtyLimit: 30 }, 3],
    [{ countLimit: 2 }, 2],
    [{ valueLimit: 5n * 10n ** 12n }, 0],
  ] as const) {
    const { venue, maker, taker } = scene();
    venue.buy(maker, btcPerp, 10_000, 100);
    venue.done(groupCommand(maker, limits));
    const group = venue.state.makerGroups.get(maker, 1);
    for (let count = 1; count <= fills; count++) {
      assert.equal(group?.triggeredUs, 0);
      venue.send(sale(taker, 10));
    }
    assert.equal((group?.triggeredUs ?? 0) > 0, fills > 0, JSON.stringify(fills));
  }
});

test("MMP-3 the value of fills counts in the quote asset", () => {
  const { venue, maker, taker } = scene();
  venue.buy(maker, btcPerp, 10_000, 100);
  venue.done(groupCommand(maker));
  venue.send(sale(taker, 10));
  const group = venue.state.makerGroups.get(maker, 1);
  const { value } = group?.countedAt(venue.nowUs) ?? { value: 0n };
  assert(value > 0n);
  venue.done(groupCommand(maker, { valueLimit: value + 1n }));
  venue.send(sale(taker, 10));
  assert.equal(venue.state.makerGroups.get(maker, 1)?.triggeredUs, 0, "one minor unit is left");
  venue.send(sale(taker, 1));
  assert((venue.state.makerGroups.get(maker, 1)?.triggeredUs ?? 0) > 0);
});

test("MMP-3 a fill leaves the window a whole window after it, by event time", () => {
  const { venue, maker, taker } = scene();
  venue.buy(maker, btcPerp, 10_000, 100);
  venue.done(groupCommand(maker, { qtyLimit: 20 }));
  venue.send(sale(taker, 10));
  venue.nowUs += secondUs;
  venue.send(sale(taker, 19));
  assert.equal(venue.state.makerGroups.get(maker, 1)?.triggeredUs, 0);
  venue.nowUs += secondUs / 2;
  venue.send(sale(taker, 1));
  assert((venue.state.makerGroups.get(maker, 1)?.triggeredUs ?? 0) > 0);
});

test("MMP-3 fills in all markets of a group count together, also those in which the account was the taker", () => {
  const { venue, maker, taker } = scene();
  venue.done(groupCommand(maker, { markets: (1 << btcPerp) | (1 << ethPerp), countLimit: 2 }));
  const far = venue.buy(maker, ethPerp, 9000, 10);
  venue.buy(taker, btcPerp, 10_000, 10);
  venue.done(sale(maker, 5));
  venue.buy(maker, btcPerp, 10_000, 10);
  venue.send(sale(taker, 15));
  assert((venue.state.makerGroups.get(maker, 1)?.triggeredUs ?? 0) > 0);
  assert.equal(
    venue.state.orders.slotOf(far),
    -1,
    "the order in the other market is cancelled too",
  );
});

test("MMP-4 MMP-5 MMP-6 a trigger cancels the group's orders and refuses new ones and amends until the reset", () => {
  const { venue, maker, taker } = scene();
  const first = venue.buy(maker, btcPerp, 10_000, 10);
  const second = venue.buy(maker, btcPerp, 9900, 10);
  const beside = venue.buy(maker, ethPerp, 9900, 10);
  venue.done(groupCommand(maker, { qtyLimit: 5 }));
  venue.send(sale(taker, 6));
  const { orders } = venue.state;
  assert.deepEqual(
    [first, second].map((id) => orders.slotOf(id)),
    [-1, -1],
  );
  assert(orders.slotOf(beside) >= 0, "another market is not in the group");
  const closes = venue.events.filter((event) => event.kind === EventKind.orderClosed);
  assert.deepEqual(
    closes.map((event) => event.kind === EventKind.orderClosed && event.reason),
    [CloseReason.makerGroup, CloseReason.makerGroup],
  );
  const again = { account: maker, market: btcPerp, side: Side.buy, price: 9000, qty: 1 };
  assert.equal(venue.place(again).reason, RejectReason.groupTriggered);
  assert.equal(venue.send(groupCommand(maker)).reason, RejectReason.groupTriggered);
  assert.equal(
    venue.place({ ...again, side: Side.sell, isReduceOnly: true }).reason,
    RejectReason.none,
    "a reduce-only order is in no group",
  );
  assert.equal(venue.place({ ...again, market: ethPerp }).reason, RejectReason.none);
  venue.done({ kind: CommandKind.resetMakerGroup, account: maker, group: 1 });
  assert.equal(venue.place(again).reason, RejectReason.none);
  venue.send(sale(taker, 1));
  assert.equal(venue.state.makerGroups.get(maker, 1)?.triggeredUs, 0, "the count began again");
});

test("MMP-5 no order sent after the trigger trades with the group, whatever the matchers answer first", () => {
  const { venue, maker, taker } = scene();
  for (let at = 0; at < ordersPerMarketPerAccountMax; at++)
    venue.buy(maker, btcPerp, 10_000 - at, 10);
  venue.done(groupCommand(maker, { qtyLimit: 10 }));
  venue.take(sale(taker, 10));
  venue.machine.answerNext(btcPerp % 2, MatchLane.orders);
  const traded = venue.state.nextTradeId;
  while (!venue.machine.canAccept()) venue.machine.answerNext(btcPerp % 2, MatchLane.orders);
  const late = venue.take(sale(taker, 1000));
  venue.machine.settle();
  assert.equal(venue.replyTo(late).reason, RejectReason.none);
  assert.equal(venue.state.nextTradeId, traded, "the late order met no order of the group");
});

test("MMP-5 what a matcher had received before the trigger may still trade, and an amend under way is cancelled", () => {
  const { venue, maker, taker } = scene();
  const orderId = venue.buy(maker, btcPerp, 10_000, 10);
  venue.buy(maker, btcPerp, 9990, 10);
  venue.done(groupCommand(maker, { qtyLimit: 10 }));
  venue.take(sale(taker, 10));
  venue.take(sale(taker, 5));
  const terms = { price: 9500, qty: 30, clientId: "" };
  venue.take({ kind: CommandKind.amendOrder, account: maker, market: btcPerp, orderId, ...terms });
  venue.machine.settle();
  const counted = venue.events.filter(({ kind }) => kind === EventKind.traded).length;
  assert.equal(counted, 2, "the second sale was with the matcher already");
  assert.equal(venue.state.orders.countOf(maker, btcPerp), 0);
});

test("MMP-7 a replay and a snapshot have the groups and what they counted; a start cancels before any command", () => {
  const { venue, maker, taker } = scene();
  venue.buy(maker, btcPerp, 10_000, 10);
  venue.buy(maker, btcPerp, 9990, 10);
  venue.done(groupCommand(maker, { countLimit: 3 }));
  venue.send(sale(taker, 4));
  const replayed = new VenueState(testMarkets);
  for (const event of venue.events) apply(replayed, event);
  assert.equal(stateHash(replayed), stateHash(venue.state));
  const restored = restoreState(testMarkets, captureState(venue.state));
  assert.equal(stateHash(restored), stateHash(venue.state));

  // The venue dies after the commit of the fill that triggers the group, before any cancel.
  const dying = new TestVenue({ state: restored, matcherCount: 2 });
  dying.send(sale(taker, 1));
  dying.take(sale(taker, 1));
  dying.machine.answerNext(btcPerp % 2, MatchLane.orders);
  assert(dying.state.orders.countOf(maker, btcPerp) > 0);
  const next = new TestVenue({ state: restoreState(testMarkets, captureState(dying.state)) });
  const late = next.take(sale(taker, 100));
  const trades = next.state.nextTradeId;
  next.machine.settle();
  assert.equal(next.replyTo(late).reason, RejectReason.none);
  assert.equal(next.state.nextTradeId, trades);
});

test("MMP-1 MMP-2 a group has known markets of its own, limits in one unit, and a number from 1 to 16", () => {
  const { venue, maker } = scene();
  const set = (limits: Limits & { group?: number }) =>
    venue.send({ ...groupCommand(maker), ...limits }).reason;
  const pair = (1 << btcPerp) | (1 << ethPerp);
  assert.equal(set({ group: 17 }), RejectReason.unknownGroup);
  assert.equal(set({ markets: 0 }), RejectReason.unknownGroup, "there is nothing to remove");
  for (const limits of [
    { markets: 1 << 15 },
    { windowUs: 0 },
    { windowUs: 600_000_001 },
    { countLimit: 0 },
    { countLimit: 1001 },
    { valueLimit: -1n },
    { markets: pair, qtyLimit: 5 },
  ]) {
    assert.equal(set(limits), RejectReason.groupTermsInvalid);
  }
  assert.equal(set({ markets: pair, valueLimit: 5n }), RejectReason.none);
  assert.equal(set({ group: 2 }), RejectReason.marketInGroup);
  assert.equal(set({ markets: 1 << btcPerp, qtyLimit: 5 }), RejectReason.none, "a change");
  assert.equal(set({ group: 2, markets: 1 << ethPerp }), RejectReason.none);
  assert.equal(set({ markets: 0 }), RejectReason.none);
  assert.equal(venue.state.makerGroups.count, 1);
  const unknown = { kind: CommandKind.resetMakerGroup, account: maker, group: 1 } as const;
  assert.equal(venue.send(unknown).reason, RejectReason.unknownGroup);
});

/** Sets groups of one market each in an owner's accounts until one is refused; returns the refusal and their number. */
function groupsUntilRefused(venue: TestVenue, owner: number) {
  let count = 0;
  for (let sub = 0; sub <= 20; sub++) {
    const label = `sub-${sub}`;
    const account =
      sub === 0 ? owner : venue.done({ kind: CommandKind.openSubAccount, account: owner, label });
    venue.credit(account, Wallet.perp, 0, 1n);
    for (const { id } of testMarkets.markets) {
      const command = groupCommand(account, { markets: 1 << id });
      const { reason } = venue.send({ ...command, group: 1 + id });
      if (reason !== RejectReason.none) return { reason, count };
      count++;
    }
  }
  return { reason: RejectReason.none, count };
}

test("MMP-10 an owner has at most 64 groups, and only one while half of the venue's are taken", () => {
  const { venue, maker } = scene();
  const full = { reason: RejectReason.tooManyGroups, count: 64 };
  assert.deepEqual(groupsUntilRefused(venue, maker), full);
  assert.equal(
    venue.send(groupCommand(maker, { countLimit: 5, markets: 1 })).reason,
    0,
    "a change",
  );
  for (let owner = 1; owner < 2048 / 64; owner++)
    assert.deepEqual(groupsUntilRefused(venue, venue.fund(1n)), full);
  const late = venue.fund(1n);
  assert.deepEqual(groupsUntilRefused(venue, late), { ...full, count: 1 });
  assert.equal(venue.state.makerGroups.count, 2049);
});

test("QUO-23 a mass cancel of a group cancels its orders in all of its markets, and no reduce-only order", () => {
  const { venue, maker, taker } = scene();
  venue.done(groupCommand(maker, { markets: (1 << btcPerp) | (1 << ethPerp) }));
  venue.buy(taker, btcPerp, 10_000, 5);
  venue.sell(maker, btcPerp, 10_000, 5);
  const reducing = venue.buy(maker, btcPerp, 9000, 5, { isReduceOnly: true });
  for (const market of [btcPerp, ethPerp]) venue.buy(maker, market, 9000, 5);
  const cancel = {
    kind: CommandKind.cancelOrders,
    account: maker,
    markets: 0,
    side: null,
  } as const;
  const band = { minPrice: 0, maxPrice: 0 };
  assert.equal(venue.send({ ...cancel, ...band, group: 1 }).subject, 2);
  assert(venue.state.orders.slotOf(reducing) >= 0);
  assert.equal(venue.send({ ...cancel, ...band, group: 2 }).reason, RejectReason.unknownGroup);
});
