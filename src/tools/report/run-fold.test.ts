// Folds what the real engine decides, and compares queues, slippage and impact with figures that are worked out by hand.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc, testMarkets } from "../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../test/support/machine/test-venue.ts";
import { AccountType, Wallet } from "../../core/accounts.ts";
import { CommandKind } from "../../core/generated/commands.ts";
import { TimeInForce } from "../../core/orders.ts";
import { VenueState } from "../../engine/state/venue-state.ts";
import type { AccountRun } from "./account-run.ts";
import { againstBest, againstMid, impact, marketFigures } from "./market-figures.ts";
import { accountsMax, RunFold, type RunOptions } from "./run-fold.ts";

const { cbtcUsdc, btcPerp } = marketId;
const oneCoin = 100_000_000n;

/** A venue with a house account and members, all with money and coins. */
function scene() {
  const venue = new TestVenue();
  const rich = (type?: AccountType) => {
    const account = venue.fund(10_000_000n * oneUsdc, type);
    venue.credit(account, Wallet.spot, 2, 100n * oneCoin);
    return account;
  };
  return { venue, house: rich(AccountType.house), member: rich(), other: rich() };
}

function folded(venue: TestVenue, options: Partial<RunOptions> = {}): RunFold {
  const state = new VenueState(testMarkets);
  const fold = new RunFold(state, {
    ...{ account: null, fromSeq: 1, fundingIntervalMs: 3_600_000 },
    ...options,
  });
  for (const event of venue.events) fold.fold(event);
  fold.end();
  return fold;
}

function runOf(fold: RunFold, account: number): AccountRun {
  const run = fold.runs.get(account);
  assert(run !== undefined, `the report is about ${account}`);
  return run;
}

test("REW-132 five lots in two orders ahead are exactly five, and later orders count for nothing", () => {
  const { venue, house, member, other } = scene();
  venue.sell(house, cbtcUsdc, 6_000_000, 3);
  venue.sell(house, cbtcUsdc, 6_000_000, 2);
  venue.sell(house, cbtcUsdc, 5_999_000, 7);
  const orderId = venue.sell(member, cbtcUsdc, 6_000_000, 4);
  venue.sell(house, cbtcUsdc, 6_000_000, 9);
  venue.buy(other, cbtcUsdc, 6_000_000, 14, { timeInForce: TimeInForce.ioc });
  const run = runOf(folded(venue), member);
  const order = run.orders.get(orderId);
  assert.equal(order?.arrival?.aheadLots, 5);
  assert.equal(order?.arrival?.aheadOrders, 2);
  assert.deepEqual(
    run.fills.map(({ lots, isMaker, arrival }) => [lots, isMaker, arrival?.aheadLots]),
    [[2, true, 5]],
  );
  const [figures] = marketFigures(run);
  assert.equal(figures?.queue_ahead.p50, "0.0005");
  assert.equal(figures?.orders_ahead.p50, "2");
  // Two commands later, and the microseconds of the taker's earlier events.
  assert.equal(figures?.time_to_fill_ms.p50, "2.004");
});

test("REW-132 an amended order joins its queue again, and what an iceberg order hides is not ahead", () => {
  const { venue, house, member } = scene();
  venue.sell(house, cbtcUsdc, 6_000_000, 100, { icebergQty: 10 });
  const orderId = venue.sell(member, cbtcUsdc, 6_000_000, 4);
  const first = runOf(folded(venue), member).orders.get(orderId);
  assert.deepEqual([first?.arrival?.aheadLots, first?.joins], [10, 1]);
  venue.sell(house, cbtcUsdc, 6_000_000, 6);
  const amend = { orderId, clientId: "", price: 6_000_000, qty: 5 };
  const reply = venue.send({ ...amended, ...amend, account: member, market: cbtcUsdc });
  assert.equal(reply.reason, 0);
  const again = runOf(folded(venue), member).orders.get(orderId);
  assert.deepEqual(
    [again?.arrival?.aheadLots, again?.arrival?.aheadOrders, again?.joins],
    [16, 2, 2],
  );
});

const amended = { kind: CommandKind.amendOrder } as const;

