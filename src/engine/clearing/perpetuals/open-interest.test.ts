// Limits of a perpetual's open interest: its cap, and without an outside price a multiple of the cost to consume
// makers' quotes.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc } from "../../../../test/support/machine/test-markets.ts";
import {
  orderCommand,
  sayIndex,
  TestVenue,
  type TestVenueParts,
} from "../../../../test/support/machine/test-venue.ts";
import { AccountType, Wallet } from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { OrderType, Side, TimeInForce } from "../../../core/orders.ts";
import { RiskTerm } from "../../../core/perpetuals/risk-terms.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { SeededRandom } from "../../../tools/load/seeded-random.ts";

const { btcPerp, cbtcUsdc } = marketId;
const { none, openInterestFull, depthTooThin } = RejectReason;
const fair = 6_000_000;
const btc = 1000;

function tick(venue: TestVenue, seconds = 1): void {
  venue.nowUs += seconds * 1_000_000;
  venue.machine.handle(venue.command({ kind: CommandKind.tick }));
}

function setTerm(venue: TestVenue, term: RiskTerm, value: number): void {
  venue.done({ kind: CommandKind.setRiskTerm, market: btcPerp, term, value });
  tick(venue);
}

/** A venue whose BTC-PERP has an open-interest cap of `lots` at an outside price. */
function cappedVenue(lots: number, parts: TestVenueParts = {}): TestVenue {
  const venue = new TestVenue(parts);
  sayIndex(venue, btcPerp, fair);
  setTerm(venue, RiskTerm.openInterestMax, (lots * 60_000) / btc);
  return venue;
}

const trader = (venue: TestVenue): number => venue.fund(100_000n * oneUsdc);

function order(account: number, side: Side, qty: number, price = fair) {
  return { account, market: btcPerp, side, price, qty };
}

test("RSK-36 RSK-65 orders that open beyond the cap are refused, and orders that reduce are accepted and make room", () => {
  const venue = cappedVenue(1000);
  const [long, short, other] = [trader(venue), trader(venue), trader(venue)];
  venue.sell(short, btcPerp, fair, 1000);
  venue.buy(long, btcPerp, fair, 1000);
  assert.equal(venue.state.positions.openInterest(btcPerp), 1000);
  venue.sell(long, btcPerp, fair, 1000);
  assert.equal(venue.place(order(other, Side.buy, 1)).reason, openInterestFull);
  assert.equal(venue.place(order(other, Side.buy, 1, 5_000_000)).reason, openInterestFull);
  const half = { ...order(short, Side.buy, 500), isReduceOnly: true };
  assert.equal(venue.place(half).reason, none, "it trades with the resting sell order");
  assert.equal(venue.state.positions.openInterest(btcPerp), 500);
  assert.equal(venue.place(order(other, Side.buy, 501)).reason, openInterestFull);
  assert.equal(venue.place(order(other, Side.buy, 500)).reason, none);
});

test("RSK-36 an order that closes and turns a position counts with the lots that it opens", () => {
  const venue = cappedVenue(1000);
  const [one, other] = [trader(venue), trader(venue)];
  venue.sell(one, btcPerp, fair, 1000);
  venue.buy(other, btcPerp, fair, 1000);
  assert.equal(venue.place(order(one, Side.buy, 1000)).reason, none, "closes all of it");
  venue.cancel(one, btcPerp, venue.state.nextOrderId - 1);
  assert.equal(venue.place(order(one, Side.buy, 1001)).reason, openInterestFull);
});

test("RSK-36 orders in flight count, so that together they do not exceed the cap", () => {
  const venue = cappedVenue(1000);
  const [maker, one, other] = [trader(venue), trader(venue), trader(venue)];
  venue.sell(maker, btcPerp, fair, 900);
  venue.sell(maker, btcPerp, fair, 900);
  const first = venue.take(orderCommand(order(one, Side.buy, 800)));
  const second = venue.take(orderCommand(order(other, Side.buy, 300)));
  venue.machine.settle();
  assert.equal(venue.replyTo(first).reason, none);
  assert.equal(venue.replyTo(second).reason, openInterestFull);
  assert.equal(venue.place(order(other, Side.buy, 200)).reason, none);
});

test("RSK-36 RSK-64 resting orders reserve nothing, and together their fills do not exceed the cap", () => {
  const venue = cappedVenue(1000);
  const random = new SeededRandom(7);
  const accounts = Array.from({ length: 6 }, () => venue.fund(10_000_000n * oneUsdc));
  let refused = 0;
  for (let step = 0; step < 3000; step++) {
    const account = accounts[random.below(accounts.length)] ?? 0;
    const side = random.below(2) === 0 ? Side.buy : Side.sell;
    const price = fair + (random.below(7) - 3) * 100;
    const { reason } = venue.place(order(account, side, 1 + random.below(300), price));
    if (reason === openInterestFull) refused++;
    const interest = venue.state.positions.openInterest(btcPerp);
    assert(interest <= 1000, `${interest} after ${step}`);
    if (step % 50 === 0) {
      venue.done({ kind: CommandKind.cancelAllOrders, account, market: btcPerp });
    }
  }
  assert(refused > 100 && venue.state.positions.openInterest(btcPerp) > 0, `${refused}`);
});

