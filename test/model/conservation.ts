// The checks that end every test at venue level: the invariants of a state, computed from its own figures, and its
// agreement with an auditor of the same events. The caller checks that a replay gives the live state.

import assert from "node:assert/strict";
import { SystemAccount, Wallet } from "../../src/core/accounts.ts";
import type { VenueEvent } from "../../src/core/generated/events.ts";
import { MarketKind } from "../../src/core/markets.ts";
import { Side } from "../../src/core/orders.ts";
import type { VenueState } from "../../src/engine/state/venue-state.ts";
import type { ClearingAuditor } from "./clearing-auditor.ts";

const wallets = Object.values(Wallet);

/**
 * Asserts the sums over a state: each asset is conserved, reserved equals the sum of holds, no spot balance is below
 * its holds, positions sum to zero, and open interest equals the long side. With `isQuiet: false` reserved may be more
 * than the sum of holds, because orders in flight to a matcher also have holds.
 */
export function assertConserved(state: VenueState, { isQuiet = true } = {}): void {
  const sums = state.table.assets.map(() => 0n);
  const add = (asset: number, amount: bigint) => {
    sums[asset] = (sums[asset] ?? 0n) + amount;
  };
  for (const account of accountsOf(state)) {
    assertHolds(state, account, isQuiet);
    for (const wallet of wallets) {
      for (const { id } of state.table.assets) add(id, state.balances.total(account, wallet, id));
    }
    for (const { id, quote } of perpetuals(state)) {
      add(quote.id, -state.positions.entryValue(account, id));
    }
  }
  for (const { id, code } of state.table.assets) {
    assert.equal(sums[id], state.deposited[id], `conservation of ${code} must hold`);
  }
  assertPositions(state);
}

/** Asserts that long and short lots are equal in every market and that open interest is the long side. */
function assertPositions(state: VenueState): void {
  for (const { id, symbol } of perpetuals(state)) {
    const quantities = accountsOf(state).map((account) => state.positions.qty(account, id));
    const sum = (some: number[]) => some.reduce((total, qty) => total + qty, 0);
    const long = sum(quantities.filter((qty) => qty > 0));
    assert.equal(sum(quantities), 0, `positions of ${symbol} must sum to zero`);
    assert.equal(
      state.positions.openInterest(id),
      long,
      `open interest of ${symbol} must be the sum of long positions`,
    );
  }
}

/**
 * Asserts that reserved is the sum of order holds, swap holds and unsettled coins (at least the sum unless `isQuiet`),
 * and that spot and funding balances, except those of the faucet, cover what is reserved.
 */
function assertHolds(state: VenueState, account: number, isQuiet: boolean): void {
  const held = holdsOf(state, account);
  for (const wallet of wallets) {
    for (const { id } of state.table.assets) {
      const reserved = state.balances.reserved(account, wallet, id);
      const unsettled = wallet === Wallet.spot ? state.unsettled.of(account, id) : 0n;
      const swaps = wallet === Wallet.spot ? state.swapHolds.heldOf(account, id) : 0n;
      const sum = (held.get(`${wallet}/${id}`) ?? 0n) + unsettled + swaps;
      assert(isQuiet ? reserved === sum : reserved >= sum, "reserved must be the sum of holds");
      const free = state.balances.free(account, wallet, id);
      const mayOwe = wallet === Wallet.perp || account === SystemAccount.faucet;
      assert(mayOwe || free >= 0n, "the balance must cover spot orders");
    }
  }
}

/** Returns the holds of the account's open orders, by wallet and asset. */
function holdsOf({ orders, table }: VenueState, account: number): Map<string, bigint> {
  const held = new Map<string, bigint>();
  for (let slot = orders.firstOfAccount(account); slot >= 0; slot = orders.nextOfAccount(slot)) {
    const market = table.market(orders.market[slot] ?? 0);
    const isSpot = market.kind === MarketKind.spot;
    const isSale = isSpot && orders.side[slot] === Side.sell;
    const key = `${isSpot ? Wallet.spot : Wallet.perp}/${isSale ? market.base?.id : market.quote.id}`;
    held.set(key, (held.get(key) ?? 0n) + (orders.reserved[slot] ?? 0n));
  }
  return held;
}

/** Asserts that state and auditor have the same balances, holds, positions and open orders. */
export function assertAgreement(state: VenueState, auditor: ClearingAuditor): void {
  assert.equal(state.seq, auditor.seq, "state and auditor must have seen the same events");
  auditor.checkWhole();
  for (const account of accountsOf(state)) {
    for (const wallet of wallets) {
      for (const { id } of state.table.assets) {
        const total = state.balances.total(account, wallet, id);
        assert.equal(
          total,
          auditor.ledger.cash(account, wallet, id),
          "balances differ between state and auditor",
        );
        assert.equal(
          state.unsettled.of(account, id),
          auditor.coins.of(account, id),
          "unsettled coins differ between state and auditor",
        );
      }
    }
    for (const { id } of perpetuals(state)) {
      const position = auditor.ledger.position(account, id);
      assert.equal(
        BigInt(state.positions.qty(account, id)),
        position.qty,
        "positions differ between state and auditor",
      );
      assert.equal(
        state.positions.entryValue(account, id),
        position.entryValue,
        "entry values differ between state and auditor",
      );
      assert.equal(
        state.positions.realisedPnl(account, id),
        position.realised,
        "profits differ between state and auditor",
      );
    }
  }
  for (const { id } of perpetuals(state)) {
    const long = BigInt(state.positions.openInterest(id));
    assert.equal(
      long,
      auditor.ledger.openInterest(id),
      "open interest differs between state and auditor",
    );
  }
  assertOrdersAgree(state, auditor);
}

function assertOrdersAgree(state: VenueState, auditor: ClearingAuditor): void {
  const { orders } = state;
  let count = 0;
  for (const book of auditor.books) {
    for (const order of book.orders) {
      count++;
      const slot = orders.slotOf(order.orderId);
      assert(slot >= 0, "an order that the auditor has open must be open in the state");
      assert.equal(
        orders.remaining(slot),
        order.remaining,
        "remaining lots differ between state and auditor",
      );
      assert.equal(
        orders.reserved[slot],
        auditor.holds.of(order),
        "holds of an order differ between state and auditor",
      );
    }
  }
  assert.equal(orders.openCount, count, "open orders differ between state and auditor");
}

/** Runs all checks on a state that has no orders in flight. */
export function assertSound(state: VenueState, auditor: ClearingAuditor): void {
  assertConserved(state);
  assertAgreement(state, auditor);
}

/** Passes a whole journal to an auditor and returns the number of transactions. */
export function audit(events: Iterable<VenueEvent>, auditor: ClearingAuditor): number {
  for (const event of events) auditor.take(event);
  auditor.checkWhole();
  return auditor.transactions;
}

function accountsOf(state: VenueState): number[] {
  const { accounts } = state;
  const numbers = Array.from({ length: accounts.next }, (_, slot) => accounts.at(slot));
  return numbers.filter((account) => account !== 0);
}

function perpetuals(state: VenueState) {
  return state.table.markets.filter(({ kind }) => kind === MarketKind.perpetual);
}
