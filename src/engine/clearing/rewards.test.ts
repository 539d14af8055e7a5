// Referrals, points and commission on one thread: what counts, when and for whom, and that it counts only once.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertConserved } from "../../../test/model/conservation.ts";
import { marketId, testMarkets } from "../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../test/support/machine/test-venue.ts";
import { AccountType, SystemAccount, Wallet } from "../../core/accounts.ts";
import { CommandKind } from "../../core/generated/commands.ts";
import { EventKind } from "../../core/generated/events.ts";
import { accrualsPerTickMax } from "../../core/limits.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import { apply } from "../state/apply/apply.ts";
import { captureState, restoreState } from "../state/snapshot/venue-snapshot.ts";
import { VenueState } from "../state/venue-state.ts";
import { stateHash } from "../state-hash.ts";

const usdc = 0;
const money = 10n ** 13n;

class Stage {
  readonly venue: TestVenue;
  readonly referrer: number;
  readonly user: number;
  readonly other: number;

  constructor() {
    this.venue = new TestVenue({ rewardIntervalUs: 5_000_000 });
    this.referrer = this.venue.open();
    this.user = this.venue.fund(money);
    this.other = this.venue.fund(money);
    this.venue.credit(this.user, Wallet.spot, 1, 10n ** 15n);
    this.venue.credit(this.other, Wallet.spot, 1, 10n ** 15n);
  }

  get rewards() {
    return this.venue.state.rewards;
  }

  refer(account = this.user, referrer = this.referrer) {
    return this.venue.send({ kind: CommandKind.setReferrer, account, referrer });
  }

  claim(account = this.referrer) {
    return this.venue.send({ kind: CommandKind.claimReward, account });
  }

  /** `buyer` buys `qty` lots of BTC-PERP at 60,000 from `seller`: 6,000 USDC for each hundred lots. */
  trade(qty: number, buyer = this.user, seller = this.other): void {
    this.venue.sell(seller, marketId.btcPerp, 6_000_000, qty);
    this.venue.buy(buyer, marketId.btcPerp, 6_000_000, qty);
  }

  /** Moves time into the next interval. */
  nextInterval(): void {
    this.venue.nowUs += 5_000_000;
    this.venue.machine.handle(this.venue.command({ kind: CommandKind.tick }));
  }

  perp(account: number): bigint {
    return this.venue.state.balances.total(account, Wallet.perp, usdc);
  }
}

test("REF-2 an account can be referred once, before it trades, by another customer", () => {
  const stage = new Stage();
  const { venue, user, referrer, other } = stage;
  for (const [account, by] of [
    [user, user],
    [user, SystemAccount.fees],
    [user, venue.state.accounts.next],
    [SystemAccount.fees, referrer],
    [venue.state.accounts.next, referrer],
  ] as const) {
    assert.equal(stage.refer(account, by).reason, RejectReason.unknownAccount);
  }
  assert.equal(stage.refer().subject, 1);
  const hash = stateHash(venue.state);
  assert.equal(stage.refer().subject, 0, "again");
  assert.equal(stage.refer(user, other).subject, 0, "by somebody else");
  assert.equal(stateHash(venue.state), hash);
  stage.trade(1, user, other);
  assert.equal(stage.refer(other).subject, 0, "after trading");
  assert.equal(stage.rewards.referrer[user], referrer);
  assert.equal(stage.rewards.referred[referrer], 1);
});

test("REF-3 REF-4 commission is a tenth of the referred user's fees in USDC, accrued each interval", () => {
  const stage = new Stage();
  const { venue, user, other, referrer } = stage;
  stage.refer();
  stage.trade(100);
  // 100 lots are 6,000 USDC; the taker pays 5 bps: 3 USDC.
  assert.equal(stage.rewards.perpFees[referrer], 3_000_000n);
  assert.equal(stage.rewards.accrued[referrer], 0n, "not before the interval is over");
  const fees = stage.perp(SystemAccount.fees);
  stage.nextInterval();
  assert.equal(stage.rewards.accrued[referrer], 300_000n);
  assert.equal(stage.perp(SystemAccount.fees), fees - 300_000n);
  assert.equal(stage.perp(SystemAccount.rewards), 300_000n);
  const { length } = venue.events;
  stage.nextInterval();
  assert.equal(venue.events.length, length, "nothing is pending, nothing is written");
  // A spot seller pays the fee in USDC: 10 bps of 150 USDC for the taker. A spot buyer pays it in the coin.
  venue.buy(other, marketId.ccUsdc, 1500, 10_000);
  venue.sell(user, marketId.ccUsdc, 1500, 10_000);
  venue.sell(other, marketId.ccUsdc, 1500, 10_000);
  venue.buy(user, marketId.ccUsdc, 1500, 10_000);
  assert.equal(stage.rewards.spotFees[referrer], 150_000n);
  stage.nextInterval();
  assert.equal(stage.rewards.accrued[referrer], 315_000n);
  assertConserved(venue.state);
});

