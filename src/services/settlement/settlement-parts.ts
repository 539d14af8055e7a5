// Settings and dependencies of settlement.

import type { MarketTable } from "../../core/markets.ts";
import type { Instrument, LedgerNetwork, Party } from "../../ports/ledger/ledger.ts";
import type { SettledCoinStore } from "../../ports/ledger/settled-coins.ts";
import type { SettlementBacklog, SettlementStore } from "../../ports/ledger/settlement-store.ts";
import type { Log } from "../../ports/log.ts";
import type { HoldingReleaseService } from "./mirror/coin-releases.ts";
import type { MirrorService } from "./mirror/mirror-balance.ts";

export interface SettlementSettings {
  /** Batches in progress at once. */
  readonly workers: number;
  readonly pollMs: number;
  /** How long a batch gathers fills at most: `longWindowMs` at a low exposure, `windowMs` from a medium one on. */
  readonly windowMs: number;
  readonly longWindowMs: number;
  /** How long the attempts of one round may commit. The ledger refuses them after that. */
  readonly roundMs: number;
  /** Time in ms after a deadline from which the ledger certainly no longer accepts an attempt. */
  readonly lapseMs: number;
  readonly reconcileMs: number;
  /** The view of wallets is stale if the ledger was not read to its end for this long. */
  readonly staleMs: number;
  /** Interval between two audits of all recorded coins against the ledger. */
  readonly auditMs: number;
}

export interface SettlementParts {
  readonly settings: SettlementSettings;
  readonly store: SettlementStore;
  readonly coins: SettledCoinStore;
  readonly network: LedgerNetwork;
  /** Assets held by custody and members, by code. */
  readonly instruments: ReadonlyMap<string, Instrument>;
  readonly hostWallet: (party: Party) => Promise<void>;
  readonly clearing: MirrorService & HoldingReleaseService;
  readonly table: MarketTable;
  /** Called regularly with the backlog and the number of failed rounds since the start. */
  readonly report: (backlog: SettlementBacklog, retries: number) => void;
  /** Called each time the ledger was read to its end, in Unix ms. */
  readonly followed: (nowMs: number) => void;
  /** Called with the number of recorded coins that differed from the ledger in the current or last audit. */
  readonly audited: (coinsAstray: number) => void;
  /** Whether settlement is short of traffic, which lengthens the windows. */
  readonly isTrafficScarce: () => boolean;
  /** The venue's time in ms. */
  readonly now: () => number;
  readonly log: Log;
}

export function byAsset(
  table: MarketTable,
  instruments: ReadonlyMap<string, Instrument>,
): Map<number, Instrument> {
  const found = new Map<number, Instrument>();
  for (const { id, code } of table.assets) {
    const instrument = instruments.get(code);
    if (instrument !== undefined) found.set(id, instrument);
  }
  return found;
}
