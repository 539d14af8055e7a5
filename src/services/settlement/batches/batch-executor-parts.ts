// What carrying batches to the ledger needs. Types only.

import type { MarketTable } from "../../../core/markets.ts";
import type { Instrument, LedgerNetwork } from "../../../ports/ledger/ledger.ts";
import type { SettlementStore } from "../../../ports/ledger/settlement-store.ts";
import type { Log } from "../../../ports/log.ts";

export interface BatchExecutorSettings {
  /** Batches on their way at once. */
  readonly workers: number;
  /** How long the attempts of one round may commit; the ledger itself refuses them afterwards. */
  readonly roundMs: number;
  /** A deadline counts as passed on the ledger this long after it. */
  readonly lapseMs: number;
}

export interface BatchExecutorParts {
  readonly store: SettlementStore;
  readonly network: LedgerNetwork;
  readonly table: MarketTable;
  readonly instruments: ReadonlyMap<number, Instrument>;
  readonly settings: BatchExecutorSettings;
  readonly now: () => number;
  /** A random share from 0 up to 1. */
  readonly share: () => number;
  readonly newId: () => string;
  /** Told of each round that ended without what it was for. */
  readonly onSetback: () => void;
  readonly log: Log;
}
