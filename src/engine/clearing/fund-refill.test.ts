// The operator refills the insurance fund from a house account, limited to its available balance.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc } from "../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../test/support/machine/test-venue.ts";
import { AccountType, SystemAccount, Wallet } from "../../core/accounts.ts";
import { CommandKind } from "../../core/generated/commands.ts";
import { TradingGate } from "../../core/liquidation.ts";
import { RejectReason } from "../../core/reject-reason.ts";

function refill(venue: TestVenue, account: number, amount: bigint): RejectReason {
  return venue.send({ kind: CommandKind.refillFund, account, amount }).reason;
}

function tick(venue: TestVenue): void {
  venue.nowUs += 1_000_000;
  venue.machine.handle(venue.command({ kind: CommandKind.tick }));
}

test("RSK-21 a house account can pay into the insurance fund, and trading resumes", () => {
  const venue = new TestVenue();
  const fund = (asset: bigint) => venue.credit(SystemAccount.insurance, Wallet.perp, 0, asset);
  const house = venue.fund(50_000n * oneUsdc, AccountType.house);
  fund(9_000n * oneUsdc);
  tick(venue);
  assert.equal(venue.state.liquidations.gate, TradingGate.unarmed);
  assert.equal(refill(venue, house, 2_000n * oneUsdc), RejectReason.none);
  tick(venue);
  assert.equal(venue.state.liquidations.gate, TradingGate.open);
  const { balances } = venue.state;
  assert.equal(balances.total(house, Wallet.perp, 0), 48_000n * oneUsdc);
  assert.equal(balances.total(SystemAccount.insurance, Wallet.perp, 0), 11_000n * oneUsdc);
});

test("RSK-21 no customer can pay into the fund, and a house account pays at most what it can spare", () => {
  const venue = new TestVenue();
  const customer = venue.fund(50_000n * oneUsdc);
  const house = venue.fund(1_000n * oneUsdc, AccountType.house);
  venue.buy(house, marketId.btcPerp, 6_000_000, 100);
  const seq = venue.state.seq;
  assert.equal(refill(venue, customer, oneUsdc), RejectReason.walletNotAllowed);
  assert.equal(refill(venue, SystemAccount.fees, oneUsdc), RejectReason.unknownAccount);
  assert.equal(refill(venue, 5000, oneUsdc), RejectReason.unknownAccount);
  assert.equal(refill(venue, house, 0n), RejectReason.amountNotPositive);
  assert.equal(refill(venue, house, 401n * oneUsdc), RejectReason.insufficientBalance);
  assert.equal(venue.state.seq, seq);
  assert.equal(refill(venue, house, 400n * oneUsdc), RejectReason.none);
});
