// Proves that the published vectors of liabilities are what docs/spec/liabilities.md describes. UPDATE_REFERENCE=1 writes
// them; they must never change once a venue has stated with them.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { SystemAccount } from "../../src/core/accounts.ts";
import { digestOf, digestWordsOf } from "../../src/engine/epochs/statement-digest.ts";
import {
  digestOfStatement,
  type StatedAsset,
  statementText,
} from "../../src/services/epochs/liability-statement.ts";
import {
  accountKeyOf,
  bigEndian,
  epochKeyOf,
  liabilityKeyOf,
  NaiveSumTree,
  type StatedAmount,
} from "../support/epochs/naive-liabilities.ts";
import { cc, marketId, testMarkets, usdc } from "../support/machine/test-markets.ts";
import { projectRoot } from "../support/tidy/tree.ts";

const page = join(projectRoot, "test/vectors/liabilities.json");
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

const nonceKey = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
const epoch = 29_833_333;
const seq = 4_711;
const nobody = new Uint8Array(32);
const [first, second] = [0xa1, 0xb2].map((byte) => new Uint8Array(32).fill(byte));
const fingerprints = new Map([
  [1001, first as Uint8Array],
  [1002, second as Uint8Array],
]);

/** Minor units by account: two members with equal balances of one asset, of whom one owes the other one. */
const amounts: readonly (readonly [asset: typeof usdc, byAccount: ReadonlyMap<number, bigint>])[] =
  [
    [
      usdc,
      new Map([
        [SystemAccount.insurance, 250_000_000_000n],
        [1001, 1_500_000n],
        [1002, 1_500_000n],
      ]),
    ],
    [
      cc,
      new Map([
        [1001, 123_456_789_012_345_678n],
        [1002, -700_000_001n],
      ]),
    ],
  ];

function statedOf(byAccount: ReadonlyMap<number, bigint>): StatedAmount[] {
  return [...byAccount].map(([account, amount]) => {
    return { account, fingerprint: fingerprints.get(account) ?? nobody, amount };
  });
}

function made() {
  const epochKey = epochKeyOf(nonceKey, epoch);
  const trees = amounts.map(([asset, byAccount]) => {
    const tree = new NaiveSumTree({ epoch, epochKey }, asset.id, statedOf(byAccount));
    return { asset, byAccount, tree };
  });
  const assets = trees.map(({ asset, byAccount, tree }): StatedAsset => {
    const { hash: root, sum: total } = tree.root;
    const insurance = byAccount.get(SystemAccount.insurance) ?? 0n;
    const held = { holdings: 2_500_100_000_000_000n, inFlight: -1n, claims: 0n };
    const surplus = held.holdings + held.inFlight - (total - tree.shortfall) * 10_000n;
    const known = asset === usdc ? { ...held, surplus } : null;
    const sums = { root, total, shortfall: tree.shortfall, insurance, faucetDebt: 0n };
    return { asset, leaves: tree.leaves.length, ...sums, held: known };
  });
  const marks = new Float64Array(testMarkets.markets.length);
  marks[marketId.btcPerp] = 6_000_000;
  const statement = statementText({
    ...{ venue: "venue-devnet", epoch, seq, assets, marks, table: testMarkets },
    ledgerOffset: 815,
  });
  const digest = digestOfStatement(statement);
  const words = digestWordsOf(digest);
  return {
    nonce_key: hex(nonceKey),
    liability_key: hex(liabilityKeyOf(nonceKey)),
    epoch: String(epoch),
    epoch_key: hex(epochKey),
    statement,
    digest: hex(digest),
    event: {
      ...{ epoch: String(epoch), stated_seq: String(seq) },
      digest_words: Object.values(words).map(String),
    },
    accounts: [SystemAccount.insurance, 1001, 1002].map((account) => ({
      ...{ account, fingerprint: hex(fingerprints.get(account) ?? nobody) },
      key: hex(accountKeyOf(epochKey, account)),
      assets: trees.map(({ asset, byAccount, tree }) => ({
        ...{ asset: asset.code, number: asset.id },
        amount: String(byAccount.get(account) ?? 0n),
        leaves: leavesOf(tree, account),
      })),
    })),
    trees: trees.map(({ asset, tree }) => ({
      ...{ asset: asset.code, number: asset.id },
      leaves: tree.leaves.map(({ tag, hash, sum }) => [hex(tag), hex(hash), String(sum)]),
      root: { hash: hex(tree.root.hash), sum: String(tree.root.sum) },
      shortfall: String(tree.shortfall),
    })),
  };
}

function leavesOf(tree: NaiveSumTree, account: number) {
  const found = tree.leaves.flatMap(({ of, ...leaf }, index) => {
    if (of?.account !== account) return [];
    const path = tree.path(index).map(({ hash, sum }) => ({ hash: hex(hash), sum: String(sum) }));
    const { tag, hash, sum } = leaf;
    const bytes = { salt: hex(of.salt), tag: hex(tag), hash: hex(hash) };
    return [{ part: of.part, index, amount: String(sum), ...bytes, path }];
  });
  return found.sort((one, other) => one.part - other.part);
}

test("LIA-1 LIA-8 the published vectors of liabilities are made as described", () => {
  const vectors = made();
  if (process.env["UPDATE_REFERENCE"] === "1")
    writeFileSync(page, `${JSON.stringify(vectors, null, 2)}\n`);
  assert.deepEqual(vectors, JSON.parse(readFileSync(page, "utf8")));
});

test("LIA-1 two members with equal balances have different leaves, and their parts differ", () => {
  const [tree] = made().trees;
  const sums = tree?.leaves.filter(([, , sum]) => sum !== "0").map(([, , sum]) => sum) ?? [];
  assert.equal(sums.length, 6);
  assert.equal(new Set(sums).size, 6);
});

test("LIA-2 the words of a digest are its bytes", () => {
  const digest = digestOfStatement("any text");
  assert.deepEqual(digestOf(digestWordsOf(digest)), new Uint8Array(digest));
  assert.equal(digestWordsOf(bigEndian(2n ** 255n, 32)).digestFirst, -(2n ** 63n));
});
