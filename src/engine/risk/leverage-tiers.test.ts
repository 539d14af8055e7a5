// The largest position at each leverage: at the bounds of the tiers, and with orders in flight.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc, testMarkets } from "../../../test/support/machine/test-markets.ts";
import { orderCommand, TestVenue } from "../../../test/support/machine/test-venue.ts";
import { CommandKind } from "../../core/generated/commands.ts";
import { LEVERAGE_V1 } from "../../core/limits.ts";
import { Side } from "../../core/orders.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import { LeverageTiers } from "./leverage-tiers.ts";

const { btcPerp, ccPerp } = marketId;
const { positionBeyondLeverage, none } = RejectReason;
/** One lot of BTC-PERP at 50,000: 50 USDC. */
const price = 5_000_000;

test("ACC-22 the largest position at a leverage is that of the last tier that allows the leverage", () => {
  const tiers = new LeverageTiers(testMarkets);
  const most = [
    [100, 5000],
    [51, 5000],
    [50, 20_000],
    [21, 20_000],
    [20, 100_000],
    [11, 100_000],
  ] as const;
  // One tick × one lot of CC-PERP is worth a hundredth of that of BTC-PERP, so the same value needs a hundred times the
  // ticks.
  for (const [market, ticks] of [
    [btcPerp, price],
    [ccPerp, price * 100],
  ] as const) {
    for (const [leverage, lots] of most) {
      assert.equal(tiers.allow(market, leverage, lots, ticks), true, `${leverage}`);
      assert.equal(tiers.allow(market, leverage, lots, ticks + 1), false, `${leverage}`);
    }
    assert.equal(
      tiers.allow(market, LEVERAGE_V1, 5e8, 1e9),
      true,
      "the last tier must be open-ended",
    );
  }
});

test("ACC-22 ACC-37 orders and amends in flight count toward the tier, also when leverage is raised", () => {
  const venue = new TestVenue();
  const account = venue.fund(1_000_000n * oneUsdc);
  venue.setLeverage(account, btcPerp, 100);
  const buy = (qty: number) =>
    orderCommand({ account, market: btcPerp, side: Side.buy, price, qty });
  const orderId = venue.done(buy(3000));
  const second = venue.take(buy(2000));
  const third = venue.take(buy(1));
  venue.machine.settle();
  assert.equal(venue.replyTo(second).reason, none);
  assert.equal(venue.replyTo(third).reason, positionBeyondLeverage);
  const amend = (qty: number) =>
    ({
      kind: CommandKind.amendOrder,
      account,
      market: btcPerp,
      orderId,
      clientId: "",
      price: 0,
      qty,
    }) as const;
  assert.equal(venue.send(amend(3001)).reason, positionBeyondLeverage);
  assert.equal(venue.send(amend(2000)).reason, none);
  venue.setLeverage(account, btcPerp, 50);
  const larger = venue.take(amend(4000));
  const raise = { kind: CommandKind.setLeverage, account, market: btcPerp } as const;
  assert.equal(venue.replyTo(venue.take({ ...raise, leverage: 40 })).reason, none);
  venue.machine.settle();
  assert.equal(venue.replyTo(larger).reason, none);
  // A leverage increase is checked at the mark or at the last trade's price. So far there was neither, so one trade is
  // needed.
  venue.sell(venue.fund(1_000_000n * oneUsdc), btcPerp, price, 1);
  assert.equal(venue.send({ ...raise, leverage: 51 }).reason, positionBeyondLeverage);
  assert.equal(venue.send({ ...raise, leverage: 50 }).reason, none);
});
