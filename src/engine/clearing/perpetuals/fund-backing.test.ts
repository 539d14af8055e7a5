// Backing of a takeover by orders of designated makers on the perpetual's own book. In each test a long of 1 BTC,
// bought at 60,000, is bankrupt at 54,000, and the index falls to 53,500.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc } from "../../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { AccountType, SystemAccount, Wallet } from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { IndexOrigin } from "../../../core/perpetuals/index-price.ts";
import { RiskTerm } from "../../../core/perpetuals/risk-terms.ts";

const { btcPerp, cbtcUsdc } = marketId;
const fund = SystemAccount.insurance;
const entry = 6_000_000;
const fallen = 5_350_000;
/** A price above the long's bankruptcy price, and one below it. */
const [good, poor] = [5_410_000, 5_300_000];

class Fall {
  readonly venue = new TestVenue();
  readonly maker: number;
  readonly customer: number;
  readonly long: number;
  readonly short: number;

  constructor() {
    const { venue } = this;
    venue.credit(fund, Wallet.perp, 0, 1_000_000n * oneUsdc);
    this.maker = venue.fund(10_000_000n * oneUsdc, AccountType.house);
    venue.credit(this.maker, Wallet.spot, 2, 10_000_000_000n);
    this.customer = venue.fund(10_000_000n * oneUsdc);
    this.short = venue.fund(1_000_000n * oneUsdc);
    this.long = venue.fund(6030n * oneUsdc);
    // The index follows the maker's quote at once, because its limits on movement are not tested here.
    for (const term of [RiskTerm.indexWindowMs, RiskTerm.indexMovePpm, RiskTerm.indexJumpBps])
      this.set(term, 0);
    this.quote(entry);
    this.second();
    venue.sell(this.short, btcPerp, entry, 1000);
    venue.buy(this.long, btcPerp, entry, 1000);
  }

  set(term: RiskTerm, value: number): void {
    this.venue.done({ kind: CommandKind.setRiskTerm, market: btcPerp, term, value });
  }

  /** Quotes the spot market around `ticks` with 3,000 lots on each side; 0 leaves it without quotes. */
  quote(ticks: number): void {
    const { venue, maker } = this;
    venue.done({ kind: CommandKind.cancelAllOrders, account: maker, market: cbtcUsdc });
    if (ticks === 0) return;
    venue.buy(maker, cbtcUsdc, ticks - 100, 3000);
    venue.sell(maker, cbtcUsdc, ticks + 100, 3000);
  }

  second(): void {
    this.venue.nowUs += 1_000_000;
    this.venue.machine.handle(this.venue.command({ kind: CommandKind.tick }));
  }

  fall(): void {
    this.quote(fallen);
    this.second();
  }

  lots(account: number): number {
    return this.venue.state.positions.qty(account, btcPerp);
  }
}

test("RSK-27 the fund takes over what designated makers' orders would buy from it, and the rest is deleveraged", () => {
  const market = new Fall();
  const { venue, maker, long, short } = market;
  venue.buy(maker, btcPerp, good, 300);
  venue.buy(maker, btcPerp, poor, 500);
  market.fall();
  assert.equal(market.lots(long), 0);
  assert.equal(market.lots(fund), 300);
  assert.equal(market.lots(short), -300);
  assert.equal(venue.state.balances.total(long, Wallet.perp, 0), 0n);
});

test("RSK-27 designated makers' orders do not back the fund's existing positions a second time", () => {
  const market = new Fall();
  const { venue, maker, short } = market;
  const other = venue.fund(6030n * oneUsdc);
  venue.sell(short, btcPerp, entry, 1000);
  venue.buy(other, btcPerp, entry, 1000);
  venue.buy(maker, btcPerp, good, 1200);
  market.fall();
  assert.equal(market.lots(fund), 1200);
  assert.equal(market.lots(short), -1200);
});

test("RSK-27 customers' orders do not count as backing of the fund", () => {
  const market = new Fall();
  market.venue.buy(market.customer, btcPerp, good, 1000);
  market.fall();
  assert.equal(market.lots(market.long), 0);
  assert.equal(market.lots(fund), 0);
  assert.equal(market.lots(market.short), 0);
});

test("RSK-27 RSK-58 with an external price, or in a market without the risk term, the fund takes over any quantity", () => {
  const outside = new Fall();
  const { operator: origin } = IndexOrigin;
  const untilUs = outside.venue.nowUs + 60_000_000;
  const reference = { market: btcPerp, origin, price: fallen, untilUs };
  outside.venue.done({ kind: CommandKind.setReference, ...reference });
  outside.second();
  assert.equal(outside.lots(fund), 1000);
  const without = new Fall();
  without.set(RiskTerm.fundBacked, 0);
  without.fall();
  assert.equal(without.lots(fund), 1000);
});

test("RSK-8 the fund closes its positions within its band of the index, and only while orders back this price", () => {
  const market = new Fall();
  const { venue, maker, customer } = market;
  venue.buy(maker, btcPerp, good, 300);
  market.fall();
  venue.done({ kind: CommandKind.cancelAllOrders, account: maker, market: btcPerp });
  // 0.5 % below the index: within the 2 % of other liquidation orders, but not within the fund's 0.3 %.
  venue.buy(customer, btcPerp, 5_323_000, 300);
  market.second();
  assert.equal(market.lots(fund), 300, "outside the fund's band of 0.3 %");
  venue.buy(customer, btcPerp, 5_336_000, 100);
  market.quote(0);
  market.second();
  assert.equal(market.lots(fund), 300, "the index is not measured");
  market.quote(fallen);
  market.second();
  assert.equal(market.lots(fund), 200);
  market.set(RiskTerm.fundBandBps, 0);
  market.second();
  assert.equal(market.lots(fund), 0, "without the term, like other liquidation orders");
});
