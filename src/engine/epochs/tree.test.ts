// The tree compared with the reference vectors of RFC 6962, and checked by a verifier in this file, which shares no
// code with the tree: for trees of many sizes the proof of every leaf is valid, and no proof with a flipped bit is.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { sha256Into } from "../../services/epochs/leaf-hasher.ts";
import { auditPath, planPath, tilesOf } from "./audit-path.ts";
import { hashBytes, TreeHasher } from "./tree-hash.ts";
import { type OpenTree, type Tile, TreeBuilder } from "./tree-tiles.ts";

const hasher = new TreeHasher(sha256Into);
const sha256 = (...parts: Uint8Array[]): Buffer =>
  createHash("sha256").update(Buffer.concat(parts)).digest();
const leafHash = (data: Uint8Array) => sha256(Uint8Array.of(0), data);
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

interface Built {
  readonly root: Uint8Array;
  readonly tiles: ReadonlyMap<string, Uint8Array>;
}

const nameOf = ({ level, tile }: { level: number; tile: number }) => `${level}/${tile}`;

/** Builds the tree in two parts, split at `cut`, like a sealer that restarts in between. */
function build(leaves: readonly Uint8Array[], cut = 0): Built {
  const tiles = new Map<string, Uint8Array>();
  const take = (tile: Tile) => {
    assert(!tiles.has(nameOf(tile)), "each tile must be emitted only once");
    tiles.set(nameOf(tile), tile.hashes);
  };
  const first = new TreeBuilder(hasher, take);
  for (const leaf of leaves.slice(0, cut)) first.append(leaf, 0);
  const open: OpenTree = structuredClone(first.open());
  const second = new TreeBuilder(hasher, take, open);
  for (const leaf of leaves.slice(cut)) second.append(leaf, 0);
  assert.equal(second.size, leaves.length);
  return { root: second.finish(), tiles };
}

function pathOf({ tiles }: Built, index: number, size: number): Uint8Array[] {
  const plan = planPath(index, size);
  for (const name of tilesOf(plan))
    assert(tiles.has(nameOf(name)), `tile ${nameOf(name)} must be stored`);
  return auditPath(plan, (name) => tiles.get(nameOf(name)), hasher);
}

/** The verification of RFC 9162, 2.1.3.2, in its simplest form. */
function rootFrom(leaf: Uint8Array, path: readonly Uint8Array[], index: number, size: number) {
  let [place, last, hash] = [index, size - 1, leaf];
  for (const sibling of path) {
    if (last === 0) return null;
    if (place % 2 === 1 || place === last) {
      hash = sha256(Uint8Array.of(1), sibling, hash);
      while (place % 2 === 0 && place > 0) {
        place = Math.floor(place / 2);
        last = Math.floor(last / 2);
      }
    } else {
      hash = sha256(Uint8Array.of(1), hash, sibling);
    }
    place = Math.floor(place / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 ? hash : null;
}

function leavesOf(count: number, seed: number): Uint8Array[] {
  return Array.from({ length: count }, (_, place) => leafHash(Buffer.from(`${seed} ${place}`)));
}

// The inputs and roots of the reference implementation's own tests (certificate-transparency).
const inputs = [
  "",
  "00",
  "10",
  "2021",
  "3031",
  "40414243",
  "5051525354555657",
  "606162636465666768696a6b6c6d6e6f",
].map((digits) => leafHash(Buffer.from(digits, "hex")));
const roots = [
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

test("EPO-1 trees of 0 to 8 leaves have the roots of RFC 6962's reference vectors", () => {
  for (const [size, root] of roots.entries()) {
    assert.equal(hex(build(inputs.slice(0, size)).root), root);
  }
});

test("EPO-1 audit paths equal those of RFC 6962's reference vectors", () => {
  const seven = build(inputs.slice(0, 7));
  const paths = new Map([
    [0, ["96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7"]],
    [3, ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]],
  ]);
  assert.equal(hex(pathOf(seven, 0, 7)[0] ?? hasher.empty()), paths.get(0)?.[0]);
  assert.equal(hex(pathOf(seven, 3, 7)[1] ?? hasher.empty()), paths.get(3)?.[0]);
});

test("EPO-1 every leaf of random trees of up to 5,000 leaves has a valid proof", () => {
  const sizes = fc.oneof(
    fc.integer({ min: 1, max: 5_000 }),
    fc.constantFrom(1, 2, 255, 256, 257, 511, 512, 513, 4095, 4096, 4097),
  );
  const property = fc.property(sizes, fc.nat(), fc.nat(), (size, seed, at) => {
    const leaves = leavesOf(size, seed);
    const built = build(leaves, at % size);
    for (const [index, leaf] of leaves.entries()) {
      const path = pathOf(built, index, size);
      assert.deepEqual(rootFrom(leaf, path, index, size), Buffer.from(built.root));
    }
  });
  fc.assert(property, { numRuns: 5 });
});

test("EPO-1 a large tree of three levels of tiles has valid proofs at both ends and in the middle", () => {
  const size = 70_001;
  const leaves = leavesOf(size, 3);
  const built = build(leaves, 66_000);
  assert(built.tiles.has("2/0"));
  for (const index of [0, 255, 256, 65_535, 65_536, 69_999, size - 1]) {
    const path = pathOf(built, index, size);
    const leaf = leaves[index] ?? hasher.empty();
    assert.deepEqual(rootFrom(leaf, path, index, size), Buffer.from(built.root));
  }
});

test("EPO-1 flipping any bit of a leaf or of its path makes the proof invalid", () => {
  const property = fc.property(fc.integer({ min: 1, max: 600 }), fc.nat(), (size, seed) => {
    const leaves = leavesOf(size, seed);
    const built = build(leaves);
    const index = seed % size;
    const whole = Buffer.concat([leaves[index] ?? hasher.empty(), ...pathOf(built, index, size)]);
    for (let bit = seed % 7; bit < whole.length * 8; bit += 7) {
      const bent = Buffer.from(whole);
      bent[bit >> 3] = (bent[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const hashes = Array.from({ length: bent.length / hashBytes }, (_, place) =>
        bent.subarray(place * hashBytes, (place + 1) * hashBytes),
      );
      const [leaf = bent, ...path] = hashes;
      assert.notDeepEqual(rootFrom(leaf, path, index, size), Buffer.from(built.root));
    }
  });
  fc.assert(property, { numRuns: 25 });
});
