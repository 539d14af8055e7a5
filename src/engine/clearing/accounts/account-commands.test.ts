// Account commands: decisions, and each reason for a refusal.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertConserved } from "../../../../test/model/conservation.ts";
import {
  defaultLeverage,
  marketId,
  oneUsdc,
  testMarkets,
} from "../../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../../test/support/machine/test-venue.ts";
import {
  AccountFlag,
  AccountType,
  KeyPermission,
  RateTier,
  SystemAccount,
  Wallet,
} from "../../../core/accounts.ts";
import { AssertionFailure } from "../../../core/assert.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { accountsMax, apiKeysMax } from "../../../core/limits.ts";
import { MarketStatus } from "../../../core/markets.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { available } from "../../risk/margin.ts";
import { captureState, restoreState } from "../../state/snapshot/venue-snapshot.ts";
import { stateHash } from "../../state-hash.ts";

const { btcPerp, ccUsdc, cusdUsdc, ethPerp } = marketId;

test("accounts are numbered from 1001 and have the requested type", () => {
  const venue = new TestVenue();
  assert.equal(venue.open(), 1001);
  assert.equal(venue.open(AccountType.house), 1002);
  const { accounts } = venue.state;
  assert(accounts.isHouse(1002) && accounts.isCustomer(1001));
  assert.equal(accounts.openedUsOf(1002), venue.state.tsUs);
  assert(!accounts.exists(1003) && !accounts.exists(0));
  assert.throws(
    () => venue.send({ kind: CommandKind.openAccount, accountType: AccountType.system }),
    AssertionFailure,
  );
  accounts.next = accountsMax;
  const reply = venue.send({ kind: CommandKind.openAccount, accountType: AccountType.standard });
  assert.deepEqual([reply.reason, reply.subject], [RejectReason.tooManyAccounts, 0]);
});

test("a credit is added to its wallet and counts as deposited", () => {
  const venue = new TestVenue();
  const account = venue.open();
  const credit = {
    kind: CommandKind.credit,
    account,
    wallet: Wallet.funding,
    asset: 1,
    amount: 7n,
    isFromFaucet: false,
  };
  assert.equal(venue.send(credit).subject, 0);
  assert.equal(venue.state.balances.total(account, Wallet.funding, 1), 7n);
  assert.equal(venue.state.deposited[1], 7n);
  const insurance = { ...credit, account: SystemAccount.insurance, wallet: Wallet.perp, asset: 0 };
  assert.equal(venue.send(insurance).reason, RejectReason.none);
  const refused = [
    { ask: { account: 5000 }, reason: RejectReason.unknownAccount },
    { ask: { amount: 0n }, reason: RejectReason.amountNotPositive },
    { ask: { amount: -1n }, reason: RejectReason.amountNotPositive },
    { ask: { amount: 2n ** 60n }, reason: RejectReason.amountNotPositive },
    { ask: { asset: 7 }, reason: RejectReason.walletNotAllowed },
    { ask: { wallet: Wallet.perp }, reason: RejectReason.walletNotAllowed },
  ];
  for (const { ask: request, reason } of refused) {
    assert.equal(venue.send({ ...credit, ...request }).reason, reason);
  }
});

test("SET-6 coins that a party moved away are taken off its mirrored balance, up to the free part, and off no other balance", () => {
  const venue = new TestVenue();
  const account = venue.fund(1000n * oneUsdc, AccountType.wallet);
  venue.setFlags(account, AccountFlag.enrolled);
  venue.buy(account, ccUsdc, 1500, 1000);
  const [spot, usdc] = [Wallet.spot, 0];
  const taken = {
    kind: CommandKind.credit,
    account,
    wallet: spot,
    asset: usdc,
    isFromFaucet: false,
  };
  const { state } = venue;
  const free = state.balances.free(account, spot, usdc);
  assert.equal(free, 985n * oneUsdc);
  const deposited = state.deposited[usdc] ?? 0n;
  const { insufficientBalance, amountNotPositive } = RejectReason;
  assert.equal(venue.send({ ...taken, amount: -free - 1n }).reason, insufficientBalance);
  venue.done({ ...taken, amount: -free });
  assert.equal(state.balances.free(account, spot, usdc), 0n);
  assert.equal(state.deposited[usdc], deposited - free);
  const standard = venue.fund(1000n * oneUsdc);
  const elsewhere = [{ account: standard }, { wallet: Wallet.funding }, { isFromFaucet: true }];
  for (const other of elsewhere) {
    assert.equal(venue.send({ ...taken, ...other, amount: -1n }).reason, amountNotPositive);
  }
});

