// One matcher's machine: its answers, what its books share, and the requests that stop the thread because correct
// clearing cannot send them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AssertionFailure } from "../../core/assert.ts";
import {
  emptyMatchRequest,
  type MatchReplySink,
  type MatchRequest,
} from "../../core/generated/messages.ts";
import { accountNumbersMax } from "../../core/limits.ts";
import {
  MatchLane,
  MatchOutcome,
  MatchRequestKind,
  RemovalReason,
} from "../../core/match-messages.ts";
import { pegOffsetMax, Side, StpMode } from "../../core/orders.ts";
import { MatchingEngine } from "./matching-engine.ts";
import { warmUp } from "./warm-up.ts";

class Replies implements MatchReplySink {
  lines: string[] = [];

  filled(takerSlot: number, makerSlot: number, price: number, qty: number): void {
    this.lines.push(`${takerSlot} takes ${qty} @ ${price} from ${makerSlot}`);
  }

  reduced(takerSlot: number, makerSlot: number, qty: number): void {
    this.lines.push(`${takerSlot} and ${makerSlot} lose ${qty}`);
  }

  removed(...[taker, maker, reason, left]: Parameters<MatchReplySink["removed"]>): void {
    this.lines.push(`${taker} removes ${left} of ${maker}: ${reason}`);
  }

  met(takerSlot: number, makerSlot: number): void {
    this.lines.push(`${takerSlot} ends at ${makerSlot}`);
  }

  ended(
    ...[market, slot, generation, lane, outcome, remaining, bid, request]: EndedArguments
  ): void {
    this.lines.push(
      `market ${market} order ${slot}/${generation} lane ${lane}: ${outcome} left ${remaining}, ${bid} x ${request}`,
    );
  }
}

type EndedArguments = Parameters<MatchReplySink["ended"]>;

const buy: MatchRequest = {
  ...emptyMatchRequest(),
  market: 2,
  slot: 1,
  generation: 1,
  account: 1,
  side: Side.buy,
  price: 100,
  qty: 5,
};
const sell: MatchRequest = { ...buy, slot: 2, account: 2, side: Side.sell, qty: 8 };

function open() {
  const sink = new Replies();
  return {
    sink,
    engine: new MatchingEngine({ markets: [2, 5], perpetuals: [5], sink, ordersMax: 16 }),
  };
}

test("the fills of a request come before its end record, which contains the best prices", () => {
  const { sink, engine } = open();
  engine.handle(buy, MatchLane.orders);
  engine.handle(sell, MatchLane.orders);
  engine.handle(
    { ...sell, kind: MatchRequestKind.amend, price: 101, qty: 2, seenQty: 3 },
    MatchLane.orders,
  );
  engine.handle({ ...sell, kind: MatchRequestKind.cancel }, MatchLane.cancels);
  assert.deepEqual(sink.lines, [
    `market 2 order 1/1 lane 0: ${MatchOutcome.rested} left 5, 100 x 0`,
    "2 takes 5 @ 100 from 1",
    `market 2 order 2/1 lane 0: ${MatchOutcome.rested} left 3, 0 x 100`,
    `market 2 order 2/1 lane 0: ${MatchOutcome.rested} left 2, 0 x 101`,
    `market 2 order 2/1 lane 1: ${MatchOutcome.cancelled} left 2, 0 x 0`,
  ]);
});

