// The snapshots that a following venue of a failover run cuts, as `FollowerSnapshots` does: once the leader has written
// all rows up to a seq of the follower, a task folds the journal up to it, independently of the follower's state.

import { stateHash } from "../../../src/engine/state-hash.ts";
import type { EventStore } from "../../../src/ports/journal/event-store.ts";
import type { Lease } from "../../../src/ports/leadership.ts";
import type { Follower } from "../../../src/services/journal/following/follower.ts";
import { foldSnapshot } from "../../../src/services/journal/snapshot-folding.ts";
import { testMarkets } from "../../support/machine/test-markets.ts";

/** Time between the end of one snapshot and the start of the next. */
const intervalMs = 400;

export interface SimulatedSnapshotsParts {
  /** Opens the store of one task. */
  readonly store: () => EventStore;
  readonly nowMs: () => number;
  /** The follower's state is not the journal's. */
  readonly onDiffering: () => void;
  readonly isFault: (error: unknown) => boolean;
  readonly onBug: (error: unknown) => void;
}

export class SimulatedSnapshots {
  readonly #parts: SimulatedSnapshotsParts;
  /** The follower's own hash, by the seq of the snapshot that is due. */
  #own: { readonly seq: number; readonly hash: string } | null = null;
  #isFolding = false;
  #dueMs = 0;
  /** Snapshots that were stored. */
  stored = 0;

  constructor(parts: SimulatedSnapshotsParts) {
    this.#parts = parts;
  }

  /** Begins a snapshot, or has it folded, if it is time. */
  look({ state, seq }: Follower, { settledSeq }: Lease): void {
    const { nowMs, onBug, isFault } = this.#parts;
    if (this.#isFolding || nowMs() < this.#dueMs) return;
    this.#own ??= { seq, hash: stateHash(state) };
    if (settledSeq < this.#own.seq) return;
    this.#isFolding = true;
    this.#fold(this.#own)
      .catch((error) => {
        // A snapshot that could not be built is tried again later.
        if (!isFault(error)) onBug(error);
      })
      .finally(() => {
        this.#isFolding = false;
        this.#own = null;
        this.#dueMs = nowMs() + intervalMs;
      });
  }

  async #fold(own: { readonly seq: number; readonly hash: string }): Promise<void> {
    const folded = await foldSnapshot(this.#parts.store(), testMarkets, own.seq);
    this.stored++;
    if (folded.seq === own.seq && folded.stateHash !== own.hash) this.#parts.onDiffering();
  }
}