test("ACC-24 ACC-38 the faucet account owes what the faucet gives, and a gift does not count as deposited", () => {
  const venue = new TestVenue();
  const account = venue.open();
  const { faucet } = SystemAccount;
  const grant = { kind: CommandKind.credit, account, isFromFaucet: true } as const;
  venue.done({ ...grant, wallet: Wallet.perp, asset: 0, amount: 70n });
  venue.done({ ...grant, wallet: Wallet.spot, asset: 0, amount: 5n });
  venue.done({ ...grant, wallet: Wallet.spot, asset: 1, amount: 9n });
  const { state } = venue;
  const owed = (asset: number) => state.balances.total(faucet, Wallet.funding, asset);
  assert.deepEqual([owed(0), owed(1)], [-75n, -9n]);
  assert.deepEqual([state.deposited[0], state.deposited[1]], [0n, 0n]);
  venue.credit(account, Wallet.funding, 0, 3n);
  assert.deepEqual(
    [owed(0), state.deposited[0]],
    [-75n, 3n],
    "a deposit does not change what the faucet owes",
  );
  const more = { ...grant, wallet: Wallet.spot, asset: 0 };
  for (const [request, reason] of [
    [{ account: faucet, amount: 1n }, RejectReason.unknownAccount],
    [{ amount: 2n ** 60n - 74n }, RejectReason.amountNotPositive],
    [{ amount: 0n }, RejectReason.amountNotPositive],
    [{ asset: 7, amount: 1n }, RejectReason.walletNotAllowed],
  ] as const) {
    assert.equal(venue.send({ ...more, ...request }).reason, reason);
  }
  assertConserved(state);
  const restored = restoreState(testMarkets, captureState(state));
  assert.equal(stateHash(restored), stateHash(state));
  assert.equal(restored.balances.total(faucet, Wallet.funding, 0), -75n);
});

test("ACC-15 a transfer moves at most what is available", () => {
  const venue = new TestVenue();
  const account = venue.fund(100n);
  const transfer = {
    kind: CommandKind.transfer,
    key: null,
    account,
    from: Wallet.spot,
    to: Wallet.funding,
    asset: 0,
    amount: 100n,
  };
  assert.equal(venue.send({ ...transfer, amount: 101n }).reason, RejectReason.insufficientBalance);
  assert.equal(venue.send(transfer).reason, RejectReason.none);
  assert.equal(venue.state.balances.total(account, Wallet.funding, 0), 100n);
  const refused = [
    { ask: { account: SystemAccount.fees }, reason: RejectReason.unknownAccount },
    { ask: { asset: 9 }, reason: RejectReason.walletNotAllowed },
    { ask: { amount: 0n }, reason: RejectReason.amountNotPositive },
    { ask: { from: Wallet.funding }, reason: RejectReason.walletNotAllowed },
    { ask: { to: Wallet.perp, asset: 1 }, reason: RejectReason.walletNotAllowed },
    { ask: { from: Wallet.perp, asset: 1 }, reason: RejectReason.walletNotAllowed },
  ];
  for (const { ask: request, reason } of refused) {
    assert.equal(venue.send({ ...transfer, ...request }).reason, reason);
  }
});

