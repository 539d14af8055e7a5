// Coins of wallet-funded accounts that a swap will lock on the ledger: held from the journaled acceptance of a quote,
// so that no order spends them too. Debits of the mirror are charged to these holds first, since they are most likely
// the lock itself. If the swap ends without settlement, what is left of its hold is released. After settlement the hold
// stays until the mirror has booked the asset, because those coins have certainly left the wallet.
//
// The mirror sees amounts, not swaps, so a debit may be the lock of another swap of the account. Each hold records the
// debits charged to it; when a swap's lock is confirmed, debits charged to swaps that still wait move to that swap.
//
// A hold is no guarantee: if the account has fewer free coins than the swap takes, the hold has only those. So the
// amount is checked again before the coins are locked. Spec RFQ-20.

export interface SwapHold {
  readonly account: number;
  readonly swapNo: number;
  readonly asset: number;
  /** Minor units still held, 0 or more. */
  readonly amount: bigint;
  /** Minor units of the mirror's debits that were charged to this hold, 0 or more. */
  readonly booked: bigint;
  readonly stage: HoldStage;
  /** Whether the mirror has booked the asset since the lock was confirmed. */
  readonly isLooked: boolean;
}

/** Codes stored in snapshots: the lock is expected, is on the ledger, or was settled. */
export const HoldStage = { waiting: 0, locked: 1, settled: 2 } as const;
export type HoldStage = (typeof HoldStage)[keyof typeof HoldStage];

export class SwapHolds {
  /** By account, each by swap. An account has few swaps in progress. */
  readonly #holds = new Map<number, Map<number, SwapHold>>();

  /** Minor units held for a swap; null if the journal has no such swap or it has ended. */
  of(account: number, swapNo: number): bigint | null {
    return this.#holds.get(account)?.get(swapNo)?.amount ?? null;
  }

  /** One account's holds by swap, oldest first. */
  ofAccount(account: number): SwapHold[] {
    return [...(this.#holds.get(account)?.values() ?? [])].sort((a, b) => a.swapNo - b.swapNo);
  }

  /** Minor units of the asset that are held for all swaps of an account. */
  heldOf(account: number, asset: number): bigint {
    const own = this.ofAccount(account).filter((hold) => hold.asset === asset);
    return own.reduce((sum, { amount }) => sum + amount, 0n);
  }

  set(hold: SwapHold): void {
    const own = this.#holds.get(hold.account) ?? new Map<number, SwapHold>();
    own.set(hold.swapNo, hold);
    this.#holds.set(hold.account, own);
  }

  delete({ account, swapNo }: SwapHold): void {
    const own = this.#holds.get(account);
    own?.delete(swapNo);
    if (own?.size === 0) this.#holds.delete(account);
  }

  /** By account and then swap. */
  all(): SwapHold[] {
    const accounts = [...this.#holds.keys()].sort((one, other) => one - other);
    return accounts.flatMap((account) => this.ofAccount(account));
  }
}
