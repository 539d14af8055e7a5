// Transfers with idempotency keys: a repeated transfer moves nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { testMarkets } from "../../../test/support/machine/test-markets.ts";
import { TestVenue } from "../../../test/support/machine/test-venue.ts";
import { Wallet } from "../../core/accounts.ts";
import { CommandKind, type Transfer } from "../../core/generated/commands.ts";
import { EventKind } from "../../core/generated/events.ts";
import { requestKeyMemoryMs } from "../../core/limits.ts";
import { RejectReason } from "../../core/reject-reason.ts";
import { captureState, restoreState } from "../state/snapshot/venue-snapshot.ts";
import { stateHash } from "../state-hash.ts";

const key = { high: 5n, low: 6n, payload: 7n };

function transfer(account: number, more: Partial<Transfer> = {}) {
  const wallets = { from: Wallet.spot, to: Wallet.funding };
  return { kind: CommandKind.transfer, account, ...wallets, asset: 0, amount: 100n, key, ...more };
}

function funding(venue: TestVenue, account: number): bigint {
  return venue.state.balances.total(account, Wallet.funding, 0);
}

test("NAT-20 a transfer under an idempotency key moves money once, whatever a repeated request contains", () => {
  const venue = new TestVenue();
  const account = venue.fund(1000n);
  const first = venue.send(transfer(account));
  const moved = venue.events.at(-2);
  assert.equal(moved?.kind, EventKind.transferred);
  assert.deepEqual([first.reason, first.subject, first.isRepeated], [0, moved.seq, false]);
  assert.deepEqual([moved.isTransactionEnd, venue.events.at(-1)?.isTransactionEnd], [false, true]);
  const hash = stateHash(venue.state);
  for (const more of [{}, { amount: 7n }, { amount: -1n }, { from: Wallet.perp }, { asset: 9 }]) {
    const again = venue.send(transfer(account, more));
    assert.deepEqual([again.reason, again.subject, again.isRepeated], [0, moved.seq, true]);
  }
  assert.equal(stateHash(venue.state), hash);
  assert.equal(funding(venue, account), 100n);
  const other = venue.send(transfer(account, { key: { ...key, low: 8n } }));
  assert.equal(other.isRepeated, false);
  assert.equal(funding(venue, account), 200n);
  const stranger = venue.fund(1000n);
  assert.equal(venue.send(transfer(stranger)).isRepeated, false, "keys belong to their account");
});

test("NAT-20 a refused transfer leaves its key unused, and a used key can be used again after a day", () => {
  const venue = new TestVenue();
  const account = venue.fund(1000n);
  const refused = venue.send(transfer(account, { amount: 1001n }));
  assert.equal(refused.reason, RejectReason.insufficientBalance);
  assert.equal(venue.send(transfer(account)).isRepeated, false);
  venue.nowUs += requestKeyMemoryMs * 1000;
  assert.equal(venue.send(transfer(account)).isRepeated, false);
  assert.equal(funding(venue, account), 200n);
});

test("NAT-20 a key survives a restart, and a transfer without a key is always a new one", () => {
  const venue = new TestVenue();
  const account = venue.fund(1000n);
  const { subject } = venue.send(transfer(account));
  const state = restoreState(testMarkets, captureState(venue.state));
  const next = new TestVenue({ state });
  const again = next.send(transfer(account));
  assert.deepEqual([again.subject, again.isRepeated], [subject, true]);
  for (let round = 0; round < 2; round++) {
    const unkeyed = next.send(transfer(account, { key: null }));
    assert.deepEqual([unkeyed.subject, unkeyed.isRepeated], [next.state.seq, false]);
  }
  assert.equal(funding(next, account), 300n);
});
