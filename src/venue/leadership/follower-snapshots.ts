// Builds the snapshots while another venue leads, so that the leader need not. A pool task folds the journal from the
// last snapshot, independently of the follower's state; both must have the same hash.

import type { SafetyFigures } from "../../adapters/telemetry/safety-figures.ts";
import type { MarketTable } from "../../core/markets.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Log } from "../../ports/log.ts";
import type { Config } from "../config/config.ts";
import type { VenueDatabase } from "../database.ts";
import { SnapshotScheduler } from "../duties/snapshots.ts";
import type { StandBy } from "./stand-by.ts";

/** How often it is checked whether the leader has written all rows up to the snapshot. */
const lookMs = 200;

export interface FollowerSnapshotsParts {
  readonly config: Config;
  readonly database: VenueDatabase;
  readonly table: MarketTable;
  readonly clock: Clock;
  readonly log: Log;
  readonly figures: SafetyFigures;
  readonly standBy: StandBy;
}

export class FollowerSnapshots {
  readonly #scheduler: SnapshotScheduler;
  readonly #standBy: StandBy;
  /** The follower's own hash, by the seq of the snapshot being built. */
  #own: { readonly seq: number; readonly stateHash: string } | null = null;
  #isClosed = false;

  constructor({ config, database, table, clock, log, figures, standBy }: FollowerSnapshotsParts) {
    const { markets, assets } = table;
    this.#standBy = standBy;
    this.#scheduler = new SnapshotScheduler({
      rules: { intervalMs: config.snapshotIntervalMs, events: config.snapshotEvents },
      task: { connection: database.connection, markets, assets, logLevel: config.logLevel },
      clock,
      log,
      committedSeq: () => standBy.seq,
      settle: () => this.#settledSeq(),
      figures,
      snapshotSeq: 0,
      onFolded: ({ seq, stateHash }) => {
        if (this.#own?.seq !== seq || this.#own.stateHash === stateHash) return;
        log.error({ seq }, "the follower's state differs from the journal's: it is rebuilt");
        standBy.rebuild();
      },
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#scheduler.close();
  }

  /** Takes the follower's hash, and waits until the leader has written all rows up to its seq. */
  async #settledSeq(): Promise<number> {
    const own = this.#standBy.hash();
    if (own === null) throw new Error("the follower has no state yet");
    this.#own = own;
    while ((this.#standBy.lease?.settledSeq ?? 0) < own.seq) {
      if (this.#isClosed) throw new Error("the follower has ended");
      await new Promise((resolve) => setTimeout(resolve, lookMs).unref());
    }
    return own.seq;
  }
}