test("changes of resting orders are reported with the slot of the incoming order", () => {
  const { sink, engine } = open();
  const perpetual = { ...sell, market: 5 };
  engine.restorePosition(5, perpetual.account, 4);
  engine.handle({ ...perpetual, isReduceOnly: true }, MatchLane.orders);
  engine.handle({ ...perpetual, slot: 3, qty: 1 }, MatchLane.orders);
  engine.handle({ ...buy, market: 5, qty: 5 }, MatchLane.orders);
  const own = { ...perpetual, side: Side.buy, slot: 4, stpMode: StpMode.decrement };
  engine.handle({ ...own, price: 99 }, MatchLane.orders);
  engine.handle({ ...own, kind: MatchRequestKind.adjust, qty: 2 }, MatchLane.orders);
  assert.deepEqual(
    sink.lines.filter((line) => !line.includes(`: ${MatchOutcome.rested} `)),
    [
      "1 takes 4 @ 100 from 2",
      `1 removes 4 of 2: ${RemovalReason.reduceOnly}`,
      "1 takes 1 @ 100 from 3",
      `market 5 order 1/1 lane 0: ${MatchOutcome.filled} left 0, 0 x 0`,
      `market 5 order 4/1 lane 0: ${MatchOutcome.adjusted} left 0, 99 x 0`,
    ],
  );
  assert.equal(engine.book(5).position(perpetual.account), 1);
  assert.equal(engine.book(2).position(perpetual.account), 0);
});

test("the price of a level is read without a change of the book", () => {
  const { sink, engine } = open();
  for (const [slot, price] of [100, 98, 95].entries()) {
    engine.handle({ ...buy, slot, price }, MatchLane.orders);
    engine.handle({ ...buy, slot: 3 + slot, price }, MatchLane.orders);
    engine.handle({ ...sell, slot: 6 + slot, price: 201 - price }, MatchLane.orders);
  }
  const hash = engine.stateHash();
  sink.lines = [];
  const reading = { ...buy, slot: 9, kind: MatchRequestKind.readLevel };
  for (const [side, qty] of [
    [Side.buy, 1],
    [Side.buy, 3],
    [Side.buy, 4],
    [Side.sell, 2],
    [Side.sell, 1 + pegOffsetMax],
  ] as const) {
    engine.handle({ ...reading, side, qty }, MatchLane.orders);
  }
  const answered = `market 2 order 9/1 lane 0: ${MatchOutcome.levelRead} left`;
  const prices = [100, 95, 0, 103, 0];
  assert.deepEqual(
    sink.lines,
    prices.map((price) => `${answered} ${price}, 100 x 101`),
  );
  assert.equal(engine.stateHash(), hash);
});

test("the markets of one matcher share slots and nothing else", () => {
  const { engine } = open();
  engine.handle(buy, MatchLane.orders);
  engine.handle({ ...sell, market: 5 }, MatchLane.orders);
  assert.equal(engine.book(2).restingCount(), 1);
  assert.equal(engine.book(5).restingCount(), 1);
  assert.equal(engine.book(5).bestAsk(), 100);
  assert.throws(() => engine.handle({ ...sell, slot: 1 }, MatchLane.orders), AssertionFailure);
});

test("a recovered matcher has the state hash of the matcher it replaces", () => {
  const [before, after] = [open().engine, open().engine];
  assert.equal(before.stateHash(), after.stateHash());
  before.handle(buy, MatchLane.orders);
  before.handle({ ...sell, market: 5 }, MatchLane.orders);
  assert.notEqual(before.stateHash(), after.stateHash());
  after.restore({ ...sell, market: 5 });
  after.restore(buy);
  assert.equal(before.stateHash(), after.stateHash());
  before.handle(
    { ...buy, kind: MatchRequestKind.adjust, market: 5, account: 7, qty: -3 },
    MatchLane.orders,
  );
  assert.notEqual(before.stateHash(), after.stateHash());
  after.restorePosition(5, 7, -3);
  assert.equal(before.stateHash(), after.stateHash());
});

