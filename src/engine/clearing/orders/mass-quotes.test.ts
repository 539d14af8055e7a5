// Mass quotes: each side is a post-only order that is placed, amended in place or cancelled; all of them are one
// transaction, whatever the matcher and other commands do meanwhile.

import assert from "node:assert/strict";
import { test } from "node:test";
import { quoteCommand } from "../../../../test/support/machine/quote-command.ts";
import { marketId, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { orderCommand, TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { Wallet } from "../../../core/accounts.ts";
import { OriginLane } from "../../../core/command-identity.ts";
import { CommandKind, type MassQuote } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { matcherCreditsMax, qtyLotsMax, quoteSidesMax } from "../../../core/limits.ts";
import { MatchLane } from "../../../core/match-messages.ts";
import { quoteClientId, Side } from "../../../core/orders.ts";
import { quoteRefusal } from "../../../core/quotes.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { apply } from "../../state/apply/apply.ts";
import { captureState, restoreState } from "../../state/snapshot/venue-snapshot.ts";
import { VenueState } from "../../state/venue-state.ts";
import { stateHash } from "../../state-hash.ts";

const { btcPerp, ccUsdc } = marketId;

function scene(matcherCount = 1) {
  const venue = new TestVenue({ matcherCount });
  return { venue, maker: venue.fund(10n ** 13n), taker: venue.fund(10n ** 13n) };
}

function alias(market: number): string {
  return testMarkets.market(market).alias;
}

/** The open quotes of the account: order id, price and open lots by client order id. */
function quotesOf({ state: { orders } }: TestVenue, account: number) {
  const found: Record<string, readonly number[]> = {};
  for (const slot of orders.openSlots()) {
    if (orders.account[slot] !== account || orders.quoteSide(slot) < 0) continue;
    const figures = [orders.orderId[slot], orders.price[slot], orders.remaining(slot)];
    found[orders.clientId(slot)] = figures.map((figure) => figure ?? 0);
  }
  return found;
}

const [bid1, ask1, bid2] = [
  quoteClientId(alias(btcPerp), 1, Side.buy),
  quoteClientId(alias(btcPerp), 1, Side.sell),
  quoteClientId(alias(btcPerp), 2, Side.buy),
];

test("QUO-1 QUO-2 a mass quote places, amends and removes sides, and leaves those that it does not name", () => {
  const { venue, maker } = scene();
  const first = quoteCommand(maker, [
    [
      [9900, 10],
      [10_100, 10],
    ],
    [[9800, 20], undefined],
  ]);
  assert.deepEqual(
    [venue.send(first).reason, venue.replies.at(-1)?.subject],
    [RejectReason.none, 0],
  );
  const before = quotesOf(venue, maker);
  assert.deepEqual(Object.keys(before).sort(), [ask1, bid1, bid2].sort());
  assert.deepEqual(before[bid1]?.slice(1), [9900, 10]);
  venue.done(quoteCommand(maker, [[[9910, 5], null]]));
  const after = quotesOf(venue, maker);
  assert.deepEqual(after, {
    [bid1]: [before[bid1]?.[0], 9910, 5],
    [bid2]: before[bid2],
  });
  const { seq } = venue.state;
  venue.done(quoteCommand(maker, [[[9910, 5], null]]));
  assert.equal(venue.state.seq, seq, "a quote that is already there writes nothing");
});

test("QUO-2 clients cannot choose the id of a quote, and a quote that closed can be set again at once", () => {
  const { venue, maker, taker } = scene();
  const order = { account: maker, market: btcPerp, side: Side.buy, price: 9000, qty: 1 };
  assert.equal(venue.place({ ...order, clientId: bid1 }).reason, RejectReason.clientIdReserved);
  assert.equal(
    venue.place({ ...order, clientId: "quote-BTCUSDT-16-BUY" }).reason,
    RejectReason.none,
  );
  for (let round = 0; round < 3; round++) {
    venue.done(quoteCommand(maker, [[[9900, 10], undefined]]));
    venue.sell(taker, btcPerp, 9900, 10);
    assert.equal(quotesOf(venue, maker)[bid1], undefined, "the quote was filled");
  }
  venue.done(quoteCommand(maker, [[[9900, 10], undefined]]));
  const cancelled = venue.cancel(maker, btcPerp, 0, bid1);
  assert.equal(cancelled.reason, RejectReason.none, "a quote is an order that its id names");
});

test("QUO-3 the event of the first amended side says which sides are amended, and the others count from it", () => {
  const { venue, maker } = scene();
  venue.done(
    quoteCommand(maker, [
      [[9900, 10], undefined],
      [undefined, [10_200, 10]],
    ]),
  );
  venue.done(
    quoteCommand(maker, [
      [
        [9910, 10],
        [10_100, 5],
      ],
      [undefined, [10_210, 10]],
    ]),
  );
  const amended = venue.events.flatMap((event) =>
    event.kind === EventKind.quoteAmended ? [[event.sinceFirst, event.sides]] : [],
  );
  // The first bid and the second ask are amended; the first ask is placed between them.
  assert.deepEqual(amended, [
    [0, 0b1001],
    [2, 0],
  ]);
});

test("QUO-3 a quote keeps its priority while its price stays and its size shrinks", () => {
  for (const [price, qty, isFirst] of [
    [9900, 5, true],
    [9900, 15, false],
    [9899, 10, false],
  ] as const) {
    const { venue, maker, taker } = scene();
    const other = venue.fund(10n ** 13n);
    venue.done(quoteCommand(maker, [[[9900, 10], undefined]]));
    venue.buy(other, btcPerp, 9900, 10);
    venue.done(quoteCommand(maker, [[[price, qty], undefined]]));
    venue.sell(taker, btcPerp, 9000, 1);
    const traded = venue.events.find((event) => event.kind === EventKind.traded);
    assert.equal(traded?.kind === EventKind.traded && traded.makerAccount === maker, isFirst);
  }
});

test("QUO-3 the size of a quote is what is open, whatever it has filled before", () => {
  const { venue, maker, taker } = scene();
  venue.done(quoteCommand(maker, [[[9900, 10], undefined]]));
  venue.sell(taker, btcPerp, 9900, 4);
  venue.done(quoteCommand(maker, [[[9900, 10], undefined]]));
  assert.deepEqual(quotesOf(venue, maker)[bid1]?.slice(1), [9900, 10]);
});

test("QUO-3 the open part of a quote has the least value, and its fills with it stay below the largest order", () => {
  const { venue, maker, taker } = scene();
  const least = testMarkets.market(ccUsdc).minNotional;
  assert.ok(least > 0n);
  venue.credit(taker, Wallet.spot, 1, 10n ** 14n);
  const quote = (qty: number) => {
    venue.send(quoteCommand(maker, [[[1500, qty], undefined]], ccUsdc));
    return quoteRefusal(venue.replies.at(-1)?.subject ?? 0, 0);
  };
  assert.equal(quote(qtyLotsMax / 1000), RejectReason.none);
  venue.sell(taker, ccUsdc, 1500, qtyLotsMax / 1000 - 1000);
  assert.equal(quote(1), RejectReason.notionalTooSmall, "whatever has filled before");
  assert.equal(quote(1000), RejectReason.none);
  assert.equal(quote(qtyLotsMax), RejectReason.qtyTooLarge);
});

test("QUO-4 a side that would trade is refused by itself, new or amended; others are done", () => {
  const { venue, maker, taker } = scene();
  venue.sell(taker, btcPerp, 10_000, 5);
  const { subject, reason } = venue.send(
    quoteCommand(maker, [
      [
        [10_000, 10],
        [10_100, 10],
      ],
      [[9800, 10], undefined],
    ]),
  );
  assert.equal(reason, RejectReason.none);
  const refusals = Array.from({ length: quoteSidesMax }, (_, at) => quoteRefusal(subject, at));
  assert.deepEqual(refusals.slice(0, 4), [RejectReason.wouldTake, 0, 0, 0]);
  assert.deepEqual(Object.keys(quotesOf(venue, maker)).sort(), [ask1, bid2].sort());
  const again = venue.send(
    quoteCommand(maker, [
      [undefined, undefined],
      [[10_050, 10], undefined],
    ]),
  );
  assert.equal(quoteRefusal(again.subject, 2), RejectReason.wouldTake);
  assert.deepEqual(quotesOf(venue, maker)[bid2]?.slice(1), [9800, 10], "it stays as it was");
  assert.equal(venue.state.nextTradeId, 1);
});

test("QUO-4 a side that the account does not cover is refused by itself, with that reason", () => {
  const { venue, maker } = scene();
  const poor = venue.fund(10n ** 9n);
  const { subject } = venue.send(
    quoteCommand(poor, [
      [[900, 1], undefined],
      [[900, 90_000_000], undefined],
    ]),
  );
  assert.equal(quoteRefusal(subject, 0), RejectReason.none);
  assert.equal(quoteRefusal(subject, 2), RejectReason.insufficientBalance);
  const wrong = venue.send({ ...quoteCommand(maker, []), sides: 0 });
  assert.equal(wrong.reason, RejectReason.unsupportedCombination);
});

test("QUO-5 a mass quote of 15 pairs is one transaction of at most one event a side", () => {
  const { venue, maker } = scene();
  const pairs = Array.from(
    { length: 15 },
    (_, at) =>
      [
        [9900 - at, 10],
        [10_100 + at, 10],
      ] as const,
  );
  const from = venue.events.length;
  venue.done(quoteCommand(maker, pairs));
  const written = venue.events.slice(from);
  assert.equal(written.length, quoteSidesMax);
  assert.deepEqual(
    written.map(({ isTransactionEnd }) => isTransactionEnd),
    [...new Array(quoteSidesMax - 1).fill(false), true],
  );
  const moved = pairs.map(
    ([[bid, qty], [ask]]) =>
      [
        [bid - 5, qty],
        [ask + 5, qty],
      ] as const,
  );
  venue.done(quoteCommand(maker, moved));
  assert.equal(venue.events.length, from + 2 * quoteSidesMax);
  const replayed = new VenueState(testMarkets);
  for (const event of venue.events) apply(replayed, event);
  assert.equal(stateHash(replayed), stateHash(venue.state));
  assert.equal(
    stateHash(restoreState(testMarkets, captureState(venue.state))),
    stateHash(venue.state),
  );
});

test("QUO-5 a gateway's mass quote records its outcomes, and sent again it gets the same answer", () => {
  const { venue, maker, taker } = scene();
  const origin = venue.done({ kind: CommandKind.registerOrigin, name: "gate" });
  venue.sell(taker, btcPerp, 10_000, 5);
  const identity = { origin, lane: OriginLane.orders, number: 1, confirmedUpTo: 0 };
  const quote = quoteCommand(maker, [
    [
      [10_000, 10],
      [10_100, 10],
    ],
  ]);
  const command = { ...venue.command(quote), identity };
  venue.machine.handle(structuredClone(command));
  const first = venue.replyTo(command);
  assert.equal(quoteRefusal(first.subject, 0), RejectReason.wouldTake);
  const { seq } = venue.state;
  venue.machine.handle(structuredClone(command));
  assert.deepEqual(venue.replyTo(command), first);
  assert.equal(venue.state.seq, seq);
});

test("QUO-5 cancels that overtake a mass quote, and orders behind it, find a whole one", () => {
  const { venue, maker, taker } = scene();
  venue.done(
    quoteCommand(maker, [
      [
        [9900, 10],
        [10_100, 10],
      ],
      [[9800, 10], undefined],
    ]),
  );
  const quote = venue.take(
    quoteCommand(maker, [
      [
        [9910, 10],
        [10_090, 10],
      ],
      [[9810, 10], null],
    ]),
  );
  const cancel = venue.take({
    kind: CommandKind.cancelOrder,
    account: maker,
    market: btcPerp,
    orderId: 0,
    clientId: bid1,
  });
  const sale = venue.take(
    orderCommand({ account: taker, market: btcPerp, side: Side.sell, price: 9000, qty: 5 }),
  );
  // The first side is answered, then the cancel, then the rest.
  venue.machine.answerNext(0, MatchLane.orders);
  venue.machine.answerNext(0, MatchLane.cancels);
  assert.equal(
    quotesOf(venue, maker)[bid1]?.[1],
    9900,
    "nothing is decided before the whole quote",
  );
  const mass = venue.take({ kind: CommandKind.cancelAllOrders, account: maker, market: btcPerp });
  venue.machine.settle();
  const { subject, reason } = venue.replyTo(quote);
  assert.deepEqual(
    [reason, quoteRefusal(subject, 0)],
    [RejectReason.none, RejectReason.unknownOrder],
  );
  assert.equal(venue.replyTo(cancel).reason, RejectReason.none);
  assert.equal(venue.replyTo(sale).reason, RejectReason.none);
  assert.equal(venue.replyTo(mass).reason, RejectReason.none);
  assert.deepEqual(quotesOf(venue, maker), {});
});

test("QUO-6 a second mass quote of the account in the market is refused while one is with the matcher", () => {
  const { venue, maker } = scene();
  const first = venue.take(quoteCommand(maker, [[[9900, 10], undefined]]));
  const second = venue.take(quoteCommand(maker, [[[9901, 10], undefined]]));
  const elsewhere = venue.take(quoteCommand(maker, [[[1500, 1000], undefined]], ccUsdc));
  assert.equal(venue.replyTo(second).reason, RejectReason.requestInFlight);
  venue.machine.settle();
  for (const one of [first, elsewhere]) assert.equal(venue.replyTo(one).reason, RejectReason.none);
  assert.equal(
    venue.send(quoteCommand(maker, [[[9901, 10], undefined]])).reason,
    RejectReason.none,
  );
});

test("a mass quote is accepted with the last credit of its lane, and all of its requests have room", () => {
  const { venue, maker } = scene();
  for (let count = 1; count < matcherCreditsMax; count++) {
    venue.take(
      orderCommand({ account: maker, market: btcPerp, side: Side.buy, price: 9000, qty: 1 }),
    );
  }
  assert(venue.machine.canAccept());
  const pairs = Array.from(
    { length: 15 },
    (_, at) =>
      [
        [9900 - at, 1],
        [10_100 + at, 1],
      ] as const,
  );
  const quote = venue.take(quoteCommand(maker, pairs));
  assert(!venue.machine.canAccept());
  venue.machine.settle();
  assert.deepEqual([venue.replyTo(quote).reason, venue.replyTo(quote).subject], [0, 0]);
});

test("QUO-4 quotes of a triggered maker group are refused side by side, and can still be removed", () => {
  const { venue, maker, taker } = scene();
  const both = { kind: CommandKind.setMakerGroup, account: maker, group: 1, markets: 1 << btcPerp };
  const limits = { windowUs: 1_000_000, qtyLimit: 0, valueLimit: 0n, countLimit: 1 };
  venue.done(
    quoteCommand(maker, [
      [
        [9900, 10],
        [10_100, 10],
      ],
    ]),
  );
  venue.done({ ...both, ...limits } as const);
  venue.sell(taker, btcPerp, 9900, 1);
  assert.deepEqual(quotesOf(venue, maker), {}, "the trigger removed both sides");
  const { subject } = venue.send(quoteCommand(maker, [[[9900, 10], null]]));
  assert.equal(quoteRefusal(subject, 0), RejectReason.groupTriggered);
  assert.equal(quoteRefusal(subject, 1), RejectReason.none);
});

test("a command of a market, account or sides that do not exist is refused whole", () => {
  const { venue, maker } = scene();
  const refused = (change: Partial<MassQuote>) =>
    venue.send({ ...quoteCommand(maker, [[[9900, 1], undefined]]), ...change }).reason;
  assert.equal(refused({ market: 15 }), RejectReason.unknownMarket);
  assert.equal(refused({ account: 2 ** 20 }), RejectReason.unknownAccount);
  assert.equal(refused({ sides: 2 ** 31 }), RejectReason.unsupportedCombination);
});