test("ACC-15 money that orders or positions need cannot be transferred away", () => {
  const venue = new TestVenue();
  const account = venue.fund(1000n * oneUsdc);
  const other = venue.fund(1000n * oneUsdc);
  venue.buy(account, ccUsdc, 1500, 1000);
  const out = (from: Wallet, amount: bigint) =>
    venue.send({
      kind: CommandKind.transfer,
      key: null,
      account,
      from,
      to: Wallet.funding,
      asset: 0,
      amount,
    }).reason;
  assert.equal(out(Wallet.spot, 985n * oneUsdc + 1n), RejectReason.insufficientBalance);
  assert.equal(out(Wallet.spot, 985n * oneUsdc), RejectReason.none);
  venue.sell(other, btcPerp, 10_000, 1000);
  venue.buy(account, btcPerp, 10_000, 1000);
  venue.buy(account, ethPerp, 10_000, 1000);
  const value = 10_000n * 1000n * 10n;
  const free = 1000n * oneUsdc - (2n * value) / defaultLeverage - (value * 5n) / 10_000n;
  assert.equal(available(venue.state, account), free);
  assert.equal(out(Wallet.perp, free + 1n), RejectReason.insufficientBalance);
  assert.equal(out(Wallet.perp, free), RejectReason.none);
});

test("a wallet-funded account cannot transfer to or from its spot wallet", () => {
  const venue = new TestVenue();
  const account = venue.fund(100n, AccountType.wallet);
  const move = (from: Wallet, to: Wallet) =>
    venue.send({ kind: CommandKind.transfer, key: null, account, from, to, asset: 0, amount: 1n })
      .reason;
  assert.equal(move(Wallet.spot, Wallet.perp), RejectReason.walletNotAllowed);
  assert.equal(move(Wallet.perp, Wallet.spot), RejectReason.walletNotAllowed);
  assert.equal(move(Wallet.perp, Wallet.funding), RejectReason.none);
});

test("ACC-10 leverage is an integer from 1 to 100 on perpetuals", () => {
  const venue = new TestVenue();
  const account = venue.open();
  const reason = (market: number, leverage: number, who = account) =>
    venue.setLeverage(who, market, leverage).reason;
  assert.equal(reason(btcPerp, 100), RejectReason.none);
  assert.equal(venue.state.positions.leverage(account, btcPerp), 100);
  assert.equal(reason(btcPerp, 1), RejectReason.none);
  for (const bad of [0, 101, 1.5, -1, Number.NaN]) {
    assert.equal(reason(btcPerp, bad), RejectReason.leverageOutOfRange);
  }
  assert.equal(reason(ccUsdc, 5), RejectReason.unknownMarket);
  assert.equal(reason(99, 5), RejectReason.unknownMarket);
  assert.equal(reason(btcPerp, 5, 4000), RejectReason.unknownAccount);
});

test("a lower leverage requires the additional margin of orders and position", () => {
  const venue = new TestVenue();
  const other = venue.fund(1000n * oneUsdc);
  const value = 10_000n * 100n * 10n;
  const fee = (value * 5n) / 10_000n;
  const account = venue.fund((3n * value) / defaultLeverage + fee);
  venue.sell(other, btcPerp, 10_000, 100);
  venue.buy(account, btcPerp, 10_000, 100);
  venue.buy(account, btcPerp, 10_000, 100);
  venue.buy(account, ethPerp, 10_000, 100);
  assert.equal(available(venue.state, account), 0n);
  assert.equal(venue.setLeverage(account, btcPerp, 5).reason, RejectReason.insufficientBalance);
  venue.credit(account, Wallet.perp, 0, (2n * value) / 5n - (2n * value) / 10n);
  assert.equal(venue.setLeverage(account, btcPerp, 5).reason, RejectReason.none);
  assert.equal(available(venue.state, account), 0n);
  assert.equal(venue.state.balances.reserved(account, Wallet.perp, 0), value / 5n + value / 10n);
  assert.equal(venue.setLeverage(account, btcPerp, 50).reason, RejectReason.none);
  assert.equal(venue.state.balances.reserved(account, Wallet.perp, 0), value / 50n + value / 10n);
});

test("a lower leverage that needs no more margin is accepted although losses exceed what is available", () => {
  const venue = new TestVenue();
  const account = venue.fund(110n * oneUsdc);
  const other = venue.fund(100_000n * oneUsdc);
  venue.sell(other, btcPerp, 10_000, 10_000);
  venue.buy(account, btcPerp, 10_000, 10_000);
  venue.buy(other, btcPerp, 3000, 10_000);
  venue.sell(account, btcPerp, 3000, 10_000);
  assert(available(venue.state, account) < 0n);
  assert.equal(venue.setLeverage(account, btcPerp, 5).reason, RejectReason.none);
});

