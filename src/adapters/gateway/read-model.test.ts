// Compares the read model with the venue that wrote the events: depth, open orders, fills and candles equal the venue's
// own state and trades, whatever the order flow.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { marketId, oneUsdc, testMarkets } from "../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../test/support/machine/test-venue.ts";
import { Wallet } from "../../core/accounts.ts";
import { EventKind, type Traded } from "../../core/generated/events.ts";
import { MarketKind } from "../../core/markets.ts";
import { OrderStatus, OrderType, Side, TimeInForce } from "../../core/orders.ts";
import { restingOrders } from "../../engine/state/snapshot/resting-orders.ts";
import { VenueState } from "../../engine/state/venue-state.ts";
import { ReadModel } from "./read-model.ts";

function levelsOf(model: ReadModel, market: number, side: Side): Map<number, number> {
  const levels = new Map<number, number>();
  const view = model.view(testMarkets.market(market));
  view.depth.visit(side, 1000, (price, qty) => levels.set(price, qty));
  return levels;
}

/** Levels computed from scratch: what resting orders show, summed by price. */
function restingLevels(state: VenueState, market: number, side: Side): Map<number, number> {
  const levels = new Map<number, number>();
  restingOrders(state, (order) => {
    if (order.market !== market || order.side !== side) return;
    const { qty, icebergQty, shownQty } = order;
    const shown = icebergQty === 0 ? qty : shownQty || Math.min(icebergQty, qty);
    levels.set(order.price, (levels.get(order.price) ?? 0) + shown);
  });
  const sign = side === Side.buy ? -1 : 1;
  return new Map([...levels].sort(([a], [b]) => sign * (a - b)));
}

interface Step {
  readonly trader: number;
  readonly isPerp: boolean;
  readonly side: Side;
  readonly type: OrderType;
  readonly timeInForce: TimeInForce;
  readonly price: number;
  readonly qty: number;
  /** Slices in which an order that may be an iceberg order shows its quantity. */
  readonly slices: number;
  readonly cancels: boolean;
}

class Watched {
  readonly state = new VenueState(testMarkets, { remembersClientIds: false });
  readonly model = new ReadModel(this.state, {
    isAwaited: () => true,
    fundingIntervalMs: 28_800_000,
  });
  readonly trades: Traded[] = [];
  readonly venue = new TestVenue({
    onEvent: (event) => {
      this.model.fold(event);
      if (event.kind === EventKind.traded) this.trades.push({ ...event });
    },
  });
  readonly accounts = [this.venue.fund(10n ** 12n), this.venue.fund(10n ** 12n)] as const;

  constructor() {
    for (const account of this.accounts) this.venue.credit(account, Wallet.spot, 1, 10n ** 16n);
  }

  /** Places the step's order, and cancels it if the step requests that. */
  take({ trader, isPerp, side, type, timeInForce, price, qty, slices, cancels }: Step): void {
    const isResting = type === OrderType.limit && timeInForce === TimeInForce.gtc;
    const mayHide = !isPerp && (isResting || type === OrderType.limitMaker);
    const account = this.accounts[trader] ?? 0;
    const market = isPerp ? marketId.ccPerp : marketId.ccUsdc;
    const { subject } = this.venue.place({
      account,
      market,
      side,
      type,
      timeInForce: type === OrderType.limitMaker ? TimeInForce.gtx : timeInForce,
      price: type === OrderType.market ? 0 : price,
      qty,
      icebergQty: mayHide && slices > 1 ? Math.ceil(qty / slices) : 0,
    });
    if (cancels && subject > 0) this.venue.cancel(account, market, subject);
  }

  assertEqualsVenue(): void {
    for (const market of [marketId.ccUsdc, marketId.ccPerp]) {
      for (const side of [Side.buy, Side.sell]) {
        const resting = restingLevels(this.venue.state, market, side);
        assert.deepEqual([...levelsOf(this.model, market, side)], [...resting]);
      }
      const own = this.trades.filter((trade) => trade.market === market);
      const { tape, candles } = this.model.view(testMarkets.market(market));
      assert.deepEqual(
        tape.latest(1000).map(({ tradeId }) => tradeId),
        own.slice(-1000).map(({ tradeId }) => tradeId),
      );
      const lots = own.reduce((sum, { qty }) => sum + qty, 0);
      for (const each of candles) {
        assert.equal(
          each.since(0).reduce((sum, { volume }) => sum + volume, 0),
          lots,
        );
      }
    }
    assert.equal(this.state.seq, this.venue.state.seq);
  }
}

const step = fc.record({
  trader: fc.nat(1),
  isPerp: fc.boolean(),
  side: fc.constantFrom(Side.buy, Side.sell),
  type: fc.constantFrom(OrderType.limit, OrderType.limit, OrderType.market, OrderType.limitMaker),
  timeInForce: fc.constantFrom(TimeInForce.gtc, TimeInForce.ioc, TimeInForce.fok),
  price: fc.integer({ min: 995, max: 1005 }),
  qty: fc.integer({ min: 1000, max: 5000 }),
  slices: fc.constantFrom(1, 2, 5),
  cancels: fc.boolean(),
});

test("depth, trades, candles and open orders equal the venue's after any order flow", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const watched = new Watched();
      for (const each of steps) watched.take(each);
      watched.assertEqualsVenue();
      const begun = new ReadModel(watched.state, {
        isAwaited: () => true,
        fundingIntervalMs: 28_800_000,
      });
      for (const side of [Side.buy, Side.sell]) {
        const market = marketId.ccUsdc;
        assert.deepEqual(levelsOf(begun, market, side), levelsOf(watched.model, market, side));
      }
    }),
    { numRuns: 25 },
  );
});

