// Snapshot + suffix → state. The newest snapshot whose bytes give the hash stored with it is taken;
// a bad one falls back to the one before, the last resort is the empty venue and the whole journal.
// Events are folded by the same `apply` as live; seq is checked gapless by it, event by event.
//
// Nothing is decided here: replay only applies.

import type { MarketTable } from "../../core/markets.ts";
import {
  captureState,
  restoreState,
  snapshotFormat,
  type VenueSnapshot,
} from "../../engine/state/snapshot/venue-snapshot.ts";
import { VenueState } from "../../engine/state/venue-state.ts";
import { stateHash } from "../../engine/state-hash.ts";
import type { EventChunk, EventStore, StoredSnapshot } from "../../ports/journal/event-store.ts";
import { decodeEventBytes } from "../../wire/records/event-bytes.ts";
import { packSnapshot, unpackSnapshot } from "../../wire/snapshot-codec.ts";
import { Projection } from "./projection.ts";

/** How many snapshots are tried before the whole journal is replayed. */
const snapshotsTried = 3;

/** The part of the store that replay reads. */
export type JournalSource = Pick<EventStore, "readEvents" | "readSnapshots">;

export interface Recovery {
  /** The state after the last event, with the coalesced rows that may not have been written. */
  readonly projection: Projection;
  /** Seq of the snapshot taken, 0 for none. */
  readonly snapshotSeq: number;
  /** Events folded on top of it. */
  readonly replayed: number;
  /** The snapshot taken, if no event follows it: the state as bytes, without packing it again. */
  readonly stored: StoredSnapshot | null;
  /** Seqs of snapshots that were not usable, and why. */
  readonly rejected: readonly RejectedSnapshot[];
}

export interface RejectedSnapshot {
  readonly seq: number;
  readonly message: string;
}

export interface ReplayOptions {
  /** Wait of coalesced rows (Projection). */
  readonly projectionIntervalMs: number;
  /** The writer's lock: snapshots never change and may be read before it, the journal may not. */
  readonly locked?: Promise<unknown>;
  /** Told the seq reached, once a chunk. */
  readonly onProgress?: (seq: number) => void;
}

/** Reads the newest state the store can give. */
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

/** The state of the newest usable snapshot, or the empty venue where there is none. */
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

/** The state in a stored snapshot; throws unless its hash and seq are those stored with it. */
export function openSnapshot(stored: StoredSnapshot, table: MarketTable): VenueState {
  const state = restoreState(table, unpackSnapshot(stored.bytes) as VenueSnapshot);
  const hash = stateHash(state);
  if (hash !== stored.stateHash)
    throw new RangeError(`its hash is ${hash}, stored with it is ${stored.stateHash}`);
  if (state.seq !== stored.seq)
    throw new RangeError(`its seq is ${state.seq}, stored with it is ${stored.seq}`);
  return state;
}

/** Whether a snapshot is of another program's format: it is not wrong, and of no use here. */
export function isOfOtherFormat({ bytes }: StoredSnapshot): boolean {
  try {
    const { format } = unpackSnapshot(bytes) as VenueSnapshot;
    return Number.isInteger(format) && format !== snapshotFormat;
  } catch {
    // Damaged: opening it will say so.
    return false;
  }
}

/** The snapshot of a state between two transactions. */
export function takeSnapshot(state: VenueState): StoredSnapshot {
  return {
    seq: state.seq,
    stateHash: stateHash(state),
    bytes: packSnapshot(captureState(state)),
  };
}

/** Hands the events of a chunk to `fold`, in order. */
export function foldChunk(
  chunk: EventChunk,
  fold: (event: ReturnType<typeof decodeEventBytes>) => void,
): void {
  for (let index = 0; index < chunk.count; index++) {
    const start = chunk.offsets[index] ?? 0;
    fold(decodeEventBytes(chunk.bytes, start, chunk.lengths[index] ?? 0));
  }
}
