// Coins of wallet-funded accounts that a swap is going to lock on the ledger: held from the journal's word that
// a quote was taken, so that no order spends them too. What the mirror takes off such a wallet it takes off
// these first, since it is most likely their lock; what is left is free when the swap ends without a settlement.
// Of a settled swap it stays held until the mirror has booked the asset: those coins are gone for certain.
//
// The mirror knows amounts, not swaps: what it takes off may be the lock of another swap of the account. Each
// hold says what was taken off it, and a swap whose lock is seen takes that over from those that wait still.
//
// A hold is no promise: where less is free than the swap takes, it is of what is free. Whoever is about to lock
// looks at it. Spec RFQ-20.

export interface SwapHold {
  readonly account: number;
  readonly swapNo: number;
  readonly asset: number;
  /** Minor units that are held still, from 0. */
  readonly amount: bigint;
  /** Minor units that the mirror has taken off it, from 0. */
  readonly booked: bigint;
  readonly stage: HoldStage;
  /** The mirror has booked the asset since the lock was seen. */
  readonly isLooked: boolean;
}

/** Codes as they are in snapshots: its lock is to come, is on the ledger, or was settled. */
export const HoldStage = { waiting: 0, locked: 1, settled: 2 } as const;
export type HoldStage = (typeof HoldStage)[keyof typeof HoldStage];

export class SwapHolds {
  /** By account, each by swap. An account has few swaps under way. */
  readonly #holds = new Map<number, Map<number, SwapHold>>();

  /** Minor units that are held for a swap; null where the journal has no word of it, or it is over. */
  of(account: number, swapNo: number): bigint | null {
    return this.#holds.get(account)?.get(swapNo)?.amount ?? null;
  }

  /** Of one account, by swap, what was taken first in front. */
  ofAccount(account: number): SwapHold[] {
    return [...(this.#holds.get(account)?.values() ?? [])].sort((a, b) => a.swapNo - b.swapNo);
  }

  /** Minor units of all swaps of an account together. */
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
