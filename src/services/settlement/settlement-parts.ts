// Settings and dependencies of settlement.

import type { MarketTable } from "../../core/markets.ts";
import type { Instrument, LedgerNetwork, Party } from "../../ports/ledger/ledger.ts";
import type { SettledCoinStore } from "../../ports/ledger/settled-coins.ts";
import type { SettlementBacklog, SettlementStore } from "../../ports/ledger/settlement-store.ts";
import type { Log } from "../../ports/log.ts";
import type { HoldingReleaseService } from "./mirror/coin-releases.ts";
import type { MirrorService } from "./mirror/mirror-balance.ts";

export interface SettlementSettings {
  /** Maximum number of batches that are worked on at once. */
  readonly workers: number;
  readonly pollMs: number;
  /** How long a batch may collect fills, in ms: `longWindowMs` at a low exposure, `windowMs` from a medium one on. */
  readonly windowMs: number;
  readonly longWindowMs: number;
  /** Time in ms in which the attempts of one round may commit. The ledger refuses them after that. */
  readonly roundMs: number;
  /** Additional ledger time in ms after a round's deadline. Once it has passed, no attempt of the round can commit. */
  readonly lapseMs: number;
  readonly reconcileMs: number;
  /** The venue's view of the wallets counts as stale once the ledger was not read to its end for this many ms. */
  readonly staleMs: number;
  /** Interval in ms between two audits of all recorded coins against the ledger. */
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
  /** Called each time the ledger was read to its end, with the time in Unix ms. */
  readonly followed: (nowMs: number) => void;
  /** Called with the number of recorded coins that differed from the ledger in the current or last audit. */
  readonly audited: (coinsAstray: number) => void;
  /** True if settlement is short of traffic. Batches then wait longer before they are sealed. */
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
