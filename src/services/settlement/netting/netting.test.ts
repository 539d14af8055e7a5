// Netting compared with a simple ledger: paying the net amounts leaves both parties with the same coins as paying each
// fill and fee.

import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { AssertionFailure } from "../../../core/assert.ts";
import { type FillTerms, netHash, netLegs, PairNet, type PartyPair, pairOf } from "./netting.ts";

const custody = "custody::1220aa";
const wallet = "alice::1220bb";
const other = "bob::1220cc";
const usdc = 0;
const cc = 1;

/** Accounts 1001 to 1003. */
function accountOf(party: string): number {
  return 1001 + [custody, wallet, other].indexOf(party);
}

function fill(
  tradeId: number,
  buyer: string,
  seller: string,
  more: Partial<FillTerms> = {},
): FillTerms {
  const amounts = { baseAmount: 1_000n, quoteAmount: 150n, buyerFee: 0n, sellerFee: 0n };
  const accounts = { buyerAccount: accountOf(buyer), sellerAccount: accountOf(seller) };
  const assets = { base: cc, quote: usdc };
  return { tradeId, market: 0, buyer, seller, ...accounts, ...assets, ...amounts, ...more };
}

function pair(one: string, two: string): PartyPair {
  const found = pairOf(one, two);
  assert(found !== null);
  return found;
}

test("a pair is the same from either side, and one party alone is not a pair", () => {
  assert.deepEqual(pair(wallet, custody), pair(custody, wallet));
  assert.equal(pairOf(custody, custody), null);
});

test("a wallet that buys from custody receives its coins less its fee", () => {
  const legs = netLegs(
    [fill(1, wallet, custody, { buyerFee: 7n })],
    pair(wallet, custody),
    custody,
  );
  assert.deepEqual(legs, [
    { asset: usdc, sender: wallet, receiver: custody, amount: 150n },
    { asset: cc, sender: custody, receiver: wallet, amount: 993n },
  ]);
});

test("custody's own fee does not move on the ledger", () => {
  const bought = fill(1, custody, wallet, { buyerFee: 7n, sellerFee: 2n });
  assert.deepEqual(netLegs([bought], pair(wallet, custody), custody), [
    { asset: usdc, sender: custody, receiver: wallet, amount: 148n },
    { asset: cc, sender: wallet, receiver: custody, amount: 1_000n },
  ]);
});

test("if custody is the net receiver, the fee adds to what the wallet sends", () => {
  const fills = [
    fill(1, wallet, custody, { buyerFee: 1n }),
    fill(2, custody, wallet, { baseAmount: 3_000n, quoteAmount: 450n }),
  ];
  const [, coins] = netLegs(fills, pair(wallet, custody), custody);
  assert.deepEqual(coins, { asset: cc, sender: wallet, receiver: custody, amount: 2_001n });
});

test("opposite fills of equal value leave nothing to pay", () => {
  const fills = [fill(1, wallet, other), fill(2, other, wallet)];
  assert.deepEqual(netLegs(fills, pair(wallet, other), custody), []);
});

test("both payments of a batch may go in one direction, because fills in opposite directions had different prices", () => {
  const fills = [
    fill(1, wallet, other, { quoteAmount: 200n }),
    fill(2, other, wallet, { quoteAmount: 150n, baseAmount: 1_100n }),
  ];
  assert.deepEqual(
    netLegs(fills, pair(wallet, other), custody).map(({ sender }) => sender),
    [wallet, wallet],
  );
});

test("a fill between other parties, or a fee between two wallets, fails an assertion", () => {
  const strange = [fill(1, custody, other)];
  assert.throws(() => netLegs(strange, pair(wallet, custody), custody), AssertionFailure);
  const charged = [fill(1, wallet, other, { buyerFee: 1n })];
  assert.throws(() => netLegs(charged, pair(wallet, other), custody), AssertionFailure);
});

