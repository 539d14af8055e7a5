// Coins for the payments of a batch. One payment takes a hundred coins at most; a member who has enough and in
// smaller coins than that pays itself first, a hundred of them as one.

import { present } from "../../../core/assert.ts";
import { toLedgerAmount } from "../../../core/money/ledger-amount.ts";
import type { Leg, Outcome, Party } from "../../../ports/ledger/ledger.ts";
import type { BatchLeg, BatchRow, Coin } from "../../../ports/ledger/settlement-store.ts";
import type { BatchExecutorParts } from "./batch-executor-parts.ts";
import { chooseCoins, inputsMax } from "./coin-choice.ts";
import { operationsOf } from "./member-operations.ts";

/** How long a payment of a member to itself may commit. */
const gatherMs = 60_000;

/** Why there are no coins now: other batches hold them, there are not enough, or they are too small. */
export type Unfunded = "busy" | "short" | ScatteredCoins;

/** Enough coins, and too many for one payment. */
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
  /** Purses whose coins other batches hold, as `sender asset`: asked once until the ledger is read on. */
  readonly #taken = new Set<string>();

  constructor(parts: BatchExecutorParts) {
    this.#parts = parts;
  }

  /** The ledger was read on: what was taken may be free. */
  lookAgain(): void {
    this.#taken.clear();
  }

  /** The payments of a batch with the coins that make them. */
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
    // A batch under way holds coins of its own.
    if (dedupOffset === null && this.#taken.has(purse)) return { why: "busy" };
    const units = toLedgerAmount(amount, table.asset(asset).decimals);
    const coins = await store.freeCoins(sender, asset, batchId);
    const inputs = chooseCoins(coins, units);
    if (inputs !== null) {
      const instrument = present(instruments.get(asset), "an asset on the ledger");
      const legId = `${batchId}-${asset}`;
      return { legId, sender, receiver, instrument, amount: units, inputs };
    }
    // Custody's coins are merged by their keeper.
    if (sender !== network.custody && sumOf(coins) >= units)
      return { why: { party: sender, asset, coins } };
    if (!(await store.isCovered(sender, asset, units))) return { why: "short" };
    this.#taken.add(purse);
    return { why: "busy" };
  }

  /**
   * Has a member pay itself the largest coins that one payment takes; null where it lets nobody do that. Lost or
   * late it does no harm: coins that are gone are in a coin of the same owner.
   */
  async gather({ party, asset, coins }: ScatteredCoins): Promise<Outcome | null> {
    const { network, instruments, now, newId } = this.#parts;
    const members = await operationsOf(network, [party]);
    if (members.length === 0) return null;
    const largest = coins.slice(-inputsMax);
    const instrument = present(instruments.get(asset), "an asset on the ledger");
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
