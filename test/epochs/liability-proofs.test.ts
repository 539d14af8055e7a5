// Proves that a member's leaves are found in stored trees of every size, that the verifier accepts their paths, and that a
// changed tile gives an error instead of a proof.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { LiabilityTile } from "../../src/ports/journal/liability-store.ts";
import { accountKeyOf, epochKeyOf } from "../../src/services/epochs/liability-keys.ts";
import { LiabilityProofs, type StatedTree } from "../../src/services/epochs/liability-proofs.ts";
import { verifyLiabilities } from "../../src/services/epochs/liability-verifier.ts";
import {
  type SampleAccount,
  type SampleTerms,
  sampleDocument,
  treeOf,
} from "../support/epochs/stated-sample.ts";
import { readerOf, tilesOf } from "../support/epochs/stored-sample.ts";

const sha256 = (data: Uint8Array) => createHash("sha256").update(data).digest();
const epoch = 29_922_618;
const epochKey = Buffer.from(epochKeyOf(Buffer.alloc(32, 3), epoch));
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** A venue with this many members, each with the same balance of one asset, and every other one with a second asset. */
function venueOf(members: number): SampleTerms {
  const accounts = Array.from({ length: members }, (_, index): SampleAccount => {
    const amounts = { USDC: 10n ** 15n, ...(index % 2 === 0 && { CC: 2n ** 90n }) };
    return { account: 1_000 + index, fingerprint: hex(sha256(Buffer.from(`${index}`))), amounts };
  });
  const assets = [
    { asset: "USDC", number: 0, decimals: 6 },
    { asset: "CC", number: 1, decimals: 10 },
  ];
  return { epoch, seq: 9, venue: "venue", epochKey, assets, accounts };
}

/** The trees as a statement has them, and their tiles. */
function stored(terms: SampleTerms): { trees: StatedTree[]; tiles: LiabilityTile[] } {
  const made = terms.assets.map((asset) => treeOf(terms, asset));
  const trees = made.map(({ asset: { asset, number }, tree: { root, leaves } }) => {
    const stated = { root: hex(root.hash), total: `${root.sum}` };
    return { asset, number, leaves: leaves.length, ...stated };
  });
  return { trees, tiles: made.flatMap(tilesOf) };
}

function proofsOf(tiles: readonly LiabilityTile[]): LiabilityProofs {
  return new LiabilityProofs(readerOf(epoch, tiles), async () => {});
}

/** The member's part of the answer, as the route makes it. */
async function ownPart(
  terms: SampleTerms,
  { trees, tiles }: { trees: readonly StatedTree[]; tiles: readonly LiabilityTile[] },
  { account, fingerprint }: SampleAccount,
) {
  const key = accountKeyOf(epochKey, account);
  const amounts = await proofsOf(tiles).own(terms.epoch, trees, key);
  assert(amounts !== null);
  const assets = amounts.map(({ tree, amount, leaves }) => ({
    ...{ asset: tree.asset, number: tree.number, amount: `${amount}` },
    leaves: leaves.map(({ part, index, amount: sum, path }) => ({
      ...{ part, index, amount: `${sum}` },
      path: path.map((node) => ({ hash: hex(node.hash), sum: `${node.sum}` })),
    })),
  }));
  return { account, fingerprint, key: hex(key), assets };
}

// 64, 128, 256, 512 and 1024 leaves: below, at and above the size of a tile.
for (const members of [3, 60, 120, 250, 400]) {
  test(`LIA-32 the leaves of each of ${members} members are found and verify`, async () => {
    const terms = venueOf(members);
    const rows = stored(terms);
    const shared = sampleDocument(terms);
    for (const member of terms.accounts.slice(0, 20)) {
      const document = { ...shared, ...(await ownPart(terms, rows, member)) };
      const verdict = await verifyLiabilities(document, { sha256, ...member });
      assert(verdict.isValid, JSON.stringify(verdict.steps.at(-1)));
      const owed = verdict.balances.map(({ asset }) => asset);
      assert.deepEqual(owed, Object.keys(member.amounts));
    }
  });
}

test("LIA-33 among 40,000 members a leaf with its path has at most 4 kB", async (context) => {
  const terms = venueOf(40_000);
  const rows = stored(terms);
  const member = terms.accounts[31_416];
  assert(member !== undefined);
  const own = await ownPart(terms, rows, member);
  const bytes = own.assets.flatMap(({ leaves }) =>
    leaves.map((leaf) => JSON.stringify(leaf).length),
  );
  context.diagnostic(`leaves of ${bytes.join(", ")} bytes`);
  assert.equal(bytes.length, 4);
  assert(bytes.every((length) => length <= 4_000));
  const document = { ...sampleDocument(terms), ...own };
  assert((await verifyLiabilities(document, { sha256 })).isValid);
});

test("LIA-32 a member without amounts has no leaves, and trees that are gone give none", async () => {
  const terms = venueOf(3);
  const { trees, tiles } = stored(terms);
  const key = accountKeyOf(epochKey, 7);
  assert.deepEqual(await proofsOf(tiles).own(epoch, trees, key), []);
  assert.equal(await proofsOf(tiles).own(epoch - 1, trees, key), null);
  const own = accountKeyOf(epochKey, 1_000);
  const larger = venueOf(400);
  const kept = stored(larger);
  const leavesOnly = kept.tiles.filter(({ level }) => level === 0);
  assert.equal(await proofsOf(leavesOnly).own(epoch, kept.trees, own), null);
});

test("LIA-33 a tile that was changed gives an error, never a proof", async () => {
  const terms = venueOf(400);
  const { trees, tiles } = stored(terms);
  const key = accountKeyOf(epochKey, 1_001);
  for (const level of [0, 8]) {
    const changed = tiles.map((tile) => {
      if (tile.level !== level) return tile;
      const nodes = Buffer.from(tile.nodes);
      nodes.writeUInt8(nodes.readUInt8(nodes.length - 1) ^ 1, nodes.length - 1);
      return { ...tile, nodes };
    });
    await assert.rejects(proofsOf(changed).own(epoch, trees, key), /stored tree|tile above it/);
  }
  assert.equal((await proofsOf(tiles).own(epoch, trees, key))?.length, 1);
});
