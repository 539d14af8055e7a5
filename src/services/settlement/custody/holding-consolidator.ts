// Keeps the number of custody's coins in bounds. If an asset has many free coins, a payment of custody to itself merges
// the small coins; if the asset has too few coins for parallel payments, the largest coin is split in two. The inputs
// are leased until the payment's deadline is certainly over, so a lost answer is harmless: by then the coins are either
// spent by the payment or free again.

import type { MarketTable } from "../../../core/markets.ts";
import { toLedgerAmount } from "../../../core/money/ledger-amount.ts";
import type { CustodyStore } from "../../../ports/ledger/custody.ts";
import type { Instrument, LedgerNetwork } from "../../../ports/ledger/ledger.ts";
import type { Log } from "../../../ports/log.ts";

export interface HoldingConsolidatorParts {
  readonly store: CustodyStore;
  readonly network: LedgerNetwork;
  readonly table: MarketTable;
  readonly instruments: ReadonlyMap<number, Instrument>;
  /** Minimum number of coins of an asset that custody keeps, if its largest coin is worth enough to be split. */
  readonly coinsMin: number;
  /** Runs `step` at a time when settlement is not choosing coins. */
  readonly exclusively: <T>(step: () => Promise<T>) => Promise<T>;
  readonly now: () => number;
  readonly newId: () => string;
  readonly log: Log;
}

/** If an asset has more free coins than this, they are merged. The network recommends about ten coins per owner. */
const coinsMax = 20;
/** A coin is split only if it is worth at least this many minimum deposits. */
const depositsPerSplit = 1_000n;
/** Maximum number of coins that one payment may consume. */
const inputsMax = 100;
const validMs = 60_000;
const lapseMs = 120_000;

export class HoldingConsolidator {
  readonly #parts: HoldingConsolidatorParts;
  readonly #dueMs = new Map<number, number>();

  constructor(parts: HoldingConsolidatorParts) {
    this.#parts = parts;
  }

  async work(): Promise<void> {
    const { store, instruments, now } = this.#parts;
    await store.releaseMerges(now() - lapseMs);
    for (const [asset, instrument] of instruments) {
      if ((this.#dueMs.get(asset) ?? 0) <= now()) await this.#consolidate(asset, instrument);
    }
  }

  /** Merges or splits once, if needed. */
  async #consolidate(asset: number, instrument: Instrument): Promise<void> {
    const { store, network, exclusively, now, newId, log } = this.#parts;
    const { custody } = network;
    const deadlineMs = now() + validMs;
    const chosen = await exclusively(async () => {
      const choice = await this.#choose(asset);
      if (choice === null || !(await store.leaseForMerge(choice.inputs, deadlineMs))) return null;
      return choice;
    });
    if (chosen === null) return;
    const { inputs, amount } = chosen;
    const outcome = await network.transfer({
      commandId: `mnt:${newId()}`,
      submissionId: newId(),
      actAs: [custody],
      dedupOffset: await network.ledgerEnd(),
      leg: { legId: "coins", sender: custody, receiver: custody, instrument, amount, inputs },
      reference: "coins",
      isDirectOnly: true,
      requestedAtMs: now(),
      executeBeforeMs: deadlineMs,
    });
    if (outcome.kind === "committed") return;
    // The inputs stay leased until the deadline is certainly over, so another attempt has to wait until then.
    this.#dueMs.set(asset, deadlineMs + lapseMs);
    log.warn({ asset, reason: outcome.message }, "custody's coins could not be merged or split");
  }

  /** The payment of custody to itself: many small coins into one, or half of the largest coin. */
  async #choose(asset: number): Promise<{ inputs: string[]; amount: bigint } | null> {
    const { store, table, network, coinsMin } = this.#parts;
    const { custody } = network;
    // Smallest first.
    const coins = await store.freeCoins(custody, asset);
    if (coins.length > coinsMax) {
      const small = coins.slice(0, Math.min(inputsMax, coins.length - coinsMin));
      const amount = small.reduce((sum, coin) => sum + coin.amount, 0n);
      return { inputs: small.map(({ contractId }) => contractId), amount };
    }
    const largest = coins.at(-1);
    if (largest === undefined || (await store.coinCount(custody, asset)) >= coinsMin) return null;
    const least = (await store.depositMinimums()).get(asset);
    if (least === undefined) return null;
    const { decimals } = table.asset(asset);
    if (largest.amount < toLedgerAmount(least * depositsPerSplit, decimals)) return null;
    return { inputs: [largest.contractId], amount: largest.amount / 2n };
  }
}
