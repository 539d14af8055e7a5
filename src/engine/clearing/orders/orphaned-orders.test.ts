// Reduce-only orders expire when their position closes or changes sides, however that happens.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { CloseReason } from "../../../core/orders.ts";
import { apply } from "../../state/apply/apply.ts";
import { captureState, restoreState } from "../../state/snapshot/venue-snapshot.ts";
import { VenueState } from "../../state/venue-state.ts";
import { stateHash } from "../../state-hash.ts";

const { btcPerp, ethPerp } = marketId;

/**
 * Returns a venue with an account that is long ten lots in two markets. It has five reduce-only sells above the price
 * in the first market, one in the second, and one plain sell.
 */
function longVenue() {
  const venue = new TestVenue();
  const other = venue.fund(1_000_000n * oneUsdc);
  const account = venue.fund(1_000_000n * oneUsdc);
  for (const market of [btcPerp, ethPerp]) {
    venue.sell(other, market, 10_000, 10);
    venue.buy(account, market, 10_000, 10);
  }
  const reduce = { isReduceOnly: true };
  const resting = [1, 2, 3, 4, 5].map((step) =>
    venue.sell(account, btcPerp, 11_000 + step, 10, reduce),
  );
  const elsewhere = venue.sell(account, ethPerp, 11_000, 10, reduce);
  const plain = venue.sell(account, btcPerp, 12_000, 1);
  return { venue, other, account, resting, elsewhere, plain };
}

function isOpen(venue: TestVenue, orderId: number): boolean {
  return venue.state.orders.slotOf(orderId) >= 0;
}

function assertReplays(venue: TestVenue): void {
  const again = new VenueState(testMarkets);
  for (const event of venue.events) apply(again, event);
  assert.equal(stateHash(again), stateHash(venue.state));
}

test("ORD-43 closing a position cancels the account's reduce-only orders in the market, and no others", () => {
  const { venue, other, account, resting, elsewhere, plain } = longVenue();
  venue.buy(other, btcPerp, 10_000, 9);
  venue.sell(account, btcPerp, 10_000, 9);
  assert(
    resting.every((orderId) => isOpen(venue, orderId)),
    "one lot of the position is left",
  );
  venue.buy(other, btcPerp, 10_000, 1);
  venue.sell(account, btcPerp, 10_000, 1);
  assert(resting.every((orderId) => !isOpen(venue, orderId)));
  assert(isOpen(venue, elsewhere) && isOpen(venue, plain));
  const closes = venue.events.filter((event) => event.kind === EventKind.orderClosed);
  assert.deepEqual(
    closes.map((event) => event.kind === EventKind.orderClosed && event.reason),
    resting.map(() => CloseReason.reduceOnly),
  );
  assert.equal(venue.state.orders.reducingOf(account, btcPerp), 0);
  assertReplays(venue);
});

test("ORD-43 when a position changes sides, only reduce-only orders against its new side stay, also if a maker's order turned it", () => {
  const { venue, other, account, resting } = longVenue();
  venue.sell(account, btcPerp, 10_500, 15);
  venue.buy(other, btcPerp, 10_500, 15);
  assert.equal(venue.state.positions.qty(account, btcPerp), -5);
  assert(resting.every((orderId) => !isOpen(venue, orderId)));
  const buying = venue.buy(account, btcPerp, 9000, 5, { isReduceOnly: true });
  venue.buy(other, btcPerp, 10_000, 1);
  venue.sell(account, btcPerp, 10_000, 1);
  assert(isOpen(venue, buying));
  assertReplays(venue);
});

test("ORD-43 orders that a crash left orphaned expire with the first tick", () => {
  const { venue, other, account, resting } = longVenue();
  venue.buy(other, btcPerp, 10_000, 10);
  // The next trade closes the position. A crash cuts the journal right after it, before the cancels.
  venue.sell(account, btcPerp, 10_000, 10);
  const cut = venue.events.findIndex(({ kind }) => kind === EventKind.orderClosed);
  const state = new VenueState(testMarkets);
  for (const event of venue.events.slice(0, cut)) apply(state, event);
  const again = new TestVenue({ state: restoreState(testMarkets, captureState(state)) });
  assert(resting.every((orderId) => isOpen(again, orderId)));
  again.machine.handle(again.command({ kind: CommandKind.tick }));
  assert(resting.every((orderId) => !isOpen(again, orderId)));
});
