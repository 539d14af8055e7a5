// Compares the recorded coins of each party with the ledger's list of active contracts at the ledger offset of the
// records. Records follow ledger updates, so a difference means a missed update or a write by someone else. Then an
// error is logged, and the ledger's list replaces the records. A round covers all parties, a few per cycle, so that no
// cycle is long.

import type { Holding, Instrument, LedgerNetwork, Party } from "../../../ports/ledger/ledger.ts";
import type { Coin, SettlementStore } from "../../../ports/ledger/settlement-store.ts";
import type { Log } from "../../../ports/log.ts";

/**
 * Converts a ledger coin to the form in which the venue's tables store it. Returns a list with that one coin; an empty
 * list if the venue does not list the coin's asset.
 */
export function listedCoin(
  instruments: ReadonlyMap<number, Instrument>,
  { contractId, owner, instrument, amount, isLocked }: Holding,
): Coin[] {
  for (const [asset, { admin, id }] of instruments) {
    if (admin !== instrument.admin || id !== instrument.id) continue;
    return [{ contractId, party: owner, asset, amount, isLocked }];
  }
  return [];
}

export interface CoinAuditParts {
  readonly store: SettlementStore;
  readonly network: LedgerNetwork;
  readonly instruments: ReadonlyMap<number, Instrument>;
  readonly auditMs: number;
  readonly now: () => number;
  /** Called with the round's number of differing coins so far: after each difference, and at the end of the round. */
  readonly audited: (coinsAstray: number) => void;
  readonly log: Log;
}

/** Number of parties audited per cycle, each by one query to the ledger. */
const partiesPerCycle = 8;

export class CoinAudit {
  readonly #parts: CoinAuditParts;
  /** Parties left in the current round. */
  #left: Party[] = [];
  #beganMs: number;
  #astray = 0;

  constructor(parts: CoinAuditParts) {
    this.#parts = parts;
    this.#beganMs = parts.now();
  }

  /** True between the cycles of a round. */
  get isRunning(): boolean {
    return this.#left.length > 0;
  }

  /** Continues or starts a round if one is due. Nothing else may read ledger updates meanwhile. Spec SET-18. */
  async work(): Promise<void> {
    const { store, network, auditMs, now, audited } = this.#parts;
    if (this.#left.length === 0) {
      if (now() - this.#beganMs < auditMs) return;
      this.#beganMs = now();
      this.#astray = 0;
      this.#left = [network.custody, ...(await store.members()).map(({ party }) => party)];
    }
    const { ledgerOffset } = await store.cursor();
    for (const party of this.#left.slice(0, partiesPerCycle)) {
      await this.#compare(party, ledgerOffset);
      this.#left.shift();
    }
    if (this.#left.length === 0) audited(this.#astray);
  }

  async #compare(party: Party, ledgerOffset: number): Promise<void> {
    const { store, audited, log } = this.#parts;
    const coins = await this.#listed(party, ledgerOffset);
    if (coins === null) return;
    const astray = await store.replaceCoins(party, ledgerOffset, coins);
    if (astray === 0) return;
    this.#astray += astray;
    audited(this.#astray);
    const what = { party, ledgerOffset, coins: astray };
    log.error(what, "recorded coins differed from the ledger and were corrected");
  }

  /** The party's coins; null if the ledger does not answer or has too many coins to list. The next round retries. */
  async #listed(party: Party, ledgerOffset: number): Promise<Coin[] | null> {
    const { network, instruments, log } = this.#parts;
    try {
      const listed = await network.holdings(party, ledgerOffset);
      return listed.flatMap((coin) => listedCoin(instruments, coin));
    } catch (error) {
      log.warn({ err: error, party }, "a party's coins could not be audited");
      return null;
    }
  }
}
