// Finds a member's leaves in the stored sum trees of a statement, by the tags that only the member's key gives, and makes
// their paths. A path must lead to the stated root and total: a tile that was changed gives an error, never a proof.
// Spec LIA-32, LIA-33.

import { hash } from "node:crypto";
import { assert, present } from "../../core/assert.ts";
import { hashBytes } from "../../engine/epochs/tree-hash.ts";
import type {
  LiabilityReader,
  LiabilityTile,
  LiabilityTileName,
} from "../../ports/journal/liability-store.ts";
import { tileLevels, tileNodes, treePrefix } from "./liability-trees.ts";

/** What a statement says about an asset's tree. */
export interface StatedTree {
  readonly asset: string;
  readonly number: number;
  readonly leaves: number;
  /** 64 hexadecimal digits. */
  readonly root: string;
  /** Minor units, as digits. */
  readonly total: string;
}

interface PathNode {
  readonly hash: Uint8Array;
  readonly sum: bigint;
}

/** One of the two leaves of an amount. */
export interface OwnLeaf {
  readonly part: number;
  readonly index: number;
  readonly amount: bigint;
  /** Siblings from the leaf to the root. */
  readonly path: readonly PathNode[];
}

/** What a member has in an asset's tree, in minor units, above zero. */
export interface OwnAmount {
  readonly tree: StatedTree;
  readonly amount: bigint;
  readonly leaves: readonly OwnLeaf[];
}

/** A leaf that was found, before its path is made. */
interface Place {
  readonly tree: StatedTree;
  readonly part: number;
  readonly index: number;
  /** Hash and sum of the leaves of the tile. */
  readonly nodes: Buffer;
}

const parts = [0, 1];
const saltBytes = 16;
const tagBytes = 8;
const sumBytes = 16;
const nodeBytes = hashBytes + sumBytes;
const leafBytes = tagBytes + nodeBytes;

export class LiabilityProofs {
  readonly #reader: LiabilityReader;
  readonly #nextTurn: () => Promise<void>;

  /** `nextTurn` lets the event loop run between two paths. */
  constructor(reader: LiabilityReader, nextTurn: () => Promise<void>) {
    this.#reader = reader;
    this.#nextTurn = nextTurn;
  }

  /**
   * What the member with this key of the epoch has in the trees; null if the trees of the epoch are not kept any more.
   * Throws if a tile is not what was stated.
   */
  async own(
    epoch: number,
    trees: readonly StatedTree[],
    key: Uint8Array,
  ): Promise<OwnAmount[] | null> {
    const places = await this.#places(epoch, trees, key);
    if (places === null) return null;
    const names = places.flatMap(upperTilesOf);
    const upper = await this.#reader.tiles(epoch, names);
    const tiles = new Map(upper.map((tile) => [keyOf(tile), Buffer.from(tile.nodes)]));
    // The trees were dropped after their leaves were read.
    if (names.some((name) => !tiles.has(keyOf(name)))) return null;
    const found = new Map<StatedTree, OwnLeaf[]>();
    for (const place of places) {
      const leaf = leafAt(place, tiles);
      found.set(place.tree, [...(found.get(place.tree) ?? []), leaf]);
      // A path takes 255 hashes a tile: make one in each turn, so that orders are handled in between.
      await this.#nextTurn();
    }
    return [...found].map(([tree, leaves]) => {
      assert(leaves.length === parts.length, "an amount must have both of its leaves");
      return { tree, amount: leaves.reduce((sum, leaf) => sum + leaf.amount, 0n), leaves };
    });
  }

  /** The places of the leaves that have one of the member's tags. */
  async #places(
    epoch: number,
    trees: readonly StatedTree[],
    key: Uint8Array,
  ): Promise<Place[] | null> {
    const wanted = trees.flatMap((tree) =>
      parts.map((part) => ({ tree, part, asset: tree.number, tag: tagOf(key, tree.number, part) })),
    );
    const tiles = await this.#reader.leafTiles(epoch, wanted);
    const places: Place[] = [];
    for (const [index, { tree, part, tag }] of wanted.entries()) {
      const tile = tiles[index] ?? null;
      if (tile === null) return null;
      const place = placeIn(tile, tag);
      if (place !== null) places.push({ tree, part, ...place });
    }
    return places;
  }
}

