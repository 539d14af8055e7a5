// What a venue remembers of the journal that it has acknowledged, or followed as durable. A journal that ends before the
// mark, or has other events there, lacks acknowledged events: an old backup was restored, or a server was promoted
// without the last commits.

import { createHash } from "node:crypto";
import type { ChainMark } from "../../../ports/leadership.ts";
import type { CommittedEvents } from "./follower.ts";
import { blockEvents, JournalChain } from "./journal-chain.ts";

export interface JournalMark extends ChainMark {
  /** Hash of the journal's first event, which tells journals apart. All copies of a database have the same. */
  readonly first: Uint8Array;
  /** Writer epoch of the leader that acknowledged the newest event. */
  readonly epoch: string;
}

/**
 * How a journal relates to a mark. `whole`: it has every marked event. `another`: it is the journal of another venue, or
 * empty as that of a new one.
 */
export type MarkRelation = "whole" | "another" | "shorter" | "different";

/**
 * Compares the journal, which begins after `journalBase`, with the mark; reads at most one block of events. `headSeq`: where
 * the journal ends.
 */
export async function compareWithMark(
  mark: JournalMark,
  journal: CommittedEvents,
  journalBase = 0,
): Promise<{ readonly relation: MarkRelation; readonly headSeq: number }> {
  const headSeq = await journal.lastSeq();
  const first = headSeq === journalBase ? null : await firstHashOf(journal, journalBase);
  if (first === null || !isEqual(first, mark.first)) return { relation: "another", headSeq };
  if (headSeq < mark.seq) return { relation: "shorter", headSeq };
  const { baseSeq, base, seq, hash } = mark;
  const there = await chainBetween(journal, { baseSeq, base, seq });
  const relation = isEqual(there.hash, hash) ? "whole" : "different";
  return { relation, headSeq };
}

/** The hash of the first event after `journalBase`; the journal must have one. */
export async function firstHashOf(journal: CommittedEvents, journalBase = 0): Promise<Uint8Array> {
  const hash = createHash("sha256");
  await journal.readEvents(journalBase, journalBase + 1, ({ bytes, offsets, lengths }) => {
    const start = offsets[0] ?? 0;
    hash.update(bytes.subarray(start, start + (lengths[0] ?? 0)));
  });
  return hash.digest();
}

/** The chained hash over the last block of events up to `seq`, which the journal must have after `journalBase`. */
export function lastChainOf(
  journal: CommittedEvents,
  seq: number,
  journalBase = 0,
): Promise<ChainMark> {
  const baseSeq = Math.max(journalBase, Math.floor((seq - 1) / blockEvents) * blockEvents);
  return chainBetween(journal, { baseSeq, base: new Uint8Array(), seq });
}

async function chainBetween(
  journal: CommittedEvents,
  { baseSeq, base, seq }: Omit<ChainMark, "hash">,
): Promise<ChainMark> {
  const chain = new JournalChain(baseSeq, base);
  if (seq > baseSeq) await journal.readEvents(baseSeq, seq, (chunk) => chain.addChunk(chunk));
  return { baseSeq, base, seq, hash: chain.at(seq) ?? new Uint8Array() };
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
