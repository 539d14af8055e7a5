// Snapshots: a restored state equals the original, and an inconsistent snapshot is refused.

import assert from "node:assert/strict";
import { test } from "node:test";
import { marketId, oneUsdc, testMarkets } from "../../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../../test/support/machine/test-venue.ts";
import { Wallet } from "../../../core/accounts.ts";
import { AssertionFailure } from "../../../core/assert.ts";
import { CommandKind } from "../../../core/generated/commands.ts";
import type { MatchRequest } from "../../../core/generated/messages.ts";
import { MarketStatus } from "../../../core/markets.ts";
import { stateHash } from "../../state-hash.ts";
import { restingOrders, restingOrdersOf } from "./resting-orders.ts";
import { captureState, restoreState, type VenueSnapshot } from "./venue-snapshot.ts";

const { btcPerp, ccUsdc, ethPerp } = marketId;

/** A venue with orders, positions, closed client ids, a key and changed settings. */
function fullVenue(): TestVenue {
  const venue = new TestVenue();
  const [own, other] = [venue.fund(1000n * oneUsdc), venue.fund(1000n * oneUsdc)];
  venue.setLeverage(own, btcPerp, 20);
  venue.setLeverage(other, ethPerp, 3);
  venue.sell(other, btcPerp, 10_000, 100);
  venue.buy(own, btcPerp, 10_000, 70, { clientId: "taker" });
  venue.sell(own, btcPerp, 11_000, 100, { clientId: "closes-most" });
  venue.buy(own, ccUsdc, 1500, 1000, { clientId: "spot" });
  venue.cancel(own, ccUsdc, venue.buy(own, ccUsdc, 1400, 1000, { clientId: "gone" }));
  venue.registerKey(own, 3);
  venue.done({ kind: CommandKind.setMarketStatus, market: ethPerp, status: MarketStatus.halted });
  venue.setFlags(other, 5);
  return venue;
}

test("a restored state has the same hash, holds, lists and client ids", () => {
  const { state } = fullVenue();
  const restored = restoreState(testMarkets, captureState(state));
  assert.equal(stateHash(restored), stateHash(state));
  assert.deepEqual(captureState(restored), captureState(state));
  assert.equal(
    restored.balances.reserved(1001, Wallet.perp, 0),
    state.balances.reserved(1001, Wallet.perp, 0),
  );
  assert.equal(restored.positions.openInterest(btcPerp), 70);
  assert(restored.clientIds?.isUsed(1001, "gone", state.tsUs));
});

test("a snapshot does not change when the state it was taken from changes later", () => {
  const venue = fullVenue();
  const snapshot = captureState(venue.state);
  const before = stateHash(venue.state);
  venue.buy(1001, btcPerp, 10_000, 30);
  venue.registerKey(1001, 4);
  assert.equal(stateHash(restoreState(testMarkets, snapshot)), before);
});

test("a read model can be restored without remembered client ids, but clearing cannot", () => {
  const snapshot = captureState(fullVenue().state);
  const reader = restoreState(testMarkets, snapshot, { remembersClientIds: false });
  assert.equal(reader.clientIds, null);
  const forgetful = captureState(reader);
  assert.equal(forgetful.clientIds, null);
  assert.throws(() => restoreState(testMarkets, forgetful), AssertionFailure);
});

test("a snapshot in another format, or with inconsistent contents, is refused", () => {
  const harms: ((snapshot: VenueSnapshot) => void)[] = [
    (snapshot) => snapshot.format++,
    (snapshot) => {
      snapshot.balances.total[0] = (snapshot.balances.total[0] ?? 0n) + 1n;
    },
    (snapshot) => {
      snapshot.positions.entryValue[0] = (snapshot.positions.entryValue[0] ?? 0n) - 1n;
    },
    (snapshot) => {
      snapshot.deposited[0] = 1n;
    },
    (snapshot) => {
      snapshot.orders.filledQty.set(snapshot.orders.qty);
    },
    (snapshot) => {
      snapshot.orders.marginLots.fill(1e9);
    },
    (snapshot) => {
      snapshot.orders.qty.fill(99_000_000);
    },
    (snapshot) => {
      snapshot.orders.orderId.reverse();
    },
  ];
  for (const harm of harms) {
    const snapshot = captureState(fullVenue().state);
    harm(snapshot);
    assert.throws(() => restoreState(testMarkets, snapshot), AssertionFailure);
  }
});

test("the books can be restored from a snapshot alone, in the slots of the restored state", () => {
  const snapshot = captureState(fullVenue().state);
  const stored: MatchRequest[] = [];
  restingOrdersOf(snapshot, (order) => stored.push({ ...order }));
  assert.ok(stored.length > 1);
  const restored: MatchRequest[] = [];
  const state = restoreState(testMarkets, snapshot);
  restingOrders(state, (order) => restored.push({ ...order }));
  assert.deepEqual(stored, restored);
});
