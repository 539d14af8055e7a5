// Keeps custody's coins few, and enough: where an asset has many that nobody is spending, the small ones become
// one by a payment of custody to itself; where it has fewer than payments are made side by side, the largest
// becomes two. What it is about to spend is leased until the payment's deadline has passed
// on the ledger, so an answer that is lost costs nothing: merged coins are gone by then, others are free.

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
  /** So many coins of an asset are there at least, where there is enough of it to tell apart. */
  readonly coinsMin: number;
  /** Runs a step while settlement chooses no coins. */
  readonly exclusively: <T>(step: () => Promise<T>) => Promise<T>;
  readonly now: () => number;
  readonly newId: () => string;
  readonly log: Log;
}

/** More free coins of an asset than this are merged (the network asks for about ten an owner). */
const coinsMax = 20;
/** A coin is split while it has at least so many least deposits: small change needs no company. */
const depositsPerSplit = 1_000n;
/** Coins one payment may consume. */
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
      if ((this.#dueMs.get(asset) ?? 0) <= now()) await this.#tend(asset, instrument);
    }
  }

  /** Merges or splits once, where the one or the other is called for. */
  async #tend(asset: number, instrument: Instrument): Promise<void> {
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
    // Its coins are free again after the deadline: nothing is tried before.
    this.#dueMs.set(asset, deadlineMs + lapseMs);
    log.warn(
      { asset, reason: outcome.message },
      "coins of custody could not be merged or split yet",
    );
  }

  /** What custody pays itself: many small coins as one, or half of the only large ones. */
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