test("ACC-25 only the requested flags change, and only on customer accounts", () => {
  const venue = new TestVenue();
  const account = venue.open();
  const set = (who: number, flags: number, mask: number) =>
    venue.send({ kind: CommandKind.setAccountFlags, account: who, flags, mask }).reason;
  const { frozen, enrolled, canWithdraw, frozenBySettlement } = AccountFlag;
  assert.equal(set(account, enrolled, frozen | enrolled), RejectReason.none);
  assert.equal(venue.state.accounts.flagsOf(account), canWithdraw | enrolled);
  assert.equal(set(account, frozen, frozen), RejectReason.none);
  assert.equal(set(account, frozenBySettlement, frozenBySettlement), RejectReason.none);
  assert.equal(set(account, 0, frozenBySettlement | enrolled), RejectReason.none);
  assert.equal(venue.state.accounts.flagsOf(account), canWithdraw | frozen);
  assert(venue.state.accounts.isFrozen(account), "the operator's freeze remains");
  assert.equal(set(SystemAccount.fees, 0, frozen), RejectReason.unknownAccount);
  assert.throws(() => set(account, 32, 32), AssertionFailure);
  assert.throws(() => set(account, frozen, enrolled), AssertionFailure);
});

test("AUT-16 a key is registered once, can be changed until it is revoked, and stays revoked", () => {
  const venue = new TestVenue();
  const account = venue.open();
  assert.equal(venue.registerKey(account, 7).reason, RejectReason.none);
  assert.equal(venue.registerKey(account, 7).reason, RejectReason.keyExists);
  assert.equal(venue.registerKey(4000, 8).reason, RejectReason.unknownAccount);
  const change = (keyId: number, isRevoked: boolean, expects = 0) =>
    venue.send({
      kind: CommandKind.changeKey,
      keyId,
      tier: RateTier.extMm,
      permissions: 1,
      expects,
      isRevoked,
    }).reason;
  assert.equal(change(9, false), RejectReason.unknownKey);
  assert.equal(change(7, false), RejectReason.none);
  assert.equal(venue.state.keys.get(7)?.tier, RateTier.extMm);
  assert.equal(change(7, false, 3), RejectReason.keyChanged, "its permissions are 1 by now");
  assert.equal(change(7, false, 1), RejectReason.none);
  assert.equal(change(7, true), RejectReason.none);
  assert.equal(change(7, false), RejectReason.unknownKey);
  assert.equal(venue.state.keys.count, 0);
});

test("KEY-13 KEY-18 a key is restricted only as its owner last saw it, and is revoked once it expires", () => {
  const venue = new TestVenue();
  const account = venue.open();
  const other = venue.open();
  venue.registerKey(account, 7);
  const untilUs = venue.nowUs + 60_000_000;
  const seen = { permissions: KeyPermission.read, expects: 3, expiresUs: 0, expectsExpiresUs: 0 };
  const restrict = (change: Partial<typeof seen>, by = account, keyId = 7) =>
    venue.send({ kind: CommandKind.restrictKey, account: by, keyId, ...seen, ...change }).reason;
  assert.equal(restrict({}, other), RejectReason.unknownKey);
  assert.equal(restrict({}, account, 8), RejectReason.unknownKey);
  assert.equal(restrict({ expects: 1 }), RejectReason.keyChanged);
  assert.equal(restrict({ expectsExpiresUs: untilUs }), RejectReason.keyChanged);
  assert.equal(restrict({ expiresUs: venue.nowUs - 1 }), RejectReason.goodTillOutOfRange);
  assert.equal(restrict({ expiresUs: untilUs }), RejectReason.none);
  assert.deepEqual(venue.state.keys.get(7)?.expiresUs, untilUs);
  const later = { expects: 1, expectsExpiresUs: untilUs, expiresUs: untilUs + 60_000_000 };
  assert.equal(restrict(later), RejectReason.none);
  venue.nowUs = untilUs + 1;
  venue.take({ kind: CommandKind.tick });
  assert.notEqual(venue.state.keys.get(7), undefined, "the first expiry no longer counts");
  const hash = stateHash(venue.state);
  assert.equal(restrict({ ...later, expects: 2 }), RejectReason.keyChanged);
  assert.equal(stateHash(venue.state), hash, "a refusal changes nothing");
  venue.nowUs = untilUs + 60_000_000;
  venue.take({ kind: CommandKind.tick });
  assert.equal(venue.state.keys.get(7), undefined);
  assert.equal(venue.state.keys.countOf(account), 0);
});

