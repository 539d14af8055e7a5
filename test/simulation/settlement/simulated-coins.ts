// The rows of the wallet mirror, in memory: the coins that the simulated venue has recorded, and the payments that are
// locked for batches.

import type { Party } from "../../../src/ports/ledger/ledger.ts";
import type {
  Coin,
  LedgerProgress,
  LockedLeg,
  LockedPayment,
  Purse,
} from "../../../src/ports/ledger/settlement-store.ts";

type HeldCoin = Coin & { batchId: string | null };

const forgottenEvery = 40;

export class SimulatedCoins {
  readonly #isForgetful: boolean;
  readonly #coins = new Map<string, HeldCoin>();
  #shown = 0;
  readonly #locks = new Map<string, LockedLeg>();

  /** `isForgetful` is a deliberate bug: now and then a new coin of the ledger is not recorded. */
  constructor({ isForgetful }: { readonly isForgetful: boolean }) {
    this.#isForgetful = isForgetful;
  }

  all(): HeldCoin[] {
    return [...this.#coins.values()];
  }

  /** Adds coins; coins that are already recorded keep their state. */
  add(coins: readonly Coin[]): void {
    for (const coin of coins)
      if (!this.#coins.has(coin.contractId))
        this.#coins.set(coin.contractId, { ...coin, batchId: null });
  }

  /** Reserves coins for a batch, which may spend them from now on. */
  take(inputs: readonly string[], batchId: string): void {
    for (const input of inputs) {
      const coin = this.#coins.get(input);
      if (coin !== undefined) coin.batchId = batchId;
    }
  }

  /** Frees the coins that are reserved for a batch. */
  release(batchId: string): void {
    for (const coin of this.#coins.values()) if (coin.batchId === batchId) coin.batchId = null;
  }

  usable(party: Party, asset: number): HeldCoin[] {
    return this.all().filter(
      (coin) => coin.party === party && coin.asset === asset && !coin.isLocked,
    );
  }

  /** Returns the units of a party's coins, including coins locked for a batch that can still settle. */
  heldBy(party: Party, asset: number): bigint {
    const binding = [...this.#locks.values()].filter((lock) => !this.#isSpent(lock));
    const lent = new Set(binding.flatMap(({ holdings }) => holdings));
    const own = this.all().filter((coin) => {
      const isOwn = coin.party === party && coin.asset === asset;
      return isOwn && (!coin.isLocked || lent.has(coin.contractId));
    });
    return sumOf(own);
  }

  locksOf(batchId: string): LockedPayment[] {
    const own = [...this.#locks.values()].filter((lock) => lock.batchId === batchId);
    return own.map((lock) => {
      const { contractId, admin, holdings } = lock;
      const [sender = null] = holdings.flatMap((id) => this.#coins.get(id)?.party ?? []);
      return { contractId, admin, sender, isSpent: this.#isSpent(lock) };
    });
  }

  /** Returns whether at least one coin of a lock is gone. */
  #isSpent({ holdings }: LockedLeg): boolean {
    return holdings.some((id) => !this.#coins.has(id));
  }

  /** Applies the ledger's progress: new, spent and locked coins. Returns the owners of new and spent coins. */
  advance(progress: LedgerProgress, isKnown: (batchId: string) => boolean): Set<Party> {
    const gone = progress.archived.flatMap((contractId) => this.#coins.get(contractId) ?? []);
    const moved = new Set([...progress.created, ...gone].map(({ party }) => party));
    this.add(
      progress.created.filter(() => !this.#isForgetful || ++this.#shown % forgottenEvery !== 0),
    );
    for (const lock of progress.locked)
      if (isKnown(lock.batchId)) this.#locks.set(lock.contractId, lock);
    for (const contractId of progress.archived) {
      this.#coins.delete(contractId);
      this.#locks.delete(contractId);
    }
    return moved;
  }

  /** Corrects a party's recorded coins to the ledger's list; returns the number of differences. */
  mend(party: Party, listed: readonly Coin[]): number {
    const right = new Set<string>();
    for (const coin of listed) {
      const own = this.#coins.get(coin.contractId);
      if (own !== undefined && isSame(own, coin)) right.add(coin.contractId);
    }
    const own = this.all().filter((coin) => coin.party === party);
    const astray = new Set(
      [...own, ...listed].map(({ contractId }) => contractId).filter((id) => !right.has(id)),
    );
    for (const contractId of astray) this.#coins.delete(contractId);
    this.add(listed.filter(({ contractId }) => astray.has(contractId)));
    return astray.size;
  }
}

function isSame(one: Coin, other: Coin): boolean {
  const isOfOne = one.party === other.party && one.asset === other.asset;
  return isOfOne && one.amount === other.amount && one.isLocked === other.isLocked;
}

export function sumOf(amounts: readonly { readonly amount: bigint }[]): bigint {
  return amounts.reduce((sum, { amount }) => sum + amount, 0n);
}

export function pursesOf(parts: readonly Purse[]): Purse[] {
  const sums = new Map<string, Purse>();
  for (const { party, asset, amount } of parts) {
    const name = `${asset} ${party}`;
    sums.set(name, { party, asset, amount: amount + (sums.get(name)?.amount ?? 0n) });
  }
  return [...sums.values()];
}
