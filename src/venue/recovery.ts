// One recovery for all threads: newest valid snapshot and suffix give the state at seq S, and its
// packed bytes seed clearing, matchers, fronts and the journal's replica. The writer's lock is held by
// the journal thread before anything here reads.

import type { MarketTable } from "../core/markets.ts";
import type { EventStore } from "../ports/event-store.ts";
import type { Log } from "../ports/log.ts";
import type { UnwrittenRows } from "../services/journal/projection.ts";
import { type ReplayOptions, recover, takeSnapshot } from "../services/journal/replay.ts";

export interface VenueSeed {
  readonly seq: number;
  readonly stateHash: string;
  /** The packed state. */
  readonly bytes: Uint8Array;
  readonly unwritten: UnwrittenRows;
  readonly snapshotSeq: number;
  readonly replayed: number;
  readonly tookMs: number;
}

/** The venue's state as the store has it, packed. */
export async function recoverSeed(
  store: EventStore,
  table: MarketTable,
  options: ReplayOptions,
  log: Log,
): Promise<VenueSeed> {
  const startedMs = performance.now();
  const { projection, snapshotSeq, replayed, stored, rejected } = await recover(
    store,
    table,
    options,
  );
  for (const { seq, words } of rejected) {
    log.warn({ seq, reason: words }, "a snapshot is not usable, falling back to the one before");
  }
  const { seq, stateHash, bytes } = stored ?? takeSnapshot(projection.state);
  const tookMs = Math.round(performance.now() - startedMs);
  const unwritten = projection.unwritten();
  return { seq, stateHash, bytes, unwritten, snapshotSeq, replayed, tookMs };
}