test("SET-12 receipts are listed by account, including fees, and are not netted", () => {
  const fills = [
    fill(1, wallet, custody, { buyerFee: 7n, sellerFee: 2n }),
    fill(2, custody, wallet, { sellerFee: 3n }),
  ];
  assert.deepEqual(receiptsOf(fills), [
    { account: 1, asset: cc, amount: 7n },
    { account: 1, asset: usdc, amount: 5n },
    { account: 1001, asset: usdc, amount: 148n },
    { account: 1001, asset: cc, amount: 1_000n },
    { account: 1002, asset: cc, amount: 993n },
    { account: 1002, asset: usdc, amount: 147n },
  ]);
});

function receiptsOf(fills: readonly FillTerms[]) {
  const net = new PairNet(pair(wallet, custody), custody);
  for (const each of fills) net.add(each);
  return net.receipts().sort((one, two) => one.account - two.account);
}

const amount = fc.bigInt({ min: 1n, max: 10n ** 15n });
const anyFill = fc.record({
  isBuyer: fc.boolean(),
  base: fc.integer({ min: 1, max: 3 }),
  baseAmount: amount,
  quoteAmount: amount,
  feePermille: fc.bigInt({ min: 0n, max: 1_000n }),
});

type AnyFill = typeof anyFill extends fc.Arbitrary<infer Row> ? Row : never;

function fillsOf(rows: readonly AnyFill[]): FillTerms[] {
  return rows.map(({ isBuyer, base, baseAmount, quoteAmount, feePermille }, index) => {
    const [buyer, seller] = isBuyer ? [wallet, custody] : [custody, wallet];
    const fees = {
      buyerFee: (baseAmount * feePermille) / 1_000n,
      sellerFee: (quoteAmount * feePermille) / 1_000n,
    };
    return fill(index + 1, buyer, seller, { base, baseAmount, quoteAmount, ...fees });
  });
}

test("paying the net leaves both parties with the same coins as paying each fill", () => {
  fc.assert(
    fc.property(fc.array(anyFill, { maxLength: 40 }), (rows) => {
      const fills = fillsOf(rows);
      // What custody owes the wallet, by asset; negative if the wallet owes custody.
      const purse = new Map<number, bigint>();
      const get = (asset: number, value: bigint) =>
        purse.set(asset, (purse.get(asset) ?? 0n) + value);
      for (const { buyer, base, baseAmount, quoteAmount, buyerFee, sellerFee } of fills) {
        const isBuyer = buyer === wallet;
        get(base, isBuyer ? baseAmount - buyerFee : -baseAmount);
        get(usdc, isBuyer ? -quoteAmount : quoteAmount - sellerFee);
      }
      const legs = netLegs(fills, pair(wallet, custody), custody);
      for (const { asset, receiver, amount: paid } of legs) {
        assert(paid > 0n);
        get(asset, receiver === wallet ? -paid : paid);
      }
      assert.ok([...purse.values()].every((left) => left === 0n));
      assert.ok(legs.length <= purse.size);
    }),
  );
});

test("SET-12 every receipt of custody is locked on an account", () => {
  fc.assert(
    fc.property(fc.array(anyFill, { maxLength: 40 }), (rows) => {
      const fills = fillsOf(rows);
      const receipts = receiptsOf(fills).filter(({ account }) => account !== accountOf(wallet));
      const heldOf = (asset: number) =>
        receipts.reduce((sum, each) => sum + (each.asset === asset ? each.amount : 0n), 0n);
      const legs = netLegs(fills, pair(wallet, custody), custody);
      const toCustody = legs.filter(({ receiver }) => receiver === custody);
      assert.ok(toCustody.every((leg) => heldOf(leg.asset) >= leg.amount));
    }),
  );
});

test("the hash of a batch changes with every payment and every fill, and with nothing else", () => {
  const legs = netLegs([fill(1, wallet, custody)], pair(wallet, custody), custody);
  const hash = netHash(legs, [1, 12, 2]);
  assert.equal(netHash([...legs].reverse(), [12, 2, 1]), hash);
  assert.notEqual(netHash(legs, [1, 12]), hash);
  assert.notEqual(netHash(legs, [11, 2, 2]), hash);
  assert.notEqual(netHash(legs.slice(1), [1, 12, 2]), hash);
});
