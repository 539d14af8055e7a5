// Computes the state from a snapshot and the events after it. Uses the newest snapshot whose state matches its stored
// hash. If no snapshot is usable, starts from the empty venue and replays the whole journal. Events are folded by the
// same `apply` as in the live venue, which asserts a gapless seq.
//
// Replay only applies events; it decides nothing.

import type { MarketTable } from "../../core/markets.ts";
import {
  captureState,
  restoreState,
  snapshotFormat,
  type VenueSnapshot,
} from "../../engine/state/snapshot/venue-snapshot.ts";
import { VenueState } from "../../engine/state/venue-state.ts";
import { stateHash } from "../../engine/state-hash.ts";
import type { EventStore, StoredSnapshot } from "../../ports/journal/event-store.ts";
import { foldChunk } from "../../wire/records/event-bytes.ts";
import { packSnapshot, unpackSnapshot } from "../../wire/snapshot-codec.ts";
import { Projection } from "./projection.ts";

/** Number of snapshots tried before replaying the whole journal: all that are retained, with that of a fork's begin. */
const snapshotsTried = 4;

/** The part of the store that replay reads. */
export type JournalSource = Pick<EventStore, "readEvents" | "readSnapshots">;

export interface Recovery {
  /** A projection of the state after the last event. Its coalesced rows may be unwritten. */
  readonly projection: Projection;
  /** Seq of the snapshot used, 0 for none. */
  readonly snapshotSeq: number;
  /** Number of events folded after the snapshot. */
  readonly replayed: number;
  /** The snapshot used, if no event follows it; otherwise null. Its bytes already encode the recovered state. */
  readonly stored: StoredSnapshot | null;
  /** Snapshots that could not be used, by seq, with the reason. */
  readonly rejected: readonly RejectedSnapshot[];
}

export interface RejectedSnapshot {
  readonly seq: number;
  readonly message: string;
}

export interface ReplayOptions {
  /** How long the projection delays coalesced rows, in ms. */
  readonly projectionIntervalMs: number;
  /**
   * Resolves once the writer's lock is held. Snapshots never change and may be read before that; the journal may not.
   */
  readonly locked?: Promise<unknown>;
  /** Called with the seq reached after each chunk of events. */
  readonly onProgress?: (seq: number) => void;
}

/** Recovers the newest state the store can provide. */
export async function recover(
  source: JournalSource,
  table: MarketTable,
  options: ReplayOptions,
): Promise<Recovery> {
  const { state: start, stored, rejected } = await newestSnapshot(source, table);
  await options.locked;
  const projection = new Projection(start, options.projectionIntervalMs);
  const snapshotSeq = start.seq;
  await source.readEvents(snapshotSeq, null, (chunk) => {
    foldChunk(chunk, (event) => projection.refold(event));
    options.onProgress?.(start.seq);
  });
  const replayed = start.seq - snapshotSeq;
  return { projection, snapshotSeq, replayed, stored: replayed === 0 ? stored : null, rejected };
}

/**
 * The store as far as a leader announced it as durable, up to `durableSeq`. Later events and snapshots may be lost with
 * the server that shows them.
 */
export function announced(
  store: Pick<EventStore, "readEvents" | "readSnapshots">,
  durableSeq: number,
): Pick<EventStore, "lastSeq" | "readEvents" | "readSnapshots"> {
  return {
    lastSeq: async () => durableSeq,
    readEvents: (after, _, take) => store.readEvents(after, durableSeq, take),
    async *readSnapshots(limit) {
      for await (const snapshot of store.readSnapshots(limit))
        if (snapshot.seq <= durableSeq) yield snapshot;
    },
  };
}

/** The state of the newest usable snapshot, or the empty venue. */
export async function newestSnapshot(
  source: Pick<EventStore, "readSnapshots">,
  table: MarketTable,
): Promise<{ state: VenueState; stored: StoredSnapshot | null; rejected: RejectedSnapshot[] }> {
  const rejected: RejectedSnapshot[] = [];
  for await (const stored of source.readSnapshots(snapshotsTried)) {
    if ("message" in stored) {
      rejected.push(stored);
      continue;
    }
    try {
      return { state: openSnapshot(stored, table), stored, rejected };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      rejected.push({ seq: stored.seq, message });
    }
  }
  return { state: new VenueState(table), stored: null, rejected };
}

/** The state in a stored snapshot; throws unless hash and seq match those stored with it. */
export function openSnapshot(stored: StoredSnapshot, table: MarketTable): VenueState {
  const state = restoreState(table, unpackSnapshot(stored.bytes) as VenueSnapshot);
  const hash = stateHash(state);
  if (hash !== stored.stateHash)
    throw new RangeError(`its hash is ${hash}, the stored one is ${stored.stateHash}`);
  if (state.seq !== stored.seq)
    throw new RangeError(`its seq is ${state.seq}, the stored one is ${stored.seq}`);
  return state;
}

/** True if a snapshot has the format of another program version: it is valid, but this program cannot use it. */
export function isOfOtherFormat({ bytes }: StoredSnapshot): boolean {
  try {
    const { format } = unpackSnapshot(bytes) as VenueSnapshot;
    return Number.isInteger(format) && format !== snapshotFormat;
  } catch {
    // The snapshot is damaged; opening it reports that.
    return false;
  }
}

/** Takes a snapshot of a state between two transactions. */
export function takeSnapshot(state: VenueState): StoredSnapshot {
  return {
    seq: state.seq,
    stateHash: stateHash(state),
    bytes: packSnapshot(captureState(state)),
  };
}
