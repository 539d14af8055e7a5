// Recovers the state once for all threads: the newest valid snapshot and the later events give the state at the newest
// seq. Its packed bytes seed clearing, matchers, fronts and the journal's replica. The journal thread holds the
// writer's lock before the journal is replayed.

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

/** A seed of threads that have the state already. */
export type WarmSeed = Omit<VenueSeed, "stateHash" | "bytes">;

export interface SeedOptions extends ReplayOptions {
  /**
   * Called with the bytes of a snapshot as soon as they are read, if no event follows that snapshot. The bytes are most
   * likely the seed, but they are not checked yet, and another process may still add events until the lock is taken.
   */
  readonly onWhole?: (bytes: Uint8Array) => void;
  readonly onReplay?: ReplayTold;
}

/** Called once per chunk with the number of replayed events after the snapshot. */
export type ReplayTold = (done: number, total: number) => void;

/**
 * Returns the recovered state, packed. If the bytes last passed to `onWhole` turn out to be the seed, returns these
 * same bytes.
 */
export async function recoverSeed(
  store: Pick<EventStore, "lastSeq" | "readEvents" | "readSnapshots">,
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
  const instead = snapshotSeq === 0 ? "the whole journal" : `the earlier snapshot ${snapshotSeq}`;
  return `a snapshot is unusable: recovering from ${instead} instead; no acknowledged event is lost`;
}
