// Nodes of a tree four at a time. A node is 65 bytes: its prefix and two hashes.

import { copyBytes, type HashPairs, HashPrefix, hashBytes } from "../../engine/epochs/tree-hash.ts";
import { Sha256Lanes } from "./sha256-lanes.ts";
import { laneBytes, lanes } from "./sha256-module.ts";

const pairBytes = 2 * hashBytes;
const nodeBytes = 1 + pairBytes;

/** Hashes pairs in lanes of its own memory. */
export function pairsInLanes(): HashPairs {
  const hasher = new Sha256Lanes();
  const { slots } = hasher;
  // Digests take the place of a message's first half alone: its end stays as it is.
  hasher.pad(nodeBytes);
  const blocks = hasher.blocksOf(nodeBytes);
  return (from, start, count, out, at) => {
    for (let first = 0; first < count; first += lanes) {
      const some = Math.min(count - first, lanes);
      for (let lane = 0; lane < some; lane++) {
        slots[lane * laneBytes] = HashPrefix.parent;
        const pair = start + (first + lane) * pairBytes;
        copyBytes(from, pair, slots, lane * laneBytes + 1, pairBytes);
      }
      hasher.hash(blocks);
      for (let lane = 0; lane < some; lane++) {
        copyBytes(slots, lane * laneBytes, out, at + (first + lane) * hashBytes, hashBytes);
      }
    }
  };
}