test("RSK-36 RSK-65 RSK-64 the cap applies to triggered and amended orders, but not to a designated maker's resting quote", () => {
  const venue = cappedVenue(1000);
  const [one, other, late] = [trader(venue), trader(venue), trader(venue)];
  const house = venue.fund(1_000_000n * oneUsdc, AccountType.house);
  const resting = venue.buy(late, btcPerp, fair - 1000, 100);
  const stop = { type: OrderType.stopMarket, triggerPrice: fair + 100, price: 0 };
  venue.done(orderCommand({ ...order(late, Side.buy, 100), ...stop }));
  venue.sell(one, btcPerp, fair, 1000);
  venue.buy(other, btcPerp, fair, 1000);
  const quote = { ...order(house, Side.sell, 100, fair + 150), timeInForce: TimeInForce.gtx };
  assert.equal(venue.place(quote).reason, none);
  assert.equal(venue.place(order(house, Side.buy, 100, fair + 150)).reason, openInterestFull);
  const amend = { kind: CommandKind.amendOrder, account: late, market: btcPerp } as const;
  const more = { side: null, growsNot: false, clientId: "" };
  const closer = { ...amend, ...more, orderId: resting, price: fair + 150, qty: 100 };
  assert.equal(venue.send(closer).reason, openInterestFull);
  venue.buy(one, btcPerp, fair + 150, 10, { isReduceOnly: true });
  tick(venue);
  assert.equal(venue.state.orders.countOf(late, btcPerp), 1, "the stop triggers and is refused");
  assert.equal(venue.state.positions.qty(late, btcPerp), 0);
  assert.equal(venue.state.positions.openInterest(btcPerp), 1000, "the house replaces a short");
});

test("RSK-36 the cap follows the mark and the risk term, and 0 removes it", () => {
  const venue = cappedVenue(1000);
  const [one, other] = [trader(venue), trader(venue)];
  venue.sell(one, btcPerp, fair, 1000);
  venue.buy(other, btcPerp, fair, 1000);
  assert.equal(venue.place(order(other, Side.buy, 100)).reason, openInterestFull);
  sayIndex(venue, btcPerp, fair / 2);
  tick(venue);
  tick(venue, 60);
  assert.equal(venue.place(order(other, Side.buy, 100, 3_000_000)).reason, none);
  sayIndex(venue, btcPerp, fair);
  tick(venue);
  assert.equal(venue.place(order(other, Side.buy, 100)).reason, openInterestFull);
  setTerm(venue, RiskTerm.openInterestMax, 0);
  assert.equal(venue.place(order(other, Side.buy, 100)).reason, none);
});

/** A venue whose house account quotes `lots` of CBTC on each side; open interest may be as large as this depth. */
function quotedVenue(lots: number): { venue: TestVenue; house: number } {
  const venue = new TestVenue({ opensWithoutIndex: false });
  const house = venue.fund(10_000_000n * oneUsdc, AccountType.house);
  venue.credit(house, Wallet.spot, 2, 10n ** 12n);
  venue.buy(house, cbtcUsdc, fair - 100, lots);
  venue.sell(house, cbtcUsdc, fair + 100, lots);
  tick(venue);
  setTerm(venue, RiskTerm.depthSharePercent, 100);
  venue.sell(house, btcPerp, fair, lots);
  return { venue, house };
}

test("RSK-37 without an external price open interest is limited to a share of designated makers' depth", () => {
  const { venue } = quotedVenue(10_000);
  const one = venue.fund(1_000_000n * oneUsdc);
  assert.equal(venue.place(order(one, Side.buy, 1000)).reason, depthTooThin);
  assert.equal(venue.place(order(one, Side.buy, 999)).reason, none, "the thinner side has 59,999");
  assert.equal(venue.place(order(one, Side.buy, 10)).reason, depthTooThin);
  assert.equal(venue.place(order(one, Side.sell, 500, fair - 100)).reason, none);
  sayIndex(venue, btcPerp, fair);
  tick(venue);
  assert.equal(venue.place(order(one, Side.buy, 1500)).reason, none, "no limit with outside price");
});

test("RSK-37 RSK-66 only quotes near the index count as depth, and consumed depth is noticed after three measurements", () => {
  const { venue, house } = quotedVenue(2000);
  const one = venue.fund(1_000_000n * oneUsdc);
  venue.buy(house, cbtcUsdc, fair - 130_000, 100_000);
  venue.sell(house, cbtcUsdc, fair + 130_000, 100_000);
  tick(venue);
  assert.equal(venue.place(order(one, Side.buy, 210)).reason, depthTooThin, "2.2 % is too far");
  venue.done({ kind: CommandKind.cancelAllOrders, account: house, market: cbtcUsdc });
  tick(venue);
  tick(venue);
  assert.equal(
    venue.place(order(one, Side.buy, 100)).reason,
    none,
    "makers may be renewing their quotes",
  );
  tick(venue);
  assert.equal(venue.place(order(one, Side.buy, 10)).reason, depthTooThin);
  assert.equal(
    venue.place(order(one, Side.sell, 100)).reason,
    none,
    "closing orders are always accepted",
  );
});
