// What accounts own sums to what the venue owes, to the minor unit, whatever happened before.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { auditedVenue } from "../../../test/model/clearing-runs.ts";
import { driveAlone, streams } from "../../../test/model/clearing-steps.ts";
import { marketId, oneUsdc } from "../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../test/support/machine/test-venue.ts";
import { SystemAccount, Wallet } from "../../core/accounts.ts";
import { notionalFloor } from "../../core/money/amounts.ts";
import { liabilitiesOf } from "../state/liabilities.ts";
import type { VenueState } from "../state/venue-state.ts";
import { ownedAmounts } from "./owned-amounts.ts";

const { ccPerp } = marketId;

function assertSums(state: VenueState): void {
  const { byAsset } = ownedAmounts(state);
  const sums = byAsset.map((column) => column.reduce((sum, amount) => sum + amount, 0n));
  assert.deepEqual(sums, liabilitiesOf(state));
}

test("LIA-3 LIA-4 on random days the amounts of all accounts sum to the liabilities exactly", () => {
  let positions = 0;
  const days = fc.sample(streams(3_000), { seed: 30, numRuns: 4 });
  for (const steps of days) {
    const { venue } = auditedVenue(2);
    for (const [index, step] of steps.entries()) {
      driveAlone(venue, step, () => () => undefined);
      if (index % 100 === 0) assertSums(venue.state);
      if (index % 100 === 0) positions += venue.state.positions.openInterest(ccPerp);
    }
    assertSums(venue.state);
  }
  assert(positions > 0, "the days must have positions in the market with fine ticks");
});

test("LIA-4 positions are rounded down, and the account of rounding differences gets the rest", () => {
  const venue = new TestVenue();
  const [long, short] = [venue.fund(oneUsdc), venue.fund(oneUsdc)];
  // 0.003 CC at 0.1235 is 370.5 units, booked as 371 on both sides. Without a mark the last price counts.
  venue.sell(short, ccPerp, 1235, 3);
  venue.buy(long, ccPerp, 1235, 3);
  const { accounts, byAsset, marks } = ownedAmounts(venue.state);
  const of = (account: number) => byAsset[0]?.[accounts.indexOf(account)];
  assert.equal(marks[ccPerp], 1235);
  // Each has one USDC in the spot wallet and one in the perp wallet.
  assert.equal(of(long), 2n * oneUsdc - 1n);
  assert.equal(of(short), 2n * oneUsdc);
  const { balances } = venue.state;
  const dust = balances.total(SystemAccount.dust, Wallet.perp, 0);
  assert.equal(of(SystemAccount.dust), dust + 1n);
  assert.equal(accounts.indexOf(SystemAccount.faucet), -1);
});

test("LIA-4 a value is rounded toward minus infinity, also beyond the safe integers", () => {
  const fine = { units: 1, parts: 10 };
  const cases = [
    [7, 3, 2n],
    [7, -3, -3n],
    [10, -3, -3n],
    [2 ** 31 + 1, 2 ** 30 + 1, 230_584_301_243_491_942n],
    [2 ** 31 + 1, -(2 ** 30 + 1), -230_584_301_243_491_943n],
  ] as const;
  for (const [price, lots, value] of cases) assert.equal(notionalFloor(price, lots, fine), value);
});
