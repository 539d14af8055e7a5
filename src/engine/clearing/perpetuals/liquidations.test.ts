// Liquidations of many accounts at once: the limits of a cascade, and that every step is in the journal and in the
// state. Single cases, with figures, are scenarios in test/scenario.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ClearingAuditor } from "../../../../test/model/clearing-auditor.ts";
import { assertSound } from "../../../../test/model/conservation.ts";
import { marketId, oneUsdc, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import {
  sayIndex,
  TestVenue,
  type TestVenueParts,
} from "../../../../test/support/machine/test-venue.ts";
import { SystemAccount, Wallet } from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { EventKind, type VenueEvent } from "../../../core/generated/events.ts";
import {
  dryTriesMax,
  liquidationNotionalMax,
  liquidationsBegunMax,
  ownSkipsMax,
} from "../../../core/limits.ts";
import { LiquidationStage } from "../../../core/liquidation.ts";
import { CloseReason, opposite, Side } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { MarginStatuses } from "../../risk/margin-status.ts";
import { apply } from "../../state/apply/apply.ts";
import { captureState, restoreState } from "../../state/snapshot/venue-snapshot.ts";
import { VenueState } from "../../state/venue-state.ts";
import { stateHash } from "../../state-hash.ts";
import { RiskScan } from "./risk-scan.ts";

const { btcPerp } = marketId;
const price = 6_000_000;

/** A venue where `count` accounts are long 0.1 BTC from 60,000 at ten times leverage. */
class Crowd {
  readonly auditor = new ClearingAuditor(testMarkets);
  readonly venue: TestVenue;
  readonly maker: number;
  readonly longs: number[] = [];

  constructor(count: number, fund: bigint, parts: TestVenueParts = {}) {
    this.venue = new TestVenue({ ...parts, onEvent: (event) => this.auditor.take(event) });
    const { venue } = this;
    if (fund > 0n) venue.credit(SystemAccount.insurance, Wallet.perp, 0, fund);
    this.maker = venue.fund(100_000_000n * oneUsdc);
    venue.sell(this.maker, btcPerp, price, count * 100);
    for (let index = 0; index < count; index++) {
      const account = venue.fund(603n * oneUsdc);
      venue.buy(account, btcPerp, price, 100);
      this.longs.push(account);
    }
  }

  /** Moves the index to a price, and quotes one per mille below and above it, with `bids` lots on the bid. */
  quote(ticks: number, bids: number): void {
    const { venue, maker } = this;
    venue.done({ kind: CommandKind.cancelAllOrders, account: maker, market: btcPerp });
    const away = ticks / 1000;
    sayIndex(venue, btcPerp, ticks);
    venue.buy(maker, btcPerp, ticks - away, bids);
    venue.sell(maker, btcPerp, ticks + away, 1000);
  }

  tick(afterUs = 1_000_000): VenueEvent[] {
    const from = this.venue.events.length;
    this.venue.nowUs += afterUs;
    this.venue.machine.handle(this.venue.command({ kind: CommandKind.tick }));
    return this.venue.events.slice(from);
  }
}

function begun(events: readonly VenueEvent[]): number {
  const { cancelling } = LiquidationStage;
  return events.filter((event) => {
    return event.kind === EventKind.liquidationStaged && event.stage === cancelling;
  }).length;
}

function tradedValue(events: readonly VenueEvent[]): bigint {
  return events.reduce((sum, event) => {
    return event.kind === EventKind.traded ? sum + BigInt(event.price * event.qty * 10) : sum;
  }, 0n);
}

function assertReplays({ venue, auditor }: Crowd): void {
  const replayed = new VenueState(testMarkets);
  for (const event of venue.events) apply(replayed, event);
  assert.equal(stateHash(replayed), stateHash(venue.state));
  assertSound(venue.state, auditor);
}

test("RSK-2 a cascade starts a limited number of liquidations and closes a limited value per interval", () => {
  const crowd = new Crowd(300, 10_000_000n * oneUsdc);
  crowd.quote(5_421_000, 200_000);
  const events = Array.from({ length: 160 }, () => crowd.tick(50_000)).flat();
  const intervals = new Map<number, VenueEvent[]>();
  for (const event of events) {
    const interval = Math.floor(event.tsUs / 1_000_000);
    intervals.set(interval, [...(intervals.get(interval) ?? []), event]);
  }
  const limit = BigInt(liquidationNotionalMax) * oneUsdc;
  for (const own of intervals.values()) {
    assert(begun(own) <= liquidationsBegunMax);
    assert(tradedValue(own) <= limit, `${tradedValue(own)} in one interval`);
  }
  assert.equal(begun(events), 300);
  assert(tradedValue(events) > 0n);
  assertReplays(crowd);
});

test("ORD-11 RSK-5 a liquidation order that meets more orders of its family than it may skip ends, and the fund takes over", () => {
  const crowd = new Crowd(1, 10_000_000n * oneUsdc);
  const { venue, maker } = crowd;
  const owner = venue.fund(1_000_000n * oneUsdc);
  const subOf = (label: string, usdc: bigint) => {
    const account = venue.done({ kind: CommandKind.openSubAccount, account: owner, label });
    venue.credit(account, Wallet.perp, 0, usdc * oneUsdc);
    return account;
  };
  const long = subOf("long", 603n);
  venue.sell(maker, btcPerp, price, 100);
  venue.buy(long, btcPerp, price, 100);
  crowd.quote(5_421_000, 200_000);
  // All of these are better than the bid of the maker, who would buy the position. The stranger's position takes some.
  const perAccount = Math.ceil((ownSkipsMax + 1 + 100) / 4);
  for (const label of ["one", "two", "three", "four"]) {
    const sub = subOf(label, 100_000n);
    for (let count = 0; count < perAccount; count++) venue.buy(sub, btcPerp, 5_416_000, 1);
  }
  const events = Array.from({ length: 12 }, () => crowd.tick()).flat();
  const skipped = events.filter(
    (event) => event.kind === EventKind.orderClosed && event.reason === CloseReason.ownSkipsMax,
  );
  assert.equal(skipped.length, dryTriesMax);
  assert(events.some(({ kind }) => kind === EventKind.positionMoved));
  assert.equal(venue.state.positions.qty(long, btcPerp), 0);
  assertReplays(crowd);
});

test("RSK-13 replay equals live after takeovers, deleveraging, and a pause and its end", () => {
  const crowd = new Crowd(60, 12_000n * oneUsdc);
  crowd.quote(5_000_000, 1);
  for (let second = 0; second < 4; second++) crowd.tick();
  const kinds = new Set(crowd.venue.events.map(({ kind }) => kind));
  assert(kinds.has(EventKind.positionMoved) && kinds.has(EventKind.tradingGateSet));
  const cash = (account: number) => crowd.venue.state.balances.total(account, Wallet.perp, 0);
  for (const account of crowd.longs) {
    assert.equal(crowd.venue.state.positions.qty(account, btcPerp), 0);
    assert.equal(cash(account), 0n);
  }
  assert(cash(SystemAccount.insurance) >= 0n);
  assertReplays(crowd);
});

test("RSK-13 a venue restored from a snapshot at any moment of a cascade finishes the liquidations", () => {
  const crowd = new Crowd(20, 100_000n * oneUsdc);
  crowd.quote(5_300_000, 1500);
  for (let round = 0; round < 6; round++) {
    crowd.tick(round % 2 === 0 ? 1_000_000 : 50_000);
    const { state } = crowd.venue;
    const restored = restoreState(testMarkets, structuredClone(captureState(state)));
    assert.equal(stateHash(restored), stateHash(state));
    const other = new TestVenue({ state: restored });
    other.nowUs = crowd.venue.nowUs;
    // The first tick of a restored venue also computes marks, so only the end of all liquidations is checked.
    for (let second = 0; second < 12; second++) {
      other.nowUs += 1_000_000;
      other.machine.handle(other.command({ kind: CommandKind.tick }));
    }
    assert.equal(restored.liquidations.count, 0, `round ${round}`);
  }
});

test("RSK-3 an account in liquidation can only place reduce-only orders and cancel on perpetuals, and can still trade spot", () => {
  const crowd = new Crowd(1, 1_000_000n * oneUsdc);
  const [account = 0] = crowd.longs;
  crowd.quote(5_421_000, 1);
  crowd.tick();
  const { venue } = crowd;
  assert.equal(venue.state.liquidations.of(account)?.stage, LiquidationStage.reducing);
  const order = { account, market: btcPerp, price: 5_421_000, qty: 1 };
  assert.equal(venue.place({ ...order, side: Side.buy }).reason, RejectReason.accountInLiquidation);
  assert.equal(
    venue.place({ ...order, side: Side.sell }).reason,
    RejectReason.accountInLiquidation,
  );
  const reduce = venue.place({ ...order, side: Side.sell, isReduceOnly: true });
  assert.equal(reduce.reason, RejectReason.none);
  assert.equal(venue.cancel(account, btcPerp, reduce.subject).reason, RejectReason.none);
  venue.buy(account, marketId.ccUsdc, 1000, 1000);
});

test("RSK-12 deleveraging ranks profits by profit × leverage, losses by loss ÷ leverage, then by account number", () => {
  const venue = new TestVenue();
  const accounts = [200_000n, 20_000n, 20_000n, 20_000n].map((one) => venue.fund(one * oneUsdc));
  const [calm = 0, bold = 0, late = 0, last = 0] = accounts;
  const long = venue.fund(1_000_000n * oneUsdc);
  for (const account of [calm, bold, last]) venue.sell(account, btcPerp, price, 1000);
  venue.sell(late, btcPerp, 5_000_000, 1000);
  venue.buy(long, btcPerp, price, 4000);
  venue.state.mark[btcPerp] = 5_500_000;
  const scan = new RiskScan(venue.state, new MarginStatuses(venue.state));
  const order: number[] = [];
  const skip = new Set<number>();
  for (let rank = scan.bestOpposite(btcPerp, false, skip); rank !== null; ) {
    order.push(rank.account);
    skip.add(rank.account);
    rank = scan.bestOpposite(btcPerp, false, skip);
  }
  assert.deepEqual(order, [bold, last, calm, late]);
});

test("RSK-1 RSK-41 the scan finds every account that is due, whatever was traded before", () => {
  const venue = new TestVenue();
  const maker = venue.fund(900_000_000n * oneUsdc);
  const accounts = Array.from({ length: 40 }, (_, n) => venue.fund(BigInt(250 + n * 10) * oneUsdc));
  const marginStatuses = new MarginStatuses(venue.state);
  const scan = new RiskScan(venue.state, marginStatuses);
  let due = 0;
  const judge = (account: number, found: ReadonlySet<number>): boolean => {
    const { equity, maintenance } = marginStatuses.of(account);
    const isDue = equity <= maintenance;
    assert(!isDue || found.has(account), `${account} must be found`);
    assert(isDue || !found.has(account) || equity - maintenance < 10n, "found within rounding");
    return isDue;
  };
  for (const [n, account] of accounts.entries()) {
    const market = n % 3 === 0 ? marketId.ethPerp : btcPerp;
    const side = n % 2 === 0 ? Side.buy : Side.sell;
    venue.place({ account: maker, market, side: opposite(side), price, qty: 40 });
    venue.place({ account, market, side, price, qty: 40 });
  }
  for (const mark of [price, 5_400_000, 6_600_000, 5_000_000, 4_500_000]) {
    venue.state.mark[btcPerp] = mark;
    venue.state.mark[marketId.ethPerp] = 12_000_000 - mark;
    for (const account of [...accounts, maker]) {
      scan.positionChanged(account);
      scan.balanceChanged(account, Wallet.perp);
    }
    const found = new Set<number>();
    scan.scan((account) => found.add(account));
    for (const account of accounts) if (judge(account, found)) due++;
  }
  assert(due > 20);
});
