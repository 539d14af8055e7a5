// Keeps custody's coins few: where an asset has many that nobody is spending, the small ones become one by a
// payment of custody to itself. What it is about to spend is leased until the payment's deadline has passed
// on the ledger, so an answer that is lost costs nothing: merged coins are gone by then, others are free.

import type { MarketTable } from "../../core/markets.ts";
import type { CustodyStore } from "../../ports/custody.ts";
import type { Instrument, LedgerNetwork } from "../../ports/ledger.ts";
import type { Log } from "../../ports/log.ts";

export interface CoinKeeperParts {
  readonly store: CustodyStore;
  readonly network: LedgerNetwork;
  readonly table: MarketTable;
  readonly instruments: ReadonlyMap<number, Instrument>;
  /** Runs a step while settlement chooses no coins. */
  readonly exclusively: <T>(step: () => Promise<T>) => Promise<T>;
  readonly now: () => number;
  readonly newId: () => string;
  readonly log: Log;
}

/** More free coins of an asset than this are merged (the network asks for about ten an owner). */
const coinsMax = 20;
/** The largest stay apart, so that payments can be made side by side. */
const coinsKept = 4;
/** Coins one payment may consume. */
const inputsMax = 100;
const validMs = 60_000;
const lapseMs = 120_000;

export class CoinKeeper {
  readonly #parts: CoinKeeperParts;
  readonly #dueMs = new Map<number, number>();

  constructor(parts: CoinKeeperParts) {
    this.#parts = parts;
  }

  async work(): Promise<void> {
    const { store, instruments, now } = this.#parts;
    await store.releaseMerges(now() - lapseMs);
    for (const [asset, instrument] of instruments) {
      if ((this.#dueMs.get(asset) ?? 0) <= now()) await this.#merge(asset, instrument);
    }
  }

  async #merge(asset: number, instrument: Instrument): Promise<void> {
    const { store, network, exclusively, now, newId, log } = this.#parts;
    const { custody } = network;
    const deadlineMs = now() + validMs;
    const chosen = await exclusively(async () => {
      const coins = await store.freeCoins(custody, asset);
      if (coins.length <= coinsMax) return null;
      const small = coins.slice(0, Math.min(inputsMax, coins.length - coinsKept));
      const inputs = small.map(({ contractId }) => contractId);
      if (!(await store.leaseForMerge(inputs, deadlineMs))) return null;
      return { inputs, amount: small.reduce((sum, coin) => sum + coin.amount, 0n) };
    });
    if (chosen === null) return;
    const { inputs, amount } = chosen;
    const outcome = await network.transfer({
      commandId: `mnt:${newId()}`,
      submissionId: newId(),
      actAs: [custody],
      dedupOffset: await network.ledgerEnd(),
      leg: { legId: "merge", sender: custody, receiver: custody, instrument, amount, inputs },
      reference: "merge",
      isDirectOnly: true,
      requestedAtMs: now(),
      executeBeforeMs: deadlineMs,
    });
    if (outcome.kind === "committed") return;
    // Its coins are free again after the deadline: nothing is tried before.
    this.#dueMs.set(asset, deadlineMs + lapseMs);
    log.warn({ asset, reason: outcome.words }, "coins of custody could not be merged yet");
  }
}
