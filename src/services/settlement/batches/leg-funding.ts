// Funds the payments of a batch with coins. One payment consumes at most a hundred coins. If the amount that a member
// owes is spread over more coins, a payment of the member to itself first merges a hundred of them into one.

import { present } from "../../../core/assert.ts";
import { toLedgerAmount } from "../../../core/money/ledger-amount.ts";
import type { Leg, Outcome, Party } from "../../../ports/ledger/ledger.ts";
import type { BatchLeg, BatchRow, Coin } from "../../../ports/ledger/settlement-store.ts";
import type { BatchExecutorParts } from "./batch-executor-parts.ts";
import { chooseCoins, inputsMax } from "./coin-choice.ts";
import { operationsOf } from "./member-operations.ts";

/** Time in ms in which a member's merge payment may commit. */
const gatherMs = 60_000;

/**
 * Why a payment cannot be funded now: other batches are using the coins (`busy`), the sender has too few coins
 * (`short`), or the amount is spread over too many coins.
 */
export type Unfunded = "busy" | "short" | ScatteredCoins;

/** Coins that suffice but are too many for one payment. */
export interface ScatteredCoins {
  readonly party: Party;
  readonly asset: number;
  /** Smallest first. */
  readonly coins: readonly Coin[];
}

export interface NoLegs {
  readonly why: Unfunded;
}

export class LegFunding {
  readonly #parts: BatchExecutorParts;
  /** Senders and assets whose coins other batches use, as `sender asset`. Cleared after ledger updates are read. */
  readonly #taken = new Set<string>();

  constructor(parts: BatchExecutorParts) {
    this.#parts = parts;
  }

  /** Must be called after ledger updates are read: coins that other batches used may be free now. */
  lookAgain(): void {
    this.#taken.clear();
  }

  /** The payments of a batch with the coins that fund them, or the reason why they cannot be funded now. */
  async legs(batch: BatchRow): Promise<readonly Leg[] | NoLegs> {
    const funded: Leg[] = [];
    for (const leg of await this.#parts.store.legsOf(batch.batchId)) {
      const found = await this.#leg(batch, leg);
      if ("why" in found) return found;
      funded.push(found);
    }
    return funded;
  }

  async #leg(
    { batchId, dedupOffset }: BatchRow,
    { asset, sender, receiver, amount }: BatchLeg,
  ): Promise<Leg | NoLegs> {
    const { store, network, table, instruments } = this.#parts;
    const purse = `${sender} ${asset}`;
    // A batch with a stored attempt already has its coins.
    if (dedupOffset === null && this.#taken.has(purse)) return { why: "busy" };
    const units = toLedgerAmount(amount, table.asset(asset).decimals);
    const coins = await store.freeCoins(sender, asset, batchId);
    const inputs = chooseCoins(coins, units);
    if (inputs !== null) {
      const instrument = present(
        instruments.get(asset),
        "the asset must have an instrument on the ledger",
      );
      const legId = `${batchId}-${asset}`;
      return { legId, sender, receiver, instrument, amount: units, inputs };
    }
    // Custody's coins are merged by HoldingConsolidator.
    if (sender !== network.custody && sumOf(coins) >= units)
      return { why: { party: sender, asset, coins } };
    if (!(await store.isCovered(sender, asset, units))) return { why: "short" };
    this.#taken.add(purse);
    return { why: "busy" };
  }

  /**
   * Merges a member's largest coins, as many as one payment can consume, into one coin of the same member. Null if the
   * member has given the venue no authority. A lost or late merge is harmless.
   */
  async gather({ party, asset, coins }: ScatteredCoins): Promise<Outcome | null> {
    const { network, instruments, now, newId } = this.#parts;
    const members = await operationsOf(network, [party]);
    if (members.length === 0) return null;
    const largest = coins.slice(-inputsMax);
    const instrument = present(
      instruments.get(asset),
      "the asset must have an instrument on the ledger",
    );
    const inputs = largest.map(({ contractId }) => contractId);
    const own = { legId: "coins", sender: party, receiver: party, instrument, inputs };
    return network.settleDirect({
      commandId: `mnt:${newId()}`,
      submissionId: newId(),
      actAs: [network.operator, network.custody],
      dedupOffset: await network.ledgerEnd(),
      batchId: "coins",
      members,
      legs: [{ ...own, amount: sumOf(largest) }],
      requestedAtMs: now(),
      executeBeforeMs: now() + gatherMs,
    });
  }
}

function sumOf(coins: readonly Coin[]): bigint {
  return coins.reduce((sum, { amount }) => sum + amount, 0n);
}