/** The tag that orders the leaf of a part among the others. */
function tagOf(accountKey: Uint8Array, asset: number, part: number): Uint8Array {
  const data = Buffer.from([treePrefix.share, ...accountKey, asset, part]);
  return hash("sha256", data, "buffer").subarray(saltBytes, saltBytes + tagBytes);
}

function keyOf({ asset, level, tile }: LiabilityTileName): string {
  return `${asset}/${level}/${tile}`;
}

/** The leaf with a tag, with the nodes of its tile; null if the tile has none. */
function placeIn(tile: LiabilityTile, tag: Uint8Array): Pick<Place, "index" | "nodes"> | null {
  const leaves = Buffer.from(tile.nodes);
  const count = leaves.length / leafBytes;
  const nodes = Buffer.alloc(count * nodeBytes);
  let at = -1;
  for (let leaf = 0; leaf < count; leaf++) {
    const start = leaf * leafBytes;
    if (leaves.compare(tag, 0, tagBytes, start, start + tagBytes) === 0) at = leaf;
    leaves.copy(nodes, leaf * nodeBytes, start + tagBytes, start + leafBytes);
  }
  return at < 0 ? null : { index: tile.tile * tileNodes + at, nodes };
}

/** The tiles above the one of the leaf, up to the root. */
function upperTilesOf({ tree, index }: Place): LiabilityTileName[] {
  const names: LiabilityTileName[] = [];
  for (let level = tileLevels; tree.leaves / 2 ** level > 1; level += tileLevels) {
    const tile = Math.floor(index / 2 ** (level + tileLevels));
    names.push({ asset: tree.number, level, tile });
  }
  return names;
}

function leafAt(place: Place, tiles: ReadonlyMap<string, Buffer>): OwnLeaf {
  const { tree, part, index, nodes } = place;
  const amount = sumAt(nodes, index % tileNodes);
  const path: PathNode[] = [];
  let top = climb(nodes, index % tileNodes, path);
  for (const name of upperTilesOf(place)) {
    const tile = present(tiles.get(keyOf(name)), "the tiles of a path must have been read");
    const at = Math.floor(index / 2 ** name.level) % tileNodes;
    const isJoined = tile.compare(top, 0, nodeBytes, at * nodeBytes, (at + 1) * nodeBytes) === 0;
    assert(isJoined, "a tile's node must be in the tile above it");
    top = climb(tile, at, path);
  }
  const isStated =
    top.toString("hex", 0, hashBytes) === tree.root && `${sumAt(top, 0)}` === tree.total;
  assert(isStated, "a stored tree must have the stated root and total");
  return { part, index, amount, path };
}

/** Combines the nodes of a tile to the one above all of them; adds the siblings on the way from `at`. */
function climb(tile: Buffer, at: number, path: PathNode[]): Buffer {
  let nodes = tile;
  for (let place = at; nodes.length > nodeBytes; place >>= 1) {
    const sibling = place ^ 1;
    const start = sibling * nodeBytes;
    path.push({ hash: nodes.subarray(start, start + hashBytes), sum: sumAt(nodes, sibling) });
    nodes = above(nodes);
  }
  return nodes;
}

function above(nodes: Buffer): Buffer {
  const joined = Buffer.alloc(nodes.length / 2);
  const data = Buffer.alloc(1 + 2 * nodeBytes, treePrefix.node);
  for (let pair = 0; pair < joined.length / nodeBytes; pair++) {
    nodes.copy(data, 1, 2 * pair * nodeBytes, (2 * pair + 2) * nodeBytes);
    hash("sha256", data, "buffer").copy(joined, pair * nodeBytes);
    writeSum(joined, pair, sumAt(nodes, 2 * pair) + sumAt(nodes, 2 * pair + 1));
  }
  return joined;
}

function sumAt(nodes: Buffer, place: number): bigint {
  const at = place * nodeBytes + hashBytes;
  return (nodes.readBigUInt64BE(at) << 64n) | nodes.readBigUInt64BE(at + sumBytes / 2);
}

function writeSum(nodes: Buffer, place: number, sum: bigint): void {
  const at = place * nodeBytes + hashBytes;
  nodes.writeBigUInt64BE(sum >> 64n, at);
  nodes.writeBigUInt64BE(sum & (2n ** 64n - 1n), at + sumBytes / 2);
}
