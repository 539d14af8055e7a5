// What the batch executor depends on.

import type { MarketTable } from "../../../core/markets.ts";
import type { Instrument, LedgerNetwork } from "../../../ports/ledger/ledger.ts";
import type { SettlementStore } from "../../../ports/ledger/settlement-store.ts";
import type { Log } from "../../../ports/log.ts";

export interface BatchExecutorSettings {
  /** Maximum number of batches that are worked on at once. */
  readonly workers: number;
  /** Time in ms in which the attempts of one round may commit. The ledger refuses them after that. */
  readonly roundMs: number;
  /** Additional ledger time in ms after a round's deadline. Once it has passed, no attempt of the round can commit. */
  readonly lapseMs: number;
}

export interface BatchExecutorParts {
  readonly store: SettlementStore;
  readonly network: LedgerNetwork;
  readonly table: MarketTable;
  readonly instruments: ReadonlyMap<number, Instrument>;
  readonly settings: BatchExecutorSettings;
  readonly now: () => number;
  /** A random number in [0, 1). */
  readonly share: () => number;
  readonly newId: () => string;
  /** Called for each round that failed: the ledger rejected its attempt, or no attempt committed in time. */
  readonly onSetback: () => void;
  readonly log: Log;
}
