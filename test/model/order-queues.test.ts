// Proves that a client of the stream of orders has the venue's queues. Random days with all kinds of commands are folded
// by a front. After every event the client's orders, built from frames alone, have the depth of that event; each trade
// takes the first order of its queue; and at any time a snapshot has the client's orders in the same order.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  queuedOrders,
  queuedOrdersText,
} from "../../src/adapters/gateway/market-data/queued-orders.ts";
import { priceText, qtyText, shownIn } from "../../src/adapters/gateway/orders/order-format.ts";
import { type MarketView, ReadModel } from "../../src/adapters/gateway/read-model.ts";
import { OrderFeed } from "../../src/adapters/gateway/streams/markets/order-feed.ts";
import { wordAt } from "../../src/core/assert.ts";
import { EventKind, type Traded, type VenueEvent } from "../../src/core/generated/events.ts";
import { ordersOpenMax } from "../../src/core/limits.ts";
import { Side } from "../../src/core/orders.ts";
import { apply } from "../../src/engine/state/apply/apply.ts";
import { restingOrders } from "../../src/engine/state/snapshot/resting-orders.ts";
import { captureState, restoreState } from "../../src/engine/state/snapshot/venue-snapshot.ts";
import { VenueState } from "../../src/engine/state/venue-state.ts";
import { countedRows, FollowedOrders } from "../streams/followed-orders.ts";
import type { Frame } from "../streams/stream-client.ts";
import { testMarkets } from "../support/machine/test-markets.ts";
import { auditedVenue } from "./clearing-runs.ts";
import { drive, streams } from "./clearing-steps.ts";

const sides = [
  ["BUY", Side.buy],
  ["SELL", Side.sell],
] as const;

/** A front that begins with a state, and a client of each of its markets. */
class Followed {
  readonly model: ReadModel;
  readonly counts = new Map<string, number>();
  readonly #markets: readonly FollowedMarket[];

  constructor(state: VenueState) {
    this.model = new ReadModel(state, { isAwaited: () => false, fundingIntervalMs: 28_800_000 });
    this.#markets = this.model.views.map((view) => new FollowedMarket(this, view));
  }

