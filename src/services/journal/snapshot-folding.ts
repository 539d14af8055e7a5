// Builds a new snapshot from the last one and the committed journal up to a seq. Runs beside the venue: it reads only
// durable data and pauses no thread.

import type { MarketTable } from "../../core/markets.ts";
import { apply } from "../../engine/state/apply/apply.ts";
import { conservationGaps } from "../../engine/state/conservation.ts";
import type { EventStore } from "../../ports/journal/event-store.ts";
import { foldChunk } from "../../wire/records/event-bytes.ts";
import { newestSnapshot, takeSnapshot } from "./replay.ts";

export interface FoldedSnapshot {
  readonly seq: number;
  readonly stateHash: string;
  readonly bytes: number;
  readonly folded: number;
  /** Codes of assets whose sum over all accounts differs from net deposits. Empty if the state is correct. */
  readonly astray: readonly string[];
}

/** Folds and stores the snapshot after `untilSeq`, which must be committed. */
export async function foldSnapshot(
  store: Pick<EventStore, "readEvents" | "readSnapshots" | "writeSnapshot">,
  table: MarketTable,
  untilSeq: number,
): Promise<FoldedSnapshot> {
  const { state } = await newestSnapshot(store, table);
  const from = state.seq;
  await store.readEvents(from, untilSeq, (chunk) => {
    foldChunk(chunk, (event) => apply(state, event));
  });
  const snapshot = takeSnapshot(state);
  await store.writeSnapshot(snapshot);
  const { seq, stateHash, bytes } = snapshot;
  const gaps = conservationGaps(state);
  const astray = table.assets.filter(({ id }) => gaps[id] !== 0n).map(({ code }) => code);
  return { seq, stateHash, bytes: bytes.length, folded: seq - from, astray };
}
