// What keeps a maker's quotes safe belongs to one account, also within a family: connections that cancel on disconnect,
// groups of market-maker protection, and mass cancels.

import assert from "node:assert/strict";
import { test } from "node:test";
import { quoteCommand } from "../../../../test/support/machine/quote-command.ts";
import { marketId, oneUsdc } from "../../../../test/support/machine/test-markets.ts";
import { orderCommand, TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { Wallet } from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { CloseReason, Side } from "../../../core/orders.ts";
import { quoteRefusal } from "../../../core/quotes.ts";
import { RejectReason } from "../../../core/reject-reason.ts";

const { btcPerp, ccUsdc, ethPerp } = marketId;

/** A venue with an owner, two of its sub-accounts, and a stranger, all with money. */
function familyVenue() {
  const venue = new TestVenue({ matcherCount: 2 });
  const money = 1_000_000n * oneUsdc;
  const owner = venue.fund(money);
  const other = venue.fund(money);
  const [one = 0, two = 0] = ["one", "two"].map((label) => {
    const account = venue.done({ kind: CommandKind.openSubAccount, account: owner, label });
    for (const wallet of [Wallet.spot, Wallet.perp]) venue.credit(account, wallet, 0, money);
    return account;
  });
  return { venue, owner, other, one, two };
}

function isOpen({ state: { orders } }: TestVenue, orderId: number): boolean {
  return orders.slotOf(orderId) >= 0;
}

test("SUB-12 COD-2 a lost connection of a sub-account cancels its orders, and none of its owner", () => {
  const { venue, owner, one } = familyVenue();
  const connection = venue.done({ kind: CommandKind.openConnection, account: one, keyId: 5 });
  const bid = (account: number, price: number) =>
    orderCommand({
      ...{ account, market: ccUsdc, side: Side.buy, price, qty: 2000 },
      attached: { key: null, leverage: 0, connection },
    });
  const quoted = venue.done(bid(one, 1000));
  const kept = [venue.buy(owner, ccUsdc, 1000, 2000), venue.buy(one, ccUsdc, 990, 2000)];
  const foreign = venue.send(bid(owner, 980));
  assert.equal(foreign.reason, RejectReason.connectionEnded, "the connection is the sub-account's");
  const kind = CommandKind.endConnection;
  venue.done({ kind, account: one, connectionId: connection, keepsOrders: false });
  const closed = venue.events.filter((event) => event.kind === EventKind.orderClosed);
  assert.deepEqual(
    closed.map(({ orderId, account, reason }) => [orderId, account, reason]),
    [[quoted, one, CloseReason.disconnected]],
  );
  for (const orderId of kept) assert(isOpen(venue, orderId));
});

test("SUB-12 MMP-3 a group counts and protects its account alone, also against fills of the rest of the family", () => {
  const { venue, owner, other, one, two } = familyVenue();
  const group = { group: 1, markets: 1 << btcPerp, windowUs: 1_000_000 };
  const limits = { qtyLimit: 20, valueLimit: 0n, countLimit: 1000 };
  venue.done({ kind: CommandKind.setMakerGroup, account: one, ...group, ...limits });
  const ofOwner = venue.buy(owner, btcPerp, 10_000, 100);
  const sale = (account: number, qty: number) =>
    orderCommand({ account, market: btcPerp, side: Side.sell, price: 9000, qty });
  venue.send(sale(other, 50));
  assert.equal(
    venue.state.makerGroups.get(one, 1)?.triggeredUs,
    0,
    "the owner's fills do not count",
  );
  const quoted = venue.buy(one, btcPerp, 10_100, 100);
  const ofTwo = venue.buy(two, btcPerp, 9900, 10);
  // Orders of the family pass each other, so they use up no limit.
  const passed = venue.done(sale(two, 30));
  assert(isOpen(venue, passed) && isOpen(venue, quoted));
  venue.send(sale(other, 20));
  assert((venue.state.makerGroups.get(one, 1)?.triggeredUs ?? 0) > 0);
  assert(!isOpen(venue, quoted), "the trigger cancels the group's orders");
  for (const orderId of [ofOwner, ofTwo, passed]) assert(isOpen(venue, orderId));
  const bid = (account: number) =>
    orderCommand({ account, market: btcPerp, side: Side.buy, price: 8000, qty: 10 });
  assert.equal(venue.send(bid(one)).reason, RejectReason.groupTriggered);
  for (const account of [owner, two]) assert.equal(venue.send(bid(account)).reason, 0);
  const reset = venue.send({ kind: CommandKind.resetMakerGroup, account: owner, group: 1 });
  assert.equal(reset.reason, RejectReason.unknownGroup, "the owner has no such group");
});

test("SUB-6 SUB-12 QUO-4 quotes of accounts of one owner may cross each other, those of another owner are refused, and each account has its own", () => {
  const { venue, owner, other, one, two } = familyVenue();
  const ask = (account: number, price: number) =>
    quoteCommand(account, [[undefined, [price, 10]]], btcPerp);
  const bid = (account: number, price: number) =>
    quoteCommand(account, [[[price, 10], undefined]], btcPerp);
  assert.equal(venue.done(ask(owner, 10_000)), 0);
  for (const account of [one, two]) assert.equal(venue.done(bid(account, 10_005)), 0);
  const refused = venue.done(ask(other, 10_003));
  assert.equal(quoteRefusal(refused, 1), RejectReason.wouldTake);
  // An amend that crosses the quotes of the family is in place too.
  assert.equal(venue.done(ask(owner, 9990)), 0);
  assert.equal(venue.state.nextTradeId, 1, "nothing has traded");
  const counts = () => [owner, one, two].map((one) => venue.state.orders.countOf(one, btcPerp));
  assert.deepEqual(counts(), [1, 1, 1]);
  venue.send(
    orderCommand({ account: other, market: btcPerp, side: Side.sell, price: 9000, qty: 10 }),
  );
  assert.deepEqual(
    counts(),
    [1, 0, 1],
    "the first bid at the best price, though the owner's ask is below",
  );
  venue.done(quoteCommand(two, [[null, null]], btcPerp));
  assert.deepEqual(counts(), [1, 0, 0]);
});

test("SUB-12 QUO-20 mass cancels of owner and sub-account cover the orders of their own account", () => {
  const { venue, owner, one, two } = familyVenue();
  const quote = (account: number) => [
    venue.buy(account, btcPerp, 10_000, 10),
    venue.buy(account, ethPerp, 10_000, 10),
  ];
  const [ofOwner, ofOne, ofTwo] = [quote(owner), quote(one), quote(two)];
  const terms = { markets: 0xffff, side: null, minPrice: 0, maxPrice: 0, group: 0 };
  for (const [account, gone, kept] of [
    [one, ofOne, [...ofOwner, ...ofTwo]],
    [owner, ofOwner, ofTwo],
  ] as const) {
    assert.equal(venue.done({ kind: CommandKind.cancelOrders, account, ...terms }), 2);
    for (const orderId of gone) assert(!isOpen(venue, orderId));
    for (const orderId of kept) assert(isOpen(venue, orderId));
  }
});