  take(event: VenueEvent): void {
    this.model.fold(event);
    for (const market of this.#markets) market.take(event);
  }

  /** Compares all queues with a snapshot of each book, and with the books that a new leader would build. */
  compare(): void {
    for (const market of this.#markets) market.compare();
  }
}

class FollowedMarket {
  readonly #view: MarketView;
  readonly #followed: Followed;
  readonly #feed: OrderFeed;
  readonly #client: FollowedOrders;
  #trade: Traded | null = null;

  constructor(followed: Followed, view: MarketView) {
    this.#followed = followed;
    this.#view = view;
    const market = shownIn("compat", view.market);
    this.#feed = new OrderFeed({ market, now: view }, (text) => this.#hear(JSON.parse(text)));
    this.#feed.begin();
    this.#client = new FollowedOrders(this.#snapshot());
  }

  take(event: VenueEvent): void {
    this.#trade = event.kind === EventKind.traded ? event : null;
    this.#feed.publish(0);
    for (const [name, side] of sides) {
      const levels: [string, bigint][] = [];
      this.#view.depth.visit(side, ordersOpenMax, (price, qty) => {
        levels.push([this.#price(price), this.#steps(qty)]);
      });
      assert.deepEqual(this.#client.levels(name), levels, `${name} at ${event.seq}`);
    }
  }

  compare(): void {
    const { bids, asks } = this.#snapshot();
    assert.deepEqual(this.#client.rows("BUY"), countedRows(bids));
    assert.deepEqual(this.#client.rows("SELL"), countedRows(asks));
    const { state } = this.#followed.model;
    for (const [name, side] of sides) {
      const away = side === Side.buy ? -1 : 1;
      const resting: { id: number; price: number }[] = [];
      restingOrders(state, ({ market, side: own, slot, price }) => {
        const id = state.orders.orderId[slot] ?? 0;
        if (market === this.#view.market.id && own === side) resting.push({ id, price });
      });
      const ranked = resting.sort((one, other) => away * (one.price - other.price));
      assert.deepEqual(
        this.#client.rows(name).map(([, , id]) => id),
        ranked.map(({ id }) => id),
      );
    }
  }

  #hear(frame: Frame): void {
    for (const [at, { x, q, i, u }] of frame.o.entries()) {
      const before = frame.o[at - 1];
      const isSlice = x === "NEW" && before?.x === "TRADE" && before.i === i && before.u === u;
      const stays = x !== "NEW" && Number(q) > 0;
      const name = isSlice ? "NEW slice" : stays ? `${x} that stays` : x;
      this.#followed.counts.set(name, (this.#followed.counts.get(name) ?? 0) + 1);
      if (x === "TRADE") this.#assertIsFirst(i);
    }
    this.#client.take(frame);
  }

  /** An order passes only orders of its own owner. */
  #assertIsFirst(orderId: number): void {
    const { orders, accounts } = this.#followed.model.state;
    const taker = accounts.ownerOf(this.#trade?.account ?? 0);
    for (const { id } of this.#client.aheadOf(orderId)) {
      const owner = accounts.ownerOf(wordAt(orders.account, orders.slotOf(id)));
      assert.equal(owner, taker, `order ${id} is ahead of ${orderId}, which has traded`);
    }
  }

  #snapshot(): Frame {
    const all = { limit: ordersOpenMax, surface: "compat" } as const;
    return JSON.parse(queuedOrdersText(this.#followed.model, this.#view, all));
  }

  #price(ticks: number): string {
    return priceText(shownIn("compat", this.#view.market), ticks);
  }

  #steps(lots: number): bigint {
    return BigInt(qtyText(shownIn("compat", this.#view.market), lots).replace(".", ""));
  }
}

function replayed(events: readonly VenueEvent[]): VenueState {
  const state = new VenueState(testMarkets);
  for (const event of events) apply(state, event);
  return state;
}

const seed = 20261129;

test("MBO-2 MBO-3 MBO-4 MBO-5 MBO-6 MBO-7 MBO-8 MBO-9 the queues of a client are those of the venue at every event of random days", (t) => {
  const counts = new Map<string, number>();
  fc.assert(
    fc.property(streams(3000), (steps) => {
      const { venue } = auditedVenue(2);
      const followed = new Followed(replayed(venue.events));
      let folded = venue.events.length;
      const follow = () => {
        for (; folded < venue.events.length; folded++) {
          const event = venue.events[folded] as VenueEvent;
          followed.take(event);
          if (event.isTransactionEnd && event.seq % 16 === 0) followed.compare();
        }
      };
      for (const step of steps) {
        drive(venue, step);
        follow();
      }
      venue.machine.settle();
      follow();
      followed.compare();
      for (const [name, count] of followed.counts) {
        counts.set(name, (counts.get(name) ?? 0) + count);
      }
    }),
    { seed, numRuns: 4, endOnFailure: true },
  );
  t.diagnostic([...counts].map(([name, count]) => `${count} ${name}`).join(", "));
  const kinds = [
    ...["NEW", "NEW slice", "TRADE", "TRADE that stays", "CANCELED", "EXPIRED", "REPLACED"],
    ...["REPLACED that stays", "TRADE_PREVENTION", "TRADE_PREVENTION that stays"],
  ];
  for (const kind of kinds) assert.ok((counts.get(kind) ?? 0) > 0, `no ${kind}`);
});

test("MBO-9 after a restart from a snapshot of the state, orders have the places that they had", () => {
  fc.assert(
    fc.property(streams(1500), (steps) => {
      const { venue } = auditedVenue(2);
      for (const step of steps) drive(venue, step);
      venue.machine.settle();
      const before = new Followed(replayed(venue.events)).model;
      const after = new Followed(restoreState(testMarkets, captureState(venue.state))).model;
      for (const [index, view] of before.views.entries()) {
        const idsOf = (model: ReadModel, of: MarketView) =>
          queuedOrders(model, of, ordersOpenMax).map((slots) =>
            slots.map((slot) => model.state.orders.orderId[slot]),
          );
        const restored = after.views[index];
        assert.ok(restored !== undefined);
        assert.deepEqual(idsOf(after, restored), idsOf(before, view));
      }
    }),
    { seed, numRuns: 2, endOnFailure: true },
  );
});

test("MBO-10 a snapshot has the first orders of each side, and never an order behind one that it leaves out", () => {
  fc.assert(
    fc.property(streams(1500), (steps) => {
      const { venue } = auditedVenue(1);
      for (const step of steps) drive(venue, step);
      venue.machine.settle();
      const { model } = new Followed(replayed(venue.events));
      for (const view of model.views) {
        const all = queuedOrders(model, view, ordersOpenMax);
        for (const limit of [1, 2, 5, 20]) {
          const expected = all.map((slots) => slots.slice(0, limit));
          assert.deepEqual(queuedOrders(model, view, limit), expected);
        }
      }
    }),
    { seed, numRuns: 2, endOnFailure: true },
  );
});
