// Reference prices: precedence of sources, expiry, and refusals.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId } from "../../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { AccountType } from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { IndexOrigin } from "../../../core/perpetuals/index-price.ts";
import { RejectReason } from "../../../core/reject-reason.ts";

const { btcPerp, cbtcUsdc } = marketId;
const { operator, feed } = IndexOrigin;

function say(
  venue: TestVenue,
  origin: IndexOrigin,
  price: number,
  seconds = 10,
  market: number = btcPerp,
) {
  const untilUs = venue.nowUs + seconds * 1_000_000;
  return venue.send({ kind: CommandKind.setReference, market, origin, price, untilUs }).reason;
}

/** Advances the time, lets marks be computed, and returns the index. */
function indexAfter(venue: TestVenue, seconds: number): number | undefined {
  venue.nowUs += seconds * 1_000_000;
  venue.machine.handle(venue.command({ kind: CommandKind.tick }));
  return venue.state.index[btcPerp];
}

test("RSK-17 RSK-48 the operator's price is used before the feed's, and the feed's before the spot market", () => {
  const venue = new TestVenue();
  const maker = venue.fund(10n ** 13n, AccountType.house);
  venue.credit(maker, 1, 2, 10n ** 10n);
  assert.equal(indexAfter(venue, 1), 0, "without any source there must be no index");
  venue.buy(maker, cbtcUsdc, 5_999_900, 10_000);
  venue.sell(maker, cbtcUsdc, 6_000_100, 10_000);
  assert.equal(indexAfter(venue, 1), 6_000_000);
  assert.equal(say(venue, feed, 6_100_000), RejectReason.none);
  assert.equal(indexAfter(venue, 1), 6_100_000);
  assert.equal(say(venue, operator, 6_200_000), RejectReason.none);
  assert.equal(indexAfter(venue, 1), 6_200_000);
  assert.equal(say(venue, operator, 0, 0), RejectReason.none);
  assert.equal(indexAfter(venue, 1), 6_100_000, "the feed's price must still be valid");
});

test("RSK-18 a price that is not renewed is removed by an event when its time ends", () => {
  const venue = new TestVenue();
  say(venue, feed, 6_000_000, 10);
  assert.equal(indexAfter(venue, 9), 6_000_000);
  assert.equal(indexAfter(venue, 1), 6_000_000, "the last good index must be kept");
  assert(venue.state.indexes.isStale(btcPerp, 1, venue.nowUs + 2000));
  const ended = venue.events.findLast(({ kind }) => kind === EventKind.referenceSet);
  assert(ended?.kind === EventKind.referenceSet && ended.price === 0 && ended.origin === feed);
  assert.equal(venue.state.mark[btcPerp], 6_000_000);
});

test("RSK-18 RSK-49 an impossible reference price is refused and changes nothing", () => {
  const venue = new TestVenue();
  const seq = venue.state.seq;
  assert.equal(say(venue, feed, -1), RejectReason.priceNotPositive);
  assert.equal(say(venue, feed, 2_000_000_000), RejectReason.priceTooHigh);
  assert.equal(say(venue, feed, 100, -1), RejectReason.goodTillOutOfRange);
  assert.equal(say(venue, operator, 100, 8 * 86_400), RejectReason.goodTillOutOfRange);
  assert.equal(say(venue, feed, 100, 10, cbtcUsdc), RejectReason.unknownMarket);
  assert.equal(say(venue, feed, 100, 10, 15), RejectReason.unknownMarket);
  assert.equal(venue.state.seq, seq);
});
