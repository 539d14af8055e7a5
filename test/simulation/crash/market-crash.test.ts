// Proves on the simulator that a crash leaves no account in debt and that the journal explains every liquidation: two
// thousand leveraged long accounts, a thin book, and an index that falls by 40 % in one minute.

import assert from "node:assert/strict";
import { test } from "node:test";
import { SystemAccount, Wallet } from "../../../src/core/accounts.ts";
import { CommandKind } from "../../../src/core/generated/commands.ts";
import { TradingGate } from "../../../src/core/liquidation.ts";
import { apply } from "../../../src/engine/state/apply/apply.ts";
import { VenueState } from "../../../src/engine/state/venue-state.ts";
import { stateHash } from "../../../src/engine/state-hash.ts";
import { SeededRandom } from "../../../src/tools/load/seeded-random.ts";
import { assertSound } from "../../model/conservation.ts";
import { LiquidationAudit } from "../../model/liquidation-audit.ts";
import { marketId, oneUsdc, testMarkets } from "../../support/machine/test-markets.ts";
import { sayIndex, TestVenue } from "../../support/machine/test-venue.ts";

const { btcPerp } = marketId;
const fund = SystemAccount.insurance;
const accounts = 2000;
const seconds = 60;
const startPrice = 6_000_000;
const ticksPerSecond = 20;

/** Opens longs at ten to twenty times leverage against a few short accounts. */
function crowd(venue: TestVenue, random: SeededRandom): number[] {
  const shorts = Array.from({ length: 20 }, () => venue.fund(1_000_000n * oneUsdc));
  return Array.from({ length: accounts }, (_, index) => {
    const account = venue.fund(700n * oneUsdc);
    venue.setLeverage(account, btcPerp, 10 + random.below(10));
    const qty = 50 + random.below(60);
    venue.sell(shorts[index % shorts.length] ?? 0, btcPerp, startPrice, qty);
    venue.buy(account, btcPerp, startPrice, qty);
    return account;
  });
}

/** Publishes a feed price and quotes a thin book around it. */
function quote(venue: TestVenue, maker: number, price: number): void {
  venue.done({ kind: CommandKind.cancelAllOrders, account: maker, market: btcPerp });
  sayIndex(venue, btcPerp, price);
  for (let level = 1; level <= 4; level++) {
    const away = level * 3000;
    venue.place({ account: maker, market: btcPerp, side: 0, price: price - away, qty: 300 });
    venue.place({ account: maker, market: btcPerp, side: 1, price: price + away, qty: 300 });
  }
}

test("the journal explains a crash of 40 % in a minute, and no account ends in debt", (t) => {
  const audit = new LiquidationAudit(testMarkets);
  const venue = new TestVenue({ onEvent: (event) => audit.take(event) });
  const random = new SeededRandom(40);
  venue.credit(fund, Wallet.perp, 0, 20_000n * oneUsdc);
  const maker = venue.fund(50_000_000n * oneUsdc);
  const longs = crowd(venue, random);
  const tick = () => {
    venue.nowUs += 1_000_000 / ticksPerSecond;
    venue.machine.handle(venue.command({ kind: CommandKind.tick }));
  };
  for (let second = 0; second <= seconds + 60; second++) {
    // While trading is paused, quotes are refused. The price waits until the operator has refilled the fund.
    const isPaused = venue.state.liquidations.gate === TradingGate.paused;
    if (isPaused) venue.credit(fund, Wallet.perp, 0, 50_000n * oneUsdc);
    const fallen = Math.min(second, seconds) / seconds;
    quote(venue, maker, Math.round(startPrice * (1 - 0.4 * fallen)));
    for (let at = 0; at < ticksPerSecond; at++) tick();
  }
  const { begun, ended, liquidationOrders, takenOver, deleveraged, pauses } = audit;
  t.diagnostic(
    `${begun} liquidations, ${liquidationOrders} liquidation orders, ${takenOver} taken over, ` +
      `${deleveraged} deleveraged, gate set ${pauses} times, ${venue.events.length} events`,
  );
  assert(begun >= accounts && liquidationOrders > 0 && takenOver > 0 && deleveraged > 0);
  assert.equal(ended, begun);
  for (const account of longs) {
    assert(
      venue.state.balances.total(account, Wallet.perp, 0) >= 0n,
      `Account ${account} must have no debt`,
    );
  }
  assertSound(venue.state, audit.auditor);
  const replayed = new VenueState(testMarkets);
  for (const event of venue.events) apply(replayed, event);
  assert.equal(stateHash(replayed), stateHash(venue.state));
});