test("KEY-18 a key's expiry is in snapshots and in the state hash", () => {
  const venue = new TestVenue();
  const account = venue.open();
  venue.registerKey(account, 7);
  const before = stateHash(venue.state);
  const expiresUs = venue.nowUs + 60_000_000;
  const change = { permissions: 3, expects: 3, expiresUs, expectsExpiresUs: 0 };
  venue.done({ kind: CommandKind.restrictKey, account, keyId: 7, ...change });
  const copy = restoreState(venue.state.table, captureState(venue.state));
  assert.equal(copy.keys.get(7)?.expiresUs, expiresUs);
  assert.equal(stateHash(copy), stateHash(venue.state));
  copy.keys.setExpiry(7, expiresUs + 1);
  assert.notEqual(stateHash(copy), stateHash(venue.state));
  assert.notEqual(stateHash(venue.state), before);
});

test("a venue whose key table is full refuses further keys", () => {
  const venue = new TestVenue();
  const account = venue.open();
  venue.state.keys.hasRoom = () => venue.state.keys.count < Math.min(apiKeysMax, 1);
  assert.equal(venue.registerKey(account, 1).reason, RejectReason.none);
  assert.equal(venue.registerKey(account, 2).reason, RejectReason.tooManyKeys);
});

test("the operator sets a market's status, but a market whose base asset is not listed never trades", () => {
  const venue = new TestVenue();
  const set = (market: number, status: MarketStatus) =>
    venue.send({ kind: CommandKind.setMarketStatus, market, status }).reason;
  assert.equal(set(ccUsdc, MarketStatus.halted), RejectReason.none);
  assert.equal(venue.state.marketStatus[ccUsdc], MarketStatus.halted);
  assert.equal(set(ccUsdc, MarketStatus.trading), RejectReason.none);
  assert.equal(set(99, MarketStatus.halted), RejectReason.unknownMarket);
  assert.equal(set(cusdUsdc, MarketStatus.halted), RejectReason.none);
  assert.equal(set(cusdUsdc, MarketStatus.trading), RejectReason.marketNotTrading);
});

test("ACC-19 a loss at the mark reduces what is available, and a gain does not increase it", () => {
  const venue = new TestVenue();
  const [long, short] = [venue.fund(1000n * oneUsdc), venue.fund(1000n * oneUsdc)];
  venue.sell(short, btcPerp, 10_000, 1000);
  venue.buy(long, btcPerp, 10_000, 1000);
  const before = [long, short].map((account) => available(venue.state, account));
  // The middle is 90 and the last trade 100, so the mark is 95: a position of one BTC loses 5.
  venue.buy(short, btcPerp, 8999, 1);
  venue.sell(long, btcPerp, 9001, 1);
  const held = [long, short].map((account) =>
    venue.state.balances.reserved(account, Wallet.perp, 0),
  );
  venue.machine.handle(venue.command({ kind: CommandKind.tick }));
  assert.equal(venue.state.mark[btcPerp], 9500);
  assert.deepEqual(
    [long, short].map((account) => available(venue.state, account)),
    [(before[0] ?? 0n) - (held[0] ?? 0n) - 5n * oneUsdc, (before[1] ?? 0n) - (held[1] ?? 0n)],
  );
  const rest = available(venue.state, long);
  const all = {
    kind: CommandKind.transfer,
    key: null,
    from: Wallet.perp,
    to: Wallet.funding,
    asset: 0,
  } as const;
  const moved = (amount: bigint) => venue.send({ ...all, account: long, amount }).reason;
  assert.equal(moved(rest + 1n), RejectReason.insufficientBalance);
  assert.equal(moved(rest), RejectReason.none);
});
