// Funding in clearing: samples, boundaries, a bounded number of payments per tick, and restarts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { sayIndex, startUs, TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { SystemAccount, Wallet } from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { EventKind, type FundingPaid, type VenueEvent } from "../../../core/generated/events.ts";
import { fundingPaymentsPerTickMax } from "../../../core/limits.ts";
import { apply } from "../../state/apply/apply.ts";
import { captureState, restoreState } from "../../state/snapshot/venue-snapshot.ts";
import { VenueState } from "../../state/venue-state.ts";
import { stateHash } from "../../state-hash.ts";

const { btcPerp, cbtcUsdc } = marketId;
const hourUs = 3_600_000_000;
const price = 6_000_000;

function tick(venue: TestVenue, atUs: number): void {
  venue.nowUs = atUs;
  venue.machine.handle(venue.command({ kind: CommandKind.tick }));
}

function paymentsOf(events: readonly VenueEvent[]): FundingPaid[] {
  return events.filter((event) => event.kind === EventKind.fundingPaid);
}

function perpCash({ state }: TestVenue, account: number): bigint {
  return state.balances.total(account, Wallet.perp, 0);
}

/** An index of 60,000 and a book around `tradedAt`; a long and a short of 0.1 BTC. */
function fundedVenue(tradedAt: number, parts = {}): { venue: TestVenue; accounts: number[] } {
  const venue = new TestVenue({ fundingIntervalUs: 8 * hourUs, ...parts });
  const [maker, long, short] = [0, 0, 0].map(() => venue.fund(100_000n * oneUsdc));
  assert(maker !== undefined && long !== undefined && short !== undefined);
  sayIndex(venue, btcPerp, price);
  venue.sell(short, btcPerp, tradedAt, 100);
  venue.buy(long, btcPerp, tradedAt, 100);
  venue.buy(maker, btcPerp, tradedAt - 1, 100);
  venue.sell(maker, btcPerp, tradedAt + 1, 100);
  return { venue, accounts: [long, short] };
}

test("FND-1 FND-2 premiums are sampled during an interval, and its end settles their average", () => {
  // The index is 60,000. Last trade and book are at 60,150, so the mark is 60,150 and the premium 0.25 %.
  const { venue, accounts } = fundedVenue(6_015_000);
  for (let minute = 0; minute < 8 * 60; minute++) tick(venue, startUs + minute * 60_000_000);
  const samples = venue.events.filter(({ kind }) => kind === EventKind.premiumSampled);
  assert.equal(samples.length, 480, "one a minute for the market that has an index");
  assert.equal(paymentsOf(venue.events).length, 0, "nothing is paid inside the interval");
  const before = accounts.map((account) => perpCash(venue, account));
  tick(venue, startUs + 8 * hourUs);
  const started = venue.events.filter((event) => event.kind === EventKind.fundingStarted);
  assert.deepEqual(
    started.map(({ market, rate, mark }) => [market, rate, mark]),
    [
      [4, 200_000n, 6_015_000],
      [5, 0n, 0],
      [6, 0n, 0],
    ],
  );
  // 0.1 BTC at 60,150 is 6,015 USDC; 0.2 % of it is 12.03.
  const moved = accounts.map((account, index) => perpCash(venue, account) - (before[index] ?? 0n));
  assert.deepEqual(moved, [-12_030_000n, 12_030_000n]);
  assert.equal(perpCash(venue, SystemAccount.fundingPool), 0n);
  assert.equal(venue.state.funding.of(btcPerp).samples, 1, "the next interval has begun");
});

test("FND-3 several missed intervals are settled together, at the current mark", () => {
  const { venue } = fundedVenue(6_015_000);
  tick(venue, startUs + hourUs);
  tick(venue, startUs + 80 * hourUs);
  tick(venue, startUs + 81 * hourUs);
  assert.equal(paymentsOf(venue.events).length, 2);
});

