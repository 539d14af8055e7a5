// Proves that the fast sum trees are those of the specification (test/support/epochs/naive-liabilities.ts), whatever the
// amounts, and that what they commit to changes their roots.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { accountKeyOf, epochKeyOf } from "../../src/services/epochs/liability-keys.ts";
import { leafOrder } from "../../src/services/epochs/liability-order.ts";
import { LiabilityTrees } from "../../src/services/epochs/liability-trees.ts";
import { NaiveSumTree, type StatedAmount } from "../support/epochs/naive-liabilities.ts";
import { projectRoot } from "../support/tidy/tree.ts";

const epoch = 29_833_333;
const asset = 1;
const nonceKey = new Uint8Array(32).fill(7);
const epochKey = epochKeyOf(nonceKey, epoch);
const nobody = new Uint8Array(32);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

function fastOf(stated: readonly StatedAmount[], key = epochKey) {
  const owned = {
    accounts: Int32Array.from(stated, ({ account }) => account),
    byAsset: [new BigInt64Array(), BigInt64Array.from(stated, ({ amount }) => amount)],
    marks: new Float64Array(),
  };
  const fingerprints = new Map(stated.map(({ account, fingerprint }) => [account, fingerprint]));
  const trees = new LiabilityTrees(epoch, key, owned, (one) => fingerprints.get(one) ?? null);
  return { ...trees.build(asset), tiles: trees.tiles };
}

/** The stored bytes of one level. */
function levelOf({ tiles }: ReturnType<typeof fastOf>, level: number): string {
  const some = tiles.filter((tile) => tile.level === level);
  return some.map(({ nodes }) => hex(nodes)).join("");
}

function naiveLevel(tree: NaiveSumTree, level: number): string {
  const nodes = tree.levels[level] ?? [];
  const tags = level === 0 ? tree.leaves.map(({ tag }) => hex(tag)) : nodes.map(() => "");
  return nodes
    .map(({ hash, sum }, index) => tags[index] + hex(hash) + sum.toString(16).padStart(32, "0"))
    .join("");
}

function assertAgree(stated: readonly StatedAmount[]): void {
  const naive = new NaiveSumTree({ epoch, epochKey }, asset, stated);
  const fast = fastOf(stated);
  assert.equal(fast.leaves, naive.leaves.length);
  assert.equal(hex(fast.root), hex(naive.root.hash));
  assert.equal(fast.total, naive.root.sum);
  assert.equal(fast.shortfall, naive.shortfall);
  for (let level = 0; 2 ** level <= naive.leaves.length; level += 8)
    assert.equal(levelOf(fast, level), naiveLevel(naive, level), `level ${level}`);
}

const amount = fc.oneof(
  fc.constantFrom(0n, 1n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 32n, 2n ** 53n),
  fc.bigInt({ min: -1_000n, max: 10n ** 12n }),
);
const fingerprint = fc.oneof(fc.constant(nobody), fc.uint8Array({ minLength: 32, maxLength: 32 }));

function statedAccounts(maxLength: number) {
  return fc.uniqueArray(
    fc.record({ account: fc.integer({ min: 1, max: 2 ** 31 - 1 }), fingerprint, amount }),
    { selector: ({ account }) => account, maxLength },
  );
}

test("LIA-1 LIA-5 LIA-6 trees of any accounts are those of the specification", () => {
  fc.assert(fc.property(statedAccounts(70), assertAgree), { numRuns: 150 });
});

function manyAccounts(count: number): StatedAmount[] {
  return Array.from({ length: count }, (_, index) => {
    const drawn = Buffer.alloc(32, index & 255);
    return { account: 1_001 + index, fingerprint: drawn, amount: BigInt(index) * 7_777_777n - 5n };
  });
}

test("LIA-6 trees have the smallest power of two of leaves, at least 64", () => {
  const sizes = [0, 1, 32, 33, 64, 65, 129, 300].map((count) => {
    // The first account owes.
    const stated = manyAccounts(count + 1).slice(0, count === 0 ? 0 : count + 1);
    assertAgree(stated);
    return fastOf(stated).leaves;
  });
  assert.deepEqual(sizes, [64, 64, 64, 128, 128, 256, 512, 1024]);
});