test("REW-133 slippage and impact of a known taker are those worked out by hand", () => {
  const { venue, house, member } = scene();
  venue.buy(house, cbtcUsdc, 5_990_000, 50);
  venue.sell(house, cbtcUsdc, 6_000_000, 10);
  venue.sell(house, cbtcUsdc, 6_020_000, 50);
  venue.buy(member, cbtcUsdc, 6_020_000, 20, { timeInForce: TimeInForce.ioc });
  venue.nowUs += 2_000_000;
  venue.sell(house, cbtcUsdc, 6_040_000, 5);
  venue.nowUs += 9_000_000;
  venue.cancel(house, cbtcUsdc, 1);
  const run = runOf(folded(venue), member);
  const [sweep] = run.sweeps;
  assert(sweep !== undefined && run.sweeps.length === 1);
  // Mean 60100, middle 59950 before, best 60000; the ask is 60200 after: middle 60050.
  assert.equal(againstMid(sweep), 2502);
  assert.equal(againstBest(sweep), 1667);
  assert.equal(impact(sweep, sweep.after1s), 1668);
  assert.equal(impact(sweep, sweep.after10s), 1668);
  const [figures] = marketFigures(run);
  // (60100 − 59950) × 0.0020 = 0.3 USDC; the fee of 10 bps is paid in coins worth 0.1202.
  assert.equal(figures?.slippage_cost, "0.300000");
  assert.equal(figures?.fees, "0.120200");
  assert.equal(figures?.taker.share_of_fills, "100.0");
  assert.equal(figures?.realized_pnl, null);
  assert.equal(figures?.position, "0.0020");
});

test("REW-133 the journal's end leaves the later impact open", () => {
  const { venue, house, member } = scene();
  venue.buy(house, cbtcUsdc, 5_990_000, 50);
  venue.sell(house, cbtcUsdc, 6_000_000, 50);
  venue.buy(member, cbtcUsdc, 6_000_000, 10, { timeInForce: TimeInForce.ioc });
  venue.nowUs += 3_000_000;
  venue.sell(house, cbtcUsdc, 6_040_000, 5);
  const [sweep] = runOf(folded(venue), member).sweeps;
  assert.deepEqual([sweep?.after1s, sweep?.after10s], [11_990_000, null]);
});

test("REW-131 house accounts have no part, unless the report is about one", () => {
  const { venue, house, member } = scene();
  venue.sell(house, cbtcUsdc, 6_000_000, 5);
  venue.buy(member, cbtcUsdc, 6_000_000, 5);
  assert.deepEqual([...folded(venue).runs.keys()], [member]);
  const alone = folded(venue, { account: house });
  assert.deepEqual([...alone.runs.keys()], [house]);
  assert.equal(runOf(alone, house).fills.length, 1);
});

test("REW-131 the result is what equity gained beyond deposits, and a position's profit is realized by its close", () => {
  const { venue, house, member } = scene();
  venue.sell(house, btcPerp, 6_000_000, 100);
  venue.buy(member, btcPerp, 6_000_000, 100, { timeInForce: TimeInForce.ioc });
  venue.buy(house, btcPerp, 6_100_000, 100);
  venue.sell(member, btcPerp, 6_100_000, 100, { timeInForce: TimeInForce.ioc });
  const run = runOf(folded(venue), member);
  const [figures] = marketFigures(run);
  // 0.1 BTC from 60000 to 61000, with 5 bps of both values as fees.
  assert.equal(figures?.realized_pnl, "100.000000");
  assert.equal(figures?.fees, "6.050000");
  assert.equal(figures?.position, "0.000");
  const end = run.equity.points.at(-1)?.last ?? 0n;
  assert.equal(end - run.equityStart - run.deposits, 93_950_000n);
  assert.deepEqual(
    run.positions.get(testMarkets.market(btcPerp))?.points.map(({ last }) => last),
    [100, 0],
  );
});

test("REW-131 what came before the first event of the report is state, not a figure", () => {
  const { venue, house, member } = scene();
  venue.sell(house, cbtcUsdc, 6_000_000, 5);
  venue.buy(member, cbtcUsdc, 6_000_000, 2);
  const early = venue.buy(member, cbtcUsdc, 5_900_000, 4);
  const fromSeq = venue.events.length + 1;
  venue.sell(house, cbtcUsdc, 5_900_000, 2, { timeInForce: TimeInForce.ioc });
  const run = runOf(folded(venue, { fromSeq }), member);
  assert.deepEqual([...run.orders.keys()], [early]);
  assert.deepEqual(
    run.fills.map(({ lots }) => lots),
    [2],
  );
  assert.equal(run.deposits, 0n);
});

test("REW-141 members beyond the accounts of a report are counted, each once", () => {
  const venue = new TestVenue();
  const members = Array.from({ length: accountsMax + 2 }, () => venue.fund(1_000n * oneUsdc));
  for (const member of [...members, ...members]) venue.buy(member, cbtcUsdc, 5_000_000, 3);
  const fold = folded(venue);
  assert.deepEqual([...fold.runs.keys()], members.slice(0, accountsMax));
  assert.deepEqual([...fold.others], members.slice(accountsMax));
});
