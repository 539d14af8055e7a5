// The mark moves away from resting orders: the orders stay if their account covers the larger loss, and expire if not.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { sayIndex, TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { CloseReason } from "../../../core/orders.ts";
import { apply } from "../../state/apply/apply.ts";
import { VenueState } from "../../state/venue-state.ts";
import { stateHash } from "../../state-hash.ts";

const { btcPerp } = marketId;
const btc = 1000;
const usd = 100;

function tick(venue: TestVenue): void {
  venue.nowUs += 1_000_000;
  venue.machine.handle(venue.command({ kind: CommandKind.tick }));
}

/** A venue whose index puts the mark at 60,000. `fall` lowers the index, and the mark follows. */
function fallingVenue() {
  const venue = new TestVenue();
  const maker = venue.fund(10_000_000n * oneUsdc);
  sayIndex(venue, btcPerp, 60_000 * usd);
  tick(venue);
  const fall = (mark: number) => {
    sayIndex(venue, btcPerp, mark * usd);
    tick(venue);
    assert.equal(venue.state.mark[btcPerp], mark * usd);
  };
  return { venue, maker, fall };
}

test("ACC-23 orders whose price a new mark makes worse expire if their account can no longer cover them", () => {
  const { venue, fall } = fallingVenue();
  const [poor, rich] = [venue.fund(13_000n * oneUsdc), venue.fund(16_000n * oneUsdc)];
  for (const account of [poor, rich]) venue.buy(account, btcPerp, 59_000 * usd, 1 * btc);
  const low = venue.buy(poor, btcPerp, 45_000 * usd, 0.1 * btc);
  fall(50_000);
  const { orders } = venue.state;
  assert.equal(orders.countOf(poor, btcPerp), 1, "the order that is no worse than the mark stays");
  assert(orders.slotOf(low) >= 0);
  assert.equal(orders.countOf(rich, btcPerp), 1);
  const closes = venue.events.filter((event) => event.kind === EventKind.orderClosed);
  assert.deepEqual(
    closes.map((event) => event.kind === EventKind.orderClosed && [event.account, event.reason]),
    [[poor, CloseReason.uncovered]],
  );
  const again = new VenueState(testMarkets);
  for (const event of venue.events) apply(again, event);
  assert.equal(stateHash(again), stateHash(venue.state));
});

test("ACC-23 the orders of an account are covered together or not at all, and the position's profit also covers a closing order", () => {
  const { venue, maker, fall } = fallingVenue();
  const both = venue.fund(18_500n * oneUsdc);
  for (const price of [59_000, 58_000]) venue.buy(both, btcPerp, price * usd, 1 * btc);
  // At 55,000 the short has gained 5,000, of which its buy at 58,000 would lose 3,000. The available balance does not
  // cover that, but an order that closes the position may use its profit.
  const short = venue.fund(7000n * oneUsdc);
  venue.buy(maker, btcPerp, 60_000 * usd, 1 * btc);
  venue.sell(short, btcPerp, 60_000 * usd, 1 * btc);
  venue.buy(short, btcPerp, 58_000 * usd, 1 * btc);
  fall(55_000);
  const { orders } = venue.state;
  assert.equal(orders.countOf(both, btcPerp), 0);
  assert.equal(orders.countOf(short, btcPerp), 1);
});
