// What settlement needs, and what it is set to.

import type { MarketTable } from "../../core/markets.ts";
import type { Instrument, LedgerNetwork, Party } from "../../ports/ledger/ledger.ts";
import type { SettledCoinStore } from "../../ports/ledger/settled-coins.ts";
import type { SettlementBacklog, SettlementStore } from "../../ports/ledger/settlement-store.ts";
import type { Log } from "../../ports/log.ts";
import type { HoldingReleaseService } from "./mirror/coin-releases.ts";
import type { MirrorService } from "./mirror/mirror-balance.ts";

export interface SettlementSettings {
  /** Batches on their way at once. */
  readonly workers: number;
  readonly pollMs: number;
  /** How long a batch gathers fills: the first from a large exposure on, the second up to a small one. */
  readonly windowMs: number;
  readonly longWindowMs: number;
  /** How long the attempts of one round may commit; the ledger itself refuses them afterwards. */
  readonly roundMs: number;
  /** A deadline counts as passed on the ledger this long after it. */
  readonly lapseMs: number;
  readonly reconcileMs: number;
  /** Unread for longer than this, the ledger's word on what wallets hold is stale. */
  readonly staleMs: number;
  /** From one comparison of all coins on record with the ledger's own list to the next. */
  readonly auditMs: number;
}

export interface SettlementParts {
  readonly settings: SettlementSettings;
  readonly store: SettlementStore;
  readonly coins: SettledCoinStore;
  readonly network: LedgerNetwork;
  /** What custody and members hold, by the asset's code. */
  readonly instruments: ReadonlyMap<string, Instrument>;
  readonly hostWallet: (party: Party) => Promise<void>;
  readonly clearing: MirrorService & HoldingReleaseService;
  readonly table: MarketTable;
  /** Told now and then what is on its way, and how many rounds came to nothing since the start. */
  readonly report: (backlog: SettlementBacklog, retries: number) => void;
  /** Told each time the ledger was read to its end, in Unix milliseconds. */
  readonly followed: (nowMs: number) => void;
  /** Told how many coins on record were not those on the ledger, in the newest comparison. */
  readonly audited: (coinsAstray: number) => void;
  /** Whether settlement is short of traffic, so that batches wait longer. */
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
