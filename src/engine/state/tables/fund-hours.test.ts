// The insurance fund's loss limit per market and hour, and the withdrawal limit while an index is stale.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { sayIndex, TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { AccountType, SystemAccount, Wallet } from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { Side } from "../../../core/orders.ts";
import { RiskTerm } from "../../../core/perpetuals/risk-terms.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { fundLoss } from "../../risk/fund-loss.ts";
import { stateHash } from "../../state-hash.ts";
import { apply } from "../apply/apply.ts";
import { captureState, restoreState } from "../snapshot/venue-snapshot.ts";
import { VenueState } from "../venue-state.ts";

const { btcPerp, cbtcUsdc } = marketId;
const { none, marketPaused, indexStale } = RejectReason;
const fund = SystemAccount.insurance;
const entry = 6_000_000;

/** A long of 1 BTC from 60,000 that is bankrupt at 54,000, with an outside price. */
class Fall {
  readonly venue = new TestVenue();
  readonly house: number;
  readonly long: number;
  readonly short: number;

  constructor(limit: number) {
    const { venue } = this;
    venue.credit(fund, Wallet.perp, 0, 1_000_000n * oneUsdc);
    this.house = venue.fund(10_000_000n * oneUsdc, AccountType.house);
    this.short = venue.fund(1_000_000n * oneUsdc);
    this.long = venue.fund(6030n * oneUsdc);
    // The mark equals the index, because the book has too little depth to count.
    this.set(RiskTerm.fundLossPerHour, limit);
    this.fall(entry);
    venue.sell(this.short, btcPerp, entry, 1000);
    venue.buy(this.long, btcPerp, entry, 1000);
  }

  set(term: RiskTerm, value: number): void {
    this.venue.done({ kind: CommandKind.setRiskTerm, market: btcPerp, term, value });
  }

  /** Sets the outside price in ticks and lets liquidations run for this many seconds. */
  fall(ticks: number, seconds = 1): void {
    sayIndex(this.venue, btcPerp, ticks);
    for (let second = 0; second < seconds; second++) this.second();
  }

  second(seconds = 1): void {
    this.venue.nowUs += seconds * 1_000_000;
    this.venue.machine.handle(this.venue.command({ kind: CommandKind.tick }));
  }

  lots(account: number): number {
    return this.venue.state.positions.qty(account, btcPerp);
  }

  get lossUsdc(): number {
    return Number(fundLoss(this.venue.state, btcPerp, this.venue.nowUs) / oneUsdc);
  }

  place(account: number, side: Side, qty: number, price: number) {
    return this.venue.place({ account, market: btcPerp, side, qty, price }).reason;
  }
}

test("RSK-38 RSK-68 positions that the fund took over and holds at a worse mark are its loss, and above the limit the market pauses", () => {
  const market = new Fall(1000);
  const { venue, house, short } = market;
  market.fall(5_350_000, 3);
  assert.equal(market.lots(fund), 1000, "the fund must take the position over at 54,000");
  const { mark } = venue.state;
  assert.equal(market.lossUsdc, Math.round((5_400_000 - (mark[btcPerp] ?? 0)) / 100));
  assert.equal(market.place(short, Side.sell, 10, 5_500_000), none);
  market.fall(5_000_000, 2);
  assert(market.lossUsdc > 1000, `the loss must exceed 1,000, not be ${market.lossUsdc}`);
  assert.equal(venue.state.fundHours.isPaused(btcPerp), true);
  assert.equal(market.place(short, Side.sell, 10, 5_500_000), marketPaused);
  assert.equal(
    market.place(short, Side.buy, 10, 4_900_000),
    none,
    "an order that closes must be accepted",
  );
  assert.equal(
    market.place(house, Side.buy, 10, 4_900_000),
    none,
    "a resting quote of a designated maker must be accepted",
  );
  const replayed = new VenueState(testMarkets);
  for (const event of venue.events) apply(replayed, event);
  assert.equal(stateHash(replayed), stateHash(venue.state));
  const restored = restoreState(testMarkets, captureState(venue.state));
  assert.equal(stateHash(restored), stateHash(venue.state));
  assert.equal(restored.fundHours.isPaused(btcPerp), true);
});