test("LIA-1 a changed amount, account, fingerprint or epoch key changes the root", () => {
  const change = fc.constantFrom("amount", "account", "fingerprint", "key");
  const property = fc.property(statedAccounts(9), fc.nat(), change, (stated, drawn, what) => {
    const positive = stated.filter((one) => one.amount > 0n && one.amount < 2n ** 62n);
    const chosen = positive[drawn % Math.max(positive.length, 1)];
    fc.pre(chosen !== undefined && stated.every(({ account }) => account !== chosen.account + 1));
    const changes = {
      amount: { ...chosen, amount: chosen.amount + 1n },
      account: { ...chosen, account: chosen.account + 1 },
      fingerprint: { ...chosen, fingerprint: chosen.fingerprint.map((byte) => byte ^ 1) },
      key: chosen,
    };
    const other = stated.map((one) => (one === chosen ? changes[what] : one));
    const key = what === "key" ? epochKeyOf(nonceKey, epoch + 1) : epochKey;
    assert.notEqual(hex(fastOf(stated).root), hex(fastOf(other, key).root));
  });
  fc.assert(property, { numRuns: 100 });
});

test("LIA-5 an account below zero is in the shortfall and lowers nobody's leaves", () => {
  const [rich, poor] = [
    { account: 1001, fingerprint: nobody, amount: 500n },
    { account: 1002, fingerprint: nobody, amount: -200n },
  ];
  const both = fastOf([rich, poor]);
  const alone = fastOf([rich]);
  assert.equal(both.shortfall, 200n);
  assert.equal(both.total, 500n);
  assert.equal(hex(both.root), hex(alone.root));
});

test("LIA-6 leaves of equal tags are ordered by hash", () => {
  const width = 56;
  const bytes = new Uint8Array(4 * width);
  // Two share a tag, and a third one has the same first 44 bits.
  const tags = ["00000000000fffff", "0000000000000001", "00000000000fffff", "0000000000000000"];
  for (const [index, tag] of tags.entries()) {
    bytes.set(Buffer.from(tag, "hex"), index * width);
    bytes[index * width + 8] = 9 - index;
  }
  assert.deepEqual([...leafOrder(new Uint32Array(bytes.buffer), width / 4)], [3, 1, 2, 0]);
});

test("LIA-7 the keys and roots are those of the published vectors", () => {
  const vectors = JSON.parse(
    readFileSync(join(projectRoot, "test/vectors/liabilities.json"), "utf8"),
  );
  const given = (text: string) => Buffer.from(text, "hex");
  const key = epochKeyOf(given(vectors.nonce_key), Number(vectors.epoch));
  assert.equal(hex(key), vectors.epoch_key);
  for (const { account, key: own } of vectors.accounts)
    assert.equal(hex(accountKeyOf(key, account)), own);
  for (const { number, root, leaves } of vectors.trees) {
    const accounts = vectors.accounts.map((one: { account: number }) => one.account);
    const column = vectors.accounts.map((one: { assets: { number: number; amount: string }[] }) =>
      BigInt(one.assets.find((each) => each.number === number)?.amount ?? 0),
    );
    const byAsset = [0, 1].map((id) => BigInt64Array.from(id === number ? column : []));
    const owned = { accounts: Int32Array.from(accounts), byAsset, marks: new Float64Array() };
    const prints = new Map(
      vectors.accounts.map((one: { account: number; fingerprint: string }) => [
        one.account,
        given(one.fingerprint),
      ]),
    ) as Map<number, Uint8Array>;
    const trees = new LiabilityTrees(epoch, key, owned, (one) => prints.get(one) ?? null);
    const tree = trees.build(number);
    assert.deepEqual({ hash: hex(tree.root), sum: String(tree.total) }, root);
    assert.equal(trees.tiles[0]?.nodes.length, leaves.length * 56);
  }
});
