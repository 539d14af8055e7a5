// Tests that the chained hash depends on every byte before it and on nothing else: not on where it began to be
// computed, nor on when it is asked for.

import assert from "node:assert/strict";
import { test } from "node:test";
import { JournalChain } from "./journal-chain.ts";

const base = Uint8Array.of(1, 2, 3);

function eventOf(seq: number): Uint8Array {
  return Uint8Array.of(seq & 255, seq >> 8, 7);
}

function chainTo(seq: number, change = 0): JournalChain {
  const chain = new JournalChain(0, base);
  for (let each = 1; each <= seq; each++) {
    const event = eventOf(each);
    if (each === change) event[2] = 8;
    chain.add(event);
  }
  return chain;
}

test("a chain that goes on from a mark has the same hashes as the one that made it", () => {
  for (const at of [1, 255, 256, 257, 700]) {
    const long = chainTo(900);
    const mark = chainTo(at).mark();
    assert.deepEqual(mark.hash, long.at(at));
    const joined = new JournalChain(mark.baseSeq, mark.base);
    for (let seq = mark.baseSeq + 1; seq <= 900; seq++) joined.add(eventOf(seq));
    assert.deepEqual(joined.mark(), long.mark());
  }
});

test("LDR-9 one changed byte changes every later hash and no earlier one", () => {
  const [right, wrong] = [chainTo(800), chainTo(800, 300)];
  assert.deepEqual(wrong.at(299), right.at(299));
  for (const seq of [300, 301, 512, 800]) assert.notDeepEqual(wrong.at(seq), right.at(seq));
});

test("a seq that is not in the chain has no hash", () => {
  const chain = new JournalChain(500, base);
  chain.add(eventOf(501));
  assert.deepEqual([chain.at(499), chain.at(502), chain.at(500)], [null, null, base]);
  const old = chainTo(70_000);
  assert.equal(old.at(1), null);
  assert.notEqual(old.at(69_000), null);
});
