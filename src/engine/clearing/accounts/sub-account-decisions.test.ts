// Sub-accounts: opening, moves of money, and what is shared with the owner.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertConserved } from "../../../../test/model/conservation.ts";
import { marketId, oneUsdc } from "../../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../../test/support/machine/test-venue.ts";
import {
  AccountFlag,
  AccountType,
  RateTier,
  subAccountsPerOwnerMax,
  Wallet,
} from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { Side } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { captureState, restoreState } from "../../state/snapshot/venue-snapshot.ts";
import { OrderOwners } from "../../state/tables/order-owners.ts";
import { stateHash } from "../../state-hash.ts";

const { btcPerp, ccUsdc } = marketId;

function openSub(venue: TestVenue, account: number, label: string) {
  return venue.send({ kind: CommandKind.openSubAccount, account, label });
}

/** A venue with a funded owner, its sub-account, and another funded account. */
function familyVenue() {
  const venue = new TestVenue();
  const owner = venue.fund(10_000n * oneUsdc);
  const other = venue.fund(10_000n * oneUsdc);
  const sub = openSub(venue, owner, "one").subject;
  return { venue, owner, other, sub };
}

function move(
  venue: TestVenue,
  account: number,
  receiver: number,
  more: { from?: Wallet; to?: Wallet; amount?: bigint } = {},
): RejectReason {
  const { from = Wallet.spot, to = Wallet.spot, amount = 1_000n * oneUsdc } = more;
  const kind = CommandKind.moveBetweenAccounts;
  return venue.send({ kind, account, receiver, from, to, asset: 0, amount, key: null }).reason;
}

test("SUB-1 SUB-2 an owner with money opens sub-accounts with different labels, up to the limit, and a refusal changes nothing", () => {
  const venue = new TestVenue();
  const poor = venue.open();
  assert.equal(openSub(venue, poor, "one").reason, RejectReason.insufficientBalance);
  assert.equal(openSub(venue, 4000, "one").reason, RejectReason.unknownAccount);
  const house = venue.fund(oneUsdc, AccountType.house);
  const wallet = venue.fund(oneUsdc, AccountType.wallet);
  for (const account of [house, wallet])
    assert.equal(openSub(venue, account, "one").reason, RejectReason.walletNotAllowed);
  const owner = venue.fund(oneUsdc);
  const hash = stateHash(venue.state);
  for (const label of ["", "x".repeat(21), "a b", "ü"])
    assert.equal(openSub(venue, owner, label).reason, RejectReason.subAccountLabel, label);
  assert.equal(stateHash(venue.state), hash);
  const { reason, subject: sub } = openSub(venue, owner, "one");
  assert.equal(reason, RejectReason.none);
  const { accounts } = venue.state;
  assert.equal(accounts.typeOf(sub), AccountType.standard);
  assert.equal(accounts.flagsOf(sub), 0, "a sub-account withdraws nothing");
  assert.deepEqual([accounts.ownerOf(sub), accounts.ownerOf(owner)], [owner, owner]);
  assert.equal(openSub(venue, owner, "ONE").reason, RejectReason.subAccountLabel);
  assert.equal(openSub(venue, sub, "two").reason, RejectReason.accountInFamily);
  for (let count = 1; count < subAccountsPerOwnerMax; count++)
    assert.equal(openSub(venue, owner, `n${count}`).reason, RejectReason.none);
  assert.equal(openSub(venue, owner, "more").reason, RejectReason.tooManySubAccounts);
});

test("SUB-3 SUB-8 a family keeps its types: no wallet, no house, no close", () => {
  const { venue, owner, sub } = familyVenue();
  for (const account of [owner, sub]) {
    assert.equal(
      venue.send({ kind: CommandKind.bindWallet, account }).reason,
      RejectReason.accountInFamily,
    );
    const house = { kind: CommandKind.setAccountType, account, accountType: AccountType.house };
    assert.equal(venue.send({ ...house } as const).reason, RejectReason.accountInFamily);
    const close = { kind: CommandKind.setAccountType, account, accountType: AccountType.closed };
    assert.equal(venue.send({ ...close } as const).reason, RejectReason.accountInUse);
  }
});

test("SUB-8 a sub-account cannot be allowed to withdraw, and its other flags can be set", () => {
  const { venue, owner, sub } = familyVenue();
  const { canWithdraw, designatedMaker } = AccountFlag;
  const set = (account: number, flags: number) =>
    venue.send({ kind: CommandKind.setAccountFlags, account, flags, mask: flags }).reason;
  assert.equal(set(sub, canWithdraw), RejectReason.accountInFamily);
  assert.equal(venue.state.accounts.flagsOf(sub), 0);
  assert.equal(set(sub, designatedMaker), RejectReason.none);
  assert.equal(set(owner, canWithdraw), RejectReason.none);
});

test("SUB-4 money moves between accounts of one owner only, and is conserved", () => {
  const { venue, owner, other, sub } = familyVenue();
  assert.equal(move(venue, owner, sub, { to: Wallet.perp }), RejectReason.none);
  const moved = venue.events.at(-1);
  assert.equal(moved?.kind, EventKind.movedBetweenAccounts);
  assert.equal(venue.state.balances.free(sub, Wallet.perp, 0), 1_000n * oneUsdc);
  assert.equal(venue.state.balances.free(owner, Wallet.spot, 0), 9_000n * oneUsdc);
  assert.equal(move(venue, sub, owner, { from: Wallet.perp }), RejectReason.none);
  assert.equal(move(venue, sub, owner, { from: Wallet.perp }), RejectReason.insufficientBalance);
  assert.equal(move(venue, owner, other), RejectReason.unknownAccount);
  assert.equal(move(venue, owner, owner), RejectReason.unknownAccount);
  assert.equal(move(venue, owner, sub, { amount: 0n }), RejectReason.amountNotPositive);
  const second = openSub(venue, owner, "two").subject;
  assert.equal(move(venue, owner, sub), RejectReason.none);
  assert.equal(move(venue, sub, second), RejectReason.none);
  assertConserved(venue.state, { isQuiet: true });
});