test("a request that a correct clearing never sends stops the thread", () => {
  const { engine } = open();
  engine.handle(buy, MatchLane.orders);
  const impossible: [Partial<MatchRequest>, MatchLane][] = [
    [{ slot: 3, market: 4 }, MatchLane.orders],
    [{ slot: 3 }, MatchLane.cancels],
    [{ slot: 16 }, MatchLane.orders],
    [{ slot: -1, kind: MatchRequestKind.cancel }, MatchLane.cancels],
    [{ slot: 16, kind: MatchRequestKind.amend }, MatchLane.orders],
    [{ market: 5, kind: MatchRequestKind.cancel }, MatchLane.cancels],
    [{ market: 5, kind: MatchRequestKind.amend }, MatchLane.orders],
    [{ kind: 6 as MatchRequestKind }, MatchLane.orders],
    [{ kind: MatchRequestKind.readLevel, qty: 0 }, MatchLane.orders],
    [{ kind: MatchRequestKind.readLevel, qty: 2 + pegOffsetMax }, MatchLane.orders],
    [{ kind: MatchRequestKind.readLevel, qty: 1.5 }, MatchLane.orders],
    [{ kind: MatchRequestKind.readLevel, qty: 1 }, MatchLane.cancels],
    [{ kind: MatchRequestKind.adjust }, MatchLane.orders],
    [{ slot: 3, isReduceOnly: true }, MatchLane.orders],
    [{ slot: 3, budget: 100 }, MatchLane.orders],
    [{ slot: 3, stpMode: 5 as StpMode }, MatchLane.orders],
    [{ kind: MatchRequestKind.amend, price: 101, seenQty: 4 }, MatchLane.orders],
    [{ market: 5, kind: MatchRequestKind.adjust, account: accountNumbersMax }, MatchLane.orders],
    [{ market: 5, kind: MatchRequestKind.adjust, qty: 0.5 }, MatchLane.orders],
  ];
  for (const [change, lane] of impossible) {
    assert.throws(() => engine.handle({ ...buy, ...change }, lane), AssertionFailure);
  }
  assert.throws(() => engine.restore({ ...sell, kind: MatchRequestKind.cancel }), AssertionFailure);
});

test("a slot can be reused only with another generation", () => {
  const { engine } = open();
  engine.handle(buy, MatchLane.orders);
  engine.handle({ ...buy, kind: MatchRequestKind.cancel }, MatchLane.cancels);
  assert.throws(() => engine.handle(buy, MatchLane.orders), AssertionFailure);
  engine.handle({ ...buy, generation: 2 }, MatchLane.orders);
  assert.equal(engine.book(2).restingCount(), 1);
});

test("a matcher must have distinct markets and room for at least one order", () => {
  const sink = new Replies();
  for (const markets of [[-1], [16], [1.5], [3, 3]]) {
    assert.throws(() => new MatchingEngine({ markets, sink, ordersMax: 16 }), AssertionFailure);
  }
  assert.throws(
    () => new MatchingEngine({ markets: [1], perpetuals: [2], sink }),
    AssertionFailure,
  );
  assert.throws(() => new MatchingEngine({ markets: [1], sink, ordersMax: 0 }), AssertionFailure);
});

test("warming up produces every outcome except adjustments, levels and the two limits of a sweep", () => {
  const seen = new Set<MatchOutcome>();
  let fills = 0;
  let reductions = 0;
  let meetings = 0;
  const removals = new Set<RemovalReason>();
  let answers = 0;
  const sink: MatchReplySink = {
    filled: () => {
      fills++;
    },
    reduced: () => {
      reductions++;
    },
    removed: (_taker, _maker, reason) => {
      removals.add(reason);
    },
    met: () => {
      meetings++;
    },
    ended: (...args: EndedArguments) => {
      seen.add(args[4]);
    },
  };
  warmUp(sink, () => {
    answers++;
  });
  const { matchesPerOrderMax, ownSkipsMax, adjusted, levelRead, ...usual } = MatchOutcome;
  for (const [name, outcome] of Object.entries(usual)) assert(seen.has(outcome), name);
  assert(fills > 20_000, `there must be more fills than ${fills}`);
  assert(reductions > 100, `there must be more reductions than ${reductions}`);
  assert.equal(removals.size, Object.values(RemovalReason).length);
  assert(meetings > 100, `there must be more meetings than ${meetings}`);
  assert(answers > 120_000, `there must be more answers than ${answers}`);
});