test("only its own account finds an order, open or closed, by order id or client order id", () => {
  const { venue, model, accounts } = new Watched();
  const [account, other] = accounts;
  const market = marketId.ccUsdc;
  const orderId = venue.buy(account, market, 1000, 10_000, { clientId: "mine" });
  assert.equal(model.order(account, orderId)?.status, OrderStatus.open);
  assert.equal(model.orderByClientId(account, "mine")?.orderId, orderId);
  assert.equal(model.order(other, orderId), undefined);
  assert.equal(model.orderByClientId(other, "mine"), undefined);
  const list = (kind: MarketKind) =>
    model.openOrders.list(
      account,
      { kind, market: null, view: "root" },
      (order) => `${order.filledQty}`,
    );
  assert.equal(list(MarketKind.spot), "[0]");
  assert.equal(list(MarketKind.perpetual), "[]");
  venue.sell(other, market, 1000, 2000);
  assert.equal(list(MarketKind.spot), "[2000]", "a changed order must renew the cached list");
  venue.cancel(account, market, orderId);
  assert.equal(list(MarketKind.spot), "[]");
  assert.equal(model.order(account, orderId)?.status, OrderStatus.cancelled);
  assert.equal(model.orderByClientId(account, "mine")?.orderId, orderId);
  assert.equal(model.order(other, orderId), undefined);
});

test("a taker's fills are returned once, with the taker's fees", () => {
  const { venue, model, accounts } = new Watched();
  const [maker, taker] = accounts;
  const market = marketId.ccUsdc;
  venue.sell(maker, market, 1000, 1000);
  venue.sell(maker, market, 1001, 2000);
  const orderId = venue.buy(taker, market, 1001, 3000);
  // The expected fees are 10 bps of 100 CC and of 200 CC, with 8 decimals.
  assert.deepEqual(
    model.takeFills(orderId).map(({ price, qty, fee }) => [price, qty, fee]),
    [
      [1000, 1000, 10_000_000n],
      [1001, 2000, 20_000_000n],
    ],
  );
  assert.deepEqual(model.takeFills(orderId), []);
  assert.equal(model.order(taker, orderId)?.filledQuote, 10_000_000n + 20_020_000n);
});

test("a watched mass cancel returns the cancelled orders of its account and market, once", () => {
  const { venue, model, accounts } = new Watched();
  const [account, other] = accounts;
  const { ccUsdc, ccPerp } = marketId;
  const early = venue.buy(account, ccUsdc, 1000, 1000);
  venue.cancel(account, ccUsdc, early);
  model.cancels.begin(account);
  const ids = [venue.buy(account, ccUsdc, 1000, 2000), venue.buy(account, ccUsdc, 1000, 3000)];
  const elsewhere = venue.buy(account, ccPerp, 1000, 1000);
  const foreign = venue.buy(other, ccUsdc, 1000, 1000);
  for (const orderId of ids) venue.cancel(account, ccUsdc, orderId);
  venue.cancel(account, ccPerp, elsewhere);
  venue.cancel(other, ccUsdc, foreign);
  const taken = { count: 2, lastSeq: venue.state.seq };
  assert.deepEqual(
    model.cancels.end(account, ccUsdc, taken).map(({ orderId }) => orderId),
    ids,
  );
  assert.deepEqual(model.cancels.end(account, ccUsdc, taken), []);
});

test("RSK-40 before the first journaled mark, the mark is the median of last trade and middle of the book", () => {
  const { venue, model, accounts } = new Watched();
  const [maker, taker] = accounts;
  const perp = testMarkets.market(marketId.ccPerp);
  assert.equal(model.mark(perp), 0);
  venue.buy(maker, marketId.ccUsdc, 1_000_000, 1000);
  venue.sell(maker, marketId.ccUsdc, 1_020_000, 1000);
  assert.equal(model.mark(perp), 0, "a spot book alone gives no index and no mark");
  venue.buy(maker, marketId.ccPerp, 1_000_000, 1000);
  venue.sell(taker, marketId.ccPerp, 1_000_000, 1000);
  assert.equal(model.mark(perp), 1_000_000, "the last trade alone");
  venue.buy(maker, marketId.ccPerp, 1_000_000, 1000);
  venue.sell(taker, marketId.ccPerp, 1_040_000, 1000);
  assert.equal(model.mark(perp), 1_010_000, "mean of last trade and middle");
  assert.ok(model.balanceMs(maker) > 0);
  assert.equal(venue.state.balances.total(maker, Wallet.funding, 0), 0n * oneUsdc);
});

test("FAP-10 after a restart update times never go back, and an open position's update time is never 0", () => {
  const { venue, model, accounts } = new Watched();
  const [long, short] = accounts;
  const [btc, eth] = [marketId.btcPerp, marketId.ethPerp].map((id) => testMarkets.market(id));
  assert.ok(btc !== undefined && eth !== undefined);
  venue.sell(short, marketId.btcPerp, 10_000, 5);
  venue.buy(long, marketId.btcPerp, 10_000, 5);
  const later = new ReadModel(venue.state, {
    isAwaited: () => false,
    fundingIntervalMs: 28_800_000,
  });
  for (const account of accounts) {
    assert.ok(later.balanceMs(account) >= model.balanceMs(account));
    assert.ok(later.positionMs(account, btc) >= model.positionMs(account, btc));
    assert.equal(later.positionMs(account, eth), 0);
  }
});
