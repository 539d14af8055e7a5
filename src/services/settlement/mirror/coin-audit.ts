// Compares the coins on record with the ledger's own list of active contracts, party by party, each at the one
// offset that the records are of. The records follow the ledger's updates, so they differ where one was missed
// or somebody else wrote to them: that is an alarm, and the records are made what the ledger says.
// A round goes through everybody, a few parties a beat, so that none is long.

import type { Holding, Instrument, LedgerNetwork, Party } from "../../../ports/ledger/ledger.ts";
import type { Coin, SettlementStore } from "../../../ports/ledger/settlement-store.ts";
import type { Log } from "../../../ports/log.ts";

// A coin of the ledger as the venue's tables have it. Pure.

/** The coin, by the venue's number of its asset; none where it is of something the venue does not list. */
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
  /** Told how many coins of the round differed: at once where some do, and when it ends. */
  readonly audited: (coinsAstray: number) => void;
  readonly log: Log;
}

/** Parties of one beat; each is a question to the ledger. */
const partiesPerCycle = 8;

export class CoinAudit {
  readonly #parts: CoinAuditParts;
  /** Who is left in the round under way. */
  #left: Party[] = [];
  #beganMs: number;
  #astray = 0;

  constructor(parts: CoinAuditParts) {
    this.#parts = parts;
    this.#beganMs = parts.now();
  }

  /** Goes on with a round where one is due. Nothing else may read the ledger on meanwhile. Spec SET-18. */
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
    const astray = await store.mendCoins(party, ledgerOffset, coins);
    if (astray === 0) return;
    this.#astray += astray;
    audited(this.#astray);
    const what = { party, ledgerOffset, coins: astray };
    log.error(what, "coins on record were not those on the ledger: mended");
  }

  /** null where there are too many to be listed, or no answer: the next round asks again. */
  async #listed(party: Party, ledgerOffset: number): Promise<Coin[] | null> {
    const { network, instruments, log } = this.#parts;
    try {
      const listed = await network.holdings(party, ledgerOffset);
      return listed.flatMap((coin) => listedCoin(instruments, coin));
    } catch (error) {
      log.warn({ err: error, party }, "a party's coins could not be compared with the ledger");
      return null;
    }
  }
}
