// Tests that a mark tells a journal that ends earlier or went another way from the one it was taken of, wherever in a
// block it was taken, and that it knows another venue's journal.

import assert from "node:assert/strict";
import { test } from "node:test";
import { randomEvents } from "../../../../test/support/journal/journal-tables.ts";
import { MemoryJournal } from "../../../../test/support/journal/memory-journal.ts";
import type { VenueEvent } from "../../../core/generated/events.ts";
import type { CommittedEvents } from "./follower.ts";
import { compareWithMark, firstHashOf, type JournalMark, lastChainOf } from "./journal-mark.ts";

const events = randomEvents({ seed: 5, commands: 400 });
const seqs = [1, 255, 256, 257, events.length];

function journalOf(all: readonly VenueEvent[]): CommittedEvents {
  const journal = new MemoryJournal(all);
  return {
    lastSeq: async () => all.length,
    readEvents: (...range) => journal.readEvents(...range),
  };
}

/** The journal with another event at `seq`. */
function altered(seq: number): CommittedEvents {
  return journalOf(
    events.map((event) => (event.seq === seq ? { ...event, tsUs: event.tsUs + 1 } : event)),
  );
}

async function markAt(seq: number): Promise<JournalMark> {
  const journal = journalOf(events.slice(0, seq));
  return { ...(await lastChainOf(journal, seq)), first: await firstHashOf(journal), epoch: "3" };
}

test("LDR-17 a journal that has the marked event is whole, and one that ends before it is shorter", async () => {
  for (const seq of seqs) {
    const mark = await markAt(seq);
    for (const headSeq of [seq, events.length])
      assert.deepEqual(await compareWithMark(mark, journalOf(events.slice(0, headSeq))), {
        relation: "whole",
        headSeq,
      });
    if (seq === 1) continue;
    const headSeq = seq - 1;
    assert.deepEqual(await compareWithMark(mark, journalOf(events.slice(0, headSeq))), {
      relation: "shorter",
      headSeq,
    });
  }
});

test("LDR-17 a journal with another event at the mark, or before it in its block, is different", async () => {
  for (const seq of seqs.filter((each) => each > 1)) {
    const mark = await markAt(seq);
    for (const at of [seq, mark.baseSeq + 1].filter((each) => each > 1))
      assert.equal((await compareWithMark(mark, altered(at))).relation, "different");
  }
});

test("LDR-19 a journal that begins otherwise, or not at all, is another venue's", async () => {
  const mark = await markAt(300);
  for (const journal of [altered(1), journalOf([])])
    assert.equal((await compareWithMark(mark, journal)).relation, "another");
});
