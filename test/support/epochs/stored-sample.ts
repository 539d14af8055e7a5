// The tiles of a sample's sum trees, as the venue stores them, and a reader of them in memory.

import type { LiabilityReader, LiabilityTile } from "../../../src/ports/journal/liability-store.ts";
import { noLiabilities } from "../front/no-epochs.ts";
import { bigEndian } from "./naive-liabilities.ts";
import type { SampleTree } from "./stated-sample.ts";

const tileNodes = 256;

/** All tiles of a tree: leaves, and every eighth level below the root. */
export function tilesOf({ asset, tree }: SampleTree): LiabilityTile[] {
  const { levels, leaves } = tree;
  const tiles: LiabilityTile[] = [];
  for (let level = 0; level < levels.length; level += 8) {
    const nodes = levels[level] ?? [];
    if (level > 0 && nodes.length === 1) continue;
    for (let first = 0; first < nodes.length; first += tileNodes) {
      const bytes = nodes.slice(first, first + tileNodes).flatMap(({ hash, sum }, place) => {
        const tag = level === 0 ? [leaves[first + place]?.tag ?? Buffer.alloc(0)] : [];
        return [...tag, hash, bigEndian(sum, 16)];
      });
      const name = { asset: asset.number, level, tile: first / tileNodes };
      tiles.push({ ...name, nodes: Buffer.concat(bytes) });
    }
  }
  return tiles;
}

/** A reader of one epoch's tiles; none of any other epoch. */
export function readerOf(epoch: number, tiles: readonly LiabilityTile[]): LiabilityReader {
  return {
    ...noLiabilities,
    leafTiles: async (of, wanted) =>
      wanted.map(({ asset, tag }) => {
        if (of !== epoch) return null;
        const own = tiles.filter((tile) => tile.asset === asset && tile.level === 0);
        const before = own.filter(({ nodes }) => Buffer.compare(nodes.subarray(0, 8), tag) <= 0);
        return before.at(-1) ?? own[0] ?? null;
      }),
    tiles: async (of, names) =>
      tiles.filter((tile) =>
        names.some(
          ({ asset, level, tile: number }) =>
            of === epoch && asset === tile.asset && level === tile.level && number === tile.tile,
        ),
      ),
  };
}
