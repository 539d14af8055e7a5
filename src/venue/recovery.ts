// One recovery for all threads: newest valid snapshot and suffix give the state at seq S, and its
// packed bytes seed clearing, matchers, fronts and the journal's replica. The writer's lock is held by
// the journal thread before anything here reads.

import type { MarketTable } from "../core/markets.ts";
import type { EventStore } from "../ports/journal/event-store.ts";
import type { Log } from "../ports/log.ts";
import type { UnwrittenRows } from "../services/journal/projection.ts";
import {
  type JournalSource,
  type ReplayOptions,
  recover,
  takeSnapshot,
} from "../services/journal/replay.ts";

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

export interface SeedOptions extends ReplayOptions {
  /**
   * Told the bytes of a snapshot with no event behind it as soon as they are read: most likely the
   * seed, but neither checked nor, before the lock, certain to stay the newest.
   */
  readonly onWhole?: (bytes: Uint8Array) => void;
  readonly onReplay?: ReplayTold;
}

/** Told how many of the events behind the snapshot are folded, once a chunk. */
export type ReplayTold = (done: number, total: number) => void;

/** The venue's state as the store has it, packed; the bytes last told to `onWhole`, if they are it. */
export async function recoverSeed(
  store: EventStore,
  table: MarketTable,
  options: SeedOptions,
  log: Log,
): Promise<VenueSeed> {
  const startedMs = performance.now();
  const { onWhole = () => undefined } = options;
  let [fromSeq, lastSeq] = [0, 0];
  const source: JournalSource = {
    readEvents: async (after, ...rest) => {
      [fromSeq, lastSeq] = [after, await store.lastSeq()];
      return store.readEvents(after, ...rest);
    },
    async *readSnapshots(limit) {
      for await (const snapshot of store.readSnapshots(limit)) {
        if ("bytes" in snapshot && (await store.lastSeq()) === snapshot.seq)
          onWhole(snapshot.bytes);
        yield snapshot;
      }
    },
  };
  const { projection, snapshotSeq, replayed, stored, rejected } = await recover(source, table, {
    ...options,
    onProgress: (seq) => options.onReplay?.(seq - fromSeq, lastSeq - fromSeq),
  });
  const instead = { snapshotSeq, replayed };
  for (const { seq, message } of rejected) {
    log.warn({ seq, reason: message, ...instead }, notUsable(snapshotSeq));
  }
  const { seq, stateHash, bytes } = stored ?? takeSnapshot(projection.state);
  const tookMs = Math.round(performance.now() - startedMs);
  const unwritten = projection.unwritten();
  return { seq, stateHash, bytes, unwritten, snapshotSeq, replayed, tookMs };
}

function notUsable(snapshotSeq: number): string {
  const instead =
    snapshotSeq === 0 ? "the whole journal" : `the snapshot before it, ${snapshotSeq},`;
  return `a snapshot is not usable: ${instead} is used instead; everything acknowledged is in the journal`;
}
