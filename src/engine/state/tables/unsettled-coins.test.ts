// Coins from fills with a wallet-funded account: they stay reserved in both accounts of the fill and in the fee account
// until settlement confirms them on the ledger, also across snapshots.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { AccountFlag, AccountType, SystemAccount, Wallet } from "../../../core/accounts.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import { EventKind } from "../../../core/generated/events.ts";
import { Side } from "../../../core/orders.ts";
import { RejectReason } from "../../../core/reject-reason.ts";
import { stateHash } from "../../state-hash.ts";
import { captureState, restoreState } from "../snapshot/venue-snapshot.ts";

const market = marketId.ccUsdc;
const [usdc, cc] = [0, 1];
const oneCc = 10n ** 8n;

interface Traders {
  readonly venue: TestVenue;
  readonly wallet: number;
  readonly maker: number;
}

/** Returns a venue where a wallet-funded account has bought 100 CC at 0.15 from `maker`, whose coins are in custody. */
function bought(): Traders {
  const venue = new TestVenue();
  const wallet = venue.fund(1000n * oneUsdc, AccountType.wallet);
  venue.setFlags(wallet, AccountFlag.enrolled);
  const maker = venue.fund(1000n * oneUsdc);
  venue.credit(maker, Wallet.spot, cc, 1000n * oneCc);
  venue.sell(maker, market, 1500, 1000);
  venue.buy(wallet, market, 1500, 1000);
  return { venue, wallet, maker };
}

function money({ venue }: Traders, account: number, asset: number) {
  const { balances } = venue.state;
  const free = balances.free(account, Wallet.spot, asset);
  return { free, locked: balances.reserved(account, Wallet.spot, asset) };
}

function settle(account: number, amount: bigint, asset = cc) {
  return { kind: CommandKind.settleCoins, account, asset, amount };
}

test("SET-12 what a wallet gets from a fill, less its fee, is locked until the fill is settled", () => {
  const traders = bought();
  const { venue, wallet } = traders;
  const received = 100n * oneCc - oneCc / 10n;
  assert.deepEqual(money(traders, wallet, cc), { free: 0n, locked: received });
  const sale = { account: wallet, market, side: Side.sell, price: 1500, qty: 900 };
  assert.equal(venue.place(sale).reason, RejectReason.insufficientBalance);
  venue.done(settle(wallet, received - 1n));
  assert.deepEqual(money(traders, wallet, cc), { free: received - 1n, locked: 1n });
  assert.equal(venue.events.at(-1)?.kind, EventKind.coinsSettled);
  venue.done(settle(wallet, 1n));
  assert.deepEqual(money(traders, wallet, cc), { free: received, locked: 0n });
  assert.equal(venue.place(sale).reason, RejectReason.none);
});

test("SET-12 what an account gets from trading with a wallet cannot be spent, moved or withdrawn until it is settled", () => {
  const traders = bought();
  const { venue, maker } = traders;
  const proceeds = 15n * oneUsdc - 6_000n;
  assert.deepEqual(money(traders, maker, usdc), { free: 1000n * oneUsdc, locked: proceeds });
  venue.setFlags(maker, AccountFlag.canWithdraw);
  const withdrawal = {
    kind: CommandKind.requestWithdrawal,
    ...{ account: maker, asset: usdc, amount: 1000n * oneUsdc + 1n, fee: 0n, withdrawalId: 1 },
    ...{ destinationHigh: 1n, destinationLow: 2n, key: { high: 1n, low: 1n, payload: 1n } },
  };
  const transfer = {
    kind: CommandKind.transfer,
    ...{ account: maker, from: Wallet.spot, to: Wallet.funding, asset: usdc },
    ...{ amount: 1000n * oneUsdc + 1n, key: null },
  };
  const { insufficientBalance } = RejectReason;
  assert.equal(venue.send(withdrawal).reason, insufficientBalance);
  assert.equal(venue.send(transfer).reason, insufficientBalance);
  const order = { account: maker, market, side: Side.buy, price: 1000, qty: 100_010 };
  assert.equal(venue.place(order).reason, insufficientBalance);
  venue.done(settle(maker, proceeds, usdc));
  assert.equal(venue.send(withdrawal).reason, RejectReason.none);
  assert.deepEqual(money(traders, maker, usdc), { free: proceeds - 1n, locked: 0n });
});

test("SET-12 the fees of a fill with a wallet are held too, and a fill between two accounts in custody holds nothing", () => {
  const traders = bought();
  const { venue, maker } = traders;
  const { fees } = SystemAccount;
  const held = [money(traders, fees, cc), money(traders, fees, usdc)];
  assert.deepEqual(held, [
    { free: 0n, locked: oneCc / 10n },
    { free: 0n, locked: 6_000n },
  ]);
  const other = venue.fund(1000n * oneUsdc);
  venue.sell(maker, market, 1500, 1000);
  venue.buy(other, market, 1500, 1000);
  assert.equal(money(traders, other, cc).locked, 0n);
  assert.equal(money(traders, fees, usdc).free, 6_000n);
  assert.deepEqual(money(traders, fees, cc), { free: oneCc / 10n, locked: oneCc / 10n });
});

test("SET-12 what a wallet gets from a sale is locked too", () => {
  const traders = bought();
  const { venue, wallet, maker } = traders;
  venue.done(settle(wallet, venue.state.unsettled.of(wallet, cc)));
  const before = money(traders, wallet, usdc).free;
  venue.sell(wallet, market, 1500, 900);
  venue.buy(maker, market, 1500, 900);
  const proceeds = 13_500_000n - 5_400n;
  assert.deepEqual(money(traders, wallet, usdc), { free: before, locked: proceeds });
});

test("SET-12 at most the unsettled amount can be settled, and nothing for an account without any", () => {
  const traders = bought();
  const { venue, wallet, maker } = traders;
  const none = venue.fund(oneUsdc);
  const all = venue.state.unsettled.of(wallet, cc);
  const { insufficientBalance, amountNotPositive } = RejectReason;
  assert.equal(venue.send(settle(wallet, all + 1n)).reason, insufficientBalance);
  assert.equal(venue.send(settle(wallet, 1n, usdc)).reason, insufficientBalance);
  assert.equal(venue.send(settle(wallet, 1n, 200)).reason, insufficientBalance);
  assert.equal(venue.send(settle(maker, 1n)).reason, insufficientBalance);
  assert.equal(venue.send(settle(none, 1n, usdc)).reason, insufficientBalance);
  assert.equal(venue.send(settle(0, 1n)).reason, insufficientBalance);
  assert.equal(venue.send(settle(wallet, 0n)).reason, amountNotPositive);
  assert.equal(venue.send(settle(wallet, -1n)).reason, amountNotPositive);
  assert.equal(venue.state.unsettled.of(wallet, cc), all);
});

test("SET-12 unsettled coins are restored from a snapshot", () => {
  const traders = bought();
  const { venue, wallet, maker } = traders;
  const state = restoreState(testMarkets, captureState(venue.state));
  assert.equal(stateHash(state), stateHash(venue.state));
  const next = new TestVenue({ state });
  assert.equal(next.state.balances.free(wallet, Wallet.spot, cc), 0n);
  for (const { account, asset, amount } of next.state.unsettled.all())
    next.done(settle(account, amount, asset));
  assert.deepEqual(next.state.unsettled.all(), []);
  assert.equal(next.state.balances.reserved(maker, Wallet.spot, usdc), 0n);
});
