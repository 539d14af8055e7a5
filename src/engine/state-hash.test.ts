// The state hash: everything that a decision may depend on changes it; slots and their history do not.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc } from "../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../test/support/machine/test-venue.ts";
import { AccountType, Wallet } from "../core/accounts.ts";
import { AccountTie } from "./state/tables/account-table.ts";
import type { VenueState } from "./state/venue-state.ts";
import { stateHash } from "./state-hash.ts";

const { btcPerp, ccUsdc } = marketId;

function venueWithAll(): VenueState {
  const venue = new TestVenue();
  const [own, other] = [venue.fund(1000n * oneUsdc), venue.fund(1000n * oneUsdc)];
  venue.sell(other, btcPerp, 10_000, 100);
  venue.buy(own, btcPerp, 10_000, 70);
  venue.buy(own, ccUsdc, 1500, 1000, { clientId: "spot" });
  venue.registerKey(own, 3);
  return venue.state;
}

test("every field that a decision may depend on changes the state hash", () => {
  const changes: Record<string, (state: VenueState) => void> = {
    seq: (state) => state.seq++,
    time: (state) => state.tsUs++,
    orderIds: (state) => state.nextOrderId++,
    tradeIds: (state) => state.nextTradeId++,
    type: (state) => state.accounts.setType(1001, AccountType.wallet),
    flags: (state) => state.accounts.setFlags(1001, 1),
    tie: (state) => state.accounts.tie(1001, AccountTie.referral),
    closed: (state) => state.accounts.close(1002),
    total: (state) => state.balances.add(1001, Wallet.funding, 3, 1n),
    highTotal: (state) => state.balances.add(1001, Wallet.funding, 3, 1n << 40n),
    reserved: (state) => state.balances.reserve(1001, Wallet.funding, 3, 1n),
    position: (state) =>
      state.positions.set(1001, btcPerp, { qty: 71, entryValue: 70_000_000n / 10n, pnl: 0n }),
    profit: (state) => {
      const entryValue = state.positions.entryValue(1001, btcPerp);
      state.positions.set(1001, btcPerp, { qty: 70, entryValue, pnl: 1n });
    },
    leverage: (state) => state.positions.setLeverage(1002, btcPerp, 9),
    status: (state) => state.marketStatus.fill(1, 0, 1),
    market: (state) => {
      state.marketCount++;
    },
    lastPrice: (state) => state.lastPrice.fill(7, 0, 1),
    deposited: (state) => state.deposited.fill(7n, 3),
    key: (state) => state.keys.revoke(3),
    session: (state) =>
      state.sessions.open({ sessionId: 9, account: 1001, expiresUs: 7, keyId: 0 }),
    clientId: (state) => state.clientIds?.open(1002, "more", 900),
    order: (state) => state.orders.filledQty.fill(1),
    margin: (state) => state.orders.marginLots.fill(1),
  };
  const hash = stateHash(venueWithAll());
  assert.match(hash, /^[0-9a-f]{16}$/);
  assert.equal(stateHash(venueWithAll()), hash);
  for (const [name, change] of Object.entries(changes)) {
    const state = venueWithAll();
    change(state);
    assert.notEqual(stateHash(state), hash, name);
  }
});

test("slots and their history do not change the state hash", () => {
  const first = new TestVenue();
  const second = new TestVenue();
  for (const venue of [first, second]) venue.fund(1000n * oneUsdc);
  // The second venue has freed slot 0 once and then given it to an order that stays pending, so its other orders get
  // other slots.
  const order = { account: 1001, market: btcPerp, side: 0, price: 10_000, qty: 1 } as const;
  second.state.orders.free(second.state.orders.allocate());
  second.state.orders.allocate();
  for (const venue of [first, second]) {
    venue.nowUs = 2_000_000_000_000_000;
    venue.place(order);
    venue.place(order);
  }
  assert.notEqual(first.state.orders.slotOf(1), second.state.orders.slotOf(1));
  assert.equal(stateHash(second.state), stateHash(first.state));
});