test("SUB-4 a move with an idempotency key happens once", () => {
  const { venue, owner, sub } = familyVenue();
  const key = { high: 1n, low: 2n, payload: 3n };
  const terms = { from: Wallet.spot, to: Wallet.spot, asset: 0, amount: oneUsdc, key };
  const again = () =>
    venue.send({ kind: CommandKind.moveBetweenAccounts, account: owner, receiver: sub, ...terms });
  const first = again();
  assert.deepEqual([first.reason, first.isRepeated], [RejectReason.none, false]);
  const repeated = again();
  assert.deepEqual([repeated.subject, repeated.isRepeated], [first.subject, true]);
  assert.equal(venue.state.balances.free(sub, Wallet.spot, 0), oneUsdc);
});

test("SUB-9 freezing an owner freezes its sub-accounts, and freezing a sub-account only that one", () => {
  const { venue, owner, sub } = familyVenue();
  assert.equal(move(venue, owner, sub), RejectReason.none);
  const { accounts } = venue.state;
  venue.setFlags(sub, AccountFlag.frozen, AccountFlag.frozen);
  assert.deepEqual([accounts.isFrozen(owner), accounts.isFrozen(sub)], [false, true]);
  assert.equal(move(venue, sub, owner), RejectReason.accountFrozen);
  venue.setFlags(sub, 0, AccountFlag.frozen);
  venue.setFlags(owner, AccountFlag.frozen, AccountFlag.frozen);
  const order = { account: sub, market: ccUsdc, side: Side.buy, price: 1500, qty: 1000 };
  assert.equal(venue.place(order).reason, RejectReason.accountFrozen);
  assert.equal(move(venue, sub, owner), RejectReason.accountFrozen);
});

test("SUB-6 orders of one owner's accounts never trade with each other, and their positions are apart", () => {
  const { venue, owner, other, sub } = familyVenue();
  assert.equal(move(venue, owner, sub, { from: Wallet.perp, to: Wallet.perp }), RejectReason.none);
  const price = 6_000_000;
  const trade = (account: number, side: Side, qty: number) =>
    venue.buy(account, btcPerp, price, qty, { side });
  const { positions } = venue.state;
  trade(owner, Side.sell, 10);
  trade(sub, Side.buy, 10);
  assert.deepEqual([positions.qty(owner, btcPerp), positions.qty(sub, btcPerp)], [0, 0]);
  trade(other, Side.buy, 4);
  trade(other, Side.sell, 3);
  assert.deepEqual([positions.qty(owner, btcPerp), positions.qty(sub, btcPerp)], [-4, 3]);
});

test("SUB-7 what a sub-account trades counts for its owner's volume and its owner's referrer", () => {
  const venue = new TestVenue();
  const referrer = venue.fund(10_000n * oneUsdc);
  const owner = venue.fund(10_000n * oneUsdc);
  const other = venue.fund(10_000n * oneUsdc);
  venue.done({ kind: CommandKind.setReferrer, account: owner, referrer });
  const sub = openSub(venue, owner, "one").subject;
  const refer = (account: number, by: number) =>
    venue.send({ kind: CommandKind.setReferrer, account, referrer: by }).reason;
  assert.equal(refer(sub, referrer), RejectReason.unknownAccount);
  assert.equal(refer(other, sub), RejectReason.unknownAccount);
  move(venue, owner, sub, { from: Wallet.perp, to: Wallet.perp });
  venue.buy(other, btcPerp, 6_000_000, 5, { side: Side.sell });
  venue.buy(sub, btcPerp, 6_000_000, 5);
  const { rewards } = venue.state;
  assert(rewards.isTouched(owner) && !rewards.isTouched(sub));
  assert((rewards.volume[referrer] ?? 0n) > 0n && (rewards.perpFees[referrer] ?? 0n) > 0n);
});

test("SUB-5 LIM-30 orders count for the owner, at the largest tier of the family", () => {
  const { venue, owner, other, sub } = familyVenue();
  const owners = new OrderOwners(venue.state);
  assert.deepEqual(
    [owner, other, sub].map((one) => owners.ownerOf(one)),
    [owner, other, owner],
  );
  assert.equal(owners.largestTier(owner), RateTier.standard);
  venue.done({
    kind: CommandKind.registerKey,
    ...{ account: sub, keyId: 5, keyType: 0, tier: RateTier.extMm, permissions: 3 },
  });
  assert.equal(owners.largestTier(owner), RateTier.extMm);
  assert.equal(owners.largestTier(other), RateTier.standard);
});

test("SUB-1 sub-accounts are in snapshots and in the state hash", () => {
  const { venue, owner, sub } = familyVenue();
  const copy = restoreState(venue.state.table, captureState(venue.state));
  assert.deepEqual(copy.accounts.subAccounts, [{ account: sub, owner, label: "one" }]);
  assert.equal(copy.accounts.ownerOf(sub), owner);
  assert.equal(stateHash(copy), stateHash(venue.state));
});
