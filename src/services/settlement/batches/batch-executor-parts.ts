// What the batch executor depends on.

import type { MarketTable } from "../../../core/markets.ts";
import type { Instrument, LedgerNetwork } from "../../../ports/ledger/ledger.ts";
import type { SettlementStore } from "../../../ports/ledger/settlement-store.ts";
import type { Log } from "../../../ports/log.ts";

export interface BatchExecutorSettings {
  /** Batches in progress at once. */
  readonly workers: number;
  /** How long the attempts of one round may commit. The ledger refuses them after that. */
  readonly roundMs: number;
  /** Time in ms after a deadline from which the ledger certainly no longer accepts an attempt. */
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
