// Proves that the set of levels equals a sorted list for any ranks, and that its memory is bounded.

import assert from "node:assert/strict";
import { test } from "node:test";
import { AssertionFailure } from "../../src/core/assert.ts";
import { priceTicksMax } from "../../src/core/limits.ts";
import { Side } from "../../src/core/orders.ts";
import { LevelMemory, rowRanks } from "../../src/engine/level-memory.ts";
import { LevelSet, noRank, rankOf } from "../../src/engine/level-set.ts";
import { SeededRandom } from "../../src/tools/load/seeded-random.ts";

/** Returns a random rank, or one at an edge of a row, page or group. */
function anyRank(random: SeededRandom, side: Side): number {
  const scale = 2 ** random.below(31);
  const price = 1 + random.below(scale) + (random.below(4) === 0 ? random.below(2) * 1024 : 0);
  const edge = random.below(4) === 0 ? price - (price % 2 ** (5 * random.below(6))) : price;
  return rankOf(side, Math.min(Math.max(edge, 1), priceTicksMax));
}

for (const [name, side] of Object.entries(Side)) {
  test(`the levels of a ${name} side are found and iterated as in a sorted list`, () => {
    const random = new SeededRandom(21);
    const set = new LevelSet(new LevelMemory(600));
    const known = new Map<number, number>();
    /** The rank of each level by the level's index; 0 where there is no level. */
    const kept = new Int32Array(rowRanks * 601);
    const remove = (rank: number) => {
      kept[set.find(rank)] = 0;
      set.remove(rank);
      known.delete(rank);
    };
    for (let step = 0; step < 40_000; step++) {
      const rank = anyRank(random, side);
      const isFilling = Math.floor(step / 4000) % 2 === 0;
      if (known.has(rank)) {
        remove(rank);
      } else if (known.size < 600 && (isFilling || known.size === 0)) {
        const place = set.add(rank);
        kept[place] = rank;
        known.set(rank, place);
      } else {
        const [first = 0] = known.keys();
        remove(first);
      }
      if (step % 40 !== 0) continue;
      const sorted = [...known.keys()].sort((one, other) => other - one);
      assert.equal(set.best, sorted[0] ?? noRank);
      for (const [place, one] of sorted.entries()) {
        assert.equal(set.find(one), known.get(one));
        assert.equal(set.nextBelow(one), sorted[place + 1] ?? noRank);
      }
      assert.equal(new Set(known.values()).size, known.size, "each level must have its own index");
      const other = anyRank(random, side);
      assert.equal(set.nextBelow(other), sorted.find((one) => one < other) ?? noRank);
      assert.equal(kept[set.find(other)], known.has(other) ? other : 0);
    }
  });
}

test("the largest number of levels, each on a different page, fits after any earlier use", () => {
  const memory = new LevelMemory(200);
  const sets = [new LevelSet(memory), new LevelSet(memory)] as const;
  const random = new SeededRandom(3);
  for (let round = 0; round < 500; round++) {
    const ranks = Array.from({ length: 200 }, (_, at) => (at + 1) * 4_000_000 + random.below(1000));
    for (const [at, rank] of ranks.entries()) sets[at % 2]?.add(rank);
    for (const [at, rank] of ranks.entries()) sets[at % 2]?.remove(rank);
    assert.deepEqual([sets[0].best, sets[1].best], [noRank, noRank]);
  }
});

test("a level beyond the memory bound or a missing level stops the thread", () => {
  const set = new LevelSet(new LevelMemory(2));
  set.add(1);
  set.add(5000);
  assert.throws(() => set.add(900_000_000), AssertionFailure);
  assert.throws(() => new LevelSet(new LevelMemory(2)).remove(7), AssertionFailure);
});
