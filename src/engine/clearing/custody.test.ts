// Custody: deposits are credited once, and withdrawals are debited once and paid or refunded, also across snapshots.
// Standard accounts can become wallet-funded.

import assert from "node:assert/strict";
import { test } from "node:test";
import { testMarkets } from "../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../test/support/machine/test-venue.ts";
import { AccountFlag, AccountType, SystemAccount, Wallet } from "../../core/accounts.ts";
import { CommandKind, type RequestWithdrawal } from "../../core/generated/commands.ts";
import { EventKind } from "../../core/generated/events.ts";
import { withdrawalsPerAccountMax } from "../../core/limits.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import { captureState, restoreState } from "../state/snapshot/venue-snapshot.ts";
import { stateHash } from "../state-hash.ts";

const asset = 0;
const destination = { destinationHigh: -5n, destinationLow: 7n };

function keyOf(low: bigint) {
  return { high: 1n, low, payload: 0n };
}

function request(account: number, withdrawalId: number, more: Partial<RequestWithdrawal> = {}) {
  const terms = { account, withdrawalId, asset, amount: 100n, fee: 3n, ...destination };
  const kind = CommandKind.requestWithdrawal;
  return { kind, ...terms, key: keyOf(BigInt(withdrawalId)), ...more };
}

function ended(withdrawalId: number, isCompleted: boolean) {
  return { kind: CommandKind.endWithdrawal, withdrawalId, isCompleted };
}

function spot(venue: TestVenue, account: number): bigint {
  return venue.state.balances.total(account, Wallet.spot, asset);
}

test("DEP-2 a deposit is credited once per key, to the funding wallet", () => {
  const venue = new TestVenue();
  const account = venue.fund(1n);
  const command = { kind: CommandKind.deposit, account, asset, amount: 70n, key: keyOf(1n) };
  const before = venue.state.deposited[asset] ?? 0n;
  const first = venue.send(command);
  assert.deepEqual([first.reason, first.isRepeated], [RejectReason.none, false]);
  const again = venue.send({ ...command, amount: 71n });
  assert.deepEqual([again.subject, again.isRepeated], [first.subject, true]);
  assert.equal(venue.state.balances.total(account, Wallet.funding, asset), 70n);
  assert.equal(venue.state.deposited[asset], before + 70n);
  const kinds = venue.events.slice(-2).map(({ kind }) => kind);
  assert.deepEqual(kinds, [EventKind.credited, EventKind.requestKeyed]);
});

test("WDR-3 a withdrawal takes its amount at once, and the venue keeps its fee when it is paid", () => {
  const venue = new TestVenue();
  const account = venue.fund(1000n);
  const deposited = venue.state.deposited[asset] ?? 0n;
  const first = venue.send(request(account, 1));
  assert.equal(first.reason, RejectReason.none);
  assert.equal(
    venue.events.find(({ seq }) => seq === first.subject)?.kind,
    EventKind.withdrawalRequested,
  );
  assert.deepEqual([spot(venue, account), spot(venue, SystemAccount.withdrawals)], [900n, 100n]);
  assert.equal(venue.state.deposited[asset], deposited);
  const again = venue.send(request(account, 2, { key: keyOf(1n) }));
  assert.deepEqual([again.subject, again.isRepeated], [first.subject, true]);
  venue.done(ended(1, true));
  assert.deepEqual([spot(venue, account), spot(venue, SystemAccount.withdrawals)], [900n, 0n]);
  assert.equal(spot(venue, SystemAccount.fees), 3n);
  assert.equal(venue.state.deposited[asset], deposited - 97n);
  assert.equal(venue.send(ended(1, false)).reason, RejectReason.unknownWithdrawal);
});

test("WDR-3 a withdrawal that is not paid returns its whole amount, once", () => {
  const venue = new TestVenue();
  const account = venue.fund(1000n);
  venue.done(request(account, 1));
  const state = restoreState(testMarkets, captureState(venue.state));
  assert.equal(stateHash(state), stateHash(venue.state));
  const next = new TestVenue({ state });
  next.done(ended(1, false));
  assert.deepEqual([spot(next, account), spot(next, SystemAccount.withdrawals)], [1000n, 0n]);
  assert.equal(next.send(ended(1, false)).reason, RejectReason.unknownWithdrawal);
  assert.equal(next.state.balances.total(SystemAccount.fees, Wallet.spot, asset), 0n);
});

test("WDR-2 a withdrawal that is not allowed is refused and changes nothing", () => {
  const venue = new TestVenue();
  const account = venue.fund(1000n);
  const hash = stateHash(venue.state);
  const refused = (more: Partial<RequestWithdrawal>) =>
    venue.send(request(account, 1, more)).reason;
  assert.equal(refused({ amount: 1001n }), RejectReason.insufficientBalance);
  assert.equal(refused({ fee: 100n }), RejectReason.amountNotPositive);
  assert.equal(refused({ fee: -1n }), RejectReason.amountNotPositive);
  assert.equal(refused({ asset: 99 }), RejectReason.walletNotAllowed);
  assert.equal(refused({ account: SystemAccount.fees }), RejectReason.unknownAccount);
  assert.equal(stateHash(venue.state), hash);
  const flags = (bits: number) => venue.setFlags(account, bits);
  flags(0);
  assert.equal(refused({}), RejectReason.withdrawalNotPermitted);
  flags(AccountFlag.canWithdraw | AccountFlag.frozen);
  assert.equal(refused({}), RejectReason.accountFrozen);
  flags(AccountFlag.canWithdraw);
  for (let id = 1; id <= withdrawalsPerAccountMax; id++) {
    venue.done(request(account, id, { amount: 4n }));
  }
  assert.equal(
    refused({ withdrawalId: 999, key: keyOf(999n), amount: 4n }),
    RejectReason.tooManyWithdrawals,
  );
});

test("WAL-1 a standard account with an empty spot wallet can become wallet-funded, once", () => {
  const venue = new TestVenue();
  const account = venue.fund(1000n);
  const bind = { kind: CommandKind.bindWallet, account };
  assert.equal(venue.send(bind).reason, RejectReason.spotWalletInUse);
  venue.done(request(account, 1, { amount: 1000n }));
  assert.equal(venue.send(bind).reason, RejectReason.spotWalletInUse, "it may be refunded");
  venue.done(ended(1, true));
  venue.done(bind);
  assert.equal(venue.state.accounts.typeOf(account), AccountType.wallet);
  assert.equal(venue.send(bind).reason, RejectReason.walletNotAllowed);
  assert.equal(venue.send(request(account, 2)).reason, RejectReason.walletNotAllowed);
  const state = restoreState(testMarkets, captureState(venue.state));
  assert.equal(stateHash(state), stateHash(venue.state));
});
