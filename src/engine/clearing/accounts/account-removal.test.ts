// Unused accounts are closed and their slots reused: nothing of the old owner remains, references to a closed account
// never mean the new one, and replay, snapshots and hashes agree.

import assert from "node:assert/strict";
import { test } from "node:test";
import { assertConserved } from "../../../../test/model/conservation.ts";
import { marketId, oneUsdc, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { orderCommand, TestVenue } from "../../../../test/support/machine/test-venue.ts";
import {
  AccountFlag,
  AccountType,
  accountSlot,
  defaultKeyPermissions,
  KeyType,
  RateTier,
  Wallet,
} from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { accountOfReference, depositReference } from "../../../core/ids/deposit-reference.ts";
import { accountOfReferralCode, referralCode } from "../../../core/ids/referral-code.ts";
import { accountSlotsSpare, accountsMax, LEVERAGE_V1 } from "../../../core/limits.ts";
import { OrderType, Side } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { packSnapshot, unpackSnapshot } from "../../../wire/snapshot-codec.ts";
import { apply } from "../../state/apply/apply.ts";
import {
  captureState,
  restoreState,
  type VenueSnapshot,
} from "../../state/snapshot/venue-snapshot.ts";
import { VenueState } from "../../state/venue-state.ts";
import { stateHash } from "../../state-hash.ts";

const { btcPerp, cbtcUsdc } = marketId;
const hourUs = 3_600_000_000;

function close(venue: TestVenue, account: number): RejectReason {
  const accountType = AccountType.closed;
  return venue.send({ kind: CommandKind.setAccountType, account, accountType }).reason;
}

function openSession(venue: TestVenue, account: number, sessionId: number): void {
  const expiresUs = venue.nowUs + 24 * hourUs;
  venue.done({ kind: CommandKind.openSession, account, sessionId, expiresUs });
}

/** A venue with its first account, which can never be closed. */
function fullVenue(): TestVenue {
  const venue = new TestVenue();
  venue.open();
  return venue;
}

/** Marks every remaining slot as used, so that a new account can only get the slot of a closed one. */
function useUp({ state }: TestVenue): void {
  state.accounts.next = accountsMax;
}

/** The snapshot encoded and decoded, as by a restart. */
function throughBytes(snapshot: VenueSnapshot): VenueSnapshot {
  return unpackSnapshot(packSnapshot(snapshot)) as VenueSnapshot;
}

test("ACC-28 an account that never had money is closed with its sessions and keys, in one transaction", () => {
  const venue = fullVenue();
  const account = venue.open();
  venue.registerKey(account, 7);
  venue.registerKey(account, 8);
  const before = venue.events.length;
  assert.equal(close(venue, account), RejectReason.none);
  const transaction = venue.events.slice(before);
  assert.deepEqual(
    transaction.map(({ kind, isTransactionEnd }) => [kind, isTransactionEnd]),
    [
      [EventKind.keyChanged, false],
      [EventKind.keyChanged, false],
      [EventKind.accountTypeSet, true],
    ],
  );
  const { accounts, keys } = venue.state;
  assert.equal(accounts.exists(account), false);
  assert.equal(accounts.typeOf(account), AccountType.closed);
  assert.equal(keys.get(7) ?? keys.get(8), undefined);
  assert.equal(close(venue, account), RejectReason.unknownAccount, "it closes once");
});

test("ACC-28 ACC-42 an account that has had money or is used in another way stays open", () => {
  const first = new TestVenue();
  assert.equal(close(first, first.open()), RejectReason.accountInUse, "the first account stays");
  const uses: Record<string, (venue: TestVenue, account: number) => void> = {
    money: (venue, account) => venue.credit(account, Wallet.funding, 0, 1n),
    "money that was transferred": (venue, account) => {
      venue.credit(account, Wallet.funding, 0, 5n);
      const move = { from: Wallet.funding, to: Wallet.spot, asset: 0, amount: 5n };
      venue.done({ kind: CommandKind.transfer, account, key: null, ...move });
    },
    "a flag": (venue, account) => venue.setFlags(account, AccountFlag.frozen, AccountFlag.frozen),
    "a type": (venue, account) => {
      venue.done({
        kind: CommandKind.setAccountType,
        account,
        accountType: AccountType.house,
      });
    },
    wallet: (venue, account) => {
      venue.done({ kind: CommandKind.bindWallet, account });
    },
    "a session": (venue, account) => openSession(venue, account, 3),
    "a key of the operator's": (venue, account) => {
      venue.done({
        kind: CommandKind.registerKey,
        account,
        keyId: 7,
        keyType: KeyType.hmac,
        tier: RateTier.extMm,
        permissions: defaultKeyPermissions,
      });
    },
    "a referral that has money": (venue, account) => {
      const user = venue.open();
      venue.done({ kind: CommandKind.setReferrer, account: user, referrer: account });
      venue.credit(user, Wallet.spot, 0, 1n);
    },
    "a referral that had money before": (venue, account) => {
      const user = venue.open();
      venue.credit(user, Wallet.spot, 0, 1n);
      venue.done({ kind: CommandKind.setReferrer, account: user, referrer: account });
    },
  };
  for (const [name, use] of Object.entries(uses)) {
    const venue = fullVenue();
    const account = venue.open();
    use(venue, account);
    const hash = stateHash(venue.state);
    assert.equal(close(venue, account), RejectReason.accountInUse, name);
    assert.equal(stateHash(venue.state), hash, name);
  }
});

test("ACC-28 an account with money keeps open the account that referred it, but not the referrer of that account", () => {
  const venue = fullVenue();
  const chain = Array.from({ length: 5 }, () => venue.open());
  const user = venue.open();
  const behind = [user, ...chain];
  for (const [index, referrer] of chain.entries()) {
    venue.done({ kind: CommandKind.setReferrer, account: behind[index] ?? 0, referrer });
  }
  venue.credit(user, Wallet.spot, 0, 1n);
  const refused = behind.filter((account) => close(venue, account) !== RejectReason.none);
  assert.deepEqual(refused, behind.slice(0, 2));
  assertConserved(venue.state);
});

test("ACC-29 ACC-44 a slot is reused for another account without any data of the previous one", () => {
  const venue = fullVenue();
  const old = venue.open();
  venue.done({ kind: CommandKind.setLeverage, account: old, market: btcPerp, leverage: 50 });
  const cancelAtUs = venue.nowUs + hourUs;
  venue.done({ kind: CommandKind.setCountdown, account: old, market: btcPerp, cancelAtUs });
  const referrer = venue.open();
  venue.done({ kind: CommandKind.setReferrer, account: old, referrer });
  assert.equal(close(venue, old), RejectReason.none);
  useUp(venue);
  const { state } = venue;
  const next = venue.open();
  assert.equal(next, old + accountsMax);
  assert.equal(accountSlot(next), accountSlot(old));
  assert.equal(state.positions.leverage(next, btcPerp), LEVERAGE_V1);
  assert.equal(state.countdowns.get(next, btcPerp) + state.countdowns.get(old, btcPerp), 0);
  assert.equal(state.rewards.referrerOf(next), 0);
  assert.equal(state.rewards.referred[referrer], 0, "its referrer has one referral fewer");
  assert.equal(state.accounts.openedUsOf(next), state.tsUs);
  assert.deepEqual([state.accounts.tiesOf(next), state.accounts.flagsOf(next)], [0, 2]);
  assert.equal(state.requestKeys?.countOf(next), 0);
});

const formerKey = { keyId: 7, tier: 0, permissions: 3, expects: 0, isRevoked: false } as const;

test("ACC-29 a reference to a closed account never means the account that now uses its slot", () => {
  const venue = fullVenue();
  const old = venue.open();
  venue.registerKey(old, 7);
  assert.equal(close(venue, old), RejectReason.none);
  useUp(venue);
  const next = venue.open();
  venue.credit(next, Wallet.spot, 0, 1_000n * oneUsdc);
  venue.credit(next, Wallet.perp, 0, 1_000n * oneUsdc);
  const orderId = venue.buy(next, cbtcUsdc, 5_000_000, 10);
  const { unknownAccount, unknownOrder, unknownKey, none } = RejectReason;
  const hash = stateHash(venue.state);
  const money = { from: Wallet.spot, to: Wallet.funding, asset: 0, amount: 1n, key: null };
  const order = { account: old, market: btcPerp, side: Side.buy, price: 6_000_000, qty: 10 };
  const referrer = old;
  const key = { keyId: 9, keyType: KeyType.hmac, tier: RateTier.standard, permissions: 3 };
  const requested: Record<
    string,
    [command: Parameters<TestVenue["send"]>[0], reason: RejectReason]
  > = {
    order: [orderCommand(order), unknownAccount],
    cancel: [
      { kind: CommandKind.cancelOrder, account: old, market: cbtcUsdc, orderId, clientId: "" },
      unknownOrder,
    ],
    cancelAll: [{ kind: CommandKind.cancelAllOrders, account: old, market: cbtcUsdc }, none],
    leverage: [
      { kind: CommandKind.setLeverage, account: old, market: btcPerp, leverage: 3 },
      unknownAccount,
    ],
    countdown: [
      { kind: CommandKind.setCountdown, account: old, market: cbtcUsdc, cancelAtUs: 9e15 },
      unknownAccount,
    ],
    transfer: [{ kind: CommandKind.transfer, account: old, ...money }, unknownAccount],
    newKey: [{ kind: CommandKind.registerKey, account: old, ...key }, unknownAccount],
    oldKey: [{ kind: CommandKind.changeKey, ...formerKey }, unknownKey],
    session: [
      { kind: CommandKind.openSession, account: old, sessionId: 4, expiresUs: 9e15 },
      unknownAccount,
    ],
    deposit: [
      {
        kind: CommandKind.deposit,
        account: old,
        asset: 0,
        amount: 5n,
        key: { high: 1n, low: 2n, payload: 3n },
      },
      unknownAccount,
    ],
    withdrawal: [
      {
        ...{ kind: CommandKind.requestWithdrawal, account: old, asset: 0, amount: 5n, fee: 1n },
        ...{
          destinationHigh: 1n,
          destinationLow: 1n,
          withdrawalId: 6,
          key: { high: 1n, low: 2n, payload: 4n },
        },
      },
      unknownAccount,
    ],
    referrer: [{ kind: CommandKind.setReferrer, account: next, referrer }, unknownAccount],
    referred: [{ kind: CommandKind.setReferrer, account: old, referrer: next }, unknownAccount],
    claim: [{ kind: CommandKind.claimReward, account: old }, unknownAccount],
    flags: [{ kind: CommandKind.setAccountFlags, account: old, flags: 0, mask: 2 }, unknownAccount],
    close: [
      { kind: CommandKind.setAccountType, account: old, accountType: AccountType.closed },
      unknownAccount,
    ],
  };
  for (const [name, [request, reason]] of Object.entries(requested)) {
    assert.equal(venue.send(request).reason, reason, name);
    assert.equal(stateHash(venue.state), hash, `${name} changes nothing`);
  }
  assert.equal(accountOfReference(depositReference(old)), old);
  assert.notEqual(depositReference(next), depositReference(old));
  assert.equal(accountOfReferralCode(referralCode(next)), next);
  assert.notEqual(referralCode(next), referralCode(old));
});

test("ACC-32 closing an account that never had money leaves no conditional order waiting", () => {
  const venue = fullVenue();
  const account = venue.open();
  const stop = { account, market: btcPerp, side: Side.buy, qty: 10, type: OrderType.stopMarket };
  const order = { ...stop, triggerPrice: 7_000_000 };
  assert.equal(venue.place(order).reason, RejectReason.insufficientBalance);
  assert.equal(close(venue, account), RejectReason.none);
  const other = venue.open();
  venue.credit(other, Wallet.funding, 0, 1n);
  assert.equal(venue.place({ ...order, account: other }).reason, RejectReason.none);
});

test("ACC-29 replay, snapshots and hashes agree after accounts were closed and their slots reused", () => {
  const venue = fullVenue();
  const accounts = Array.from({ length: 6 }, () => venue.open());
  const [kept = 0] = accounts;
  venue.credit(kept, Wallet.perp, 0, 1_000n * oneUsdc);
  const start = restoreState(testMarkets, captureState(venue.state));
  start.accounts.next = accountsMax;
  useUp(venue);
  const from = venue.events.length;
  for (const account of accounts.slice(1)) assert.equal(close(venue, account), RejectReason.none);
  const again = Array.from({ length: 3 }, () => venue.open());
  assert.deepEqual(
    again,
    accounts.slice(1, 4).map((account) => account + accountsMax),
  );
  const [user = 0, other = 0] = again;
  venue.credit(user, Wallet.perp, 0, 5_000n * oneUsdc);
  venue.credit(other, Wallet.perp, 0, 5_000n * oneUsdc);
  venue.done({ kind: CommandKind.setReferrer, account: user, referrer: other });
  venue.sell(other, btcPerp, 6_000_000, 20);
  venue.buy(user, btcPerp, 6_000_000, 20);
  venue.sell(user, btcPerp, 6_100_000, 5, { clientId: "again" });
  close(venue, again[2] ?? 0);
  assertConserved(venue.state);
  const hash = stateHash(venue.state);
  const snapshot = captureState(start);
  const events = venue.events.slice(from);
  for (let cut = 0; cut <= events.length; cut++) {
    if (cut > 0 && events[cut - 1]?.isTransactionEnd !== true) continue;
    let state = restoreState(testMarkets, snapshot);
    for (const event of events.slice(0, cut)) apply(state, event);
    state = restoreState(testMarkets, throughBytes(captureState(state)));
    for (const event of events.slice(cut)) apply(state, event);
    assert.equal(stateHash(state), hash, `restored after ${cut} events`);
  }
});

test("ACC-31 a venue that is full of unused accounts accepts new accounts after some of them are closed", () => {
  const venue = new TestVenue({ onEvent: () => venue.events.splice(0) });
  const { state } = venue;
  const [first, owner] = [venue.open(), venue.open()];
  venue.credit(owner, Wallet.spot, 0, 7n);
  openSession(venue, owner, 1);
  const strangers: number[] = [];
  while (state.accounts.hasRoom()) {
    strangers.push(venue.open());
    venue.replies.splice(0);
    if (strangers.length <= accountSlotsSpare + 9) {
      openSession(venue, strangers.at(-1) ?? 0, 1 + strangers.length);
    }
  }
  assert.equal(strangers.length, accountsMax - 1001 - 2);
  const another = { kind: CommandKind.openAccount, accountType: AccountType.standard } as const;
  assert.equal(venue.send(another).reason, RejectReason.tooManyAccounts);
  let closed = 0;
  for (const account of strangers.slice(0, accountSlotsSpare + 9)) {
    if (close(venue, account) === RejectReason.none) closed++;
  }
  assert.equal(closed, accountSlotsSpare, "once there is room, a session keeps its account");
  assert.equal(state.accounts.isShort, false);
  const opened = Array.from({ length: 1_000 }, () => venue.open());
  assert.deepEqual(
    opened,
    strangers.slice(0, 1_000).map((account) => account + accountsMax),
  );
  for (const account of [first, owner]) assert(state.accounts.exists(account));
  assert.equal(state.balances.total(owner, Wallet.spot, 0), 7n);
  assert.equal(state.balances.total(opened[0] ?? 0, Wallet.spot, 0), 0n);
  assertConserved(state);
});

test("ACC-29 a slot that has used all its numbers is not reused", () => {
  const { accounts } = new VenueState(testMarkets);
  accounts.next = accountsMax;
  let account = 5_000;
  accounts.restore({ ...accounts.capture(), closed: Int32Array.of(account) });
  for (let generation = 1; generation < 2_048; generation++) {
    account += accountsMax;
    accounts.open(account, AccountType.standard, generation);
    accounts.close(account);
  }
  assert.equal(accounts.hasRoom(), false);
  assert.equal(depositReference(account).length, "R-123456789-00".length);
  assert.equal(accountOfReferralCode(referralCode(account)), account);
});