test("REF-4 fees too small for one unit of commission accumulate until they suffice", () => {
  const stage = new Stage();
  const { referrer, venue } = stage;
  stage.refer();
  // A lot of CC-PERP at 9 is worth 9,000 units, and its fee is too small for a unit of commission.
  for (let count = 0; count < 3; count++) {
    venue.sell(stage.other, marketId.ccPerp, 90_000, 1);
    venue.buy(stage.user, marketId.ccPerp, 90_000, 1);
    stage.nextInterval();
  }
  // Each fee is 4 units (5 bps of 9,000, rounded down), 12 in all.
  assert.equal(stage.rewards.accrued[referrer], 1n);
  assert.equal(stage.rewards.perpFees[referrer], 2n, "the rest stays pending");
});

test("REF-5 volume counts for the account and for its referrer, and fees of house accounts create no commission", () => {
  const stage = new Stage();
  const { venue, user, other, referrer } = stage;
  stage.refer();
  stage.trade(100);
  assert.equal(stage.rewards.volume[user], 6_000_000_000n);
  assert.equal(stage.rewards.volume[other], 6_000_000_000n);
  assert.equal(stage.rewards.volume[referrer], 6_000_000_000n);
  const house = venue.fund(money, AccountType.house);
  stage.refer(house);
  const pending = stage.rewards.perpFees[referrer];
  stage.trade(100, house, other);
  assert.equal(stage.rewards.perpFees[referrer], pending);
  assert.equal(stage.rewards.volume[referrer], 12_000_000_000n);
});

test("REF-6 a claim pays all accrued commission to the perp wallet, once", () => {
  const stage = new Stage();
  const { venue, referrer } = stage;
  stage.refer();
  assert.deepEqual([stage.claim().reason, stage.claim().subject], [RejectReason.none, 0]);
  stage.trade(100);
  stage.nextInterval();
  assert.equal(stage.claim().subject, 300_000);
  assert.equal(stage.perp(referrer), 300_000n);
  assert.equal(stage.perp(SystemAccount.rewards), 0n);
  const { length } = venue.events;
  assert.equal(stage.claim().subject, 0);
  assert.equal(venue.events.length, length);
  assert.equal(stage.claim(venue.state.accounts.next).reason, RejectReason.unknownAccount);
  assert.equal(stage.claim(SystemAccount.fees).reason, RejectReason.unknownAccount);
  assertConserved(venue.state);
});

test("REF-7 each fill counts once, whenever a snapshot is taken", () => {
  const stage = new Stage();
  const { venue, referrer } = stage;
  stage.refer();
  for (let round = 0; round < 5; round++) {
    stage.trade(10 + round);
    stage.nextInterval();
    if (round === 2) stage.claim();
  }
  const hash = stateHash(venue.state);
  for (let cut = 1; cut < venue.events.length; cut++) {
    if (venue.events[cut - 1]?.isTransactionEnd !== true) continue;
    let state = new VenueState(testMarkets);
    for (const event of venue.events.slice(0, cut)) apply(state, event);
    state = restoreState(testMarkets, captureState(state));
    for (const event of venue.events.slice(cut)) apply(state, event);
    assert.equal(stateHash(state), hash);
  }
  // Commission pending at a crash is accrued after the restart.
  stage.trade(100);
  const restored = restoreState(testMarkets, captureState(venue.state));
  const next = new TestVenue({ state: restored, rewardIntervalUs: 5_000_000 });
  const accrued = restored.rewards.accrued[referrer] ?? 0n;
  for (let tick = 0; tick < 3; tick++) {
    next.nowUs += 5_000_000;
    next.machine.handle(next.command({ kind: CommandKind.tick }));
  }
  assert.equal(restored.rewards.accrued[referrer], accrued + 300_000n);
});

test("REF-4 a tick accrues commission for a limited number of accounts, and the next ticks continue", () => {
  const stage = new Stage();
  const { venue, other } = stage;
  const referrers = Array.from({ length: accrualsPerTickMax + 5 }, () => venue.open());
  for (const referrer of referrers) {
    const user = venue.fund(money);
    stage.refer(user, referrer);
    stage.trade(10, user, other);
  }
  const accruals = () => venue.events.filter(({ kind }) => kind === EventKind.rewarded).length;
  stage.nextInterval();
  assert.equal(accruals(), accrualsPerTickMax);
  venue.machine.handle(venue.command({ kind: CommandKind.tick }));
  assert.equal(accruals(), referrers.length);
});

test("REF-3 commission is never more than the fee account holds", () => {
  const stage = new Stage();
  const { venue, referrer } = stage;
  stage.refer();
  stage.trade(100);
  // Only commission is taken from the fee account, so the test empties the account directly.
  venue.state.balances.add(SystemAccount.fees, Wallet.perp, usdc, -stage.perp(SystemAccount.fees));
  venue.state.balances.add(SystemAccount.fees, Wallet.perp, usdc, 1000n);
  stage.nextInterval();
  assert.equal(stage.rewards.accrued[referrer], 1000n);
  assert.equal(stage.perp(SystemAccount.fees), 0n);
});