test("RSK-38 RSK-68 the pause ends with the hour, or when the operator sets the limit", () => {
  for (const isByOperator of [true, false]) {
    const market = new Fall(1000);
    const { venue, short } = market;
    market.fall(5_350_000, 3);
    market.fall(5_000_000, 2);
    assert.equal(market.place(short, Side.sell, 10, 5_500_000), marketPaused);
    if (isByOperator) market.set(RiskTerm.fundLossPerHour, 1000);
    else market.second(3600 - (Math.floor(venue.nowUs / 1_000_000) % 3600));
    market.second();
    assert.equal(market.place(short, Side.sell, 10, 5_500_000), none);
    assert(market.lossUsdc < 10, "the loss must be counted anew, from the fund's current result");
  }
});

test("RSK-38 RSK-67 the fund takes over no position that would cost more than the hour's remaining limit", () => {
  const market = new Fall(400);
  market.fall(5_350_000, 3);
  assert.equal(market.lots(market.long), 0);
  assert.equal(market.lots(fund), 0);
  assert.equal(market.lots(market.short), 0, "the position must be deleveraged instead");
  const free = new Fall(0);
  free.fall(5_350_000, 3);
  assert.equal(free.lots(fund), 1000, "without the term nothing must limit the takeover");
});

test("RSK-38 RSK-67 the fund closes at worse prices only as much as the hour's remaining limit pays for", () => {
  const market = new Fall(100);
  const { venue, house } = market;
  market.set(RiskTerm.fundBandBps, 0);
  market.fall(5_405_000, 8);
  assert.equal(
    market.lots(fund),
    1000,
    "the fund must take the position over at 54,000, which is better than the mark",
  );
  const mark = venue.state.mark[btcPerp] ?? 0;
  venue.buy(house, btcPerp, mark - 100_000, 2000);
  market.fall(5_405_000, 10);
  assert(market.lossUsdc <= 100, `the loss must not exceed 100, but is ${market.lossUsdc}`);
  assert(
    market.lots(fund) > 800,
    `${market.lots(fund)} of 1,000 lots are left; closing a lot costs the fund 1 USDC`,
  );
  market.set(RiskTerm.fundLossPerHour, 0);
  market.fall(5_405_000, 3);
  assert.equal(market.lots(fund), 0);
});

test("RSK-38 a market in which the fund does nothing writes no events about the fund's hour", () => {
  const market = new Fall(1000);
  market.second(4000);
  market.second(4000);
  const { events } = market.venue;
  assert(events.every(({ kind }) => kind !== EventKind.fundHourSet));
});

test("RSK-39 while a market's index is stale, an account with a position or order in the market cannot move money out of its perp wallet", () => {
  const venue = new TestVenue();
  const house = venue.fund(10_000_000n * oneUsdc, AccountType.house);
  venue.credit(house, Wallet.spot, 2, 10n ** 12n);
  const quote = () => {
    venue.buy(house, cbtcUsdc, entry - 100, 10_000);
    venue.sell(house, cbtcUsdc, entry + 100, 10_000);
  };
  const second = (seconds: number) => {
    venue.nowUs += seconds * 1_000_000;
    venue.machine.handle(venue.command({ kind: CommandKind.tick }));
  };
  const [holder, bidder, idle] = [1, 2, 3].map(() => venue.fund(100_000n * oneUsdc));
  const transfer = (account: number | undefined, from: Wallet, to: Wallet) => {
    const move = { from, to, asset: 0, amount: oneUsdc, key: null };
    return venue.send({ kind: CommandKind.transfer, account: account ?? 0, ...move }).reason;
  };
  const out = (account: number | undefined) => transfer(account, Wallet.perp, Wallet.spot);
  quote();
  second(1);
  venue.sell(house, btcPerp, entry, 100);
  venue.buy(holder ?? 0, btcPerp, entry, 100);
  venue.buy(bidder ?? 0, btcPerp, entry - 5000, 100);
  venue.done({ kind: CommandKind.cancelAllOrders, account: house, market: cbtcUsdc });
  second(1);
  second(2);
  assert.equal(
    out(holder),
    none,
    "a short absence, as when quotes are renewed, must not block transfers",
  );
  second(3);
  assert.deepEqual([out(holder), out(bidder), out(idle)], [indexStale, indexStale, none]);
  assert.equal(
    transfer(holder, Wallet.spot, Wallet.perp),
    none,
    "a transfer into the perp wallet must be accepted",
  );
  quote();
  second(1);
  assert.deepEqual([out(holder), out(bidder)], [none, none]);
});