test("FND-4 each position held at the start of a settlement pays once, for its quantity at the start, whatever trades meanwhile", () => {
  const { venue } = fundedVenue(6_015_000);
  const count = fundingPaymentsPerTickMax + 20;
  const shorts = Array.from({ length: count }, () => venue.fund(1000n * oneUsdc));
  const long = venue.fund(1_000_000n * oneUsdc);
  for (const short of shorts) {
    venue.sell(short, btcPerp, 6_015_000, 1);
    venue.buy(long, btcPerp, 6_015_000, 1);
  }
  tick(venue, startUs + hourUs);
  venue.done({ kind: CommandKind.settleFunding });
  tick(venue, venue.nowUs);
  assert.equal(paymentsOf(venue.events).length, fundingPaymentsPerTickMax);
  // The last short has not been paid yet when its position is closed. The account that sells to it opens a new one.
  const last = shorts.at(-1) ?? 0;
  const late = venue.fund(1000n * oneUsdc);
  venue.sell(late, btcPerp, 6_015_000, 1);
  venue.buy(last, btcPerp, 6_015_000, 1);
  const restored = restoreState(testMarkets, captureState(venue.state));
  assert.equal(
    stateHash(restored),
    stateHash(venue.state),
    "a settlement under way is in snapshots",
  );
  const twin = new TestVenue({ state: restored });
  const before = venue.events.length;
  const nextUs = venue.nowUs + 1_000_000;
  for (const one of [venue, twin]) tick(one, nextUs);
  assert.deepEqual(twin.events, venue.events.slice(before), "the settlement continues");
  const paid = paymentsOf(venue.events);
  assert.equal(paid.length, count + 3);
  assert.equal(new Set(paid.map(({ account }) => account)).size, count + 3);
  assert.equal(paid.find(({ account }) => account === last)?.qty, -1);
  assert.equal(
    paid.some(({ account }) => account === late),
    false,
  );
  assert.equal(venue.state.funding.of(btcPerp).settlement, null);
});

test("FND-5 FND-9 FND-6 an early settlement is answered, and its payments with the pool's rounding remainder sum to zero", () => {
  const { venue } = fundedVenue(6_000_007, { fundingIntervalUs: hourUs });
  tick(venue, startUs + 1_000_000);
  const reply = venue.send({ kind: CommandKind.settleFunding });
  assert.equal(reply.subject, 3, "all perpetual markets");
  assert.equal(
    venue.send({ kind: CommandKind.settleFunding }).subject,
    2,
    "all markets except one that is still paying",
  );
  tick(venue, startUs + 2_000_000);
  const paid = paymentsOf(venue.events);
  const sum = paid.reduce((total, { amount }) => total + amount, 0n);
  assert(paid.length === 2 && sum <= 0n);
  assert.equal(perpCash(venue, SystemAccount.fundingPool), -sum);
  tick(venue, startUs + hourUs / 2);
  tick(venue, startUs + hourUs);
  assert.equal(paymentsOf(venue.events).length, 4, "the interval boundary settles again");
});

test("FND-5 an interval that ends while an early settlement still pays is settled by the next tick, which is due at once", () => {
  const { venue } = fundedVenue(6_000_007, { fundingIntervalUs: hourUs });
  tick(venue, startUs + hourUs - 1_000_000);
  venue.done({ kind: CommandKind.settleFunding });
  tick(venue, startUs + hourUs);
  assert.equal(paymentsOf(venue.events).length, 2, "the early settlement first");
  assert.ok(venue.machine.quietUntilUs <= venue.nowUs, "the next tick settles the interval");
  tick(venue, startUs + hourUs + 1_000);
  assert.equal(paymentsOf(venue.events).length, 4);
});

test("FND-7 replaying the journal gives the live state in the middle of a settlement", () => {
  const { venue } = fundedVenue(6_015_000);
  tick(venue, startUs + hourUs);
  venue.done({ kind: CommandKind.settleFunding });
  const replayed = new VenueState(testMarkets);
  for (const event of venue.events) apply(replayed, event);
  assert.notEqual(replayed.funding.of(btcPerp).settlement, null);
  assert.equal(stateHash(replayed), stateHash(venue.state));
});

test("CLK-3 while the venue's time is held, funding follows the held time in the ticks, and is settled once that time continues", () => {
  const { venue } = fundedVenue(6_015_000);
  const started = () =>
    venue.events.flatMap((event) =>
      event.kind === EventKind.fundingStarted ? [event.market] : [],
    );
  const sampled = () => venue.events.filter(({ kind }) => kind === EventKind.premiumSampled).length;
  tick(venue, startUs + 60_000_000);
  const heldUs = startUs + 120_000_000;
  const [before, marked] = [sampled(), venue.events.length];
  for (let hour = 1; hour <= 9; hour++) {
    venue.nowUs = startUs + hour * hourUs;
    const held = { ...venue.command({ kind: CommandKind.tick }), deadlineUs: heldUs };
    venue.machine.handle(held);
  }
  assert.deepEqual(started(), [], "only the clock has passed a boundary, not the held time");
  assert.equal(sampled(), before + 1, "only the sample that the held time makes due");
  assert(venue.state.tsUs <= startUs + 9 * hourUs);
  venue.buy(venue.fund(100_000n * oneUsdc), cbtcUsdc, price - 200, 100);
  assert(venue.events.length > marked, "trading goes on");
  tick(venue, startUs + 9 * hourUs + 1);
  assert(started().includes(btcPerp));
  assert.equal(new Set(started()).size, started().length, "one settlement of each market");
});
