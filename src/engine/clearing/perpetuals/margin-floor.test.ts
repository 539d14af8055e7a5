// The margin floor: opening orders and withdrawals need margin as if leverage were capped.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc } from "../../../../test/support/machine/test-markets.ts";
import { sayIndex, TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { Wallet } from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { Side } from "../../../core/orders.ts";
import { RiskTerm } from "../../../core/perpetuals/risk-terms.ts";
import { RejectReason } from "../../../core/reject-reason.ts";

const { btcPerp, ethPerp } = marketId;
const { insufficientBalance, none } = RejectReason;
const price = 6_000_000;

/** A maker offering 10 BTC at 60,000, and a trader with `usdc` USDC at leverage 100. */
function scene(usdc: bigint) {
  const venue = new TestVenue();
  const maker = venue.fund(10_000_000n * oneUsdc);
  const trader = venue.fund(usdc * oneUsdc);
  for (const market of [btcPerp, ethPerp]) venue.setLeverage(trader, market, 100);
  venue.sell(maker, btcPerp, price, 10_000);
  const buy = (qty: number, more = {}) =>
    venue.place({ account: trader, market: btcPerp, side: Side.buy, price, qty, ...more }).reason;
  const take = (amount: bigint) =>
    venue.send({
      ...{ kind: CommandKind.transfer, key: null, account: trader, from: Wallet.perp },
      ...{ to: Wallet.funding, asset: 0, amount: amount * oneUsdc },
    }).reason;
  return { venue, maker, trader, buy, take };
}

test("RSK-34 RSK-62 opening a position needs 4 % of its value even at leverage 100, although only 1 % is reported as held", () => {
  const { venue, trader, buy } = scene(2401n);
  assert.equal(buy(1001), insufficientBalance, "4 % of 60,060 is 2,402.40");
  assert.equal(buy(1000), none);
  assert.equal(buy(10), insufficientBalance, "4 % of 600 more is 24");
  const sell = { market: btcPerp, side: Side.sell, account: trader };
  assert.equal(venue.place({ ...sell, price: 7_000_000, qty: 500 }).reason, none, "only closes");
  const resting = venue.place({ ...sell, market: ethPerp, price: 300_000, qty: 1000 });
  assert.equal(resting.reason, insufficientBalance, "another market too: 4 % of 3,000 is 120");
});

test("RSK-34 money that the margin floor needs cannot leave, whatever leverage is chosen later", () => {
  const { venue, trader, buy, take } = scene(5000n);
  venue.setLeverage(trader, btcPerp, 10);
  assert.equal(buy(500), none);
  venue.setLeverage(trader, btcPerp, 100);
  assert.equal(take(3786n), insufficientBalance);
  assert.equal(take(3785n), none, "5,000 less 15 of fee and 4 % of 30,000");
});

test("RSK-34 neither an amend nor a leverage attached to an order avoids the margin floor", () => {
  const { venue, trader, buy } = scene(2500n);
  const rest = { account: trader, market: btcPerp, side: Side.buy, price: 5_000_000, qty: 1000 };
  const orderId = venue.place(rest).subject;
  const amend = (qty: number, ticks: number) =>
    venue.send({
      ...{ kind: CommandKind.amendOrder, account: trader, market: btcPerp, orderId, clientId: "" },
      ...{ side: null, growsNot: false, price: ticks, qty },
    }).reason;
  assert.equal(amend(1251, 5_000_000), insufficientBalance);
  assert.equal(amend(1250, 5_000_000), none, "4 % of 62,500 is 2,500");
  assert.equal(amend(1250, 5_000_001), insufficientBalance);
  assert.equal(amend(1000, 5_000_000), none, "fewer lots are always allowed");
  venue.cancel(trader, btcPerp, orderId);
  venue.setLeverage(trader, btcPerp, 10);
  const attached = { leverage: 100, key: null };
  assert.equal(buy(1050, { attached }), insufficientBalance);
  assert.equal(buy(1040, { attached }), none, "4 % of 62,400 is 2,496");
});

test("RSK-34 with an external price, or without the risk term, margin is value divided by leverage", () => {
  const outside = scene(700n);
  sayIndex(outside.venue, btcPerp, price);
  assert.equal(outside.buy(1000), none);
  const without = scene(700n);
  without.venue.done({
    ...{ kind: CommandKind.setRiskTerm, market: btcPerp },
    ...{ term: RiskTerm.marginFloorBps, value: 0 },
  });
  assert.equal(without.buy(1000), none);
  assert.equal(scene(700n).buy(1000), insufficientBalance);
});
