// Makes clearing release the coins that confirmed batches have delivered, so that accounts can use them. A release is
// stored before it is sent; at any time there is at most one release per account and asset. If the reply was lost, the
// journal is searched before anything else is released, so each coin is released once.

import type { CoinRelease, SettledCoinStore } from "../../../ports/ledger/settled-coins.ts";
import type { Log } from "../../../ports/log.ts";

/** Commands to clearing; when a call resolves, its result is durable. */
export interface HoldingReleaseService {
  committedSeq(): number;
  /** Releases the amount; false if clearing refused. */
  settleCoins(account: number, asset: number, amount: bigint): Promise<boolean>;
  /** Returns the ids of those `releases` that the journal contains. */
  releasesDone(releases: readonly CoinRelease[]): Promise<ReadonlySet<number>>;
}

export interface CoinReleaseParts {
  readonly store: SettledCoinStore;
  readonly clearing: HoldingReleaseService;
  readonly log: Log;
}

export class CoinReleases {
  readonly #parts: CoinReleaseParts;

  constructor(parts: CoinReleaseParts) {
    this.#parts = parts;
  }

  /**
   * Releases the coins of all batches confirmed so far. Returns false if clearing refused a release, which is retried
   * in the next cycle.
   */
  async work(): Promise<boolean> {
    await this.#finish();
    for (;;) {
      const freed = await this.#free();
      if (freed !== "some") return freed === "none";
    }
  }

  /** Releases one portion of the coins. */
  async #free(): Promise<"some" | "none" | "refused"> {
    const { store, clearing, log } = this.#parts;
    const releases = await store.prepareReleases(clearing.committedSeq());
    if (releases.length === 0) return "none";
    const answers = await Promise.allSettled(
      releases.map(({ account, asset, amount }) => clearing.settleCoins(account, asset, amount)),
    );
    const isDone = (index: number) => {
      const answer = answers[index];
      return answer?.status === "fulfilled" && answer.value;
    };
    const [done, notDone] = divided(releases, (_, index) => isDone(index));
    if (notDone.length > 0) log.warn({ count: notDone.length }, "coins wait to be released");
    await store.finishReleases(done, notDone);
    return notDone.length === 0 ? "some" : "refused";
  }

  /**
   * Finishes releases that a crash left open. Nothing else was released since, so the journal shows whether they took
   * effect.
   */
  async #finish(): Promise<void> {
    const { store, clearing } = this.#parts;
    const open = await store.openReleases();
    if (open.length === 0) return;
    const found = await clearing.releasesDone(open);
    await store.finishReleases(...divided(open, ({ releaseId }) => found.has(releaseId)));
  }
}

/** Splits the ids of releases into done and not done. */
function divided(
  releases: readonly CoinRelease[],
  isDone: (release: CoinRelease, index: number) => boolean,
): [done: number[], notDone: number[]] {
  const [done, notDone]: [number[], number[]] = [[], []];
  for (const [index, release] of releases.entries()) {
    (isDone(release, index) ? done : notDone).push(release.releaseId);
  }
  return [done, notDone];
}
