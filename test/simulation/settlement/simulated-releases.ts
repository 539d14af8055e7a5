// Two tables of the simulation, in memory. Receipts are the coins that an account gets from a batch's fills. Releases
// are the amounts that clearing is told to release once a batch is confirmed.

import type {
  CoinRelease,
  SettledCoinStore,
  SettledReceipt,
} from "../../../src/ports/ledger/settled-coins.ts";
import { sumOf } from "./simulated-coins.ts";

type Receipt = SettledReceipt & { batchId: string; releaseId: number | null };

export interface SimulatedReleasesParts {
  readonly isConfirmed: (batchId: string) => boolean;
  /** Amount by which each release is too small; more than zero is a deliberate bug. */
  readonly withheld: bigint;
}

export class SimulatedReleases implements SettledCoinStore {
  readonly #parts: SimulatedReleasesParts;
  readonly #releases = new Map<number, CoinRelease>();
  #receipts: Receipt[] = [];
  #lastId = 0;

  constructor(parts: SimulatedReleasesParts) {
    this.#parts = parts;
  }

  /** Adds the receipts of a batch: the coins that each account gets from its fills. Called when the batch is sealed. */
  add(batchId: string, receipts: readonly SettledReceipt[]): void {
    for (const receipt of receipts) this.#receipts.push({ ...receipt, batchId, releaseId: null });
  }

  of(batchId: string): SettledReceipt[] {
    const own = this.#receipts.filter((receipt) => receipt.batchId === batchId);
    return own.map(({ account, asset, amount }) => ({ account, asset, amount }));
  }

  /** Moves the receipts of a batch to another batch. */
  move(batchId: string, newBatchId: string): void {
    for (const receipt of this.#receipts)
      if (receipt.batchId === batchId) receipt.batchId = newBatchId;
  }

  async openReleases(): Promise<CoinRelease[]> {
    return [...this.#releases.values()];
  }

  async prepareReleases(seqBefore: number): Promise<CoinRelease[]> {
    const { isConfirmed, withheld } = this.#parts;
    const made: CoinRelease[] = [];
    const requested = new Set([...this.#releases.values()].map(purseName));
    const due = this.#receipts.filter(
      ({ batchId, releaseId }) => releaseId === null && isConfirmed(batchId),
    );
    due.sort((one, other) => one.account - other.account || one.asset - other.asset);
    for (const name of new Set(due.map(purseName))) {
      const own = due.filter((receipt) => purseName(receipt) === name);
      const [first] = own;
      if (first === undefined || requested.has(name)) continue;
      const releaseId = ++this.#lastId;
      const { account, asset } = first;
      const release = { releaseId, account, asset, amount: sumOf(own) - withheld, seqBefore };
      for (const receipt of own) receipt.releaseId = releaseId;
      this.#releases.set(releaseId, release);
      made.push(release);
    }
    return made;
  }

  async finishReleases(done: readonly number[], notDone: readonly number[]): Promise<void> {
    this.#receipts = this.#receipts.filter(({ releaseId }) => !done.includes(releaseId ?? -1));
    for (const receipt of this.#receipts)
      if (notDone.includes(receipt.releaseId ?? -1)) receipt.releaseId = null;
    for (const releaseId of [...done, ...notDone]) this.#releases.delete(releaseId);
  }
}

function purseName({ account, asset }: { account: number; asset: number }): string {
  return `${account}/${asset}`;
}
