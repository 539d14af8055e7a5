// Balances: sums never wrap around, and holds never go below zero.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Wallet } from "../../../core/accounts.ts";
import { AssertionFailure } from "../../../core/assert.ts";
import { accountNumbersMax, assetsMax } from "../../../core/limits.ts";
import { Balances } from "./balances.ts";

const int64Max = 2n ** 63n - 1n;

test("free is total less reserved, separately for each wallet and asset", () => {
  const balances = new Balances();
  balances.add(1001, Wallet.spot, 1, 100n);
  balances.reserve(1001, Wallet.spot, 1, 30n);
  assert.equal(balances.free(1001, Wallet.spot, 1), 70n);
  assert.equal(balances.total(1001, Wallet.perp, 1), 0n);
  assert.equal(balances.total(1001, Wallet.spot, 2), 0n);
  assert.equal(balances.total(1002, Wallet.spot, 1), 0n);
  balances.reserve(1001, Wallet.spot, 1, -30n);
  assert.equal(balances.reserved(1001, Wallet.spot, 1), 0n);
});

test("a balance that would exceed an int64 stops the thread before it wraps around", () => {
  const balances = new Balances();
  balances.add(1001, Wallet.spot, 0, int64Max);
  assert.throws(() => balances.add(1001, Wallet.spot, 0, 1n), AssertionFailure);
  assert.equal(balances.total(1001, Wallet.spot, 0), int64Max);
  balances.add(1002, Wallet.spot, 0, -int64Max - 1n);
  assert.throws(() => balances.add(1002, Wallet.spot, 0, -1n), AssertionFailure);
  assert.throws(() => balances.take(1002, Wallet.spot, 0, 1n), AssertionFailure);
  balances.reserve(1001, Wallet.spot, 0, int64Max);
  assert.throws(() => balances.reserve(1001, Wallet.spot, 0, 1n), AssertionFailure);
});

test("releasing more than was reserved stops the thread", () => {
  const balances = new Balances();
  balances.reserve(1001, Wallet.spot, 0, 5n);
  assert.throws(() => balances.reserve(1001, Wallet.spot, 0, -6n), AssertionFailure);
  assert.equal(balances.reserved(1001, Wallet.spot, 0), 5n);
});

test("an account or asset outside the arrays stops the thread", () => {
  const balances = new Balances();
  assert.throws(() => balances.total(0, Wallet.spot, 0), AssertionFailure);
  assert.throws(() => balances.total(accountNumbersMax, Wallet.spot, 0), AssertionFailure);
  assert.throws(() => balances.total(1001, Wallet.spot, assetsMax), AssertionFailure);
  assert.throws(() => balances.total(1001, Wallet.spot, -1), AssertionFailure);
});
