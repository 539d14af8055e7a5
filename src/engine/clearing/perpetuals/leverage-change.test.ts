// The effect of a leverage change on orders in flight.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { Wallet } from "../../../core/accounts.ts";
import { RequestKind, RequestLane } from "../matchers/request-lane.ts";
import { leverageExtra, rescalePending } from "./leverage-change.ts";

const { btcPerp } = marketId;

for (const kind of [RequestKind.adjust, RequestKind.cancel]) {
  test(`ACC-8 a leverage change ignores the order that a reused record of kind ${kind} still contains`, () => {
    const venue = new TestVenue();
    const [other, account] = [venue.fund(100_000n * oneUsdc), venue.fund(100_000n * oneUsdc)];
    const orderId = venue.buy(other, btcPerp, 6_000_000, 10);
    const lane = new RequestLane();
    const request = lane.push();
    request.kind = kind;
    request.slot = venue.state.orders.slotOf(orderId);
    Object.assign(request.order, { account, market: btcPerp });
    Object.assign(request.terms, { marginPrice: 6_000_000, marginLots: 20, hold: 120n * oneUsdc });
    const before = venue.state.balances.reserved(other, Wallet.perp, 0);
    const market = testMarkets.market(btcPerp);
    assert.equal(leverageExtra(venue.state, lane, account, market, 5), 0n);
    rescalePending(venue.state, lane, account, market);
    assert.equal(venue.state.balances.reserved(other, Wallet.perp, 0), before);
  });
}
